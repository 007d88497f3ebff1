"""Names: what a destination is called, and what is refused before anything is sent."""

import pytest
from data import files, get, keys, put
from scenarios import scenario

pytestmark = scenario("names: containers, globs, collisions")


def saved(work):
    return {name for name, body in files(work).items() if body is not None}


def test_a_file_name_a_directory_and_a_slash_decide_what_the_destination_is(server, s3kit, bucket, boto, work):
    put(boto, bucket, "p/a")
    (work / "dir").mkdir()
    s3kit("cp", f"s3://{bucket}/p/a", "file").ok()
    s3kit("cp", f"s3://{bucket}/p/a", "dir").ok()
    s3kit("cp", f"s3://{bucket}/p/a", "new/").ok()
    assert saved(work) == {"file", "dir/a", "new/a"}


def test_the_same_rules_hold_for_objects(server, s3kit, bucket, boto, work):
    (work / "f").write_bytes(b"f")
    s3kit("cp", "f", f"s3://{bucket}").ok()
    s3kit("cp", "f", f"s3://{bucket}/d/").ok()
    s3kit("cp", "f", f"s3://{bucket}/e").ok()
    assert keys(boto, bucket) == ["d/f", "e", "f"]


def test_a_path_with_and_without_slash_gives_the_same_names(server, s3kit, bucket, boto, work):
    put(boto, bucket, "p/a", "p/d/b")
    s3kit("cp", "-r", f"s3://{bucket}/p", "one").ok()
    s3kit("cp", "-r", f"s3://{bucket}/p/", "two").ok()
    assert saved(work) == {"one/a", "one/d/b", "two/a", "two/d/b"}


def test_records_keep_the_full_key(server, s3kit, bucket, boto, work):
    put(boto, bucket, "p/d/b")
    s3kit("cp", "out/", stdin=f"s3://{bucket}/p/d/b\n").ok()
    assert saved(work) == {"out/p/d/b"}


def test_a_glob_expands_and_matches_slashes_too(server, s3kit, bucket, boto, work):
    put(boto, bucket, "p/a.txt", "p/d/b.txt", "p/c.bin")
    s3kit("cp", f"s3://{bucket}/p/*.txt", "out/").ok()
    assert {name.rsplit("/", 1)[-1] for name in saved(work)} == {"a.txt", "b.txt"}


def test_a_prefix_without_r_is_refused_with_the_hint(server, s3kit, bucket, boto, work):
    put(boto, bucket, "p/a")
    run = s3kit("cp", f"s3://{bucket}/p/", "out/")
    assert run.code in (1, 2) and "-r" in run.err, run
    s3kit("cp", ".", f"s3://{bucket}/x/").fails(2, "-r")


def test_a_lone_object_is_a_usage_error_that_knows_better(s3kit, embedded, bucket):
    s3kit("cp", f"s3://{bucket}/k").fails(2, f"cp s3://{bucket}/k .")
    s3kit("cp", f"s3://{bucket}/k", stdin=f"s3://{bucket}/a\n").fails(2, f"cp s3://{bucket}/k .")


def test_a_list_needs_a_container_checked_before_the_first_record(server, s3kit, bucket, boto, work):
    put(boto, bucket, "a", "b")
    (work / "plain").write_bytes(b"keep")
    s3kit("cp", "plain", stdin=f"s3://{bucket}/a\ns3://{bucket}/b\n").fails(2)
    assert (work / "plain").read_bytes() == b"keep"
    s3kit("cp", f"s3://{bucket}/a", f"s3://{bucket}/b", "plain").fails(2)
    assert (work / "plain").read_bytes() == b"keep"


def test_flatten_keeps_base_names(server, s3kit, bucket, boto, work):
    put(boto, bucket, "p/d/a", "p/e/b")
    s3kit("cp", "-r", "--flatten", f"s3://{bucket}/p/", "out").ok()
    assert saved(work) == {"out/a", "out/b"}


def test_strip_takes_a_prefix_off_and_fails_keys_without_it(server, s3kit, bucket, boto, work):
    put(boto, bucket, "p/d/a", "q/b")
    s3kit("cp", "--strip", "p/", "out/", stdin=f"s3://{bucket}/p/d/a\ns3://{bucket}/q/b\n").fails(1, "q/b")
    assert saved(work) == {"out/d/a"}


def test_a_template_names_each_destination(server, s3kit, bucket, boto, work):
    put(boto, bucket, "p/d/a.txt", "p/e.bin")
    listing = s3kit("ls", bucket).ok().stdout
    s3kit("cp", "--name", "{bucket}/{//}/{n:03}-{/}", "out/", stdin=listing).ok()
    assert saved(work) == {f"out/{bucket}/p/d/001-a.txt", f"out/{bucket}/p/002-e.bin"}
    s3kit("cp", "--name", "{.}.bak", "two/", stdin=f"s3://{bucket}/p/e.bin\n").ok()
    assert "two/p/e.bak" in saved(work)
    s3kit("cp", "--name", "{nonsense}", "three/", stdin=listing).fails(2, "nonsense")


def test_two_sources_for_one_name_keep_the_first_and_fail_the_second(server, s3kit, bucket, boto, work):
    put(boto, bucket, "a/f", "b/f")
    both = f"s3://{bucket}/a/f\ns3://{bucket}/b/f\n"
    s3kit("cp", "--flatten", "out/", stdin=both).fails(1, "b/f")
    assert (work / "out/f").read_bytes() == b"a/f"
    s3kit("cp", "--flatten", "--on-conflict", "skip", "skip/", stdin=both).ok()
    assert (work / "skip/f").read_bytes() == b"a/f"
    s3kit("cp", "--flatten", "--on-conflict", "suffix", "suffix/", stdin=both).ok()
    assert len(list((work / "suffix").iterdir())) == 2
    assert {p.read_bytes() for p in (work / "suffix").iterdir()} == {b"a/f", b"b/f"}


def test_the_same_source_twice_is_copied_once(server, s3kit, bucket, boto, work):
    put(boto, bucket, "a")
    s3kit("cp", "--flatten", "out/", stdin=f"s3://{bucket}/a\n" * 3).ok()
    assert saved(work) == {"out/a"}


def test_filters_choose_what_is_copied(server, s3kit, bucket, boto, work):
    put(boto, bucket, "p/a.txt", "p/b.bin", "p/d/c.txt")
    s3kit("cp", "-r", "--include", "*.txt", "--exclude", "d/*", f"s3://{bucket}/p/", "out").ok()
    assert saved(work) == {"out/a.txt"}
    (work / "up").mkdir()
    for name in ("a.txt", "b.bin"):
        (work / "up" / name).write_bytes(b"x")
    s3kit("cp", "-r", "--exclude", "*.bin", "up", f"s3://{bucket}/up/").ok()
    assert keys(boto, bucket, "up/") == ["up/a.txt"]


def test_a_minus_always_means_bytes(server, s3kit, bucket, boto):
    s3kit("cp", "-", f"s3://{bucket}/k", stdin=b"s3://not/a/record\n").ok()
    assert get(boto, bucket, "k") == b"s3://not/a/record\n"
    assert s3kit("cp", f"s3://{bucket}/k", "-").ok().stdout == b"s3://not/a/record\n"


def test_double_dash_ends_options(server, s3kit, bucket, boto, work):
    (work / "-f").write_bytes(b"dash")
    s3kit("cp", "--", "-f", f"s3://{bucket}/k").ok()
    assert get(boto, bucket, "k") == b"dash"


@pytest.mark.parametrize("spelling", ["--recursive", "-r"])
def test_spellings_of_other_tools_are_understood(server, s3kit, bucket, boto, work, spelling):
    put(boto, bucket, "p/a")
    s3kit("cp", spelling, "--quiet", f"s3://{bucket}/p/", "out").ok()
    assert saved(work) == {"out/a"}
    assert len(s3kit("cp", "--dryrun", f"s3://{bucket}/p/a", "two").ok().lines) == 1
    assert saved(work) == {"out/a"}
    s3kit("cp", "--storage-class", "STANDARD", "--content-type", "text/plain", "out/a", f"s3://{bucket}/b").ok()
