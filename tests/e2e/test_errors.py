"""Bad input: one clear error, the documented status, nothing half written."""

import pytest
from data import files, keys, put
from scenarios import scenario
from servers import BINARY
from stub import error
from tool import Tool

pytestmark = scenario("errors: one clear line, the documented status")


@pytest.mark.parametrize("arguments", [
    ["ls", "--no-such-option"],
    ["no-such-command"],
    ["cp", "--max-rate", "fast", "a", "s3://b/k"],
    ["cp", "--expect-size", "10XB", "-", "s3://b/k"],
    ["ls", "--read-timeout", "soon", "s3://b/"],
    ["ls", "--jobs", "0", "s3://b/"],
    ["ls", "--jobs", "many", "s3://b/"],
    ["rm", "--max-delete", "-1", "s3://b/k"],
    ["ls", "--recursive=maybe", "s3://b/"],
    ["stat", "--flatten", "s3://b/k"],
    ["cat", "--no-clobber", "s3://b/k"],
    ["cp", "a"],
    ["cp", "--no-clobber", "--update-not", "a", "b"],
    ["mb"],
    ["mb", "s3://b/key"],
    ["mb", "/local"],
    ["rb", "s3://b/key"],
    ["cat", "local-file"],
    ["rm", "local-file"],
    ["ls", "--regex", "(", "s3://b/"],
    ["ls", "--color", "sometimes", "s3://b/"],
], ids=" ".join)
def test_wrong_usage_ends_with_2_and_sends_nothing(stub, s3kit_at, work, arguments):
    (work / "a").write_bytes(b"a")
    s3kit_at(stub)(*arguments).fails(2)
    assert not stub.seen
    assert files(work) == {"a": b"a"}


@pytest.mark.parametrize("size", ["8MiB", "8M", "8MB", "1.5GiB", "100"])
def test_sizes_are_read_in_every_documented_form(stub, s3kit_at, size):
    assert "invalid" not in s3kit_at(stub)("cp", "--expect-size", size, "-", "s3://b/k", stdin=b"x").fails(1).err


def test_the_binary_prefixes_are_told_from_the_decimal_ones(stub, s3kit_at):
    for size, count in (("1k", 1024), ("1K", 1024), ("1KiB", 1024), ("1kB", 1000), ("1KB", 1000)):
        s3kit_at(stub)("cp", "--expect-size", size, "-", "s3://b/k", stdin=b"x" * count).ok()


def test_a_missing_bucket_a_missing_key_and_a_missing_file_are_told_apart(server, s3kit, bucket, work):
    assert "NoSuchBucket" in s3kit("ls", f"s3://{bucket}-none").fails(3).err
    assert "NoSuchKey" in s3kit("cat", f"s3://{bucket}/none").fails(1).err
    s3kit("cp", "none", f"s3://{bucket}/k").fails(1, "none", "no such file")


def test_an_error_names_object_code_status_and_operation_in_one_line(stub, s3kit_at):
    stub.on("GetObject", lambda r: error(403, "AccessDenied", "Access Denied"))
    run = s3kit_at(stub)("cp", "s3://b/k", "f").fails(1)
    first = run.err.splitlines()[0]
    assert first.startswith("s3kit: cp: s3://b/k: "), run
    assert all(word in first for word in ("AccessDenied", "403", "GetObject")), run
    assert "STUB" in run.err, "the request id is missing"


def test_a_cause_is_explained_once(stub, s3kit_at):
    stub.on("GetObject", lambda r: error(403, "AccessDenied", "Access Denied"))
    run = s3kit_at(stub)("cp", ".", stdin="".join(f"s3://b/k{n}\n" for n in range(10))).fails(1)
    assert len([line for line in run.err.splitlines() if line.startswith("s3kit: cp: s3://b/k")]) == 10
    assert run.err.count("request id") <= 1


def test_with_failed_the_lines_are_capped(stub, s3kit_at, work):
    stub.on("GetObject", lambda r: error(403, "AccessDenied", "Access Denied"))
    run = s3kit_at(stub)("cp", "--failed", "again", ".", stdin="".join(f"s3://b/k{n}\n" for n in range(50))).fails(1)
    assert len([line for line in run.err.splitlines() if line.startswith("s3kit: cp: s3://b/k")]) == 20
    assert len((work / "again").read_text().splitlines()) == 50


def test_missing_credentials_end_with_3_and_say_what_to_set(embedded, s3kit_at, bucket):
    tool = s3kit_at(embedded, AWS_ACCESS_KEY_ID=None, AWS_SECRET_ACCESS_KEY=None)
    run = Tool.__call__(tool, "ls", f"s3://{bucket}", env={"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None})
    run.fails(3, "credentials")


def test_wrong_credentials_end_with_3(server, s3kit_at, bucket):
    run = s3kit_at(server)("ls", f"s3://{bucket}", env={"AWS_SECRET_ACCESS_KEY": "wrong"})
    run.fails(3, "SignatureDoesNotMatch")
    s3kit_at(server)("ls", f"s3://{bucket}", env={"AWS_ACCESS_KEY_ID": "AKNOBODY"}).fails(3, "InvalidAccessKeyId")


def test_a_secret_is_in_no_output(embedded, s3kit_at, bucket):
    for arguments in (["ls", "-vv", f"s3://{bucket}"], ["cat", "-vv", f"s3://{bucket}/none"]):
        run = s3kit_at(embedded)(*arguments)
        assert "s3kit-secret" not in run.err + run.out


def test_flags_beat_the_tools_own_variables_beat_aws_variables_beat_the_profile(embedded, s3kit_at, bucket, home):
    tool = s3kit_at(embedded)
    wrong = "http://127.0.0.1:1"
    tool("ls", bucket, env={"AWS_ENDPOINT_URL": wrong, "S3KIT_ENDPOINT_URL": embedded.url}).ok()
    tool("ls", "--endpoint-url", embedded.url, bucket, env={"AWS_ENDPOINT_URL": wrong, "S3KIT_ENDPOINT_URL": wrong}).ok()
    (home / ".aws").mkdir()
    (home / ".aws/config").write_text(f"[profile p]\nendpoint_url = {embedded.url}\nregion = us-east-1\n")
    (home / ".aws/credentials").write_text("[p]\naws_access_key_id = s3kit\naws_secret_access_key = s3kit-secret\n")
    none = {"AWS_ENDPOINT_URL": None, "AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None, "AWS_REGION": None}
    tool("ls", "--profile", "p", bucket, env=none).ok()
    tool("ls", bucket, env={**none, "AWS_PROFILE": "p"}).ok()
    tool("ls", "--profile", "missing", bucket, env=none).fails(2, "missing")


def test_anonymous_requests_carry_no_signature(stub, s3kit_at):
    stub.put("k", b"x")
    s3kit_at(stub)("ls", "--no-sign-request", "s3://b/").ok()
    assert "authorization" not in stub.seen[0].headers


def test_a_list_option_of_pairs_with_a_directory_that_cannot_be_made_changes_nothing(server, s3kit, bucket, boto, work):
    put(boto, bucket, "a")
    (work / "file").write_bytes(b"keep")
    assert s3kit("cp", "file/below/", stdin=f"s3://{bucket}/a\n").code in (1, 2, 3)
    assert files(work) == {"file": b"keep"}
    assert keys(boto, bucket) == ["a"]


def test_summary_lines_come_from_commands_that_change_things_only(server, s3kit, bucket, boto, work):
    put(boto, bucket, "a")
    assert s3kit("ls", bucket).ok().stderr == b""
    assert s3kit("cat", f"s3://{bucket}/a").ok().stderr == b""
    assert s3kit("stat", f"s3://{bucket}/a").ok().stderr == b""
    assert s3kit("cp", f"s3://{bucket}/a", "f").ok().err.count("\n") == 1
    assert s3kit("cp", "-q", f"s3://{bucket}/a", "f").ok().stderr == b""
    assert s3kit("rm", f"s3://{bucket}/a").ok().err.count("\n") == 1


def test_binary_to_a_terminal_needs_force(embedded, s3kit, bucket, boto):
    put(boto, bucket, "bin", body=b"\x00\x01\xff" * 100)
    run = s3kit.on_terminal("cat", f"s3://{bucket}/bin")
    assert run.code == 2 and "-f" in run.err, run


def test_stats_takes_its_form_as_the_next_word(embedded, s3kit, bucket):
    assert '"objects"' in s3kit("ls", "--stats", "json", bucket).ok().err


def test_help_and_version_are_answers(s3kit, embedded):
    for arguments in (["--help"], ["--version"], ["ls", "--help"], ["cp", "-h"], ["rm", "--help"]):
        run = s3kit(*arguments).ok()
        assert run.stdout and not run.stderr
    assert "never asks" in s3kit("rm", "--help").ok().out.replace("\n", " ")
    assert BINARY.exists()
