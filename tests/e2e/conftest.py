"""Fixtures, the scenario × server table, and the rule that nothing is skipped in silence."""

import collections
import os
import signal
import uuid

import pytest

import scenarios
from servers import BINARY, Ceph, Embedded
from stub import Stub
from tool import Tool

SERVERS = {"embedded": Embedded, "ceph": Ceph}


def pytest_addoption(parser):
    parser.addoption("--servers", default=os.environ.get("S3KIT_TEST_SERVERS", "embedded,ceph"),
                     help="servers to run on, comma separated: embedded, ceph (S3KIT_TEST_CEPH=URL uses one that runs)")
    parser.addoption("--counts", help="write 'passed failed' to this file")
    parser.addoption("--big", action="store_true", help="also run what takes gigabytes or minutes (scripts/prove)")


def pytest_configure(config):
    for line in (
        "scenario(row): the row of the table this test counts for",
        "cannot(server, reason): what a server cannot do; shown in the table",
        "big: takes gigabytes or minutes; scripts/prove runs it",
    ):
        config.addinivalue_line("markers", line)
    # A background job of a script begins with SIGINT ignored, and programs inherit that: signals are part of what is tested.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if not BINARY.exists():
        raise pytest.UsageError(f"{BINARY} is missing: cargo build --release, or name one with S3KIT_BIN")


def pytest_generate_tests(metafunc):
    if "server" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--servers").split(",")
        metafunc.parametrize("server", [name for name in SERVERS if name in chosen], indirect=True, scope="session")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--big"):
        big = [item for item in items if item.get_closest_marker("big")]
        items[:] = [item for item in items if item not in big]
        config.left_out = big
        config.hook.pytest_deselected(items=big)
    if "embedded" not in config.getoption("--servers"):
        elsewhere = [item for item in items if column_of(item) == "embedded" or {"listing", "serve"} & set(item.fixturenames)]
        items[:] = [item for item in items if item not in elsewhere]
        config.hook.pytest_deselected(items=elsewhere)
    for item in items:
        for mark in item.iter_markers("cannot"):
            if column_of(item) == mark.args[0]:
                item.add_marker(pytest.mark.skip(reason=f"cannot: {mark.args[1]}"))


# -- servers -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def running():
    """The servers started so far, one of each kind."""
    started = {}
    yield started
    for server in started.values():
        server.stop()


def start(running, name):
    if name not in running:
        running[name] = SERVERS[name]()
    return running[name]


@pytest.fixture
def server(request, running):
    """A server, once for each kind that was chosen."""
    return start(running, request.param)


@pytest.fixture
def embedded(running):
    """The embedded endpoint, for tests that read its request log."""
    return start(running, "embedded")


@pytest.fixture
def endpoint(embedded):
    """The embedded endpoint's URL."""
    return embedded.url


@pytest.fixture
def serve():
    """Starts further embedded endpoints with options of their own."""
    started = []

    def begin(*options, **more):
        started.append(Embedded(*options, **more))
        return started[-1]

    yield begin
    for server in started:
        server.stop()


@pytest.fixture
def stub():
    """A scriptable stand-in with the bucket `b`."""
    with Stub() as running:
        yield running


# -- what a test works with --------------------------------------------------------------------------------------------


@pytest.fixture
def place(request):
    """The server of this test, whichever fixture named it."""
    for name in ("server", "embedded"):
        if name in request.fixturenames:
            return request.getfixturevalue(name)
    return start(request.getfixturevalue("running"), "embedded")


@pytest.fixture
def boto(place):
    """boto3 as the witness: what the server really holds."""
    return place.boto


@pytest.fixture
def bucket(place):
    """A bucket of this test's own, gone afterwards."""
    name = f"t-{uuid.uuid4().hex[:12]}"
    place.boto.create_bucket(Bucket=name)
    yield name
    empty(place.boto, name)
    place.boto.delete_bucket(Bucket=name)


def empty(boto, bucket):
    for upload in boto.list_multipart_uploads(Bucket=bucket).get("Uploads", []):
        boto.abort_multipart_upload(Bucket=bucket, Key=upload["Key"], UploadId=upload["UploadId"])
    while page := boto.list_objects_v2(Bucket=bucket).get("Contents"):
        for item in page:
            boto.delete_object(Bucket=bucket, Key=item["Key"])


@pytest.fixture
def work(tmp_path):
    """The directory s3kit runs in: empty."""
    directory = tmp_path / "work"
    directory.mkdir()
    return directory


@pytest.fixture
def home(tmp_path):
    directory = tmp_path / "home"
    directory.mkdir()
    return directory


@pytest.fixture
def s3kit(place, home, work):
    """s3kit against this test's server."""
    return Tool(home, work, place.environment())


@pytest.fixture
def s3kit_at(home, work):
    """s3kit against any endpoint (a stub's, or another server's)."""

    def make(target, **environment):
        url = target if isinstance(target, str) else target.url
        access, secret = getattr(target, "access", "s3kit"), getattr(target, "secret", "s3kit-secret")
        return Tool(home, work, {"AWS_ACCESS_KEY_ID": access, "AWS_SECRET_ACCESS_KEY": secret, "AWS_REGION": "us-east-1",
                                 "AWS_ENDPOINT_URL": url, **environment})

    return make


@pytest.fixture
def requests(place, request):
    """The requests for this test's bucket since the test began (embedded endpoint only)."""
    bucket = request.getfixturevalue("bucket") if "bucket" in request.fixturenames else None
    before = len(place.requests(bucket) or [])
    return lambda: place.requests(bucket)[before:]


# -- the table ---------------------------------------------------------------------------------------------------------

outcomes = collections.defaultdict(lambda: collections.defaultdict(set))
counts = collections.Counter()


def column_of(item):
    call = getattr(item, "callspec", None)
    if call and "server" in call.params:
        return call.params["server"]
    return "stub" if "stub" in item.fixturenames else "embedded"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    row = next((mark.args[0] for mark in item.iter_markers("scenario")), f"{item.module.__name__}: no scenario named")
    cell = outcomes[row][column_of(item)]
    if report.skipped:
        reason = report.longrepr[2].removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else "skipped"
        cell.add(reason)
    elif report.failed:
        cell.add("FAIL")
        counts["failed"] += 1
    elif report.when == "call":
        cell.add("pass")
        counts["passed"] += 1


def in_words(cell):
    """A cell: one failure makes it FAIL; what a server cannot do is said beside what it can."""
    if not cell:
        return "–"
    if "FAIL" in cell:
        return "FAIL"
    return "; ".join(sorted(cell, key=lambda word: word != "pass"))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter, config):
    write = terminalreporter.write_line
    columns = ["embedded", "ceph", "stub"]
    rows = [(row, [in_words(cells.get(column, ())) for column in columns]) for row, cells in sorted(outcomes.items())]
    width = max([len(row) for row, _ in rows] + [len(row) for row, _ in scenarios.PENDING] + [40])
    terminalreporter.section("scenarios")
    write(f"{'scenario':{width}}  {columns[0]:10}  {columns[1]:10}  {columns[2]}")
    for row, cells in rows:
        write(f"{row:{width}}  {cells[0]:10}  {cells[1]:10}  {cells[2]}")
    for row, waits_for in scenarios.PENDING:
        write(f"{row:{width}}  pending: {waits_for}")
    for item in getattr(config, "left_out", []):
        write(f"left to scripts/prove: {item.name.replace('_', ' ')}")
    if path := config.getoption("--counts"):
        with open(path, "w") as out:
            out.write(f"{counts['passed']} {counts['failed']}\n")
