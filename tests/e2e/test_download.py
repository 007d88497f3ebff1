"""Downloads: the file that was there stays until a whole, verified one takes its place."""

import os
import threading
import time

import pytest
from data import MIB, files, operations, put, random_bytes, same, sha256
from scenarios import NO_LOG, scenario
from stub import DATE, Reply, crc32, ranged

C10 = scenario("C10 a failed download keeps the old file")
C11 = scenario("C11 a body shorter than announced")
C12 = scenario("C12 the object is replaced in the middle")
C13 = scenario("C13 keys that climb out of the target")
C14 = scenario("C14 names the file system cannot hold")
C21 = scenario("C21 an ETag is not an MD5")
DOWN = scenario("cp, cat: objects to files and streams")


@DOWN
@pytest.mark.parametrize("size", [0, 1, 5 * MIB, 64 * MIB + 1])
def test_an_object_arrives_whole_as_file_and_stream(server, s3kit, bucket, boto, work, size):
    body = random_bytes(size)
    put(boto, bucket, "o", body=body)
    s3kit("cp", f"s3://{bucket}/o", "f").ok()
    same(work / "f", body)
    same(s3kit("cp", f"s3://{bucket}/o", "-").ok().stdout, body)
    same(s3kit("cat", f"s3://{bucket}/o").ok().stdout, body)


@DOWN
def test_cat_writes_objects_in_the_order_asked_for(server, s3kit, bucket, boto):
    bodies = {name: random_bytes(size, name) for name, size in (("c", 20 * MIB), ("a", 3), ("b", 9 * MIB))}
    for name, body in bodies.items():
        put(boto, bucket, name, body=body)
    expected = bodies["c"] + bodies["a"] + bodies["b"]
    same(s3kit("cat", *[f"s3://{bucket}/{n}" for n in "cab"]).ok().stdout, expected)
    same(s3kit("cat", stdin="".join(f"s3://{bucket}/{n}\n" for n in "cab")).ok().stdout, expected)


@DOWN
def test_more_large_objects_than_the_memory_budget_holds_do_not_wait_for_each_other(server, s3kit, bucket, boto, work):
    body = random_bytes(9 * MIB)
    put(boto, bucket, *[f"d/{number}" for number in range(40)], body=body)
    s3kit("cp", "-r", f"s3://{bucket}/d/", "out").ok()
    assert [file.read_bytes() == body for file in sorted((work / "out").iterdir())] == [True] * 40
    for number in range(40):
        boto.delete_object(Bucket=bucket, Key=f"d/{number}")


@DOWN
def test_parts_larger_than_the_memory_budget_arrive_in_order(server, s3kit, bucket, boto):
    body = random_bytes(80 * MIB)
    put(boto, bucket, "large", "next", body=body)
    same(s3kit("cp", "--part-size", "100M", f"s3://{bucket}/large", f"s3://{bucket}/next", "-").ok().stdout, body + body)


@DOWN
@NO_LOG
def test_a_small_object_costs_one_request(server, s3kit, bucket, boto, requests):
    put(boto, bucket, *[f"d/{number}" for number in range(20)])
    before = len(requests())
    s3kit("cp", "-r", f"s3://{bucket}/d/", "out").ok()
    assert operations(requests()[before:]) == {"ListObjectsV2": 1, "GetObject": 20}
    before = len(requests())
    s3kit("cp", f"s3://{bucket}/d/1", "one").ok()
    s3kit("cat", f"s3://{bucket}/d/1").ok()
    assert operations(requests()[before:]) == {"GetObject": 2}


@DOWN
def test_a_tree_comes_down_under_its_names(server, s3kit, bucket, boto, work):
    put(boto, bucket, "p/a", "p/d/b", "p/d/e/c", "px")
    s3kit("cp", "-r", f"s3://{bucket}/p/", "out").ok()
    assert {n: b for n, b in files(work / "out").items() if b is not None} == {
        "a": b"p/a", "d/b": b"p/d/b", "d/e/c": b"p/d/e/c"}


@DOWN
def test_content_that_is_encoded_is_stored_as_it_is(server, s3kit, bucket, boto, work):
    import gzip

    body = gzip.compress(b"hello" * 1000)
    put(boto, bucket, "z", body=body, ContentEncoding="gzip")
    s3kit("cp", f"s3://{bucket}/z", "z").ok()
    same(work / "z", body)


# -- the old file ------------------------------------------------------------------------------------------------------


def keep(work):
    file = work / "t"
    file.write_bytes(b"keep")
    os.utime(file, (1_000_000_000, 1_000_000_000))
    return file


def kept(work):
    assert (work / "t").read_bytes() == b"keep"
    assert (work / "t").stat().st_mtime == 1_000_000_000
    assert sorted(os.listdir(work)) == ["t"], "something was left beside the file"


@C10
def test_a_missing_key_leaves_the_file_as_it_was(server, s3kit, bucket, work):
    keep(work)
    s3kit("cp", f"s3://{bucket}/missing", "t").fails(1, "missing")
    kept(work)


@C10
def test_a_connection_that_always_drops_leaves_the_file_as_it_was(stub, s3kit_at, work):
    body = random_bytes(24 * MIB)
    stub.put("k", body)
    stub.on("GetObject", lambda r: never_past(r, stub, 12 * MIB, reset=True))
    keep(work)
    s3kit_at(stub)("cp", "--max-attempts", "3", "s3://b/k", "t").fails(1, "s3://b/k")
    kept(work)


def never_past(request, stub, limit, **more):
    """An answer that never delivers bytes at or after `limit` of the object."""
    reply = stub.store(request)
    first = int(reply.headers.get("Content-Range", "bytes 0-").split()[1].split("-")[0])
    if first + len(reply.body) > limit:
        reply.cut = max(0, limit - first)
        reply.reset = more.get("reset", False)
    return reply


@C10
def test_a_reader_meets_the_old_file_or_the_new_one_never_half_of_it(server, s3kit, bucket, boto, work):
    body = random_bytes(24 * MIB)
    put(boto, bucket, "k", body=body)
    file = keep(work)
    sizes, stop = set(), threading.Event()

    def look():
        while not stop.is_set():
            with open(file, "rb") as opened:
                sizes.add(os.fstat(opened.fileno()).st_size)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        s3kit("cp", f"s3://{bucket}/k", "t").ok()
        time.sleep(0.05)
    finally:
        stop.set()
        watcher.join()
    assert sizes == {4, len(body)}
    same(file, body)


@C10
def test_a_missing_key_creates_no_empty_file(server, s3kit, bucket, work):
    s3kit("cp", f"s3://{bucket}/missing", "new/dir/f").fails(1)
    assert not [p for p in work.rglob("*") if p.is_file()]


# -- short bodies ------------------------------------------------------------------------------------------------------

TEN = 10 * MIB


@C11
@pytest.mark.parametrize("how", ["file", "tree", "cat"])
def test_a_body_cut_once_is_completed_exactly(stub, s3kit_at, work, how):
    body = random_bytes(TEN)
    stub.put("d/k", body)

    def once(request):
        if request.operation == "GetObject" and request.nth == 1:
            reply = stub.store(request)
            reply.cut = 3 * MIB
            return reply

    stub.hook(once)
    if how == "cat":
        same(s3kit_at(stub)("cat", "s3://b/d/k").ok().stdout, body)
    else:
        s3kit_at(stub)("cp", *(["s3://b/d/k", "out/k"] if how == "file" else ["-r", "s3://b/d/", "out"])).ok()
        same(work / "out/k", body)
        assert list(files(work)) == ["out", "out/k"]


@C11
@pytest.mark.parametrize("how", ["file", "tree", "cat"])
def test_a_body_cut_always_fails_and_leaves_no_file(stub, s3kit_at, work, how):
    stub.put("d/k", random_bytes(TEN))
    stub.on("GetObject", lambda r: never_past(r, stub, 3 * MIB))
    tool = s3kit_at(stub)
    options = ["--max-attempts", "3"]
    if how == "cat":
        run = tool("cat", *options, "s3://b/d/k")
        assert stub.get("d/k").startswith(run.stdout), "bytes came twice or out of place"
    else:
        run = tool("cp", *options, *(["s3://b/d/k", "out/k"] if how == "file" else ["-r", "s3://b/d/", "out"]))
        assert not [p for p in work.rglob("*") if p.is_file()]
    run.fails(1, "s3://b/d/k")


@C11
def test_a_short_chunked_body_is_measured_against_the_listed_size(stub, s3kit_at, work):
    body = random_bytes(TEN)
    stub.put("d/k", body)
    stub.on("GetObject", lambda r: Reply(200, body[: 3 * MIB], {"ETag": stub.objects["b", "d/k"].etag}, chunked=True))
    s3kit_at(stub)("cp", "--max-attempts", "2", "-r", "s3://b/d/", "out").fails(1, "received", str(TEN))
    assert not [p for p in work.rglob("*") if p.is_file()]


@C11
def test_a_short_chunked_range_is_measured_against_its_content_range(stub, s3kit_at, work):
    body = random_bytes(MIB)
    stub.put("k", body)

    def short(request):
        return Reply(206, body[: MIB // 2], {"ETag": stub.objects["b", "k"].etag,
                                             "Content-Range": f"bytes 0-{MIB - 1}/{MIB}"}, chunked=True)

    stub.on("GetObject", short)
    s3kit_at(stub)("cp", "--max-attempts", "2", "s3://b/k", "f").fails(1, "s3://b/k")
    assert not (work / "f").exists()


# -- replaced in the middle --------------------------------------------------------------------------------------------


@C12
@pytest.mark.parametrize("honest", [True, False], ids=["412", "If-Match ignored"])
@pytest.mark.parametrize("how", ["file", "cat"])
def test_parts_of_two_revisions_are_never_mixed(stub, s3kit_at, work, honest, how):
    size = 96 * MIB
    old, new = b"A" * size, b"B" * size
    etag_a, etag_b = '"' + "a" * 32 + '"', '"' + "b" * 32 + '"'

    def answer(request):
        if request.operation not in ("GetObject", "HeadObject"):
            return None
        if request.operation == "HeadObject" or request.nth <= 2:
            return ranged(request, old, {"ETag": etag_a, "Last-Modified": DATE})
        if honest and request.headers.get("if-match") == etag_a:
            from stub import error

            return error(412, "PreconditionFailed")
        return ranged(request, new, {"ETag": etag_b, "Last-Modified": DATE})

    stub.hook(answer)
    (work / "f").write_bytes(b"keep")
    tool = s3kit_at(stub)
    if how == "file":
        run = tool("cp", "s3://b/k", "f")
        got = (work / "f").read_bytes()
        assert got == b"keep" if run.code else got == new, run
        assert run.code in (0, 1)
    else:
        run = tool("cat", "s3://b/k")
        assert run.code == 1, run
        assert b"B" not in run.stdout
    ranges = stub.asked("GetObject")
    assert len(ranges) >= 3, "the case needs several ranges"
    assert all("if-match" in r.headers for r in ranges[1:3])


# -- names -------------------------------------------------------------------------------------------------------------


@C13
def test_a_tree_never_leaves_the_target(server, s3kit, bucket, boto, work):
    put(boto, bucket, "p/ok.txt", "p/../evil1", "p/x/../../../evil2", "p//abs/evil3", "p/../out-evil/e4", "p/..", "p/w\\..\\..\\e5")
    (work / "w/out").mkdir(parents=True)
    (work / "w/out-evil").mkdir()
    outside = lambda: {n: b for n, b in files(work).items() if not n.startswith("w/out/")}
    before = outside()
    run = s3kit.at(work / "w")("cp", "-r", f"s3://{bucket}/p/", "out").fails(1, "evil1", "evil2", "e4")
    assert outside() == before, run
    assert (work / "w/out/ok.txt").read_bytes() == b"p/ok.txt"
    inside = [n for n, b in files(work / "w/out").items() if b is not None]
    assert all(".." not in name.split("/") for name in inside)


@C13
def test_records_never_leave_the_target_either(server, s3kit, bucket, boto, work):
    put(boto, bucket, "../evil1", "a/../../evil2", "/abs/evil3", "ok")
    (work / "out").mkdir()
    listing = s3kit("ls", bucket).ok().stdout
    s3kit("cp", "out", stdin=listing).fails(1, "evil1", "evil2")
    assert sorted(n for n in files(work) if not n.startswith("out/")) == ["out"]
    assert (work / "out/ok").read_bytes() == b"ok"


@C13
def test_a_link_in_the_target_is_not_a_way_out(server, s3kit, bucket, boto, work):
    put(boto, bucket, "p/sub/f")
    (work / "outside").mkdir()
    (work / "out").mkdir()
    (work / "out/sub").symlink_to("../outside")
    s3kit("cp", "-r", f"s3://{bucket}/p/", "out").fails(1, "sub/f")
    assert files(work / "outside") == {}


@C13
def test_a_name_the_user_gives_is_the_users_choice(server, s3kit, bucket, boto, work):
    put(boto, bucket, "p/../evil1")
    s3kit("cp", f"s3://{bucket}/p/../evil1", "given").ok()
    assert (work / "given").read_bytes() == b"p/../evil1"


@C14
def test_a_name_that_is_too_long_fails_alone_and_the_longest_ones_fit(server, s3kit, bucket, boto, work):
    fit = ["l/" + "n" * 255, "l/" + "語" * 85, "l/ok"]
    put(boto, bucket, *fit, "l/" + "n" * 256, body=b"x")
    s3kit("cp", "-r", f"s3://{bucket}/l/", "out").fails(1, "n" * 256)
    assert sorted(files(work / "out")) == sorted(name[2:] for name in fit)


@C14
def test_a_key_and_a_key_below_it_cannot_both_be_files(server, s3kit, bucket, boto, work):
    put(boto, bucket, "p/a", "p/a/b", "p/c")
    run = s3kit("cp", "-r", f"s3://{bucket}/p/", "out").fails(1)
    assert (work / "out/c").read_bytes() == b"p/c"
    assert "p/a" in run.err
    assert (work / "out/a").is_file() != (work / "out/a/b").exists()


# -- integrity ---------------------------------------------------------------------------------------------------------


@C21
def test_an_object_made_of_parts_goes_up_and_down_without_complaint(server, s3kit, bucket, boto, work):
    body = random_bytes(12 * MIB)
    upload = boto.create_multipart_upload(Bucket=bucket, Key="k")["UploadId"]
    parts = [{"PartNumber": n + 1, "ETag": boto.upload_part(Bucket=bucket, Key="k", UploadId=upload, PartNumber=n + 1,
              Body=body[n * 5 * MIB : (n + 1) * 5 * MIB])["ETag"]} for n in range(3)]
    boto.complete_multipart_upload(Bucket=bucket, Key="k", UploadId=upload, MultipartUpload={"Parts": parts})
    run = s3kit("cp", f"s3://{bucket}/k", "f").ok()
    same(work / "f", body)
    assert "corrupt" not in run.err.lower() and "mismatch" not in run.err.lower()


@C21
@pytest.mark.parametrize("headers", [{"x-amz-server-side-encryption": "aws:kms"}, {}], ids=["encrypted", "plain"])
def test_a_random_etag_raises_no_alarm(stub, s3kit_at, work, headers):
    stub.hook(lambda r: (r.body(), Reply(headers={"ETag": '"' + "7" * 32 + '"', **headers}))[1]
              if r.operation in ("PutObject", "UploadPart") else None)
    (work / "small").write_bytes(b"hello")
    (work / "large").write_bytes(random_bytes(40 * MIB))
    for name in ("small", "large"):
        run = s3kit_at(stub)("cp", name, "s3://b/k").ok()
        assert "corrupt" not in run.err.lower()
    stub.put("down", b"hello", etag="7" * 32, **headers)
    s3kit_at(stub)("cp", "s3://b/down", "f").ok()
    same(work / "f", b"hello")


@C21
def test_a_full_object_checksum_that_differs_is_a_failure(stub, s3kit_at, work):
    stub.put("k", b"other bytes", x_amz_checksum_crc32=crc32(b"right bytes"), x_amz_checksum_type="FULL_OBJECT")
    s3kit_at(stub)("cp", "--max-attempts", "2", "s3://b/k", "f").fails(1, "s3://b/k", "checksum")
    assert not (work / "f").exists()
    stub.put("good", b"right bytes", x_amz_checksum_crc32=crc32(b"right bytes"), x_amz_checksum_type="FULL_OBJECT")
    s3kit_at(stub)("cp", "s3://b/good", "f").ok()


@C21
def test_a_composite_checksum_is_not_taken_for_the_contents(stub, s3kit_at, work):
    stub.put("k", b"bytes", x_amz_checksum_crc32=crc32(b"parts") + "-3", x_amz_checksum_type="COMPOSITE")
    s3kit_at(stub)("cp", "s3://b/k", "f").ok()
    assert sha256(work / "f") == sha256(b"bytes")
