"""What takes gigabytes or minutes: run by scripts/prove."""

import subprocess
import time

import pytest
from data import GIB, MIB, files, keys, random_bytes, sha256
from scenarios import BIG, scenario

pytestmark = BIG

C07 = scenario("C07 a stream of unknown size, bounded memory")
SIZE = scenario("big: gigabytes both ways")
COUNT = scenario("big: a hundred thousand, a million")


@C07
def test_a_hundred_gigabytes_from_stdin_fit_into_ten_thousand_parts(stub, s3kit_at):
    total = 107_374_182_400
    stub.discards = True
    with subprocess.Popen(["head", "-c", str(total), "/dev/zero"], stdout=subprocess.PIPE) as source:
        run, peak = s3kit_at(stub).measured("cp", "-", "s3://b/big", stdin=source.stdout, timeout=3000)
    run.ok()
    parts = [length for _, length in sorted(stub.part_lengths.items())]
    assert sum(parts) == total
    assert max(stub.part_lengths) == len(parts) <= 10_000
    assert min(parts[:-1]) >= 5 * MIB
    assert len(set(parts[:1000])) == 1
    assert peak <= 300 * MIB, f"{peak // MIB} MiB"


def big_file(path, size):
    with open(path, "wb") as file:
        for number in range(size // (64 * MIB)):
            file.write(random_bytes(64 * MIB, number))


@SIZE
def test_five_gib_go_up_and_down_in_bounded_memory(serve, s3kit_at, work, tmp_path):
    server = serve(directory=tmp_path / "store")
    tool = s3kit_at(server)
    tool("mb", "s3://data").ok()
    big_file(work / "f", 5 * GIB + 64 * MIB)
    wanted = sha256(work / "f")
    run, peak_up = tool.measured("cp", "f", "s3://data/k", timeout=1200)
    run.ok()
    (work / "f").unlink()
    run, peak_down = tool.measured("cp", "s3://data/k", "g", timeout=1200)
    run.ok()
    assert sha256(work / "g") == wanted
    (work / "g").unlink()
    assert max(peak_up, peak_down) <= 150 * MIB, f"{peak_up // MIB} MiB up, {peak_down // MIB} MiB down"
    # More than 5 GiB cannot be one CopyObject.
    tool("cp", "s3://data/k", "s3://data/copy", timeout=1200).ok()
    tool("rm", "s3://data/k").ok()
    run, _ = tool.measured("cp", "s3://data/copy", "h", timeout=1200)
    run.ok()
    assert sha256(work / "h") == wanted


@SIZE
def test_one_gib_goes_up_and_down_on_the_server(server, s3kit, bucket, work):
    big_file(work / "f", GIB)
    run, up = s3kit.measured("cp", "f", f"s3://{bucket}/k")
    run.ok()
    run, down = s3kit.measured("cp", f"s3://{bucket}/k", "g")
    run.ok()
    assert sha256(work / "f") == sha256(work / "g")
    assert max(up, down) <= 150 * MIB, f"{up // MIB} MiB up, {down // MIB} MiB down"


@COUNT
def test_a_million_keys_are_listed_exactly_in_bounded_memory(serve, s3kit_at, work):
    server = serve("--synthetic", "S1:1000000")
    with open(work / "listing", "wb") as out:
        run, peak = s3kit_at(server).measured("ls", "s3://bench/", stdout=out)
    run.ok()
    lines = (work / "listing").read_bytes().splitlines()
    assert len(lines) == len(set(lines)) == 1_000_000
    assert lines == sorted(lines)
    assert peak <= 150 * MIB, f"{peak // MIB} MiB"


@COUNT
def test_a_slow_reader_does_not_make_the_lister_grow(serve, s3kit_at):
    server = serve("--synthetic", "S1:1000000")
    process = s3kit_at(server).spawn("ls", "s3://bench/", stdout=subprocess.PIPE)
    time.sleep(5)
    status = open(f"/proc/{process.pid}/status").read()
    assert int(status.split("VmHWM:")[1].split()[0]) * 1024 <= 150 * MIB
    assert process.stdout.read().count(b"\n") == 1_000_000
    assert process.wait() == 0


@COUNT
@pytest.mark.parametrize("faults", [[], ["--faults", "503=1%,500=0.5%,reset=0.3%,truncate=0.3%"]], ids=["clean", "faulty"])
def test_a_hundred_thousand_records_are_copied_exactly(serve, s3kit_at, work, faults):
    server = serve(*faults)
    tool = s3kit_at(server)
    for _ in range(20):
        if tool("mb", "s3://data").code == 0:
            break
    for number in range(100):
        while True:
            try:
                server.boto.put_object(Bucket="data", Key=f"src/{number:02}", Body=f"object {number}".encode())
                break
            except Exception:
                continue
    with open(work / "up", "w") as records:
        for number in range(100_000):
            records.write(f"s3://data/src/{number % 100:02}\ts3://data/many/{number:06}\n")
    with open(work / "up", "rb") as records:
        run, peak = tool.measured("cp", "-q", stdin=records, timeout=1800)
    run.ok()
    assert peak <= 150 * MIB, f"{peak // MIB} MiB"
    with open(work / "listing", "wb") as out:
        assert tool("ls", "s3://data/many/", stdout=out).code == 0
    with open(work / "listing", "rb") as records:
        run, peak = tool.measured("cp", "-q", "out/", stdin=records, timeout=1800)
    run.ok()
    assert peak <= 150 * MIB, f"{peak // MIB} MiB"
    down = files(work / "out/many")
    assert len(down) == 100_000
    assert all(body == f"object {int(name) % 100}".encode() for name, body in down.items())
    with open(work / "listing", "rb") as records:
        run, peak = tool.measured("rm", "-q", stdin=records, timeout=1800)
    run.ok()
    assert len(keys(server.boto, "data", "many/")) == 0 if not faults else True
