"""The servers the tests run against: s3kit's own endpoint, and a Ceph object gateway as an independent one."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import boto3
from botocore.config import Config

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("S3KIT_BIN") or ROOT / "target" / "release" / "s3kit").resolve()


def clean_environment(home):
    """What a program of the tests gets to see: no credentials, endpoints, proxies or settings of whoever runs them."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TMPDIR": os.environ.get("TMPDIR", "/tmp"),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


class Server:
    """A running S3 server: where it is, the keys to it, and boto3 as the witness of what it holds."""

    name = "server"

    def __init__(self, url, access, secret, log=None):
        self.url, self.access, self.secret, self.log = url, access, secret, log
        self.boto = boto3.client(
            "s3",
            endpoint_url=url,
            aws_access_key_id=access,
            aws_secret_access_key=secret,
            region_name="us-east-1",
            config=Config(
                s3={"addressing_style": "path"},
                retries={"max_attempts": 2},
                connect_timeout=10,
                read_timeout=60,
                parameter_validation=False,
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        )

    def environment(self, prefix="AWS"):
        return {
            f"{prefix}_ACCESS_KEY_ID": self.access,
            f"{prefix}_SECRET_ACCESS_KEY": self.secret,
            f"{prefix}_REGION": "us-east-1",
            f"{prefix}_ENDPOINT_URL": self.url,
        }

    def requests(self, bucket=None):
        """The request log as dictionaries, once it has been quiet for a moment; None where a server keeps none."""
        if self.log is None:
            return None
        size, until = -1, time.monotonic() + 5
        while time.monotonic() < until and size != (size := self.log.stat().st_size):
            time.sleep(0.15)
        lines = [json.loads(line) for line in self.log.read_text("utf-8", "surrogateescape").splitlines()]
        return [line for line in lines if bucket is None or line.get("bucket") == bucket]

    def stop(self):
        pass


class Embedded(Server):
    """`s3kit serve`."""

    name = "embedded"

    def __init__(self, *options, directory=None):
        self.scratch = Path(tempfile.mkdtemp(prefix="s3kit-serve-"))
        log = self.scratch / "requests.jsonl"
        log.touch()
        self.errors = open(self.scratch / "stderr", "wb")
        store = [str(directory)] if directory else []
        if not store and not any(o.startswith("--synthetic") for o in options):
            store = ["--memory"]
        self.process = subprocess.Popen(
            [BINARY, "serve", *store, "--listen", "127.0.0.1:0", "--request-log", log, *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=clean_environment(self.scratch),
        )
        line = first_line(self.process, 15)
        prefix = b"listening on "
        if not line.startswith(prefix):
            self.process.kill()
            raise RuntimeError(f"s3kit serve said {line!r}, and on stderr {(self.scratch / 'stderr').read_text()!r}")
        super().__init__(line[len(prefix) :].decode().strip(), "s3kit", "s3kit-secret", log)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        self.errors.close()
        shutil.rmtree(self.scratch, ignore_errors=True)


class Ceph(Server):
    """A one-node Ceph gateway, started here unless S3KIT_TEST_CEPH names one that runs already."""

    name = "ceph"

    def __init__(self):
        self.scratch = None
        url = os.environ.get("S3KIT_TEST_CEPH")
        if not url:
            self.scratch = Path(tempfile.mkdtemp(prefix="s3kit-ceph-"))
            with open(self.scratch / "up.log", "wb") as errors:
                up = subprocess.run([ROOT / "scripts/servers/ceph-rgw", "up", self.scratch / "ceph"], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=errors, timeout=600)
            if up.returncode:
                raise RuntimeError(f"no Ceph gateway: {(self.scratch / 'up.log').read_text()}")
            url = up.stdout.decode().split()[-1]
        super().__init__(url, "AKIATEST", "secretsecret")

    def stop(self):
        if self.scratch:
            subprocess.run([ROOT / "scripts/servers/ceph-rgw", "down", self.scratch / "ceph"], stdin=subprocess.DEVNULL)
            shutil.rmtree(self.scratch, ignore_errors=True)


def first_line(process, seconds):
    """The first line a program prints, or what it printed when it ended or the time was over."""
    found = []
    reader = threading.Thread(target=lambda: found.append(process.stdout.readline()), daemon=True)
    reader.start()
    reader.join(seconds)
    return found[0] if found else b""
