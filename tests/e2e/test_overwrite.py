"""Overwriting: what stops it, and what an empty or short stream must not do."""

import os
import time

import pytest
from data import get, keys, operations, put
from scenarios import NO_LOG, cannot, scenario

pytestmark = scenario("overwriting: guards and expectations")


def test_objects_and_files_are_overwritten_by_default(server, s3kit, bucket, boto, work):
    put(boto, bucket, "k", body=b"old")
    (work / "f").write_bytes(b"new")
    s3kit("cp", "f", f"s3://{bucket}/k").ok()
    assert get(boto, bucket, "k") == b"new"
    (work / "g").write_bytes(b"older and longer")
    s3kit("cp", f"s3://{bucket}/k", "g").ok()
    assert (work / "g").read_bytes() == b"new"


def test_no_clobber_keeps_what_is_there_and_is_success(server, s3kit, bucket, boto, work):
    put(boto, bucket, "k", body=b"old")
    put(boto, bucket, "src", body=b"src")
    (work / "f").write_bytes(b"new")
    s3kit("cp", "--no-clobber", "f", f"s3://{bucket}/k").ok()
    s3kit("cp", "--no-clobber", f"s3://{bucket}/src", f"s3://{bucket}/k").ok()
    assert get(boto, bucket, "k") == b"old"
    s3kit("cp", "--no-clobber", f"s3://{bucket}/k", "f").ok()
    assert (work / "f").read_bytes() == b"new"
    s3kit("cp", "--no-clobber", "f", f"s3://{bucket}/fresh").ok()
    assert get(boto, bucket, "fresh") == b"new"


def test_no_clobber_holds_for_large_and_piped_uploads(server, s3kit, bucket, boto, work):
    put(boto, bucket, "k", body=b"old")
    (work / "large").write_bytes(b"x" * (20 << 20))
    s3kit("cp", "--no-clobber", "large", f"s3://{bucket}/k").ok()
    s3kit("cp", "--no-clobber", "-", f"s3://{bucket}/k", stdin=b"x" * (20 << 20)).ok()
    assert get(boto, bucket, "k") == b"old"
    assert not boto.list_multipart_uploads(Bucket=bucket).get("Uploads")


def test_update_skips_what_has_equal_size_and_is_not_older(server, s3kit, bucket, boto, work):
    (work / "f").write_bytes(b"same")
    os.utime(work / "f", (time.time() - 1000,) * 2)
    s3kit("cp", "f", f"s3://{bucket}/k").ok()
    first = boto.head_object(Bucket=bucket, Key="k")["LastModified"]
    time.sleep(1.1)
    s3kit("cp", "-u", "f", f"s3://{bucket}/k").ok()
    assert boto.head_object(Bucket=bucket, Key="k")["LastModified"] == first
    (work / "f").write_bytes(b"longer")
    s3kit("cp", "--update", "f", f"s3://{bucket}/k").ok()
    assert get(boto, bucket, "k") == b"longer"
    os.utime(work / "f", (time.time() + 1000,) * 2)
    (work / "f").write_bytes(b"mtime!")
    os.utime(work / "f", (time.time() + 1000,) * 2)
    s3kit("cp", "--update", "f", f"s3://{bucket}/k").ok()
    assert get(boto, bucket, "k") == b"mtime!"


def test_update_down_compares_the_same_way(server, s3kit, bucket, boto, work):
    put(boto, bucket, "k", body=b"abcd")
    (work / "f").write_bytes(b"ABCD")
    s3kit("cp", "-u", f"s3://{bucket}/k", "f").ok()
    assert (work / "f").read_bytes() == b"ABCD"
    os.utime(work / "f", (1_000_000_000,) * 2)
    s3kit("cp", "-u", f"s3://{bucket}/k", "f").ok()
    assert (work / "f").read_bytes() == b"abcd"


@NO_LOG
def test_no_clobber_moves_no_bytes_for_what_is_there(server, s3kit, bucket, boto, work, requests):
    put(boto, bucket, *[f"k{n}" for n in range(5)])
    s3kit("cp", "-r", f"s3://{bucket}/", "out").ok()
    before = len(requests())
    s3kit("cp", "-r", "--no-clobber", f"s3://{bucket}/", "out").ok()
    assert "GetObject" not in operations(requests()[before:])


def test_an_empty_stream_does_not_replace_an_object_without_force(server, s3kit, bucket, boto):
    put(boto, bucket, "k", body=b"old")
    s3kit("cp", "-", f"s3://{bucket}/k", stdin=b"").fails(1, "-f")
    assert get(boto, bucket, "k") == b"old"
    s3kit("cp", "-", f"s3://{bucket}/fresh", stdin=b"").ok()
    assert get(boto, bucket, "fresh") == b""
    s3kit("cp", "-f", "-", f"s3://{bucket}/k", stdin=b"").ok()
    assert get(boto, bucket, "k") == b""


@pytest.mark.parametrize("size", [5, 20 << 20])
def test_expect_size_fails_before_anything_is_completed(server, s3kit, bucket, boto, size):
    put(boto, bucket, "k", body=b"old")
    body = b"x" * size
    for wrong in (size - 1, size + 1):
        s3kit("cp", "--expect-size", wrong, "-", f"s3://{bucket}/k", stdin=body).fails(1, str(wrong))
    assert get(boto, bucket, "k") == b"old"
    assert not boto.list_multipart_uploads(Bucket=bucket).get("Uploads")
    s3kit("cp", "--expect-size", size, "-", f"s3://{bucket}/k", stdin=body).ok()
    assert len(get(boto, bucket, "k")) == size


def test_expect_records_tells_a_cut_list(server, s3kit, bucket, boto, work):
    put(boto, bucket, "a", "b")
    both = f"s3://{bucket}/a\ns3://{bucket}/b\n"
    s3kit("cp", "--expect-records", "3", "out/", stdin=both).fails(1, "3")
    s3kit("cp", "--expect-records", "2", "out/", stdin=both).ok()
    assert keys(boto, bucket) == ["a", "b"]


@cannot("ceph", "honours If-Match on writes only without the quotes that the standard asks for")
def test_if_match_replaces_only_the_revision_meant(server, s3kit, bucket, boto, work):
    put(boto, bucket, "k", body=b"one")
    old = boto.head_object(Bucket=bucket, Key="k")["ETag"]
    put(boto, bucket, "k", body=b"two")
    (work / "f").write_bytes(b"three")
    s3kit("cp", "--if-match", old, "f", f"s3://{bucket}/k").fails(1, "cp: f -> s3://", "PreconditionFailed")
    assert get(boto, bucket, "k") == b"two"
    s3kit("cp", "--if-match", boto.head_object(Bucket=bucket, Key="k")["ETag"], "f", f"s3://{bucket}/k").ok()
    assert get(boto, bucket, "k") == b"three"
