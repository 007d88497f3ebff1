"""The stand-in itself: boto3 finds it a plain S3 store, so that what fails against it is not its own doing."""

import boto3
import pytest
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from data import MIB, keys, random_bytes, same
from scenarios import scenario
from stub import error

pytestmark = scenario("the stand-in behaves like a plain store")


@pytest.fixture
def witness(stub):
    return boto3.client("s3", endpoint_url=stub.url, aws_access_key_id="a", aws_secret_access_key="b", region_name="us-east-1",
                        config=Config(s3={"addressing_style": "path"}, request_checksum_calculation="when_required",
                                      response_checksum_validation="when_required", retries={"max_attempts": 1}))


def test_objects_ranges_and_copies(stub, witness):
    body = random_bytes(3 * MIB)
    witness.put_object(Bucket="b", Key="a/\U0001f600 b", Body=body)
    same(witness.get_object(Bucket="b", Key="a/\U0001f600 b")["Body"].read(), body)
    same(witness.get_object(Bucket="b", Key="a/\U0001f600 b", Range="bytes=5-9")["Body"].read(), body[5:10])
    witness.copy_object(Bucket="b", Key="c", CopySource={"Bucket": "b", "Key": "a/\U0001f600 b"})
    same(stub.get("c"), body)
    witness.delete_objects(Bucket="b", Delete={"Objects": [{"Key": "c"}]})
    assert stub.get("c") is None


def test_uploads_in_parts(stub, witness, tmp_path):
    body = random_bytes(20 * MIB)
    (tmp_path / "f").write_bytes(body)
    witness.upload_file(str(tmp_path / "f"), "b", "k", Config=TransferConfig(multipart_threshold=5 * MIB, multipart_chunksize=5 * MIB))
    same(stub.get("k"), body)
    assert len(stub.asked("UploadPart")) == 4 and not stub.uploads


def test_pages_and_levels(stub, witness):
    for number in range(2345):
        stub.put(f"d{number % 7}/k{number:04}")
    assert len(keys(witness, "b")) == 2345
    found = witness.list_objects_v2(Bucket="b", Delimiter="/")
    assert [p["Prefix"] for p in found["CommonPrefixes"]] == [f"d{n}/" for n in range(7)]


def test_scripts_come_before_the_store_and_end(stub, witness):
    stub.put("k", b"x")
    stub.on("GetObject", lambda r: error(403, "AccessDenied"), times=1)
    with pytest.raises(witness.exceptions.ClientError, match="AccessDenied"):
        witness.get_object(Bucket="b", Key="k")
    assert witness.get_object(Bucket="b", Key="k")["Body"].read() == b"x"
