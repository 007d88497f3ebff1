"""boto3 as a client of the embedded endpoint: S3's semantics, one sentence a test."""

import base64
import hashlib
import io
import os
import signal
import urllib.error
import urllib.request
import uuid
import zlib

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from data import MIB
from scenarios import scenario

pytestmark = scenario("serve: AWS semantics, as boto3 sees them")

HOSTILE = [
    "a/../b", "../x", "./x", "/lead", "//", "a//b/", "tail/", "a b+c%20", "100%", "q?x#y&z=1", "back\\slash", "nl\nin", "cr\rin", "\x01ctl",
    "\u00e9", "\U0001f600" * 256, "'()*!~", "%2e%2e/y", "..", ".",
]


def client(url, region="us-east-1", secret="s3kit-secret", **config):
    return boto3.client(
        "s3", endpoint_url=url, aws_access_key_id="s3kit", aws_secret_access_key=secret, region_name=region,
        config=Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}, parameter_validation=False, **config),
    )


@pytest.fixture
def s3(endpoint):
    return client(endpoint)


@pytest.fixture
def b(s3):
    name = f"serve-{uuid.uuid4().hex[:12]}"
    s3.create_bucket(Bucket=name)
    return name


def code(call, **arguments):
    """The code and status of the error a call must end with."""
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    answer = caught.value.response
    return answer["Error"]["Code"], answer["ResponseMetadata"]["HTTPStatusCode"]


def raw(s3, operation, **arguments):
    """The answer's body as it came over the wire."""
    seen = []
    event = f"before-parse.s3.{operation}"
    handler = lambda response_dict, **_: seen.append(response_dict["body"])
    s3.meta.events.register(event, handler)
    try:
        getattr(s3, {"ListObjectsV2": "list_objects_v2", "ListObjects": "list_objects"}[operation])(**arguments)
    finally:
        s3.meta.events.unregister(event, handler)
    return seen[0].decode()


# -- keys and listings -------------------------------------------------------------------------------------------------


def test_hostile_keys_are_stored_listed_and_deleted_exactly(s3, b):
    for key in HOSTILE:
        s3.put_object(Bucket=b, Key=key, Body=key.encode())
    for key in HOSTILE:
        assert s3.get_object(Bucket=b, Key=key)["Body"].read() == key.encode()
    listed = [entry["Key"] for entry in s3.list_objects_v2(Bucket=b)["Contents"]]
    assert listed == sorted(HOSTILE, key=str.encode)
    for key in HOSTILE:
        s3.copy_object(Bucket=b, Key="copy", CopySource={"Bucket": b, "Key": key})
        assert s3.get_object(Bucket=b, Key="copy")["Body"].read() == key.encode()
    s3.delete_objects(Bucket=b, Delete={"Objects": [{"Key": key} for key in HOSTILE if "\x01" not in key and "\r" not in key]})
    left = {entry["Key"] for entry in s3.list_objects_v2(Bucket=b)["Contents"]}
    assert left == {"copy", "\x01ctl", "cr\rin"}


def test_a_key_over_1024_bytes_is_refused(s3, b):
    assert code(s3.put_object, Bucket=b, Key="k" * 1025, Body=b"") == ("KeyTooLongError", 400)


def test_names_are_encoded_as_aws_encodes_them(s3, b):
    for key in ("a b/x", "a+b", "100%", "\u00e9"):
        s3.put_object(Bucket=b, Key=key, Body=b"")
    body = raw(s3, "ListObjectsV2", Bucket=b, Delimiter="/", EncodingType="url")
    for text in ("<Key>a%2Bb</Key>", "<Key>100%25</Key>", "<Key>%C3%A9</Key>", "<CommonPrefixes><Prefix>a+b/</Prefix>", "<Delimiter>/</Delimiter>"):
        assert text in body
    assert "&quot;d41d8cd98f00b204e9800998ecf8427e&quot;" in body


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_pages_of_any_size_give_every_key_and_prefix_once(s3, b, size):
    for key in ("a", "b/1", "b/2", "c", "d/e/f", "e"):
        s3.put_object(Bucket=b, Key=key, Body=b"")
    for operation in ("list_objects_v2", "list_objects"):
        names = []
        for page in s3.get_paginator(operation).paginate(Bucket=b, Delimiter="/", PaginationConfig={"PageSize": size}):
            names += [entry["Key"] for entry in page.get("Contents", [])]
            names += [entry["Prefix"] for entry in page.get("CommonPrefixes", [])]
        assert sorted(names) == ["a", "b/", "c", "d/", "e"], operation


def test_start_after_is_exclusive_and_need_not_exist(s3, b):
    for key in ("a", "b", "c"):
        s3.put_object(Bucket=b, Key=key, Body=b"")
    listed = lambda after: [entry["Key"] for entry in s3.list_objects_v2(Bucket=b, StartAfter=after).get("Contents", [])]
    assert listed("a") == ["b", "c"]
    assert listed("aa") == ["b", "c"]
    assert listed("c") == []


def test_bad_tokens_sizes_and_encodings_are_refused(s3, b):
    assert code(s3.list_objects_v2, Bucket=b, ContinuationToken="nonsense") == ("InvalidArgument", 400)
    assert code(s3.list_objects_v2, Bucket=b, MaxKeys=-1) == ("InvalidArgument", 400)
    assert code(s3.list_objects_v2, Bucket=b, EncodingType="base64") == ("InvalidArgument", 400)
    empty = s3.list_objects_v2(Bucket=b, MaxKeys=0)
    assert (empty["KeyCount"], empty["IsTruncated"]) == (0, False)


def test_a_synthetic_bucket_is_paged_from_anywhere(serve):
    s3 = client(serve("--synthetic", "flat:1000000").url)
    page = s3.list_objects_v2(Bucket="bench", StartAfter="object-000000999989")
    assert [entry["Key"] for entry in page["Contents"]] == [f"object-{n:012}" for n in range(999990, 1000000)]
    assert not page["IsTruncated"]


# -- reading -----------------------------------------------------------------------------------------------------------


def test_ranges_give_206_or_416(s3, b):
    s3.put_object(Bucket=b, Key="k", Body=b"0123456789")
    for header, body, shown in (("bytes=2-4", b"234", "bytes 2-4/10"), ("bytes=7-", b"789", "bytes 7-9/10"), ("bytes=-2", b"89", "bytes 8-9/10"),
                                ("bytes=5-500", b"56789", "bytes 5-9/10")):
        answer = s3.get_object(Bucket=b, Key="k", Range=header)
        assert (answer["Body"].read(), answer["ContentRange"], answer["ResponseMetadata"]["HTTPStatusCode"]) == (body, shown, 206)
    assert code(s3.get_object, Bucket=b, Key="k", Range="bytes=10-") == ("InvalidRange", 416)
    s3.put_object(Bucket=b, Key="empty", Body=b"")
    assert code(s3.get_object, Bucket=b, Key="empty", Range="bytes=0-9") == ("InvalidRange", 416)


def test_reads_honour_their_preconditions(s3, b):
    put = s3.put_object(Bucket=b, Key="k", Body=b"x")
    modified = s3.head_object(Bucket=b, Key="k")["LastModified"]
    assert s3.get_object(Bucket=b, Key="k", IfMatch=put["ETag"])["Body"].read() == b"x"
    assert code(s3.get_object, Bucket=b, Key="k", IfMatch='"0"') == ("PreconditionFailed", 412)
    assert code(s3.get_object, Bucket=b, Key="k", IfNoneMatch=put["ETag"])[1] == 304
    assert code(s3.get_object, Bucket=b, Key="k", IfModifiedSince=modified)[1] == 304
    assert code(s3.get_object, Bucket=b, Key="k", IfUnmodifiedSince=modified.replace(year=2000))[1] == 412


def test_headers_metadata_and_overrides_come_back(s3, b):
    s3.put_object(Bucket=b, Key="k", Body=b"x", ContentType="text/x", CacheControl="no-store", ContentEncoding="gzip", Metadata={"A": "1", "b": "two words"})
    head = s3.head_object(Bucket=b, Key="k")
    assert (head["ContentType"], head["CacheControl"], head["ContentEncoding"]) == ("text/x", "no-store", "gzip")
    assert head["Metadata"] == {"a": "1", "b": "two words"}
    assert s3.get_object(Bucket=b, Key="k", ResponseContentType="a/b")["ContentType"] == "a/b"


def test_errors_carry_request_ids(s3, b):
    with pytest.raises(ClientError) as caught:
        s3.get_object(Bucket=b, Key="none")
    answer = caught.value.response
    assert answer["Error"]["Code"] == "NoSuchKey"
    assert answer["ResponseMetadata"]["RequestId"] and answer["ResponseMetadata"]["HostId"]
    assert code(s3.get_object, Bucket="absent-bucket", Key="k") == ("NoSuchBucket", 404)


def test_an_archived_object_must_be_restored_first(s3, b):
    s3.put_object(Bucket=b, Key="k", Body=b"x", StorageClass="GLACIER")
    assert code(s3.get_object, Bucket=b, Key="k") == ("InvalidObjectState", 403)
    assert s3.head_object(Bucket=b, Key="k")["StorageClass"] == "GLACIER"
    s3.restore_object(Bucket=b, Key="k", RestoreRequest={"Days": 1})
    assert s3.get_object(Bucket=b, Key="k")["Body"].read() == b"x"


def test_a_presigned_url_works_until_it_is_changed(endpoint, s3, b):
    s3.put_object(Bucket=b, Key="a b/\u00e9", Body=b"signed")
    url = client(endpoint, signature_version="s3v4").generate_presigned_url("get_object", Params={"Bucket": b, "Key": "a b/\u00e9"})
    assert urllib.request.urlopen(url).read() == b"signed"
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(url[:-4] + "beef")
    assert caught.value.code == 403


# -- writing -----------------------------------------------------------------------------------------------------------


def test_a_wrong_secret_or_no_signature_is_refused(endpoint, s3, b):
    assert code(client(endpoint, secret="wrong").list_buckets) == ("SignatureDoesNotMatch", 403)
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{endpoint}/{b}")
    assert caught.value.code == 403 and b"<Code>AccessDenied</Code>" in caught.value.read()


@pytest.mark.parametrize("algorithm", ["CRC32", "CRC32C", "SHA1", "SHA256", "CRC64NVME"])
def test_checksums_are_verified_kept_and_shown(s3, b, algorithm):
    body = os.urandom(100_000)
    values = {"CRC32": zlib.crc32(body).to_bytes(4, "big"), "SHA1": hashlib.sha1(body).digest(), "SHA256": hashlib.sha256(body).digest()}
    element = f"Checksum{algorithm}"
    if algorithm in values:
        right = base64.b64encode(values[algorithm]).decode()
    else:
        pytest.importorskip("awscrt")
        right = s3.put_object(Bucket=b, Key="first", Body=body, ChecksumAlgorithm=algorithm)[element]
    assert s3.put_object(Bucket=b, Key="k", Body=body, **{element: right})[element] == right
    head = s3.head_object(Bucket=b, Key="k", ChecksumMode="ENABLED")
    assert (head[element], head["ChecksumType"]) == (right, "FULL_OBJECT")
    assert element not in s3.head_object(Bucket=b, Key="k")
    wrong = base64.b64encode(bytes(len(base64.b64decode(right)))).decode()
    assert code(s3.put_object, Bucket=b, Key="k", Body=body, **{element: wrong}) == ("BadDigest", 400)
    assert s3.get_object(Bucket=b, Key="k")["Body"].read() == body


def test_without_a_checksum_crc64nvme_is_kept(endpoint, s3, b):
    plain = client(endpoint, request_checksum_calculation="when_required")
    plain.put_object(Bucket=b, Key="k", Body=b"123456789")
    expected = base64.b64encode(bytes.fromhex("ae8b14860a799888")).decode()
    assert s3.head_object(Bucket=b, Key="k", ChecksumMode="ENABLED")["ChecksumCRC64NVME"] == expected


def test_content_md5_and_signed_payloads_are_verified(endpoint, b):
    s3 = client(endpoint, request_checksum_calculation="when_required")
    right = base64.b64encode(hashlib.md5(b"x").digest()).decode()
    s3.put_object(Bucket=b, Key="k", Body=b"x", ContentMD5=right)
    assert code(s3.put_object, Bucket=b, Key="k", Body=b"y", ContentMD5=right) == ("BadDigest", 400)
    assert code(s3.put_object, Bucket=b, Key="k", Body=b"y", ContentMD5="short") == ("InvalidDigest", 400)

    def send_another_body(request, **_):
        request.body = b"y"

    s3.meta.events.register("before-send.s3.PutObject", send_another_body)
    assert code(s3.put_object, Bucket=b, Key="k", Body=b"x") == ("XAmzContentSHA256Mismatch", 400)


def test_a_stream_with_a_trailing_checksum_is_taken(s3, b):
    class Stream(io.BytesIO):
        pass

    s3.upload_fileobj(Stream(b"trailing" * 1000), b, "k")
    assert s3.get_object(Bucket=b, Key="k")["Body"].read() == b"trailing" * 1000


def test_conditional_writes_protect_what_is_there(s3, b):
    first = s3.put_object(Bucket=b, Key="k", Body=b"1", IfNoneMatch="*")
    assert code(s3.put_object, Bucket=b, Key="k", Body=b"2", IfNoneMatch="*") == ("PreconditionFailed", 412)
    assert code(s3.put_object, Bucket=b, Key="k", Body=b"2", IfMatch='"0"') == ("PreconditionFailed", 412)
    assert code(s3.put_object, Bucket=b, Key="none", Body=b"2", IfMatch='"0"') == ("NoSuchKey", 404)
    s3.put_object(Bucket=b, Key="k", Body=b"3", IfMatch=first["ETag"])
    assert s3.get_object(Bucket=b, Key="k")["Body"].read() == b"3"


def test_a_copy_keeps_or_replaces_what_its_directives_say(s3, b):
    s3.put_object(Bucket=b, Key="k", Body=b"x", ContentType="text/x", Metadata={"m": "1"}, Tagging="t=1", StorageClass="STANDARD_IA")
    source = {"Bucket": b, "Key": "k"}
    s3.copy_object(Bucket=b, Key="kept", CopySource=source)
    kept = s3.head_object(Bucket=b, Key="kept")
    assert (kept["ContentType"], kept["Metadata"], kept.get("StorageClass")) == ("text/x", {"m": "1"}, None)
    assert s3.get_object_tagging(Bucket=b, Key="kept")["TagSet"] == [{"Key": "t", "Value": "1"}]
    s3.copy_object(Bucket=b, Key="new", CopySource=source, MetadataDirective="REPLACE", Metadata={"n": "2"}, TaggingDirective="REPLACE", Tagging="u=2")
    assert s3.head_object(Bucket=b, Key="new")["Metadata"] == {"n": "2"}
    assert s3.get_object_tagging(Bucket=b, Key="new")["TagSet"] == [{"Key": "u", "Value": "2"}]
    assert code(s3.copy_object, Bucket=b, Key="k", CopySource=source) == ("InvalidRequest", 400)
    s3.copy_object(Bucket=b, Key="k", CopySource=source, MetadataDirective="REPLACE")
    assert code(s3.copy_object, Bucket=b, Key="c", CopySource=source, CopySourceIfMatch='"0"') == ("PreconditionFailed", 412)


def test_a_batch_needs_a_digest_and_reports_each_key(endpoint, s3, b):
    s3.put_object(Bucket=b, Key="k", Body=b"")
    answer = s3.delete_objects(Bucket=b, Delete={"Objects": [{"Key": "k"}, {"Key": "never"}]})
    assert [entry["Key"] for entry in answer["Deleted"]] == ["k", "never"]
    assert "Deleted" not in s3.delete_objects(Bucket=b, Delete={"Objects": [{"Key": "k"}], "Quiet": True})

    def without_digest(request, **_):
        for name in list(request.headers):
            if name.lower().startswith("x-amz-checksum") or name.lower() == "x-amz-sdk-checksum-algorithm":
                del request.headers[name]

    s3.meta.events.register("before-sign.s3.DeleteObjects", without_digest)
    assert code(s3.delete_objects, Bucket=b, Delete={"Objects": [{"Key": "k"}]}) == ("InvalidRequest", 400)


# -- multipart ---------------------------------------------------------------------------------------------------------


def parts_of(s3, b, key, bodies, **create):
    upload = s3.create_multipart_upload(Bucket=b, Key=key, **create)["UploadId"]
    parts = []
    for number, body in enumerate(bodies, 1):
        answer = s3.upload_part(Bucket=b, Key=key, UploadId=upload, PartNumber=number, Body=body)
        kept = {name: value for name, value in answer.items() if name.startswith("Checksum") and name != "ChecksumType"}
        parts.append({"PartNumber": number, "ETag": answer["ETag"], **kept})
    return {"Bucket": b, "Key": key, "UploadId": upload, "MultipartUpload": {"Parts": parts}}


def test_an_upload_becomes_an_object_with_s3s_etag(s3, b):
    bodies = [os.urandom(5 * MIB), os.urandom(5 * MIB), b"tail"]
    answer = s3.complete_multipart_upload(**parts_of(s3, b, "k", bodies, Metadata={"m": "1"}))
    digests = b"".join(hashlib.md5(body).digest() for body in bodies)
    assert answer["ETag"] == f'"{hashlib.md5(digests).hexdigest()}-3"'
    got = s3.get_object(Bucket=b, Key="k")
    assert got["Body"].read() == b"".join(bodies) and got["Metadata"] == {"m": "1"}
    second = s3.get_object(Bucket=b, Key="k", PartNumber=2)
    assert second["Body"].read() == bodies[1] and second["PartsCount"] == 3
    assert s3.get_object(Bucket=b, Key="k", Range=f"bytes={5 * MIB - 2}-{5 * MIB + 1}")["Body"].read() == bodies[0][-2:] + bodies[1][:2]


@pytest.mark.parametrize("kind", ["FULL_OBJECT", "COMPOSITE"])
def test_both_kinds_of_checksum_of_an_upload(endpoint, s3, b, kind):
    bodies = [os.urandom(5 * MIB), b"tail"]
    upload = parts_of(s3, b, "k", bodies, ChecksumAlgorithm="CRC32", ChecksumType=kind)
    answer = s3.complete_multipart_upload(**upload)
    digests = [zlib.crc32(body).to_bytes(4, "big") for body in bodies]
    expected = {
        "FULL_OBJECT": base64.b64encode(zlib.crc32(b"".join(bodies)).to_bytes(4, "big")).decode(),
        "COMPOSITE": base64.b64encode(zlib.crc32(b"".join(digests)).to_bytes(4, "big")).decode() + "-2",
    }[kind]
    assert (answer["ChecksumCRC32"], answer["ChecksumType"]) == (expected, kind)
    facts = s3.get_object_attributes(Bucket=b, Key="k", ObjectAttributes=["Checksum", "ObjectParts", "ObjectSize"])
    assert facts["Checksum"]["ChecksumCRC32"] == expected.split("-")[0]
    assert facts["ObjectParts"]["TotalPartsCount"] == 2 and facts["ObjectSize"] == 5 * MIB + 4
    plain = client(endpoint, request_checksum_calculation="when_required")
    claim = base64.b64encode(bytes(4)).decode()
    again = parts_of(s3, b, "k", bodies, ChecksumAlgorithm="CRC32", ChecksumType=kind)
    assert code(plain.complete_multipart_upload, **again, ChecksumCRC32=claim) == ("BadDigest", 400)


def test_what_is_wrong_with_the_list_of_parts_is_said(s3, b):
    upload = parts_of(s3, b, "k", [b"small", b"tail"])
    parts = upload["MultipartUpload"]["Parts"]
    complete = lambda parts, **more: code(s3.complete_multipart_upload, **{**upload, "MultipartUpload": {"Parts": parts}}, **more)
    assert complete(parts) == ("EntityTooSmall", 400)
    assert complete(parts[::-1]) == ("InvalidPartOrder", 400)
    assert complete([{**parts[0], "ETag": '"0"'}]) == ("InvalidPart", 400)
    assert complete([]) == ("MalformedXML", 400)
    assert complete(parts[:1], MpuObjectSize=4) == ("InvalidRequest", 400)
    assert code(s3.upload_part, Bucket=b, Key="k", UploadId=upload["UploadId"], PartNumber=10001, Body=b"") == ("InvalidArgument", 400)
    s3.abort_multipart_upload(Bucket=b, Key="k", UploadId=upload["UploadId"])
    assert complete(parts[:1]) == ("NoSuchUpload", 404)


def test_uploads_and_their_parts_are_listed_page_by_page(s3, b):
    uploads = [parts_of(s3, b, key, [b"1", b"2", b"3"]) for key in ("a", "a", "b/1", "b/2", "c")]
    seen = []
    for page in s3.get_paginator("list_multipart_uploads").paginate(Bucket=b, PaginationConfig={"PageSize": 2}):
        seen += [(entry["Key"], entry["UploadId"]) for entry in page.get("Uploads", [])]
    assert seen == [(upload["Key"], upload["UploadId"]) for upload in uploads]
    folded = s3.list_multipart_uploads(Bucket=b, Delimiter="/")
    assert [entry["Prefix"] for entry in folded["CommonPrefixes"]] == ["b/"]
    numbers = []
    for page in s3.get_paginator("list_parts").paginate(Bucket=b, Key="a", UploadId=uploads[0]["UploadId"], PaginationConfig={"PageSize": 2}):
        numbers += [part["PartNumber"] for part in page["Parts"]]
    assert numbers == [1, 2, 3]


def test_ranges_are_copied_into_parts_with_their_checksums(s3, b):
    body = os.urandom(12 * MIB)
    source = s3.put_object(Bucket=b, Key="source", Body=body)
    upload = s3.create_multipart_upload(Bucket=b, Key="k", ChecksumAlgorithm="CRC32", ChecksumType="FULL_OBJECT")["UploadId"]
    parts = []
    for number, (first, last) in enumerate([(0, 5 * MIB - 1), (5 * MIB, 12 * MIB - 1)], 1):
        answer = s3.upload_part_copy(Bucket=b, Key="k", UploadId=upload, PartNumber=number, CopySource={"Bucket": b, "Key": "source"},
                                     CopySourceRange=f"bytes={first}-{last}", CopySourceIfMatch=source["ETag"])["CopyPartResult"]
        assert answer["ChecksumCRC32"] == base64.b64encode(zlib.crc32(body[first:last + 1]).to_bytes(4, "big")).decode()
        parts.append({"PartNumber": number, "ETag": answer["ETag"]})
    s3.complete_multipart_upload(Bucket=b, Key="k", UploadId=upload, MultipartUpload={"Parts": parts})
    assert s3.get_object(Bucket=b, Key="k")["Body"].read() == body
    bad = dict(Bucket=b, Key="k", UploadId=upload, PartNumber=1, CopySource={"Bucket": b, "Key": "source"})
    assert code(s3.upload_part_copy, **bad)[0] == "NoSuchUpload"


# -- versions, buckets, regions ----------------------------------------------------------------------------------------


def test_versions_and_delete_markers(s3, b):
    s3.put_object(Bucket=b, Key="k", Body=b"null")
    s3.put_bucket_versioning(Bucket=b, VersioningConfiguration={"Status": "Enabled"})
    one = s3.put_object(Bucket=b, Key="k", Body=b"one")["VersionId"]
    marker = s3.delete_object(Bucket=b, Key="k")
    assert marker["DeleteMarker"]
    assert code(s3.get_object, Bucket=b, Key="k") == ("NoSuchKey", 404)
    assert code(s3.get_object, Bucket=b, Key="k", VersionId=marker["VersionId"]) == ("MethodNotAllowed", 405)
    assert s3.get_object(Bucket=b, Key="k", VersionId=one)["Body"].read() == b"one"
    assert s3.get_object(Bucket=b, Key="k", VersionId="null")["Body"].read() == b"null"
    assert "Contents" not in s3.list_objects_v2(Bucket=b)
    listed = s3.list_object_versions(Bucket=b)
    assert [version["VersionId"] for version in listed["Versions"]] == [one, "null"]
    assert [entry["IsLatest"] for entry in listed["DeleteMarkers"]] == [True]
    ids = []
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=b, PaginationConfig={"PageSize": 1}):
        ids += [entry["VersionId"] for entry in page.get("Versions", []) + page.get("DeleteMarkers", [])]
    assert ids == [marker["VersionId"], one, "null"]
    s3.delete_object(Bucket=b, Key="k", VersionId=marker["VersionId"])
    assert s3.get_object(Bucket=b, Key="k")["Body"].read() == b"one"
    assert code(s3.delete_bucket, Bucket=b) == ("BucketNotEmpty", 409)


def test_buckets_are_made_once_and_named_well(s3, b):
    assert code(s3.create_bucket, Bucket=b) == ("BucketAlreadyOwnedByYou", 409)
    assert code(s3.create_bucket, Bucket="Bad_Name") == ("InvalidBucketName", 400)
    assert b in [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]]
    assert s3.get_bucket_location(Bucket=b)["LocationConstraint"] is None
    s3.delete_bucket(Bucket=b)
    assert code(s3.head_bucket, Bucket=b) == ("404", 404)


def test_a_wrong_region_is_told_the_right_one(endpoint, s3):
    name = f"serve-{uuid.uuid4().hex[:12]}"
    far = client(endpoint, region="eu-west-1")
    far.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    far.put_object(Bucket=name, Key="k", Body=b"far")
    seen = []
    s3.meta.events.register("before-parse.s3.GetObject", lambda response_dict, **_: seen.append(response_dict))
    assert s3.get_object(Bucket=name, Key="k")["Body"].read() == b"far"
    assert seen[0]["status_code"] == 301 and seen[0]["headers"]["x-amz-bucket-region"] == "eu-west-1"
    wrong = client(endpoint, region="ap-south-1")
    wrong.meta.events.register("before-parse.s3.GetObject", lambda response_dict, **_: seen.append(response_dict))
    wrong.get_object(Bucket=name, Key="k")
    assert any(b"<Code>AuthorizationHeaderMalformed</Code>" in entry["body"] and b"<Region>eu-west-1</Region>" in entry["body"]
               for entry in seen if isinstance(entry["body"], bytes))


# -- the directory -----------------------------------------------------------------------------------------------------


def test_a_store_survives_being_killed(serve, tmp_path):
    large = os.urandom(11 * MIB)
    first = serve(directory=tmp_path / "store")
    s3 = client(first.url)
    s3.create_bucket(Bucket="kept")
    s3.put_bucket_versioning(Bucket="kept", VersioningConfiguration={"Status": "Enabled"})
    for key in HOSTILE:
        s3.put_object(Bucket="kept", Key=key, Body=key.encode(), Metadata={"m": "1"}, Tagging="t=1")
    s3.complete_multipart_upload(**parts_of(s3, "kept", "large", [large[: 6 * MIB], large[6 * MIB :]]))
    s3.copy_object(Bucket="kept", Key="copy", CopySource={"Bucket": "kept", "Key": "large"})
    open_upload = parts_of(s3, "kept", "open", [large[: 6 * MIB], b"tail"])
    s3.delete_object(Bucket="kept", Key="..")
    before = s3.list_object_versions(Bucket="kept")
    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    s3 = client(serve(directory=tmp_path / "store").url)
    after = s3.list_object_versions(Bucket="kept")
    for kind in ("Versions", "DeleteMarkers"):
        assert after[kind] == before[kind]
    assert s3.get_object(Bucket="kept", Key="copy")["Body"].read() == large
    assert s3.get_object(Bucket="kept", Key="a/../b")["Body"].read() == b"a/../b"
    s3.complete_multipart_upload(**open_upload)
    assert s3.get_object(Bucket="kept", Key="open")["Body"].read() == large[: 6 * MIB] + b"tail"
    s3.put_object(Bucket="kept", Key="new", Body=b"new")
    assert s3.get_object(Bucket="kept", Key="new")["Body"].read() == b"new"


def test_replaced_data_leaves_the_disk(serve, tmp_path):
    server = serve(directory=tmp_path / "store")
    s3 = client(server.url)
    s3.create_bucket(Bucket="b-1")
    for _ in range(5):
        s3.put_object(Bucket="b-1", Key="k", Body=os.urandom(3 * MIB))
    s3.delete_object(Bucket="b-1", Key="k")
    for _ in range(50):
        files = [path for path in (tmp_path / "store" / "data").rglob("*") if path.is_file()]
        if not files:
            break
        __import__("time").sleep(0.1)
    assert files == []


def test_a_directory_that_is_no_store_is_refused(serve, tmp_path):
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(RuntimeError, match="not a store"):
        serve(directory=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_two_servers_cannot_have_one_store(serve, tmp_path):
    serve(directory=tmp_path / "store")
    with pytest.raises(RuntimeError, match="another process"):
        serve(directory=tmp_path / "store")


# -- what goes wrong on purpose ----------------------------------------------------------------------------------------


def test_named_requests_fail_and_the_log_says_so(serve):
    server = serve("--faults", "PutObject#2=403,GetObject#1=truncate,CopyObject#*=ok-error,HeadObject#1=503:SlowDown")
    s3 = client(server.url)
    s3.create_bucket(Bucket="b-1")
    s3.put_object(Bucket="b-1", Key="k", Body=b"0123456789" * 1000)
    assert code(s3.put_object, Bucket="b-1", Key="k", Body=b"") == ("AccessDenied", 403)
    with pytest.raises(Exception, match="(?i)incomplete|broken|read"):
        s3.get_object(Bucket="b-1", Key="k")["Body"].read()
    assert len(s3.get_object(Bucket="b-1", Key="k")["Body"].read()) == 10_000
    assert code(s3.copy_object, Bucket="b-1", Key="c", CopySource="b-1/k")[0] == "InternalError"
    assert code(s3.head_object, Bucket="b-1", Key="k")[1] == 503
    log = server.requests("b-1")
    assert [(entry["operation"], entry["fault"]) for entry in log if "fault" in entry] == [
        ("PutObject", "403"), ("GetObject", "truncate"), ("CopyObject", "ok-error"), ("HeadObject", "503")]
    copy = next(entry for entry in log if entry["operation"] == "CopyObject")
    assert copy["status"] == 200
    assert next(entry for entry in log if entry["operation"] == "PutObject")["bytes_in"] >= 10_000


def test_a_lost_answer_means_the_work_was_done(serve):
    s3 = client(serve("--faults", "CompleteMultipartUpload#1=lost-complete").url)
    s3.create_bucket(Bucket="b-1")
    upload = parts_of(s3, "b-1", "k", [b"body"])
    with pytest.raises(Exception, match="(?i)connection"):
        s3.complete_multipart_upload(**upload)
    assert s3.get_object(Bucket="b-1", Key="k")["Body"].read() == b"body"
    assert code(s3.complete_multipart_upload, **upload) == ("NoSuchUpload", 404)


def test_corrupt_data_and_resets_reach_the_client(serve):
    s3 = client(serve("--faults", "GetObject#1=corrupt,GetObject#3=reset").url, response_checksum_validation="when_required")
    s3.create_bucket(Bucket="b-1")
    s3.put_object(Bucket="b-1", Key="k", Body=bytes(1000))
    spoilt = s3.get_object(Bucket="b-1", Key="k")["Body"].read()
    assert len(spoilt) == 1000 and sum(bin(byte).count("1") for byte in spoilt) == 1
    assert s3.get_object(Bucket="b-1", Key="k")["Body"].read() == bytes(1000)
    with pytest.raises(Exception, match="(?i)connection|reset"):
        s3.get_object(Bucket="b-1", Key="k")


def test_latency_throttle_and_rate_are_felt(serve):
    import time

    s3 = client(serve("--latency", "get=150ms,rate=4MB/s", "--throttle", "put=1/s,burst=2").url)
    s3.create_bucket(Bucket="b-1")
    s3.put_object(Bucket="b-1", Key="k", Body=bytes(2_000_000))
    assert code(s3.put_object, Bucket="b-1", Key="k", Body=b"")[0] == "SlowDown" or code(s3.put_object, Bucket="b-1", Key="k", Body=b"")[0] == "SlowDown"
    start = time.monotonic()
    s3.head_object(Bucket="b-1", Key="k")
    assert 0.15 <= time.monotonic() - start < 0.6
    start = time.monotonic()
    s3.get_object(Bucket="b-1", Key="k")["Body"].read()
    assert 0.5 <= time.monotonic() - start < 2


# -- other providers ---------------------------------------------------------------------------------------------------


def test_r2_wants_parts_of_one_length(serve):
    s3 = client(serve("--provider", "r2").url)
    s3.create_bucket(Bucket="b-1")
    upload = parts_of(s3, "b-1", "k", [bytes(5 * MIB), bytes(6 * MIB), b"tail"])
    assert code(s3.complete_multipart_upload, **upload) == ("InvalidPart", 400)
    s3.complete_multipart_upload(**parts_of(s3, "b-1", "k", [bytes(5 * MIB), bytes(5 * MIB), b"tail"]))


def test_ceph_knows_no_checksums(serve):
    s3 = client(serve("--provider", "ceph").url)
    s3.create_bucket(Bucket="b-1")
    answer = s3.put_object(Bucket="b-1", Key="k", Body=b"x", ChecksumAlgorithm="CRC32")
    assert "ChecksumCRC32" not in answer
    assert "ChecksumCRC32" not in s3.head_object(Bucket="b-1", Key="k", ChecksumMode="ENABLED")


def test_the_minimal_store_refuses_checksums_and_ignores_start_after(serve):
    server = serve("--provider", "minimal")
    plain = client(server.url, request_checksum_calculation="when_required")
    plain.create_bucket(Bucket="b-1")
    for key in ("a", "b", "c"):
        plain.put_object(Bucket="b-1", Key=key, Body=b"")
    assert code(client(server.url).put_object, Bucket="b-1", Key="k", Body=b"", ChecksumAlgorithm="CRC32") == ("NotImplemented", 501)
    listed = plain.list_objects_v2(Bucket="b-1", StartAfter="b", MaxKeys=2)
    assert [entry["Key"] for entry in listed["Contents"]] == ["a", "b"]
    rest = plain.list_objects_v2(Bucket="b-1", ContinuationToken=listed["NextContinuationToken"])
    assert [entry["Key"] for entry in rest["Contents"]] == ["c"]
