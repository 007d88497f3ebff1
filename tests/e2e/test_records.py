"""Records: every form read and written, malformed ones told apart, failures fed back."""

import json

import pytest
from data import files, get, json_lines, keys, line, put
from scenarios import scenario

pytestmark = scenario("records: every form, both ways")


@pytest.mark.parametrize("end", ["\n", "", "\r\n"], ids=["LF", "no end", "CRLF"])
def test_uri_lines_are_read(server, s3kit, bucket, boto, work, end):
    put(boto, bucket, "a", "b")
    run = s3kit("cp", ".", stdin=f"s3://{bucket}/a\ns3://{bucket}/b{end}")
    if end == "\r\n":
        # A raw CR is a byte of the key, so this names another object; it must not be dropped in silence.
        assert run.code == 1 and (work / "a").exists(), run
    else:
        run.ok()
        assert files(work) == {"a": b"a", "b": b"b"}


def test_pairs_name_both_sides(server, s3kit, bucket, boto, work):
    put(boto, bucket, "a")
    (work / "local").write_bytes(b"local")
    s3kit("cp", stdin=f"s3://{bucket}/a\tdown/x\nlocal\ts3://{bucket}/up\ns3://{bucket}/a\ts3://{bucket}/b\n").ok()
    assert (work / "down/x").read_bytes() == b"a"
    assert get(boto, bucket, "up") == b"local"
    assert get(boto, bucket, "b") == b"a"


def test_json_lines_are_read_and_unknown_fields_ignored(server, s3kit, bucket, boto, work):
    put(boto, bucket, "a", "new\nline")
    records = [{"uri": f"s3://{bucket}/a", "colour": "blue"}, {"bucket": bucket, "key": "new\nline", "dst": "given"}]
    s3kit("cp", ".", stdin="".join(json.dumps(r) + "\n" for r in records)).ok()
    assert files(work) == {"a": b"a", "given": b"new\nline"}


def test_json_whose_parts_disagree_is_malformed(server, s3kit, bucket, boto):
    put(boto, bucket, "a")
    s3kit("rm", stdin=json.dumps({"uri": f"s3://{bucket}/a", "key": "b"})).fails(1, "line 1")
    assert keys(boto, bucket) == ["a"]


def test_tsv_lines_are_read_back(server, s3kit, bucket, boto, work):
    put(boto, bucket, "a", "tab\tx")
    s3kit("cp", ".", stdin=s3kit("ls", "--tsv", bucket).ok().stdout).ok()
    assert files(work) == {"a": b"a", "tab\tx": b"tab\tx"}


def test_nul_records_are_literal(server, s3kit, bucket, boto):
    put(boto, bucket, "a\tb", "{x", "\\s", "keep")
    s3kit("rm", "-0", stdin=f"s3://{bucket}/a\tb\0s3://{bucket}/{{x\0s3://{bucket}/\\s\0").ok()
    assert keys(boto, bucket) == ["keep"]


def test_local_paths_are_named_relative_below_the_target(server, s3kit, bucket, boto, work):
    (work / "d").mkdir()
    (work / "d/f").write_bytes(b"f")
    s3kit("cp", f"s3://{bucket}/up/", stdin=f"./d/f\nd/f\n{work}/d/f\n")
    assert set(keys(boto, bucket)) == {"up/d/f", f"up/{str(work).lstrip('/')}/d/f"}


@pytest.mark.parametrize("command", ["rm", "cat", "stat"])
def test_pairs_and_paths_are_malformed_where_one_object_is_meant(server, s3kit, bucket, boto, command):
    put(boto, bucket, "a", "b")
    s3kit(command, stdin=f"s3://{bucket}/a\ts3://{bucket}/b\n").fails(1, "line 1")
    s3kit(command, stdin="./file\n").fails(1, "line 1")
    assert keys(boto, bucket) == ["a", "b"]


@pytest.mark.parametrize("bad, word", [
    ("s3://BUCKET/a\t123", "TSV"),
    ("s3://BUCKET/a\tb\tc", ""),
    ("{not json", ""),
    ("\\s3://BUCKET/a\\q", ""),
    ("s3://", ""),
    ("PRE\ts3://BUCKET/p/", ""),
])
def test_a_malformed_record_fails_with_its_line_and_the_rest_goes_on(server, s3kit, bucket, boto, work, bad, word):
    put(boto, bucket, "a", "z")
    (work / "out").mkdir()
    s3kit("cp", "out", stdin=f"s3://{bucket}/a\n{bad.replace('BUCKET', bucket)}\ns3://{bucket}/z\n").fails(1, "line 2", word)
    assert files(work / "out") == {"a": b"a", "z": b"z"}


def test_blank_lines_are_skipped(server, s3kit, bucket, boto, work):
    put(boto, bucket, "a", "b")
    run = s3kit("cp", "--stats=json", ".", stdin=f"\ns3://{bucket}/a\n\ns3://{bucket}/b\n\n").ok()
    ledger = next(json.loads(text) for text in reversed(run.err.splitlines()) if text.startswith("{"))
    assert (ledger["objects"], ledger["skipped"]) == (2, 3)


def test_failed_records_are_kept_verbatim_and_can_be_fed_again(server, s3kit, bucket, boto, work):
    bad = [line(bucket, "new\nline"), json.dumps({"uri": f"s3://{bucket}/later", "note": "é"}), f"s3://{bucket}/pair\tto"]
    put(boto, bucket, "ok")
    (work / "out").mkdir()
    s3kit("cp", "--failed", "again", "out", stdin="\n".join([f"s3://{bucket}/ok", *bad]) + "\n").fails(1)
    assert sorted((work / "again").read_text().splitlines()) == sorted(bad), "in any order, but each as it came"
    put(boto, bucket, "new\nline", "later", "pair")
    s3kit("cp", "--from", "again", "--failed", "again2", "out").ok()
    assert {n for n, b in files(work).items() if b is not None} >= {"out/ok", "out/new\nline", "out/later"}
    assert not (work / "again2").exists() or (work / "again2").read_bytes() == b""


def test_the_list_being_read_is_never_overwritten_by_failures(server, s3kit, bucket, work):
    (work / "list").write_text(f"s3://{bucket}/missing\n")
    s3kit("cp", "--from", "list", "--failed", "list", ".").fails(2)
    with open(work / "list") as redirected:
        s3kit("cp", "--failed", "list", ".", stdin=redirected).fails(2)
    assert (work / "list").read_text() == f"s3://{bucket}/missing\n"


def test_print_writes_finished_destinations(server, s3kit, bucket, boto, work):
    put(boto, bucket, "a", "tab\tx")
    run = s3kit("cp", "--print", f"s3://{bucket}/copy/", stdin=s3kit("ls", bucket).ok().stdout).ok()
    assert sorted(run.lines) == sorted([line(bucket, "copy/a"), line(bucket, "copy/tab\tx")])
    records = json_lines(s3kit("cp", "--print", "--json", f"s3://{bucket}/a", f"s3://{bucket}/j").ok())
    assert (records[0]["uri"], records[0]["from"]) == (f"s3://{bucket}/j", f"s3://{bucket}/a")
    assert records[0].get("size", 1) == 1, "a size that nobody told must be left out, not made up"
    listed = s3kit("ls", "--json", f"s3://{bucket}/a").ok().stdout
    (told,) = json_lines(s3kit("cp", "--print", "--json", f"s3://{bucket}/k/", stdin=listed).ok())
    assert told["size"] == 1
    assert "dst" not in records[0]
    down = s3kit("cp", "--print", f"s3://{bucket}/a", "f").ok()
    assert down.lines == ["f"]


def test_a_list_from_a_file_and_from_standard_input(server, s3kit, bucket, boto, work):
    put(boto, bucket, "a", "b")
    (work / "list").write_text(f"s3://{bucket}/a\n")
    s3kit("cp", "--from", "list", ".").ok()
    s3kit("cp", "--from", "-", ".", stdin=f"s3://{bucket}/b\n").ok()
    with open(work / "list", "rb") as opened:
        s3kit("stat", stdin=opened).ok()
    assert {"a", "b"} <= set(files(work))


@pytest.mark.parametrize("command", [["cp", "."], ["cp"], ["rm"], ["cat"], ["stat"]], ids=" ".join)
def test_no_list_at_all_is_a_usage_error_that_says_how_to_give_one(s3kit, embedded, command):
    s3kit(*command).fails(2, "--from")
    run = s3kit.on_terminal(*command)
    assert run.code == 2, run


def test_an_empty_list_is_success_with_one_line_unless_input_is_required(server, s3kit, bucket):
    for command in (["rm"], ["cp", "."], ["cat"], ["stat"]):
        run = s3kit(*command, stdin=b"").ok()
        assert run.err.count("\n") == 1 and run.stdout == b"", run
        s3kit(*command, "--require-input", stdin=b"").fails(1)


def test_stat_prints_facts_as_json(server, s3kit, bucket, boto):
    put(boto, bucket, "a", "b", ContentType="text/x-test", Metadata={"k": "v"})
    records = json_lines(s3kit("stat", f"s3://{bucket}/a", f"s3://{bucket}/b").ok())
    assert [(r["uri"], r["size"]) for r in records] == [(f"s3://{bucket}/a", 1), (f"s3://{bucket}/b", 1)]
    assert "text/x-test" in json.dumps(records[0])
    again = json_lines(s3kit("stat", stdin=s3kit("ls", bucket).ok().stdout).ok())
    assert [r["uri"] for r in again] == [r["uri"] for r in records]


def test_a_record_is_never_a_glob_or_a_prefix(server, s3kit, bucket, boto):
    put(boto, bucket, "a1", "a2", "p/x", "lit*")
    s3kit("rm", stdin=f"s3://{bucket}/lit*\n").ok()
    assert keys(boto, bucket) == ["a1", "a2", "p/x"]
    s3kit("rm", stdin=f"s3://{bucket}/a*\ns3://{bucket}/p/\n")
    assert keys(boto, bucket) == ["a1", "a2", "p/x"]
