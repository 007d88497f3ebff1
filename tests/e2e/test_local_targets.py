"""Files as targets: replaced whole, written in place where that is what they are, and never lost."""

import os
import shutil
import stat
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest
from data import MIB, files, put, random_bytes, same
from scenarios import scenario
from servers import BINARY
from stub import Reply

pytestmark = scenario("local targets: links, FIFOs, modes, full disks")


def test_a_link_is_followed_and_its_target_replaced(server, s3kit, bucket, boto, work):
    put(boto, bucket, "k", body=b"new")
    (work / "d").mkdir()
    (work / "d/real").write_bytes(b"old")
    (work / "link").symlink_to("d/real")
    s3kit("cp", f"s3://{bucket}/k", "link").ok()
    assert (work / "link").is_symlink()
    assert (work / "d/real").read_bytes() == b"new"
    assert sorted(os.listdir(work / "d")) == ["real"]


def test_a_fifo_is_written_in_place(server, s3kit, bucket, boto, work):
    body = random_bytes(20 * MIB)
    put(boto, bucket, "k", body=body)
    os.mkfifo(work / "fifo")
    got = []
    reader = threading.Thread(target=lambda: got.append((work / "fifo").read_bytes()), daemon=True)
    reader.start()
    s3kit("cp", f"s3://{bucket}/k", "fifo").ok()
    reader.join(10)
    same(got[0], body)
    assert stat.S_ISFIFO((work / "fifo").stat().st_mode)


def test_a_descriptor_of_a_process_substitution_is_written_in_place(server, s3kit, bucket, boto, work):
    body = random_bytes(MIB)
    put(boto, bucket, "k", body=body)
    run = subprocess.run(["bash", "-c", f'"{BINARY}" cp s3://{bucket}/k >(cat >copy); sleep 0.5'], cwd=work,
                         env=s3kit.environment, capture_output=True, timeout=30)
    assert run.returncode == 0, run.stderr
    same(work / "copy", body)


def test_the_mode_of_the_old_file_stays_and_a_new_one_follows_the_umask(server, s3kit, bucket, boto, work):
    put(boto, bucket, "k", body=b"new")
    (work / "old").write_bytes(b"old")
    (work / "old").chmod(0o640)
    s3kit("cp", f"s3://{bucket}/k", "old").ok()
    assert stat.S_IMODE((work / "old").stat().st_mode) == 0o640
    s3kit("cp", f"s3://{bucket}/k", "new", umask=0o027).ok()
    assert stat.S_IMODE((work / "new").stat().st_mode) == 0o640
    s3kit("cp", f"s3://{bucket}/k", "open", umask=0o022).ok()
    assert stat.S_IMODE((work / "open").stat().st_mode) == 0o644


def test_a_directory_in_the_way_fails_that_object_alone(server, s3kit, bucket, boto, work):
    put(boto, bucket, "p/a", "p/b")
    (work / "out/a").mkdir(parents=True)
    (work / "out/a/keep").write_bytes(b"keep")
    s3kit("cp", "-r", f"s3://{bucket}/p/", "out").fails(1, "p/a")
    assert files(work / "out") == {"a": None, "a/keep": b"keep", "b": b"p/b"}


def test_a_file_in_the_way_of_a_directory_fails_and_stays(server, s3kit, bucket, boto, work):
    put(boto, bucket, "p/d/x", "p/y")
    (work / "out").mkdir()
    (work / "out/d").write_bytes(b"keep")
    s3kit("cp", "-r", f"s3://{bucket}/p/", "out").fails(1, "p/d/x")
    assert files(work / "out") == {"d": b"keep", "y": b"p/y"}


def test_a_full_device_is_said_and_ends_with_3(server, s3kit, bucket, boto, work):
    put(boto, bucket, "k", body=b"x" * MIB)
    s3kit("cp", f"s3://{bucket}/k", "/dev/full").fails(3, "space")


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 1 MiB."""
    place = tmp_path / "small"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", place], capture_output=True).returncode:
        pytest.skip("cannot: mounting needs root and a kernel that lets it")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


@pytest.mark.parametrize("how", ["one", "tree", "records"])
def test_a_full_disk_ends_with_3_and_keeps_the_old_file(server, s3kit, bucket, boto, small_disk, how):
    put(boto, bucket, "big", body=random_bytes(3 * MIB))
    (small_disk / "big").write_bytes(b"keep")
    if how == "one":
        run = s3kit("cp", f"s3://{bucket}/big", small_disk / "big")
    elif how == "tree":
        run = s3kit("cp", "-r", f"s3://{bucket}/", small_disk)
    else:
        run = s3kit("cp", small_disk, stdin=f"s3://{bucket}/big\n")
    run.fails(3, "space")
    assert files(small_disk) == {"big": b"keep"}


@pytest.fixture
def nobody():
    """A directory and a copy of the program that an unprivileged user can reach: root may do everything."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("cannot: needs root and setpriv")
    place = Path(tempfile.mkdtemp(prefix="s3kit-nobody-"))
    place.chmod(0o755)
    shutil.copy(BINARY, place / "s3kit")
    (place / "home").mkdir()
    os.chown(place / "home", 65534, 65534)
    yield place
    shutil.rmtree(place)


def as_nobody(tool, place, *arguments, cwd=None):
    run = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", place / "s3kit", *arguments],
                         cwd=cwd or place / "home", env={**tool.environment, "HOME": str(place / "home")}, stdin=subprocess.DEVNULL,
                         capture_output=True, timeout=60)
    return run.returncode, run.stderr.decode()


def test_a_directory_that_may_not_be_written_is_said(server, s3kit, bucket, boto, nobody):
    put(boto, bucket, "k", body=b"new")
    locked = nobody / "locked"
    locked.mkdir(mode=0o755)
    (locked / "f").write_bytes(b"keep")
    code, errors = as_nobody(s3kit, nobody, "cp", f"s3://{bucket}/k", locked / "f")
    assert code == 1 and "permission" in errors.lower(), errors
    assert files(locked) == {"f": b"keep"}


def test_a_file_that_may_not_be_read_fails_alone(server, s3kit, bucket, boto, nobody):
    tree = nobody / "tree"
    tree.mkdir(mode=0o755)
    for name in ("a", "b"):
        (tree / name).write_bytes(name.encode())
    (tree / "b").chmod(0o600)
    code, errors = as_nobody(s3kit, nobody, "cp", "-r", tree, f"s3://{bucket}/t/")
    assert code == 1 and "permission" in errors.lower() and "b" in errors, errors
    assert [o["Key"] for o in boto.list_objects_v2(Bucket=bucket)["Contents"]] == ["t/a"]


def test_modes_never_come_from_metadata(stub, s3kit_at, work):
    stub.put("k", b"x", x_amz_meta_mode="0104777", x_amz_meta_file_mode="33279")
    s3kit_at(stub)("cp", "s3://b/k", "f", umask=0o022).ok()
    assert stat.S_IMODE((work / "f").stat().st_mode) == 0o644


def test_an_interrupted_download_leaves_the_old_file_and_nothing_else(stub, s3kit_at, work):
    import signal
    import time

    body = random_bytes(24 * MIB)
    stub.put("k", body)

    def stall(request):
        if request.operation == "GetObject":
            reply = stub.store(request)
            reply.silent_after = len(reply.body) // 2
            return reply

    stub.hook(stall)
    (work / "f").write_bytes(b"keep")
    process = s3kit_at(stub).spawn("cp", "s3://b/k", "f")
    time.sleep(1.5)
    process.send_signal(signal.SIGTERM)
    assert process.wait(11) == -signal.SIGTERM
    assert files(work) == {"f": b"keep"}
    assert Reply().status == 200
