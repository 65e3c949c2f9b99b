"""The exported state of the machine's AWS (`vm/images/services/moto`), by short paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ambidex.evaluators.bounded import BoundsError, parse_json
from ambidex.evaluators.exports.compare import Content, read_both

__all__ = ["cloud_states"]

EVERYBODY = "http://acs.amazonaws.com/groups/global/AllUsers"
READING = {"READ", "FULL_CONTROL"}
SETTINGS = {
    "versioning": "versioning_status",
    "policy": "policy",
    "lifecycle": "rules",
    "website": "website_configuration",
    "encryption": "encryption",
    "cors": "cors",
}
"""Settings of a bucket, by their names in the export."""
DEEPEST = 20
"""References that are followed in a row."""


class Export(Content):
    """An export: services, accounts, regions, and what moto holds there."""


def cloud_states(evidence: Path, file: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The cloud after setup and now, as the paths of `company.cloud` name it."""
    earlier, later = read_both(evidence, file, Export)
    return _view(earlier.model_dump()), _view(later.model_dump())


def _view(export: dict[str, Any]) -> dict[str, Any]:
    return {
        "buckets": dict(_buckets(export)),
        "servers": dict(_servers(export)),
        "accounts": dict(_accounts(export)),
    }


def _buckets(export: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    closed: dict[str, Any] = {}
    for backend in _backends(export, "s3control"):
        closed |= _items(export, backend.get("public_access_block"))
    for backend in _backends(export, "s3"):
        tags = _items(export, _items(export, backend.get("tagger")).get("tags"))
        for name, given in _items(export, backend.get("buckets")).items():
            bucket = _items(export, given)
            own = _items(export, bucket.get("public_access_block"))
            yield (
                name,
                {
                    "exists": True,
                    "public": _is_public(export, bucket, (own, closed)),
                    "objects": {
                        key: _content(_items(export, item))
                        for key, item in _items(export, bucket.get("keys")).items()
                    },
                    "tags": _items(export, tags.get(f"arn:aws:s3:::{name}")),
                    "settings": {
                        title: _resolved(export, bucket.get(key)) for title, key in SETTINGS.items()
                    },
                },
            )


def _is_public(
    export: dict[str, Any], bucket: dict[str, Any], blocks: tuple[dict[str, Any], ...]
) -> bool:
    """Whether everybody can read a bucket: by a grant or a policy that nothing blocks."""

    def blocked(setting: str) -> bool:
        return any(str(block.get(setting)).lower() == "true" for block in blocks)

    granted = any(
        not READING.isdisjoint(grant.get("permissions") or ())
        and any(_items(export, one).get("uri") == EVERYBODY for one in grant.get("grantees") or ())
        for grant in _grants(export, bucket)
    )
    policy = _items(export, bucket.get("policy")).get("text", "")
    allowed = _lets_everybody_in(policy)
    return (granted and not blocked("ignore_public_acls")) or (
        allowed and not blocked("restrict_public_buckets")
    )


def _grants(export: dict[str, Any], bucket: dict[str, Any]) -> list[dict[str, Any]]:
    grants = _items(export, bucket.get("acl")).get("grants") or ()
    return [_items(export, one) for one in grants]


def _lets_everybody_in(policy: object) -> bool:
    """Whether a bucket's policy, a JSON text, allows something to everybody."""
    try:
        parsed = parse_json(str(policy).encode())
    except BoundsError:
        return False
    statements = parsed.get("Statement") if isinstance(parsed, dict) else None
    for statement in statements if isinstance(statements, list) else [statements]:
        if isinstance(statement, dict) and statement.get("Effect") == "Allow":
            who = statement.get("Principal")
            who = who.get("AWS") if isinstance(who, dict) else who
            if who == "*" or (isinstance(who, list) and "*" in who):
                return True
    return False


def _content(item: dict[str, Any]) -> str:
    value = item.get("value")
    if not isinstance(value, Mapping):
        return "(empty)"
    return str(value.get("text") or value.get("sha256") or "(empty)")


def _servers(export: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for backend in _backends(export, "ec2"):
        tags = _items(export, backend.get("tags"))
        for reservation in _items(export, backend.get("reservations")).values():
            for given in _items(export, reservation).get("instances") or ():
                instance = _items(export, given)
                own = _items(export, tags.get(instance.get("id", "")))
                yield (
                    str(own.get("Name") or instance.get("id")),
                    {
                        "state": _items(export, instance.get("state")).get("name"),
                        "type": instance.get("instance_type"),
                        "tags": own,
                    },
                )


def _accounts(export: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for backend in _backends(export, "iam"):
        groups: dict[str, set[str]] = {}
        for name, group in _items(export, backend.get("groups")).items():
            for user in _items(export, group).get("users") or ():
                groups.setdefault(str(_items(export, user).get("name")), set()).add(name)
        for login, given in _items(export, backend.get("users")).items():
            keys = [_items(export, one) for one in _items(export, given).get("access_keys") or ()]
            yield (
                login,
                {
                    "exists": True,
                    "keys": {str(one.get("access_key_id")): one.get("status") for one in keys},
                    "groups": dict.fromkeys(sorted(groups.get(login, ())), True),
                },
            )


def _backends(export: dict[str, Any], service: str) -> Iterator[dict[str, Any]]:
    """What moto holds of a service, in each account and region."""
    for account in _items(export, export.get(service)).values():
        for region in _items(export, account).values():
            yield _items(export, region)


def _items(export: dict[str, Any], value: object) -> dict[str, Any]:
    """An object of the export; empty if it is none."""
    found = _resolved(export, value)
    return found if isinstance(found, dict) else {}


def _resolved(export: dict[str, Any], value: object) -> object:
    """What a value refers to: an object that is in the export several times is written once, and
    elsewhere as `{"same": path}`."""
    for _ in range(DEEPEST):
        if not (isinstance(value, dict) and value.keys() == {"same"}):
            return value
        value = _at(export, str(value["same"]))
    return None


def _at(value: object, path: str) -> object:
    """What is at a path, whose parts are separated by dots and may have dots in them."""
    if not path:
        return value
    if isinstance(value, dict):
        for key in value:
            if path == key or path.startswith(f"{key}."):
                found = _at(value[key], path[len(key) + 1 :])
                if found is not None:
                    return found
    elif isinstance(value, list):
        number, _, rest = path.partition(".")
        if number.isdecimal() and int(number) < len(value):
            return _at(value[int(number)], rest)
    return None
