"""Retries and silence: the right bytes, counted once, and an end in any case."""

import collections
import json
import signal
import threading
import time

import pytest
from data import MIB, random_bytes, same
from scenarios import scenario
from stub import error
from tool import status_of

C27 = scenario("C27 a retry after part of the body was sent")
C28 = scenario("C28 a connection that goes silent")
RETRY = scenario("retries: what is tried again and what is not")


def refuse_half_way(stub, times):
    """Reads half of each body and answers 503, so many times a request."""
    tries = collections.Counter()
    lock = threading.Lock()

    def script(request):
        if request.operation not in ("PutObject", "UploadPart"):
            return None
        with lock:
            tries[request.target] += 1
            refused = times is None or tries[request.target] <= times
        if refused:
            request.read(request.length // 2)
            return error(503, "SlowDown", "Please reduce your request rate.")
        return None

    stub.hook(script)


def ledger(run):
    """The JSON ledger: the last line of stderr that is JSON."""
    return next(json.loads(text) for text in reversed(run.err.splitlines()) if text.startswith("{"))


@C27
@pytest.mark.parametrize("source", ["file", "pipe"])
@pytest.mark.parametrize("size", [3 * MIB, 24 * MIB])
def test_an_upload_refused_half_way_is_sent_again_whole(stub, s3kit_at, work, source, size):
    refuse_half_way(stub, 2)
    body = random_bytes(size)
    (work / "f").write_bytes(body)
    if source == "file":
        run = s3kit_at(stub)("cp", "--stats=json", "f", "s3://b/k").ok()
    else:
        run = s3kit_at(stub)("cp", "--stats=json", "-", "s3://b/k", stdin=body).ok()
    same(stub.get("k"), body)
    facts = ledger(run)
    assert facts["objects"] == 1
    assert facts["bytes"] == size, "the bytes of refused tries must not count as transferred"


@C27
def test_an_upload_refused_for_ever_counts_as_one_failure(stub, s3kit_at, work):
    refuse_half_way(stub, None)
    (work / "f").write_bytes(random_bytes(3 * MIB))
    run = s3kit_at(stub)("cp", "--max-attempts", "3", "--stats=json", "f", "s3://b/k").fails(1, "SlowDown")
    facts = ledger(run)
    assert facts.get("objects", 0) == 0 and facts.get("bytes", 0) == 0
    assert len(stub.asked("PutObject")) == 3


@C27
@pytest.mark.parametrize("size", [3 * MIB, 24 * MIB])
def test_a_download_cut_twice_is_completed_and_counted_once(stub, s3kit_at, work, size):
    body = random_bytes(size)
    stub.put("k", body)
    cuts = [2]
    lock = threading.Lock()

    def script(request):
        if request.operation != "GetObject":
            return None
        with lock:
            if not cuts[0]:
                return None
            cuts[0] -= 1
        reply = stub.store(request)
        reply.cut, reply.reset = len(reply.body) * 6 // 10, True
        return reply

    stub.hook(script)
    run = s3kit_at(stub)("cp", "--stats=json", "s3://b/k", "f").ok()
    same(work / "f", body)
    assert ledger(run)["bytes"] == size
    assert ledger(run)["objects"] == 1


# -- silence -----------------------------------------------------------------------------------------------------------

QUICK = ["--read-timeout", "2", "--max-attempts", "2"]
LIMIT = 2 * (2 + 3) + 10


@C28
def test_a_body_that_stops_once_is_completed(stub, s3kit_at, work):
    body = random_bytes(24 * MIB)
    stub.put("k", body)

    def once(request):
        if request.operation == "GetObject" and request.nth == 1:
            reply = stub.store(request)
            reply.silent_after = MIB
            return reply

    stub.hook(once)
    s3kit_at(stub)("cp", *QUICK, "s3://b/k", "f").ok()
    same(work / "f", body)


@C28
@pytest.mark.parametrize("how", ["body stops", "no status line", "upload is not read"])
def test_lasting_silence_is_a_timeout(stub, s3kit_at, work, how):
    stub.put("k", random_bytes(24 * MIB))
    (work / "up").write_bytes(random_bytes(24 * MIB))

    def silent(request):
        if request.operation == "GetObject":
            if how == "no status line":
                request.hang()
            reply = stub.store(request)
            first = int(reply.headers["Content-Range"].split()[1].split("-")[0]) if reply.status == 206 else 0
            reply.silent_after = min(max(0, MIB - first), len(reply.body))
            return reply
        if request.operation in ("PutObject", "UploadPart"):
            request.read(MIB)
            request.stream.close()
            while not stub.stopping:
                time.sleep(0.1)
        return None

    stub.hook(silent)
    began = time.monotonic()
    arguments = ["up", "s3://b/up"] if how == "upload is not read" else ["s3://b/k", "f"]
    s3kit_at(stub)("cp", *QUICK, *arguments).fails(1, arguments[0])
    assert time.monotonic() - began <= LIMIT
    assert not (work / "f").exists()


@C28
def test_the_message_of_silence_says_timeout(stub, s3kit_at, work):
    stub.on("GetObject", lambda r: r.hang())
    run = s3kit_at(stub)("cp", *QUICK, "s3://b/k", "f").fails(1)
    assert any(word in run.err.lower() for word in ("timed out", "timeout", "no answer within", "no bytes within")), run


@C28
def test_a_drip_can_be_interrupted(stub, s3kit_at, work):
    stub.put("k", random_bytes(MIB))

    def drip(request):
        if request.operation == "GetObject":
            reply = stub.store(request)
            reply.drip = 1.0
            return reply

    stub.hook(drip)
    process = s3kit_at(stub).spawn("cp", "s3://b/k", "f")
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    code, seconds = status_of(process)
    assert code == 130
    assert seconds <= 2
    assert not list(work.iterdir()), "a temporary file was left"


@C28
def test_a_drip_ends_under_the_minimum_speed(stub, s3kit_at, work):
    stub.put("k", random_bytes(MIB))

    def drip(request):
        if request.operation == "GetObject":
            reply = stub.store(request)
            reply.drip = 0.5
            return reply

    stub.hook(drip)
    began = time.monotonic()
    s3kit_at(stub)("cp", *QUICK, "s3://b/k", "f", timeout=200).fails(1)
    assert time.monotonic() - began <= 150


# -- what is tried again -----------------------------------------------------------------------------------------------


@RETRY
@pytest.mark.parametrize("status, code", [(500, "InternalError"), (503, "SlowDown"), (503, "ServiceUnavailable"), (400, "RequestTimeout")])
def test_passing_troubles_are_tried_again(stub, s3kit_at, work, status, code):
    stub.put("k", b"hello")
    stub.on("GetObject", lambda r: error(status, code), times=2)
    s3kit_at(stub)("cp", "s3://b/k", "f").ok()
    same(work / "f", b"hello")
    assert len(stub.asked("GetObject")) == 3


@RETRY
@pytest.mark.parametrize("status, code", [(403, "AccessDenied"), (404, "NoSuchKey"), (400, "InvalidRequest"), (405, "MethodNotAllowed")])
def test_lasting_refusals_are_not_tried_again(stub, s3kit_at, status, code):
    stub.on("GetObject", lambda r: error(status, code))
    s3kit_at(stub)("cp", "s3://b/k", "f").fails(1, code)
    assert len(stub.asked("GetObject")) == 1


@RETRY
def test_a_reset_before_the_answer_is_tried_again(stub, s3kit_at, work):
    stub.put("k", b"hello")
    stub.on("GetObject", lambda r: r.reset(), times=1)
    s3kit_at(stub)("cp", "s3://b/k", "f").ok()
    same(work / "f", b"hello")


@RETRY
def test_each_try_is_signed_anew(stub, s3kit_at):
    stub.put("k", b"hello")
    stub.on("GetObject", lambda r: (time.sleep(1.1), error(500, "InternalError"))[1], times=1)
    s3kit_at(stub)("cat", "s3://b/k").ok()
    first, second = stub.asked("GetObject")
    assert first.headers["x-amz-date"] != second.headers["x-amz-date"]


@RETRY
def test_nobody_listening_is_said_and_ends_with_3(s3kit_at):
    run = s3kit_at("http://127.0.0.1:1")("ls", "--max-attempts", "2", "s3://b/", timeout=30)
    run.fails(3, "127.0.0.1:1")


@RETRY
def test_redirects_are_never_followed(stub, s3kit_at):
    from stub import Reply

    stub.on("GetObject", lambda r: Reply(307, b"", {"Location": stub.url + "/elsewhere/k"}))
    s3kit_at(stub)("cp", "--max-attempts", "2", "s3://b/k", "f").fails(1)
    assert not [r for r in stub.seen if r.bucket == "elsewhere"]
