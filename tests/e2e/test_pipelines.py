"""Pipelines: records in, records out, readers that leave, statuses a script can trust."""

import json
import os
import subprocess
import time

import pytest
from data import HOSTILE, MIB, files, get, json_lines, key_of, keys, line, operations, put, random_bytes, same
from scenarios import NO_LOG, cannot, scenario
from servers import BINARY
from stub import error
from tool import eventually

C29 = scenario("C29 names and jobs from standard input")
C30 = scenario("C30 exit status")
C31 = scenario("C31 the reader goes away")
PIPE = scenario("ls | grep | cp: the main job")

NAMES = ["plain", "with space", " lead", "trail ", "#hash", "it's", 'say "x"', "tab\tx", "dollar$HOME"]


def bash(tool, script, **more):
    """Runs a shell script that finds s3kit in $S3KIT."""
    return subprocess.run(["bash", "-c", "set -o pipefail; " + script], cwd=tool.cwd, capture_output=True, timeout=60,
                          env={**tool.environment, "S3KIT": str(BINARY)}, **more)


# -- the main job ------------------------------------------------------------------------------------------------------


@PIPE
def test_ls_grep_cp_brings_down_what_grep_lets_through(server, s3kit, bucket, boto, work):
    put(boto, bucket, *[f"logs/{n}.{kind}" for n in range(20) for kind in ("json", "txt")])
    (work / "out").mkdir()
    run = bash(s3kit, f"$S3KIT ls s3://{bucket}/logs/ | grep json$ | $S3KIT cp out")
    assert run.returncode == 0, run.stderr
    assert set(files(work / "out")) == {"logs"} | {f"logs/{n}.json" for n in range(20)}
    assert (work / "out/logs/7.json").read_bytes() == b"logs/7.json"


@PIPE
def test_find_cp_sends_up_what_find_names(server, s3kit, bucket, boto, work):
    (work / "d/e").mkdir(parents=True)
    for name in ("d/a.txt", "d/e/new\nline.txt", "d/skip.bin"):
        (work / name).write_bytes(name.encode())
    run = bash(s3kit, f"find . -name '*.txt' -print0 | $S3KIT cp -0 s3://{bucket}/up/")
    assert run.returncode == 0, run.stderr
    assert keys(boto, bucket) == ["up/d/a.txt", "up/d/e/new\nline.txt"]


@PIPE
def test_ls_cp_between_buckets_and_rm_of_what_was_printed(server, s3kit, bucket, boto):
    put(boto, bucket, "a/1", "a/2", "b/3")
    run = bash(s3kit, f"$S3KIT ls s3://{bucket}/a/ | $S3KIT cp --print s3://{bucket}/copy/ | grep 1$ | $S3KIT rm")
    assert run.returncode == 0, run.stderr
    assert keys(boto, bucket) == ["a/1", "a/2", "b/3", "copy/a/2"]


@PIPE
def test_plain_cp_copies_into_the_current_directory(server, s3kit, bucket, boto, work):
    put(boto, bucket, "x/y")
    s3kit("cp", stdin=f"s3://{bucket}/x/y\n").ok()
    assert (work / "x/y").read_bytes() == b"x/y"


@PIPE
def test_bytes_stream_through_a_pipe_both_ways(server, s3kit, bucket, boto):
    body = random_bytes(30 * MIB)
    put(boto, bucket, "src", body=body)
    run = bash(s3kit, f"$S3KIT cat s3://{bucket}/src | tee >(sha256sum >&2) | $S3KIT cp - s3://{bucket}/dst")
    assert run.returncode == 0, run.stderr
    same(get(boto, bucket, "dst"), body)


@PIPE
@NO_LOG
def test_a_json_listing_saves_requests_and_pins_the_etag(server, s3kit, bucket, boto, work, requests):
    put(boto, bucket, *[f"k{n}" for n in range(10)])
    before = len(requests())
    run = bash(s3kit, f"$S3KIT ls --json s3://{bucket}/ | $S3KIT cp .")
    assert run.returncode == 0, run.stderr
    assert operations(requests()[before:]) == {"ListObjectsV2": 1, "GetObject": 10}
    (record,) = json_lines(s3kit("ls", "--json", f"s3://{bucket}/k3").ok())
    put(boto, bucket, "k3", body=b"replaced")
    s3kit("cp", ".", stdin=json.dumps(record)).fails(1, "k3")
    assert (work / "k3").read_bytes() == b"k3", "another revision than the listed one was taken"


# -- names from stdin --------------------------------------------------------------------------------------------------


@C29
def test_every_name_arrives_and_every_bad_line_is_reported(server, s3kit, bucket, boto, work):
    put(boto, bucket, *NAMES)
    missing, empty, long = f"s3://{bucket}/missing", "", "s3://" + "x" * 70_000
    lines = [line(bucket, key) for key in NAMES[:4]] + [missing, empty, long] + [line(bucket, key) for key in NAMES[4:]]
    (work / "out").mkdir()
    run = s3kit("cp", "--stats=json", "out", stdin="\n".join(lines))
    run.fails(1, "missing", "line 7")
    assert {key: body for key, body in files(work / "out").items()} == {key: key.encode() for key in NAMES}
    ledger = next(json.loads(text) for text in reversed(run.err.splitlines()) if text.startswith("{"))
    assert (ledger["objects"], ledger["failed"], ledger["skipped"]) == (9, 2, 1)
    s3kit("cp", "out", stdin="\n".join(line(bucket, key) for key in NAMES)).ok()


@C29
def test_nul_separated_names_with_newlines_arrive(server, s3kit, bucket, boto, work):
    names = [*NAMES, "new\nline", "\\back"]
    put(boto, bucket, *names)
    (work / "out").mkdir()
    s3kit("cp", "-0", "out", stdin="\0".join(f"s3://{bucket}/{key}" for key in names)).ok()
    assert files(work / "out") == {key: key.encode() for key in names}


@C29
@pytest.mark.parametrize("form", [[], ["--json"], ["-0"], ["--tsv"]], ids=["lines", "json", "nul", "tsv"])
def test_what_ls_prints_cp_reads_back_exactly(server, s3kit, bucket, boto, form):
    # Below another prefix the longest ones would be longer than S3 allows.
    hostile = [key for key in HOSTILE if len(key.encode()) < 1000]
    put(boto, bucket, *hostile)
    listing = s3kit("ls", *form, bucket).ok().stdout
    s3kit("cp", *[f for f in form if f == "-0"], f"s3://{bucket}/copy/", stdin=listing).ok()
    assert sorted(keys(boto, bucket, "copy/")) == sorted("copy/" + key for key in hostile)
    for key in ("../up", "new\nline", "//two"):
        assert get(boto, bucket, "copy/" + key) == key.encode()


@C29
def test_the_first_transfer_starts_before_stdin_closes(server, s3kit, bucket, boto, work):
    put(boto, bucket, "first", "second")
    process = s3kit.spawn("cp", ".", stdin=subprocess.PIPE)
    process.stdin.write(f"s3://{bucket}/first\n".encode())
    process.stdin.flush()
    eventually(lambda: (work / "first").exists(), 10)
    process.stdin.write(f"s3://{bucket}/second".encode())
    process.stdin.close()
    process.stdin = None
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 0, errors
    assert (work / "second").exists()


# -- exit status -------------------------------------------------------------------------------------------------------


@C30
def test_one_refused_file_of_three_is_named_and_the_others_are_stored(stub, s3kit_at, work):
    for name in ("one", "two", "three"):
        (work / name).write_bytes(name.encode())
    stub.hook(lambda r: error(403, "AccessDenied") if r.operation == "PutObject" and r.key == "two" else None)
    run = s3kit_at(stub)("cp", "one", "two", "three", "s3://b/").fails(1, "two", "AccessDenied")
    assert stub.get("one") == b"one" and stub.get("three") == b"three"
    assert "one:" not in run.err and "three:" not in run.err


@C30
def test_statuses_are_as_documented(server, s3kit, bucket, boto, work):
    (work / "f").write_bytes(b"x")
    s3kit("cp", "f", f"s3://{bucket}-none/k").fails(3, "NoSuchBucket")
    s3kit("cp", "-r", f"s3://{bucket}/nothing/", "out").fails(1, "nothing")
    empty = s3kit("ls", f"s3://{bucket}").ok()
    assert (empty.stdout, empty.stderr) == (b"", b"")
    s3kit("ls", f"s3://{bucket}-none").fails(3, "NoSuchBucket")
    s3kit("ls", f"s3://{bucket}/missing").fails(1, "missing")
    s3kit("cat", f"s3://{bucket}/missing").fails(1, "NoSuchKey")
    s3kit("stat", f"s3://{bucket}/missing").fails(1, "missing")
    s3kit("cp", "missing-file", f"s3://{bucket}/k").fails(1, "missing-file")


@C30
def test_a_refused_listing_ends_with_3(stub, s3kit_at):
    stub.on("ListObjectsV2", lambda r: error(403, "AccessDenied"))
    s3kit_at(stub)("ls", "s3://b/").fails(3, "AccessDenied")
    s3kit_at(stub)("cp", "-r", "s3://b/p/", "out").fails(3, "AccessDenied")


@C30
def test_a_retry_that_worked_leaves_0(stub, s3kit_at):
    stub.put("k", b"x")
    stub.on("ListObjectsV2", lambda r: error(503, "SlowDown"), times=1)
    s3kit_at(stub)("ls", "s3://b/").ok()


# -- the reader goes away ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def listing():
    """An endpoint with a made-up bucket of 100,000 keys."""
    from servers import Embedded

    server = Embedded("--synthetic", "S1:100000")
    yield server
    server.stop()


@C31
@pytest.mark.parametrize("form", ["", "--json"])
@pytest.mark.parametrize("reader", ["head -n 1", "true", "grep -q ."])
def test_ls_into_a_reader_that_leaves(listing, s3kit_at, form, reader):
    before = len(listing.requests())
    began = time.monotonic()
    run = bash(s3kit_at(listing), f"$S3KIT ls {form} s3://bench/ 2>errors | {reader}; echo ${{PIPESTATUS[0]}}")
    assert time.monotonic() - began <= 2
    *head, status = run.stdout.decode().splitlines()
    assert status == "141"
    if reader.startswith("head"):
        assert len(head) == 1 and "s3://bench/" in head[0]
    assert (s3kit_at(listing).cwd / "errors").read_bytes() == b""
    # 64 KiB of pipe hold at most two pages of 1,000 lines.
    assert len(listing.requests()) - before <= 6


@C31
def test_a_whole_listing_of_100000_is_exact(listing, s3kit_at):
    lines = s3kit_at(listing)("ls", "s3://bench/").ok().lines
    assert len(lines) == len(set(lines)) == 100_000
    assert lines == sorted(lines, key=os.fsencode)


@C31
@cannot("ceph", "keeps no request log")
def test_cat_into_head_ends_soon_and_asks_for_little_more(server, s3kit, bucket, boto, requests):
    body = random_bytes(100 * MIB)
    put(boto, bucket, "big", body=body)
    before = len(requests())
    began = time.monotonic()
    run = bash(s3kit, f"$S3KIT cat -j 4 s3://{bucket}/big 2>errors | head -c 10; echo ${{PIPESTATUS[0]}}")
    assert time.monotonic() - began <= 2
    assert run.stdout[:10] == body[:10]
    assert run.stdout[10:].strip() == b"141"
    assert (s3kit.cwd / "errors").read_bytes() == b""
    assert len(requests()) - before <= 1 + 4 + 2


@C31
@pytest.mark.parametrize("command", ["ls s3://{}/", "cat s3://{}/k", "stat s3://{}/k"])
def test_a_closed_stdout_is_a_clear_error(server, s3kit, bucket, boto, command):
    put(boto, bucket, "k")
    run = bash(s3kit, f"$S3KIT {command.format(bucket)} >&-")
    assert run.returncode not in (0, 101, 134), run
    assert run.stderr and b"panick" not in run.stderr


@C31
def test_commands_that_change_things_settle_when_their_reader_leaves(server, s3kit, bucket, boto):
    put(boto, bucket, *[f"k{n}" for n in range(30)])
    run = bash(s3kit, f"$S3KIT ls {bucket} | $S3KIT cp --print s3://{bucket}/copy/ | true; echo ${{PIPESTATUS[1]}}")
    assert run.stdout.strip() == b"141", run
    assert all(get(boto, bucket, key) == key.removeprefix("copy/").encode() for key in keys(boto, bucket, "copy/"))
    assert key_of(f"s3://{bucket}/k1", bucket) == "k1"
