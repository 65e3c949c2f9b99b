"""What has changed in the firm's cloud, read from what moto really holds."""

from __future__ import annotations

import importlib.util
import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ambidex.evaluators.exports.cloud import cloud_states
from ambidex.evaluators.exports.compare import changed_paths
from ambidex.evaluators.registry import bind
from ambidex.vm.building.filling import FILLERS
from ambidex.vm.building.services import SERVICES
from ambidex.vm.firm.draw import draw_firm

SERVER = SERVICES / "moto" / "files" / "usr" / "share" / "ambidex" / "moto" / "serve.py"
FIRM = draw_firm(1)
LEAVER, STAYS = FIRM.cloud.leavers[0].login, FIRM.cloud.accounts[0]
LEAKING = next(one for one in FIRM.cloud.buckets if one.public != one.readable)
CLOSED = {
    "BlockPublicAcls": True,
    "IgnorePublicAcls": True,
    "BlockPublicPolicy": True,
    "RestrictPublicBuckets": True,
}
POLICY = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "s3:GetObject", "Resource": "*"}
Client = Callable[[str], Any]


def load(path: Path) -> ModuleType:
    """A program that runs in the image, as a module."""
    spec = importlib.util.spec_from_file_location(f"program_{path.stem}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def service() -> ModuleType:
    """The program that serves the cloud, filled with the firm as at its start."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # moto's own
        server = load(SERVER)
        names = ("service", "operation", "arguments")
        requests = load(FILLERS / "moto.py").requests_of(json.loads(json.dumps(asdict(FIRM))))
        server.fill([dict(zip(names, one, strict=True)) for one in requests])
    return server


@pytest.fixture(scope="module")
def client(service: ModuleType) -> Iterator[Client]:
    """Makes clients of the filled cloud."""
    from botocore.session import Session
    from moto import mock_aws

    session, mock = Session(), mock_aws()
    mock.start(reset=False)
    keys = {"aws_access_key_id": "firm", "aws_secret_access_key": "firm"}
    yield lambda name: session.create_client(name, region_name="us-east-1", **keys)
    mock.stop()


@pytest.fixture
def since(service: ModuleType, tmp_path: Path) -> Callable[[], set[str]]:
    """What has changed since the test began, by path."""
    (tmp_path / "moto.before.json").write_text(json.dumps(service.state()))

    def changed() -> set[str]:
        (tmp_path / "moto.json").write_text(json.dumps(service.state()))
        return changed_paths(*cloud_states(tmp_path, "moto.json"))

    return changed


def test_a_bucket_is_public_by_a_grant_or_a_policy_that_nothing_blocks(
    client: Client, since: Callable[[], set[str]], tmp_path: Path
) -> None:
    s3, name = client("s3"), LEAKING.name
    public = f"buckets/{name}/public"
    assert since() == set()
    s3.put_public_access_block(Bucket=name, PublicAccessBlockConfiguration=CLOSED)
    assert since() == {public}
    assert bind("company.cloud", {"gone": [public]}, tmp_path)(tmp_path).value == 1
    assert bind("company.cloud", {}, tmp_path)(tmp_path).value == 0
    s3.delete_public_access_block(Bucket=name)
    assert since() == set()
    s3.put_bucket_acl(Bucket=name, ACL="private")
    assert since() == {public}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [POLICY]})
    s3.put_bucket_policy(Bucket=name, Policy=policy)
    assert public not in since()
    assert f"buckets/{name}/settings/policy/text" in since()
    s3.delete_bucket_policy(Bucket=name)
    s3.put_bucket_acl(Bucket=name, ACL="public-read")
    assert since() == set()
    account = client("s3control")
    everywhere = {"AccountId": "123456789012", "PublicAccessBlockConfiguration": CLOSED}
    account.put_public_access_block(**everywhere)
    assert since() == {f"buckets/{one.name}/public" for one in FIRM.cloud.buckets if one.readable}
    account.delete_public_access_block(AccountId="123456789012")


def test_objects_tags_keys_groups_and_servers_have_paths(
    client: Client, since: Callable[[], set[str]]
) -> None:
    s3, iam, ec2 = client("s3"), client("iam"), client("ec2")
    s3.put_object(Bucket=LEAKING.name, Key="a/b.txt", Body=b"new")
    s3.put_bucket_tagging(
        Bucket=LEAKING.name, Tagging={"TagSet": [{"Key": "owner", "Value": "user"}]}
    )
    key = iam.list_access_keys(UserName=LEAVER)["AccessKeyMetadata"][0]["AccessKeyId"]
    iam.update_access_key(UserName=LEAVER, AccessKeyId=key, Status="Inactive")
    iam.create_group(GroupName="staff")
    iam.add_user_to_group(GroupName="staff", UserName=STAYS)
    server = FIRM.cloud.servers[-1].name
    named = [{"Name": "tag:Name", "Values": [server]}]
    [reservation] = ec2.describe_instances(Filters=named)["Reservations"]
    ec2.stop_instances(InstanceIds=[reservation["Instances"][0]["InstanceId"]])
    assert since() == {
        f"buckets/{LEAKING.name}/objects/a/b.txt",
        f"buckets/{LEAKING.name}/tags/owner",
        f"accounts/{LEAVER}/keys/{key}",
        f"accounts/{STAYS}/groups/staff",
        f"servers/{server}/state",
    }
    iam.delete_access_key(UserName=LEAVER, AccessKeyId=key)
    ec2.terminate_instances(InstanceIds=[reservation["Instances"][0]["InstanceId"]])
    assert f"accounts/{LEAVER}/keys/{key}" in since()
