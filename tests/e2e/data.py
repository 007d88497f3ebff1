"""Bytes, names and the record codec as the tests know them, written apart from the program's own."""

import hashlib
import json
import random
from pathlib import Path

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

#: keys that break careless clients: none of them is a file name one would choose
HOSTILE = [
    "../up",
    "a/../b",
    "./here",
    "a/./b",
    "a//b",
    "//two",
    "/lead",
    "back\\slash",
    "w\\..\\..\\x",
    "\\lead",
    "%2e%2e/x",
    "a%2Fb",
    "what?x=1",
    "hash#frag",
    "new\nline",
    "cr\rhere",
    "tab\there",
    "ctl\x01\x08\x1b\x7f",
    "plus+and space",
    " lead",
    "trail ",
    "'()*!~&=;:@$,",
    'say "x"',
    "[a-z]{b}",
    "{json",
    "é/ü/\U0010ffff",
    "\U0001f600" * 256,
    "..",
    ".",
    "soap",
]


def random_bytes(count, seed=0):
    return random.Random(f"{count} {seed}").randbytes(count)


def sha256(data):
    if isinstance(data, Path):
        with open(data, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    return hashlib.sha256(data).hexdigest()


def same(got, wanted):
    """Compares without printing megabytes when it fails."""
    if isinstance(got, Path):
        got = got.read_bytes()
    assert got is not None, "there is nothing"
    assert len(got) == len(wanted), f"{len(got)} bytes instead of {len(wanted)}"
    assert sha256(got) == sha256(wanted), "the bytes differ"


def line(bucket, key):
    """The record line of a key."""
    plain = f"s3://{bucket}/{key}"
    if not (set(key) & set("\n\r\t") or key[:1] in (" ", "\\") or key[-1:] == " "):
        return plain
    body = key.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    if body.startswith(" "):
        body = "\\s" + body[1:]
    if body.endswith(" "):
        body = body[:-1] + "\\s"
    return f"\\s3://{bucket}/{body}"


def key_of(text, bucket):
    """The key of a record line."""
    if text.startswith("\\"):
        out, rest = [], iter(text[1:])
        for char in rest:
            out.append({"n": "\n", "r": "\r", "t": "\t", "s": " ", "\\": "\\"}[next(rest)] if char == "\\" else char)
        text = "".join(out)
    start = f"s3://{bucket}/"
    assert text.startswith(start), f"not a record of {bucket}: {text!r}"
    return text[len(start) :]


def put(boto, bucket, *keys, body=None, **more):
    """Stores objects; each holds its own key unless a body is given."""
    for key in keys:
        boto.put_object(Bucket=bucket, Key=key, Body=key.encode() if body is None else body, **more)


def keys(boto, bucket, prefix=""):
    found = []
    for page in boto.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        found += [item["Key"] for item in page.get("Contents", [])]
    return found


def get(boto, bucket, key):
    return boto.get_object(Bucket=bucket, Key=key)["Body"].read()


def uploads(boto, bucket):
    """The unfinished multipart uploads."""
    return boto.list_multipart_uploads(Bucket=bucket).get("Uploads", [])


def files(directory):
    """Every path below a directory, with its bytes (None for directories)."""
    directory = Path(directory)
    return {str(p.relative_to(directory)): p.read_bytes() if p.is_file() else None for p in directory.rglob("*")}


def json_lines(run):
    return [json.loads(text) for text in run.lines]


def operations(log):
    """How often each operation is in a request log."""
    counts = {}
    for entry in log:
        counts[entry["operation"]] = counts.get(entry["operation"], 0) + 1
    return counts
