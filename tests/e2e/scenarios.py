"""The scenarios by name: the rows of the table. A test counts for one; what has to wait for a command is listed as such."""

import pytest


def scenario(row):
    """Marks a test, or a whole file, with its row."""
    return pytest.mark.scenario(row)


def cannot(server, reason):
    """Marks a test that a server cannot carry, with the reason the table shows."""
    return pytest.mark.cannot(server, reason)


NO_LOG = cannot("ceph", "keeps no request log")
BIG = pytest.mark.big

#: (row, the command or issue it waits for)
PENDING = [
    ("C02 objects named like directories: sync", "sync"),
    ("C03 parallel listing never loses or repeats keys", "the parallel lister"),
    ("C07 unknown size at a 5 MiB starting part size", "an option for the part size"),
    ("C08 stores that want parts of one length: archives", "zip, assemble"),
    ("C10 a failed sync keeps old files", "sync"),
    ("C13 keys that climb out of the target: sync", "sync"),
    ("C14 names that differ only in case", "a case-insensitive mount"),
    ("cp between two endpoints with two identities", "--src-…, --dst-…, S3KIT_SRC_*, S3KIT_DST_*"),
    ("C15 metadata and tags survive mv", "mv"),
    ("C16 customer keys of source and target", "--sse-c-key-file"),
    ("C17 200 with an error inside: mv keeps the source", "mv"),
    ("C18 walk order and bucket order in sync", "sync"),
    ("C19 same size, newer content in sync", "sync"),
    ("C20 `foo` is not `foobar`: mv, du", "mv, du"),
    ("C21 an ETag is not an MD5: sync --checksum", "sync"),
    ("C22 no deletion when the source cannot be listed", "sync"),
    ("C23 proxy variables and NO_PROXY", "the rest of the wire"),
    ("C24 no credentials: fast and clear", "the whole credential chain"),
    ("C25 a bucket in another region", "region redirects"),
    ("C26 a private certificate authority", "the rest of the wire"),
    ("C30 exit status of sync", "sync"),
    ("C32 archives beyond 4 GiB", "zip"),
    ("C33 entries readable without the directory", "zip"),
    ("C34 two objects, one entry name", "zip"),
    ("C35 dates an archive cannot hold", "zip"),
    ("C36 parts below 5 MiB in assembly", "zip, assemble"),
    ("C37 listing millions in constant memory: du", "du"),
]
