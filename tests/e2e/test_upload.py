"""Uploads: whole or not at all, whatever the store, the source or the user does."""

import os
import re
import signal
import subprocess
import threading
import time

import pytest
from data import GIB, KIB, MIB, files, get, keys, operations, put, random_bytes, same, sha256, uploads
from scenarios import NO_LOG, scenario
from stub import Reply, error, xml
from tool import eventually, status_of

C05 = scenario("C05 stores that do not understand chunked trailing checksums")
C06 = scenario("C06 the file changes while it is uploaded")
C07 = scenario("C07 a stream of unknown size, bounded memory")
C08 = scenario("C08 stores that want parts of one length")
C09 = scenario("C09 an interrupted upload leaves nothing behind")
UP = scenario("cp: files, trees and streams to a bucket")


# -- ordinary uploads --------------------------------------------------------------------------------------------------


@UP
@pytest.mark.parametrize("size", [0, 1, 5 * MIB, 64 * MIB + 1])
def test_a_file_arrives_whole(server, s3kit, bucket, boto, work, size):
    body = random_bytes(size)
    (work / "f").write_bytes(body)
    s3kit("cp", "f", f"s3://{bucket}/d/f").ok()
    same(get(boto, bucket, "d/f"), body)
    assert uploads(boto, bucket) == []


@UP
@pytest.mark.parametrize("size", [0, 1, 30 * MIB + 7])
def test_standard_input_arrives_whole(server, s3kit, bucket, boto, size):
    body = random_bytes(size)
    s3kit("cp", "-", f"s3://{bucket}/piped", stdin=body).ok()
    same(get(boto, bucket, "piped"), body)


@UP
def test_a_tree_arrives_under_its_names(server, s3kit, bucket, boto, work):
    for name in ("a", "d/b", "d/e/c"):
        (work / "t" / name).parent.mkdir(parents=True, exist_ok=True)
        (work / "t" / name).write_bytes(name.encode())
    s3kit("cp", "-r", "t", f"s3://{bucket}/up/").ok()
    assert keys(boto, bucket) == ["up/a", "up/d/b", "up/d/e/c"]
    assert get(boto, bucket, "up/d/b") == b"d/b"


@UP
def test_the_content_type_is_guessed_and_can_be_given(server, s3kit, bucket, boto, work):
    for name in ("page.html", "pic.png", "d.json", "unknown.zzz"):
        (work / name).write_bytes(b"x")
    s3kit("cp", "page.html", "pic.png", "d.json", "unknown.zzz", f"s3://{bucket}/").ok()
    kind = lambda key: boto.head_object(Bucket=bucket, Key=key)["ContentType"].partition(";")[0]
    assert [kind("page.html"), kind("pic.png"), kind("d.json")] == ["text/html", "image/png", "application/json"]
    assert kind("unknown.zzz") in ("application/octet-stream", "binary/octet-stream")
    s3kit("cp", "--content-type", "text/x-test", "d.json", f"s3://{bucket}/given").ok()
    assert kind("given") == "text/x-test"


@UP
def test_metadata_and_storage_class_are_sent_for_one_part_and_for_many(server, s3kit, bucket, boto, work):
    (work / "small").write_bytes(b"x")
    (work / "large").write_bytes(random_bytes(40 * MIB))
    for name in ("small", "large"):
        s3kit("cp", "--metadata", "k=v", "--content-type", "text/x-test", name, f"s3://{bucket}/{name}").ok()
        head = boto.head_object(Bucket=bucket, Key=name)
        assert (head["Metadata"], head["ContentType"]) == ({"k": "v"}, "text/x-test")


@UP
@NO_LOG
def test_a_small_file_costs_one_request(server, s3kit, bucket, work, requests):
    for number in range(20):
        (work / f"f{number}").write_bytes(b"x" * number)
    s3kit("cp", "-r", ".", f"s3://{bucket}/").ok()
    assert operations(requests()) == {"PutObject": 20}


@UP
def test_links_to_files_are_followed_and_links_to_directories_are_not(server, s3kit, bucket, boto, work):
    (work / "t").mkdir()
    (work / "real").write_bytes(b"real")
    (work / "dir").mkdir()
    (work / "dir/x").write_bytes(b"x")
    (work / "t/link").symlink_to("../real")
    (work / "t/away").symlink_to("../dir")
    s3kit("cp", "-r", "t", f"s3://{bucket}/")
    assert keys(boto, bucket) == ["link"]
    assert get(boto, bucket, "link") == b"real"
    s3kit("cp", "-r", "--follow", "t", f"s3://{bucket}/").ok()
    assert keys(boto, bucket) == ["away/x", "link"]


@UP
def test_a_loop_of_links_fails_and_ends(server, s3kit, bucket, boto, work):
    (work / "t").mkdir()
    (work / "t/ok").write_bytes(b"ok")
    (work / "t/self").symlink_to("../t")
    s3kit("cp", "-r", "--follow", "t", f"s3://{bucket}/", timeout=30).fails(1, "self")
    assert "ok" in keys(boto, bucket)


@UP
def test_a_name_that_is_not_utf8_fails_that_file_alone(server, s3kit, bucket, boto, work):
    (work / "t").mkdir()
    (work / "t/ok").write_bytes(b"ok")
    with open(os.fsencode(work / "t") + b"/bad\xff", "wb") as file:
        file.write(b"bad")
    s3kit("cp", "-r", "t", f"s3://{bucket}/").fails(1)
    assert keys(boto, bucket) == ["ok"]


# -- stores ------------------------------------------------------------------------------------------------------------


@C05
@pytest.mark.parametrize("size", [1, MIB, 64 * MIB])
@pytest.mark.parametrize("source", ["file", "pipe"])
@pytest.mark.parametrize("store", ["refuses", "stores verbatim"])
def test_a_plain_body_is_sent_to_a_store_of_unknown_kind(stub, s3kit_at, work, size, source, store):
    def refuse(request):
        if request.headers.get("x-amz-content-sha256", "").startswith("STREAMING-"):
            return error(400, "XAmzContentSHA256Mismatch")

    if store == "refuses":
        stub.hook(refuse)
    body = random_bytes(size)
    (work / "f").write_bytes(body)
    if source == "file":
        s3kit_at(stub)("cp", "f", "s3://b/k").ok()
    else:
        s3kit_at(stub)("cp", "-", "s3://b/k", stdin=body).ok()
    same(stub.get("k"), body)


@C05
def test_a_refused_put_is_told_once_per_object(stub, s3kit_at, work):
    stub.on("PutObject", lambda r: error(400, "XAmzContentSHA256Mismatch"))
    (work / "f").write_bytes(b"x")
    run = s3kit_at(stub)("cp", "f", "s3://b/k").fails(1, "cp: f -> s3://b/k:")
    assert run.err.count("XAmzContentSHA256Mismatch") == 1, run


@C08
def test_all_parts_but_the_last_have_one_length(stub, s3kit_at, work):
    body = random_bytes(64 * MIB + 1)
    (work / "f").write_bytes(body)
    s3kit_at(stub)("cp", "f", "s3://b/file").ok()
    same(stub.get("file"), body)
    from_file = lengths(stub)
    process = s3kit_at(stub).spawn("cp", "-", "s3://b/pipe", stdin=subprocess.PIPE)
    for start in range(0, len(body), 70_001):
        process.stdin.write(body[start : start + 70_001])
        process.stdin.flush()
    process.stdin.close()
    process.stdin = None
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    same(stub.get("pipe"), body)
    for parts in from_file, lengths(stub, skip=len(from_file)):
        assert len(parts) > 1
        assert len(set(parts[:-1])) == 1 and parts[-1] <= parts[0], parts


def lengths(stub, skip=0):
    """The lengths of the parts sent, in order of their numbers."""
    sent = stub.asked("UploadPart")[skip:]
    return [r.length for r in sorted(sent, key=lambda r: int(r.query["partNumber"]))]


# -- the source changes ------------------------------------------------------------------------------------------------


@C06
@pytest.mark.parametrize("change", ["truncated", "appended to", "rewritten in place"])
def test_a_file_that_changes_on_the_way_is_never_stored_as_a_mix(stub, s3kit_at, work, change):
    before = random_bytes(64 * MIB, "before")
    file = work / "f"
    file.write_bytes(before)
    stub.put("k", b"old object")
    first_part, changed = threading.Event(), threading.Event()

    def slow(request):
        if request.operation == "UploadPart":
            request.read(64 * KIB)
            first_part.set()
            changed.wait(20)
        return None

    stub.hook(slow)
    process = s3kit_at(stub).spawn("cp", "-j", "2", "f", "s3://b/k")
    assert first_part.wait(20)
    after = before
    if change == "truncated":
        os.truncate(file, 10 * MIB)
    elif change == "appended to":
        with open(file, "ab") as out:
            out.write(b"x" * MIB)
        after = before + b"x" * MIB
    else:
        tail = random_bytes(8 * MIB, "after")
        with open(file, "r+b") as out:
            out.seek(56 * MIB)
            out.write(tail)
        after = before[: 56 * MIB] + tail
    changed.set()
    out, err = process.communicate(timeout=60)
    if process.returncode == 0:
        assert change != "truncated", "a truncated file was stored with exit 0"
        assert sha256(stub.get("k")) in (sha256(before), sha256(after)), "a mix of two states was stored with exit 0"
    else:
        assert b"f" in err and b"chang" in err, err
        assert stub.get("k") == b"old object"
        assert not stub.uploads, "a multipart upload was left behind"


@C06
def test_a_small_file_that_shrinks_or_vanishes_fails_without_touching_the_object(stub, s3kit_at, work):
    stub.put("k", b"old object")
    run = s3kit_at(stub)("cp", "gone", "s3://b/k").fails(1, "gone")
    assert stub.get("k") == b"old object", run


# -- unknown sizes -----------------------------------------------------------------------------------------------------


@C07
def test_a_long_stream_keeps_within_the_part_rules_and_bounded_memory(stub, s3kit_at):
    total = 3 * GIB // 2
    stub.discards = True
    with subprocess.Popen(["head", "-c", str(total), "/dev/zero"], stdout=subprocess.PIPE) as source:
        run, peak = s3kit_at(stub).measured("cp", "-", "s3://b/big", stdin=source.stdout)
    run.ok()
    parts = [length for _, length in sorted(stub.part_lengths.items())]
    assert sum(parts) == total
    assert max(stub.part_lengths) == len(parts) <= 10_000
    assert min(parts[:-1]) >= 5 * MIB
    assert len(set(parts[:-1])) == 1, "lengths must not grow within the first thousand parts"
    assert peak <= 300 * MIB, f"{peak // MIB} MiB"


@C07
def test_short_reads_do_not_decide_the_part_size(stub, s3kit_at):
    body = random_bytes(20 * MIB)
    process = s3kit_at(stub).spawn("cp", "-", "s3://b/k", stdin=subprocess.PIPE)
    for start in range(0, len(body), 4_097):
        process.stdin.write(body[start : start + 4_097])
        process.stdin.flush()
    process.stdin.close()
    process.stdin = None
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    same(stub.get("k"), body)


# -- interrupted -------------------------------------------------------------------------------------------------------


@C09
@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_aborts_the_upload_and_keeps_the_old_object(server, s3kit, bucket, boto, number, status):
    put(boto, bucket, "k", body=b"old object")
    process = s3kit.spawn("cp", "-", f"s3://{bucket}/k", stdin=subprocess.PIPE)
    process.stdin.write(b"\0" * (20 * MIB))
    process.stdin.flush()
    eventually(lambda: uploads(boto, bucket), 20)
    process.send_signal(number)
    code, seconds = status_of(process)
    assert code == status, process.stderr.read()
    assert seconds <= 10
    assert uploads(boto, bucket) == []
    assert get(boto, bucket, "k") == b"old object"


@C09
def test_a_second_signal_ends_it_at_once(stub, s3kit_at):
    stub.on("AbortMultipartUpload", lambda r: r.hang())
    process = s3kit_at(stub).spawn("cp", "-", "s3://b/k", stdin=subprocess.PIPE)
    process.stdin.write(b"\0" * (20 * MIB))
    process.stdin.flush()
    eventually(lambda: stub.uploads, 20)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    code, seconds = status_of(process, 20)
    assert code == 130
    assert seconds <= 1


@C09
def test_a_part_refused_for_ever_aborts_the_upload(stub, s3kit_at, work):
    stub.hook(lambda r: error(403, "AccessDenied") if r.operation == "UploadPart" and r.query["partNumber"] == "3" else None)
    (work / "f").write_bytes(random_bytes(40 * MIB))
    stub.put("k", b"old object")
    began = time.monotonic()
    s3kit_at(stub)("cp", "f", "s3://b/k").fails(1, "AccessDenied", "cp: f -> s3://b/k:")
    assert time.monotonic() - began <= 10
    assert not stub.uploads and stub.aborted
    assert stub.get("k") == b"old object"


HUGE = 6 * GIB


def huge_copy(stub):
    """A source too large for one CopyObject, without its bytes."""
    stub.put("src", b"x", etag="a" * 32)
    head = {"Content-Length": str(HUGE), "ETag": f'"{"a" * 32}"', "Content-Type": "text/x-test", "x-amz-meta-k": "v",
            "Cache-Control": "no-store", "Last-Modified": "Tue, 02 Jan 2024 03:04:05 GMT"}
    stub.on("HeadObject", lambda r: Reply(headers=head) if r.key == "src" else None)
    stub.on("CopyObject", lambda r: error(400, "InvalidRequest",
            "The specified copy source is larger than the maximum allowable size for a copy source: 5368709120"))


@C09
def test_a_part_copy_that_fails_aborts_the_copy(stub, s3kit_at):
    huge_copy(stub)
    stub.hook(lambda r: error(403, "AccessDenied") if r.operation == "UploadPartCopy" and r.query["partNumber"] == "2" else None)
    s3kit_at(stub)("cp", "s3://b/src", "s3://b/dst").fails(1, "AccessDenied")
    assert not stub.uploads and stub.aborted
    assert stub.get("dst") is None


@UP
def test_a_source_above_five_gib_is_copied_in_parts_with_all_that_belongs_to_it(stub, s3kit_at):
    huge_copy(stub)
    stub.on("UploadPartCopy", copied_part)
    stub.on("GetObjectTagging", lambda r: tags("a", "b c"))
    s3kit_at(stub)("cp", "s3://b/src", "s3://b/dst").ok()
    (create,) = stub.asked("CreateMultipartUpload")
    assert "x-amz-tagging" in create.headers, "a store that does not count tags in HEAD may have some all the same"
    assert create.headers["content-type"] == "text/x-test"
    assert create.headers["cache-control"] == "no-store"
    assert create.headers["x-amz-meta-k"] == "v"
    assert create.headers["x-amz-tagging"] in ("a=b%20c", "a=b+c")
    spans = sorted(tuple(map(int, re.findall(r"\d+", r.headers["x-amz-copy-source-range"]))) for r in stub.asked("UploadPartCopy"))
    assert spans[0][0] == 0 and spans[-1][1] == HUGE - 1
    assert all(left[1] + 1 == right[0] for left, right in zip(spans, spans[1:])), "the ranges leave holes"
    assert all(r.headers.get("x-amz-copy-source-if-match", "").strip('"') == "a" * 32 for r in stub.asked("UploadPartCopy"))


@UP
@pytest.mark.parametrize("answer, code", [((501, "NotImplemented"), 0), ((403, "AccessDenied"), 1)], ids=["no tags there", "refused"])
def test_tags_that_cannot_be_read_are_never_lost_in_silence(stub, s3kit_at, answer, code):
    huge_copy(stub)
    stub.on("UploadPartCopy", copied_part)
    stub.on("GetObjectTagging", lambda r: error(*answer))
    run = s3kit_at(stub)("cp", "s3://b/src", "s3://b/dst")
    assert run.code == code, run
    assert not stub.uploads


def copied_part(request):
    return xml(f'<CopyPartResult><ETag>"{request.nth:032x}"</ETag></CopyPartResult>')


def tags(name, value):
    return xml(f"<Tagging><TagSet><Tag><Key>{name}</Key><Value>{value}</Value></Tag></TagSet></Tagging>")


@C09
def test_a_failed_tree_says_which_file_and_stores_the_others(server, s3kit, bucket, boto, work):
    (work / "t").mkdir()
    for name in ("a", "b", "c"):
        (work / "t" / name).write_bytes(name.encode())
    (work / "t/b").unlink()
    (work / "t/b").symlink_to("nowhere")
    s3kit("cp", "-r", "t", f"s3://{bucket}/").fails(1, "t/b")
    assert keys(boto, bucket) == ["a", "c"]
    assert files(work)["t/a"] == b"a"
