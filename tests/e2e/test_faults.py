"""A bad day at the store: throttled, slow, faulty; the result is whole all the same."""

import pytest
from data import MIB, files, keys, random_bytes, same
from scenarios import scenario

pytestmark = scenario("a faulty, throttled store: nothing wrong, nothing missing")

FAULTS = "503=3%,500=2%,reset=2%,truncate=2%,ok-error=2%"


@pytest.fixture
def faulty(serve, s3kit_at):
    def begin(*options):
        server = serve(*options)
        server.boto.meta.config.retries = {"max_attempts": 10}
        for _ in range(20):
            try:
                server.boto.create_bucket(Bucket="data")
                break
            except Exception:
                continue
        return server, s3kit_at(server)

    return begin


def tree(work, count):
    (work / "in").mkdir()
    for number in range(count):
        (work / "in" / f"{number:04}").write_bytes(random_bytes(number % 3000, number))
    (work / "in/large").write_bytes(random_bytes(40 * MIB))


def test_a_tree_survives_a_faulty_store_both_ways(faulty, work):
    tree(work, 300)
    server, s3kit = faulty("--faults", FAULTS)
    s3kit("cp", "-r", "in", "s3://data/t/", timeout=200).ok()
    s3kit("cp", "-r", "s3://data/t/", "out", timeout=200).ok()
    assert files(work / "in") == files(work / "out")
    log = server.requests()
    assert any(entry.get("fault") for entry in log), "no fault was injected, so this proves nothing"


def test_copies_and_deletes_survive_a_faulty_store(faulty, work):
    tree(work, 200)
    server, s3kit = faulty("--faults", FAULTS)
    s3kit("cp", "-r", "in", "s3://data/t/", timeout=200).ok()
    s3kit("cp", "-r", "s3://data/t/", "s3://data/u/", timeout=200).ok()
    s3kit("rm", "-r", "-f", "s3://data/t/", timeout=200).ok()
    s3kit("cp", "-r", "s3://data/u/", "out", timeout=200).ok()
    assert files(work / "in") == files(work / "out")


def test_a_throttled_store_is_obeyed_and_everything_arrives(faulty, work):
    tree(work, 200)
    server, s3kit = faulty("--throttle", "put=100/s,get=150/s,burst=20")
    s3kit("cp", "-r", "in", "s3://data/t/", timeout=200).ok()
    s3kit("cp", "-r", "s3://data/t/", "out", timeout=200).ok()
    assert files(work / "in") == files(work / "out")
    log = server.requests()
    refused = sum(1 for entry in log if entry["status"] == 503)
    assert refused < len(log) / 2, f"{refused} of {len(log)} requests were sent only to be refused"


def test_a_slow_store_is_used_in_parallel(faulty, work):
    import time

    tree(work, 200)
    server, s3kit = faulty("--latency", "put=50ms,get=50ms,page=50ms")
    began = time.monotonic()
    s3kit("cp", "-r", "in", "s3://data/t/").ok()
    assert time.monotonic() - began < 200 * 0.05, "one after the other"
    assert len(keys(server.boto, "data")) == 201


def test_a_store_on_disk_keeps_its_objects_when_it_starts_again(serve, s3kit_at, work, tmp_path):
    first = serve(directory=tmp_path / "store")
    body = random_bytes(20 * MIB)
    (work / "f").write_bytes(body)
    s3kit_at(first)("mb", "s3://data").ok()
    s3kit_at(first)("cp", "f", "s3://data/../odd key").ok()
    first.stop()
    again = serve(directory=tmp_path / "store")
    same(s3kit_at(again)("cat", "s3://data/../odd key").ok().stdout, body)
