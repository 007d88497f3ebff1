"""Keys that are no file names are addressed exactly, by every command, on every server."""

import json

import pytest
from data import HOSTILE, get, json_lines, keys, line, put
from scenarios import scenario

pytestmark = scenario("hostile keys are addressed exactly")

names = pytest.mark.parametrize("key", HOSTILE, ids=lambda key: ascii(key)[:40])


@names
def test_up_down_stat_and_away(server, s3kit, bucket, boto, work, key):
    """Beside each key lie the ones a careless client would take instead; they must not move."""
    neighbours = ["up", "b", "here", "a/b", "a%2fb", "what", "hash", "two", "lead", "x", "/", "new", "back/slash"]
    put(boto, bucket, *neighbours, body=b"neighbour")
    uri = f"s3://{bucket}/{key}"
    body = b"exactly " + key.encode()
    (work / "up").write_bytes(body)
    s3kit("cp", "--raw", "up", uri).ok()
    assert sorted(keys(boto, bucket)) == sorted({*neighbours, key})
    assert get(boto, bucket, key) == body
    s3kit("cp", "--raw", uri, "down").ok()
    assert (work / "down").read_bytes() == body
    assert s3kit("cat", "--raw", uri).ok().stdout == body
    (facts,) = json_lines(s3kit("stat", "--raw", uri).ok())
    assert (facts["uri"], facts["size"]) == (uri, len(body))
    s3kit("cp", "--raw", uri, f"s3://{bucket}/copied").ok()
    assert get(boto, bucket, "copied") == body
    s3kit("rm", "--raw", uri).ok()
    assert sorted(keys(boto, bucket)) == sorted([*neighbours, "copied"])
    for neighbour in neighbours:
        assert get(boto, bucket, neighbour) == b"neighbour"


@names
def test_by_records_in_every_form(server, s3kit, bucket, boto, key):
    put(boto, bucket, key, "other")
    text = line(bucket, key)
    assert s3kit("cat", stdin=text + "\n").ok().stdout == key.encode()
    assert s3kit("cat", "-0", stdin=f"s3://{bucket}/{key}").ok().stdout == key.encode()
    assert s3kit("cat", stdin=json.dumps({"bucket": bucket, "key": key})).ok().stdout == key.encode()
    s3kit("rm", stdin=text).ok()
    assert keys(boto, bucket) == ["other"]


def test_a_key_with_dot_segments_never_reaches_another_bucket(server, s3kit, bucket, boto, work):
    other = bucket + "-x"
    boto.create_bucket(Bucket=other)
    try:
        put(boto, other, "k", body=b"theirs")
        (work / "f").write_bytes(b"ours")
        s3kit("cp", "f", f"s3://{bucket}/../{other}/k").ok()
        s3kit("rm", f"s3://{bucket}/../{other}/k").ok()
        assert get(boto, other, "k") == b"theirs"
        assert keys(boto, bucket) == []
    finally:
        boto.delete_object(Bucket=other, Key="k")
        boto.delete_bucket(Bucket=other)


def test_an_empty_key_is_refused(s3kit, embedded, bucket):
    assert s3kit("cat", f"s3://{bucket}/").code in (1, 2)
    s3kit("rm", stdin=f"s3://{bucket}/\n").fails(1, "line 1")


def test_a_key_longer_than_s3_allows_fails_alone(server, s3kit, bucket, boto, work):
    (work / "f").write_bytes(b"x")
    run = s3kit("cp", "f", f"s3://{bucket}/" + "k" * 1025)
    assert run.code in (1, 2), run
    assert keys(boto, bucket) == []
