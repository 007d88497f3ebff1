"""ls: what it prints is exact, complete and ends."""

import json
import time

import pytest
from data import HOSTILE, MIB, get, json_lines, key_of, keys, line, operations, put, random_bytes, same
from scenarios import NO_LOG, scenario
from stub import list_page, xml

C01 = scenario("C01 control characters and newlines in keys")
C02 = scenario("C02 objects named like directories")
C04 = scenario("C04 a truncated page without a usable token")
LS = scenario("ls: forms, filters, prefixes")

ODD = ["c/a\x08b", "c/a\rb", "c/a\tb", 'c/say "hi"', "c/back\\slash", "c/a\nb", "c/esc\x1b[31m"]


@C01
def test_plain_lines_are_one_per_object_and_decode_to_the_exact_key(server, s3kit, bucket, boto):
    put(boto, bucket, *ODD)
    lines = s3kit("ls", f"s3://{bucket}/c/").ok().lines
    assert len(lines) == len(ODD)
    assert {key_of(text, bucket) for text in lines} == set(ODD)


@C01
def test_json_lines_decode_to_the_exact_key(server, s3kit, bucket, boto):
    put(boto, bucket, *ODD)
    records = json_lines(s3kit("ls", "--json", f"s3://{bucket}/c/").ok())
    assert {record["key"] for record in records} == set(ODD)
    assert {record["uri"] for record in records} == {f"s3://{bucket}/{key}" for key in ODD}
    assert {record["size"] for record in records} == {len(key.encode()) for key in ODD}


@C01
def test_nul_separated_names_are_literal(server, s3kit, bucket, boto):
    put(boto, bucket, *ODD)
    names = s3kit("ls", "-0", f"s3://{bucket}/c/").ok().stdout.split(b"\0")
    assert names.pop() == b""
    assert set(names) == {f"s3://{bucket}/{key}".encode() for key in ODD}


@C01
def test_tsv_lines_have_five_fields_and_no_raw_control_that_breaks_them(server, s3kit, bucket, boto):
    put(boto, bucket, *ODD)
    rows = [text.split("\t") for text in s3kit("ls", "--tsv", f"s3://{bucket}/c/").ok().lines]
    assert len(rows) == len(ODD)
    assert all(len(row) >= 5 for row in rows), rows
    assert {key_of(row[0], bucket) for row in rows} == set(ODD)
    assert {int(row[1]) for row in rows} == {len(key.encode()) for key in ODD}


@C01
def test_every_list_request_asks_for_url_encoding(stub, s3kit_at):
    stub.hook(lambda r: list_page(r, ["x\x08y", "x\ny"], [], {}) if r.operation == "ListObjectsV2" else None)
    assert len(s3kit_at(stub)("ls", "s3://b/").ok().lines) == 2
    asked = stub.asked("ListObjectsV2")
    assert asked and all(r.query.get("encoding-type") == "url" for r in asked)


@C01
def test_a_multipart_upload_to_a_key_with_a_control_character_completes(server, s3kit, bucket, boto, work):
    body = random_bytes(12 * MIB)
    (work / "big").write_bytes(body)
    key = "c/big\x08"
    s3kit("cp", "--raw", "big", f"s3://{bucket}/{key}").ok()
    same(get(boto, bucket, key), body)


@C01
def test_an_upload_id_answer_that_echoes_a_control_character_is_understood(stub, s3kit_at, work):
    body = random_bytes(20 * MIB)
    (work / "big").write_bytes(body)
    s3kit_at(stub)("cp", "--raw", "big", "s3://b/c/big\x08").ok()
    same(stub.get("c/big\x08"), body)
    assert stub.asked("CreateMultipartUpload"), "the case needs a multipart upload"


@C02
def test_ls_lists_directory_markers_and_objects_named_like_directories(server, s3kit, bucket, boto):
    put(boto, bucket, "m/emp/", "m/", body=b"")
    put(boto, bucket, "m/emp/f", body=b"abc")
    put(boto, bucket, "m/bar/", body=b"sixsix")
    records = json_lines(s3kit("ls", "--json", f"s3://{bucket}/m/").ok())
    assert {(r["key"], r["size"]) for r in records} == {("m/", 0), ("m/emp/", 0), ("m/emp/f", 3), ("m/bar/", 6)}


@C02
def test_a_download_makes_markers_directories_and_names_what_cannot_be_a_file(server, s3kit, bucket, boto, work):
    put(boto, bucket, "m/emp/", "m/", body=b"")
    put(boto, bucket, "m/emp/f", body=b"abc")
    put(boto, bucket, "m/bar/", body=b"sixsix")
    run = s3kit("cp", "-r", f"s3://{bucket}/m/", "out").fails(1, "m/bar/")
    assert (work / "out/emp").is_dir()
    assert (work / "out/emp/f").read_bytes() == b"abc"
    names = {p.name for p in (work / "out").rglob("*") if p.is_file()}
    assert names == {"f"}, run


@C02
def test_rm_of_a_key_that_ends_in_a_slash_removes_exactly_it(server, s3kit, bucket, boto):
    put(boto, bucket, "m/emp/", "m/", body=b"")
    put(boto, bucket, "m/emp/f", "m/bar/", body=b"sixsix")
    s3kit("rm", stdin=f"s3://{bucket}/m/bar/\n").ok()
    assert keys(boto, bucket) == ["m/", "m/emp/", "m/emp/f"]


def pages(mode):
    """1,300 keys in two pages from a store that gets the token wrong."""
    names = [f"k{number:04}" for number in range(1300)]

    def answer(request):
        if request.operation != "ListObjectsV2":
            return None
        after = request.query.get("start-after", "")
        second = request.query.get("continuation-token") is not None or bool(after)
        if mode == "no token":
            start = next((i for i, name in enumerate(names) if name > after), len(names)) if after else 0
            return list_page(request, names[start : start + 1000], [], {}, truncated=start + 1000 < len(names))
        if mode == "same token":
            return list_page(request, names[:1000], [], {}, token="again", truncated=True)
        if second:
            return list_page(request, names[1000:], [], {}, token="onward", truncated=False)
        return list_page(request, names[:1000], [], {}, token="onward", truncated=True)

    return answer


@C04
@pytest.mark.parametrize("mode", ["no token", "same token", "token on the last page"])
def test_a_listing_with_a_wrong_token_ends_and_prints_no_key_twice(stub, s3kit_at, mode):
    stub.hook(pages(mode))
    began = time.monotonic()
    run = s3kit_at(stub)("ls", "s3://b/", timeout=30)
    assert time.monotonic() - began <= 5
    assert len(stub.asked("ListObjectsV2")) <= 5
    assert len(run.lines) == len(set(run.lines))
    if mode == "same token":
        assert run.code not in (0, 2), run
    elif mode == "no token":
        assert run.code != 0 and run.err.count("\n") == 1 or len(run.lines) == 1300, run
    else:
        run.ok()
        assert len(run.lines) == 1300
        assert len(stub.asked("ListObjectsV2")) == 2


@C04
def test_a_page_cut_short_is_not_taken_for_the_last_one(stub, s3kit_at):
    whole = [f"k{number:04}" for number in range(500)]

    def answer(request):
        if request.operation != "ListObjectsV2":
            return None
        reply = list_page(request, whole, [], {})
        if request.nth == 1:
            reply.body = reply.body[: len(reply.body) // 2]
        return reply

    stub.hook(answer)
    run = s3kit_at(stub)("ls", "s3://b/").ok()
    assert len(run.lines) == 500
    assert len(set(run.lines)) == 500


@LS
def test_hostile_keys_survive_every_form(server, s3kit, bucket, boto):
    put(boto, bucket, *HOSTILE)
    plain = [key_of(text, bucket) for text in s3kit("ls", f"s3://{bucket}").ok().lines]
    assert sorted(plain) == sorted(HOSTILE)
    assert plain == sorted(HOSTILE, key=str.encode), "not in byte order"
    assert [text for text in s3kit("ls", bucket).ok().lines] == [line(bucket, key) for key in plain]
    assert [r["key"] for r in json_lines(s3kit("ls", "--json", bucket).ok())] == plain


@LS
def test_ls_takes_a_prefix_as_s3_does(server, s3kit, bucket, boto):
    put(boto, bucket, "foo", "foo/a", "foobar", "fo", "g")
    expected = [f"s3://{bucket}/{key}" for key in ("foo", "foo/a", "foobar")]
    assert s3kit("ls", f"s3://{bucket}/foo").ok().lines == expected
    assert s3kit("ls", f"{bucket}/foo").ok().lines == expected


@LS
def test_more_than_one_page_is_listed_whole_and_in_order(server, s3kit, bucket, boto):
    s3kit("cp", stdin="".join(f"/dev/null\ts3://{bucket}/k{number:05}\n" for number in range(1203)), timeout=200).ok()
    lines = s3kit("ls", bucket).ok().lines
    assert lines == [f"s3://{bucket}/k{number:05}" for number in range(1203)]


@LS
def test_d_shows_one_level(server, s3kit, bucket, boto):
    put(boto, bucket, "top", "p/a", "p/b", "q/x/y")
    run = s3kit("ls", "-d", f"s3://{bucket}/").ok()
    assert sorted(run.lines) == sorted([f"PRE\ts3://{bucket}/p/", f"PRE\ts3://{bucket}/q/", f"s3://{bucket}/top"])
    found = json_lines(s3kit("ls", "-d", "--json", f"s3://{bucket}/").ok())
    assert {r["prefix"] for r in found if "prefix" in r} == {f"s3://{bucket}/p/", f"s3://{bucket}/q/"}
    assert any(row.split("\t")[:2] == [f"s3://{bucket}/p/", "-"] for row in
               s3kit("ls", "-d", "--tsv", f"s3://{bucket}/").ok().lines)


@LS
def test_filters_apply_in_the_order_given_and_the_last_match_wins(server, s3kit, bucket, boto):
    put(boto, bucket, "a.txt", "a.log", "d/b.txt", "d/c.bin")
    names = lambda *options: [key_of(text, bucket) for text in s3kit("ls", *options, f"s3://{bucket}/").ok().lines]
    assert names("--include", "*.txt") == ["a.txt", "d/b.txt"]
    assert names("--exclude", "*.txt") == ["a.log", "d/c.bin"]
    assert names("--exclude", "*", "--include", "d/*") == ["d/b.txt", "d/c.bin"]
    assert names("--include", "*", "--exclude", "d/*") == ["a.log", "a.txt"]
    assert names("--regex", r"^d/.*\.bin$") == ["d/c.bin"]


@LS
def test_filters_that_leave_nothing_are_success(server, s3kit, bucket, boto):
    put(boto, bucket, "a")
    assert s3kit("ls", "--include", "zzz", f"s3://{bucket}/").ok().stdout == b""


@LS
def test_start_after_is_exclusive(server, s3kit, bucket, boto):
    put(boto, bucket, "a", "b", "c")
    assert s3kit("ls", "--start-after", "a", bucket).ok().lines == [f"s3://{bucket}/b", f"s3://{bucket}/c"]


@LS
def test_long_form_shows_size_time_and_name(server, s3kit, bucket, boto):
    put(boto, bucket, "one", body=b"x" * 2048)
    fields = s3kit("ls", "-l", bucket).ok().out.split()
    assert "2048" in fields
    assert fields[-1] == f"s3://{bucket}/one"
    assert "2.0KiB" in s3kit("ls", "-lH", bucket).ok().out.replace(" ", "")


@LS
def test_without_operands_it_lists_buckets(server, s3kit, bucket):
    assert f"s3://{bucket}/" in s3kit("ls").ok().lines


@LS
def test_globs_expand_in_operands_and_raw_switches_that_off(server, s3kit, bucket, boto):
    put(boto, bucket, "d/a.txt", "d/b.txt", "d/c.bin", "lit*.txt")
    assert s3kit("ls", f"s3://{bucket}/d/*.txt").ok().lines == [f"s3://{bucket}/d/a.txt", f"s3://{bucket}/d/b.txt"]
    assert s3kit("ls", "--raw", f"s3://{bucket}/lit*.txt").ok().lines == [f"s3://{bucket}/lit*.txt"]
    s3kit("ls", f"s3://{bucket}/d/*.zip").fails(1)


@LS
@NO_LOG
def test_a_listing_costs_one_request_a_page(server, s3kit, bucket, boto, requests):
    put(boto, bucket, *[f"k{number}" for number in range(5)])
    before = len(requests())
    s3kit("ls", bucket).ok()
    assert operations(requests()[before:]) == {"ListObjectsV2": 1}


@LS
def test_prefixes_can_come_from_a_list(server, s3kit, bucket, boto):
    put(boto, bucket, "p/a", "q/b", "r/c")
    run = s3kit("ls", "--from", "-", stdin=f"s3://{bucket}/p/\ns3://{bucket}/r/\n").ok()
    assert run.lines == [f"s3://{bucket}/p/a", f"s3://{bucket}/r/c"]


@LS
def test_a_page_that_is_no_listing_is_an_error(stub, s3kit_at):
    stub.on("ListObjectsV2", lambda r: xml("<html>welcome</html>"))
    run = s3kit_at(stub)("ls", "--max-attempts", "2", "s3://b/")
    assert run.code not in (0, 2), run
    assert run.stdout == b""


@LS
def test_json_has_the_documented_fields(server, s3kit, bucket, boto):
    put(boto, bucket, "one", body=b"abc")
    (record,) = json_lines(s3kit("ls", "--json", bucket).ok())
    assert record["uri"] == f"s3://{bucket}/one"
    assert (record["bucket"], record["key"], record["size"]) == (bucket, "one", 3)
    assert record["etag"].strip('"') == "900150983cd24fb0d6963f7d28e17f72"
    assert record["last_modified"].endswith("Z")
    assert json.dumps(record)
