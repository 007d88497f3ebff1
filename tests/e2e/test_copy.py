"""Copies on the server: one request where one does, everything kept, and a 200 that means it."""

import pytest
from data import MIB, get, keys, operations, put, random_bytes, same
from scenarios import NO_LOG, scenario
from stub import Reply, error, xml

C15 = scenario("C15 metadata, type and tags survive a copy")
C17 = scenario("C17 200 OK that contains an error")
COPY = scenario("cp: objects to objects")

HEADERS = {
    "ContentType": "text/x-test",
    "CacheControl": "no-store",
    "ContentDisposition": "attachment",
    "ContentEncoding": "x-test",
    "ContentLanguage": "de",
}


def facts(boto, bucket, key):
    head = boto.head_object(Bucket=bucket, Key=key)
    tags = boto.get_object_tagging(Bucket=bucket, Key=key)["TagSet"]
    return {k: head.get(k) for k in (*HEADERS, "Metadata", "ContentLength")}, sorted((t["Key"], t["Value"]) for t in tags)


@C15
@pytest.mark.parametrize("size", [1024, 16 * MIB])
def test_a_copy_keeps_headers_metadata_and_tags(server, s3kit, bucket, boto, size):
    put(boto, bucket, "src", body=random_bytes(size), **HEADERS, Metadata={"k": "v"}, Tagging="a=b&c=d%20e")
    s3kit("cp", f"s3://{bucket}/src", f"s3://{bucket}/dst").ok()
    assert facts(boto, bucket, "dst") == facts(boto, bucket, "src")
    same(get(boto, bucket, "dst"), get(boto, bucket, "src"))


@COPY
@NO_LOG
def test_a_copy_costs_one_request(server, s3kit, bucket, boto, requests):
    put(boto, bucket, *[f"p/{n}" for n in range(10)])
    before = len(requests())
    s3kit("cp", "-r", f"s3://{bucket}/p/", f"s3://{bucket}/q/").ok()
    assert operations(requests()[before:]) == {"ListObjectsV2": 1, "CopyObject": 10}


@COPY
def test_a_tree_is_copied_between_buckets(server, s3kit, bucket, boto, request):
    put(boto, bucket, "p/a", "p/d/b", "px")
    other = bucket + "-2"
    s3kit("mb", f"s3://{other}").ok()
    try:
        s3kit("cp", "-r", f"s3://{bucket}/p", f"s3://{other}/q/").ok()
        assert keys(boto, other) == ["q/a", "q/d/b"]
    finally:
        s3kit("rm", "-r", "-f", f"s3://{other}/")
        s3kit("rb", f"s3://{other}").ok()


@COPY
def test_a_missing_source_fails_and_makes_nothing(server, s3kit, bucket, boto):
    s3kit("cp", f"s3://{bucket}/none", f"s3://{bucket}/dst").fails(1, "none")
    assert keys(boto, bucket) == []


def failing(kind):
    body = b"\n  \n<?xml version=\"1.0\"?>\n<Error><Code>InternalError</Code><Message>We encountered an internal error</Message></Error>"
    return Reply(200, body if kind == "error" else b"", {"Content-Type": "application/xml"})


@C17
@pytest.mark.parametrize("kind", ["error", "empty"])
@pytest.mark.parametrize("times", [1, None], ids=["once", "always"])
@pytest.mark.parametrize("operation", ["CopyObject", "CompleteMultipartUpload", "UploadPartCopy"])
def test_a_200_with_an_error_is_an_error(stub, s3kit_at, work, operation, times, kind):
    if operation == "CompleteMultipartUpload":
        (work / "f").write_bytes(random_bytes(40 * MIB))
        arguments = ["f", "s3://b/dst"]
    else:
        stub.put("src", b"source")
        arguments = ["s3://b/src", "s3://b/dst"]
    if operation == "UploadPartCopy":
        from test_upload import copied_part, huge_copy

        huge_copy(stub)
        stub.on(operation, lambda r: failing(kind), times=times)
        stub.on(operation, copied_part)
    else:
        # An upload that the store finished although it said otherwise is not what this case is about.
        stub.on(operation, lambda r: (r.body(), failing(kind))[1], times=times)
    run = s3kit_at(stub)("cp", "--max-attempts", "3", *arguments)
    if times == 1:
        run.ok()
        assert stub.get("dst") is not None
    else:
        run.fails(1)
        if kind == "error":
            assert "InternalError" in run.err
        assert stub.get("dst") is None
        assert not stub.uploads
    assert not stub.deleted


@C17
def test_a_batch_delete_answered_by_an_error_did_not_delete(stub, s3kit_at):
    for name in "abc":
        stub.put(name, b"x")
    answer = xml("<Error><Code>InternalError</Code><Message>no</Message></Error>")
    stub.on("DeleteObjects", lambda r: (r.body(), answer)[1])
    stub.on("DeleteObject", lambda r: error(500, "InternalError"))
    s3kit_at(stub)("rm", "--max-attempts", "2", stdin="s3://b/a\ns3://b/b\ns3://b/c\n").fails(1, "InternalError")
    assert not stub.deleted


@C17
def test_keys_refused_inside_a_batch_delete_are_named(stub, s3kit_at):
    for name in "abc":
        stub.put(name, b"x")
    answer = xml("<DeleteResult><Deleted><Key>a</Key></Deleted><Error><Key>b</Key><Code>AccessDenied</Code><Message>no</Message>"
                 "</Error><Deleted><Key>c</Key></Deleted></DeleteResult>")
    stub.on("DeleteObjects", lambda r: (r.body(), answer)[1])
    run = s3kit_at(stub)("rm", stdin="s3://b/a\ns3://b/b\ns3://b/c\n").fails(1, "s3://b/b", "AccessDenied")
    assert "s3://b/a:" not in run.err and "s3://b/c:" not in run.err
