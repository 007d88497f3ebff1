"""rm, mb, rb: nothing goes that was not meant."""

import pytest
from data import HOSTILE, keys, line, operations, put
from scenarios import NO_LOG, scenario

C20 = scenario("C20 `foo` is not `foobar`")
RM = scenario("rm: asks, limits, dry runs")
BUCKETS = scenario("mb, rb")

LOGS = ["log", "logs", "logs.json", "logs/a", "logs/b/c", "logs_backup/a", "logsx/c"]


@C20
@pytest.mark.parametrize("slash", ["", "/"], ids=["path", "path with slash"])
def test_recursive_removal_takes_the_path_and_what_is_below_it(server, s3kit, bucket, boto, slash):
    put(boto, bucket, *LOGS)
    gone = ["logs/a", "logs/b/c"] + ([] if slash else ["logs"])
    dry = s3kit("rm", "-r", "-n", f"s3://{bucket}/logs{slash}").ok()
    assert sorted(dry.lines) == sorted(f"s3://{bucket}/{key}" for key in gone)
    assert keys(boto, bucket) == LOGS
    s3kit("rm", "-r", "-f", f"s3://{bucket}/logs{slash}").ok()
    assert keys(boto, bucket) == [key for key in LOGS if key not in gone]


@C20
@pytest.mark.parametrize("slash", ["", "/"], ids=["path", "path with slash"])
def test_recursive_download_takes_the_path_and_what_is_below_it(server, s3kit, bucket, boto, work, slash):
    put(boto, bucket, *LOGS)
    s3kit("cp", "-r", f"s3://{bucket}/logs{slash}", "out/")
    found = {str(p.relative_to(work / "out")) for p in (work / "out").rglob("*") if p.is_file()}
    assert {"a", "b/c"} <= found <= {"a", "b/c", "logs"}


@RM
def test_one_object_goes_and_its_neighbours_stay(server, s3kit, bucket, boto):
    put(boto, bucket, "a", "ab", "a/b")
    s3kit("rm", f"s3://{bucket}/a").ok()
    assert keys(boto, bucket) == ["a/b", "ab"]


@RM
def test_a_prefix_without_r_is_refused_with_the_hint(server, s3kit, bucket, boto):
    put(boto, bucket, "p/a")
    s3kit("rm", f"s3://{bucket}").fails(2, "-r")
    assert keys(boto, bucket) == ["p/a"]


@RM
def test_records_are_removed_without_asking_whatever_their_names(server, s3kit, bucket, boto):
    put(boto, bucket, *HOSTILE, "stays")
    s3kit("rm", stdin="".join(line(bucket, key) + "\n" for key in HOSTILE)).ok()
    assert keys(boto, bucket) == ["stays"]


@RM
@NO_LOG
def test_records_are_removed_in_batches(server, s3kit, bucket, boto, requests):
    put(boto, bucket, *[f"k{n}" for n in range(50)])
    before = len(requests())
    s3kit("rm", stdin="".join(f"s3://{bucket}/k{n}\n" for n in range(50))).ok()
    counts = operations(requests()[before:])
    assert set(counts) == {"DeleteObjects"} and counts["DeleteObjects"] <= 2
    assert keys(boto, bucket) == []


@RM
@pytest.mark.parametrize("operand", [("-r", "p/"), ("p/*",)], ids=["tree", "glob"])
def test_without_a_terminal_it_needs_force_or_a_limit(server, s3kit, bucket, boto, operand):
    put(boto, bucket, "p/a", "p/b")
    arguments = [*operand[:-1], f"s3://{bucket}/{operand[-1]}"]
    s3kit("rm", *arguments, start_new_session=True).fails(2, "-f")
    assert keys(boto, bucket) == ["p/a", "p/b"]
    s3kit("rm", "-f", *arguments, start_new_session=True).ok()
    assert keys(boto, bucket) == []


@RM
@pytest.mark.parametrize("answer", [b"n\n", b"y\n"], ids=["no", "yes"])
def test_on_a_terminal_it_asks_with_the_count(server, s3kit, bucket, boto, answer):
    put(boto, bucket, "p/a", "p/b", "p/c", "q")
    run = s3kit.on_terminal("rm", "-r", f"s3://{bucket}/p/", answer=answer)
    assert "3" in run.err and "?" in run.err, run
    if answer == b"y\n":
        assert run.code == 0, run
        assert keys(boto, bucket) == ["q"]
    else:
        assert len(keys(boto, bucket)) == 4


@RM
def test_max_delete_deletes_nothing_if_more_would_go(server, s3kit, bucket, boto):
    put(boto, bucket, "p/a", "p/b", "p/c")
    s3kit("rm", "-r", "--max-delete", "2", f"s3://{bucket}/p/", start_new_session=True).fails(3)
    assert len(keys(boto, bucket)) == 3
    s3kit("rm", "-r", "--max-delete", "3", f"s3://{bucket}/p/", start_new_session=True).ok()
    assert keys(boto, bucket) == []


@RM
def test_max_delete_stops_a_stream_after_so_many(server, s3kit, bucket, boto):
    put(boto, bucket, "a", "b", "c", "d")
    s3kit("rm", "--max-delete", "2", stdin="".join(f"s3://{bucket}/{k}\n" for k in "abcd")).fails(3)
    assert len(keys(boto, bucket)) == 2


@RM
@NO_LOG
def test_a_dry_run_sends_only_reads(server, s3kit, bucket, boto, work, requests):
    put(boto, bucket, "p/a", "p/b")
    (work / "f").write_bytes(b"x")
    before = len(requests())
    listing = s3kit("ls", bucket).ok().stdout
    assert s3kit("rm", "-r", "-n", f"s3://{bucket}/p/").ok().stdout == listing
    assert s3kit("rm", "-n", stdin=listing).ok().stdout == listing
    pairs = s3kit("cp", "--dry-run", "-r", f"s3://{bucket}/p/", "out").ok().lines
    assert sorted(p.split("\t")[0] for p in pairs) == [f"s3://{bucket}/p/a", f"s3://{bucket}/p/b"]
    assert len(s3kit("cp", "--dry-run", "f", f"s3://{bucket}/new").ok().lines) == 1
    assert not (work / "out").exists()
    assert set(operations(requests()[before:])) <= {"ListObjectsV2", "HeadObject", "HeadBucket"}
    assert keys(boto, bucket) == ["p/a", "p/b"]


@RM
def test_what_a_dry_run_prints_can_be_fed_back(server, s3kit, bucket, boto, work):
    put(boto, bucket, "p/a", "p/tab\tx", "q")
    pairs = s3kit("cp", "--dry-run", "-r", f"s3://{bucket}/p/", "out").ok().stdout
    s3kit("cp", stdin=pairs).ok()
    assert {p.name for p in (work / "out").iterdir()} == {"a", "tab\tx"}
    removed = s3kit("rm", "-r", "-n", f"s3://{bucket}/p/").ok().stdout
    s3kit("rm", stdin=removed).ok()
    assert keys(boto, bucket) == ["q"]


@RM
def test_n_is_no_option_of_cp_and_the_message_names_what_is(s3kit, embedded, bucket):
    s3kit("cp", "-n", f"s3://{bucket}/a", "b").fails(2, "--dry-run", "--no-clobber")


@RM
def test_prefixes_printed_by_ls_d_cannot_be_removed(server, s3kit, bucket, boto):
    put(boto, bucket, "p/a")
    put(boto, bucket, "p/", body=b"")
    levels = s3kit("ls", "-d", f"s3://{bucket}/").ok().stdout
    assert levels == f"PRE\ts3://{bucket}/p/\n".encode()
    s3kit("rm", stdin=levels).fails(1, "line 1")
    assert keys(boto, bucket) == ["p/", "p/a"]


@RM
def test_print_names_what_was_removed(server, s3kit, bucket, boto):
    put(boto, bucket, "a", "b")
    run = s3kit("rm", "--print", stdin=f"s3://{bucket}/a\ns3://{bucket}/b\n").ok()
    assert sorted(run.lines) == [f"s3://{bucket}/a", f"s3://{bucket}/b"]


@BUCKETS
def test_a_bucket_is_made_and_removed(server, s3kit, bucket, boto):
    name = bucket + "-new"
    s3kit("mb", f"s3://{name}").ok()
    boto.head_bucket(Bucket=name)
    s3kit("rb", f"s3://{name}").ok()
    assert name not in [b["Name"] for b in boto.list_buckets()["Buckets"]]


@BUCKETS
def test_a_bucket_that_holds_objects_is_not_removed(server, s3kit, bucket, boto):
    put(boto, bucket, "a")
    assert s3kit("rb", f"s3://{bucket}").code in (1, 3)
    assert keys(boto, bucket) == ["a"]


@BUCKETS
def test_removing_a_missing_bucket_fails(server, s3kit, bucket):
    run = s3kit("rb", f"s3://{bucket}-none")
    assert run.code in (1, 3), run
    assert "NoSuchBucket" in run.err
