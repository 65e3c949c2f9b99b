"""Arguments of an operation, drawn from the schema of its service."""

from __future__ import annotations

import base64
import random
import re
from typing import Any

from botocore.model import Shape

__all__ = ["arguments"]

DEPTH = 5
"""Levels of structures below which only required members are given."""
ARN = "arn:aws:iam::123456789012:role/example"


def arguments(shape: Shape | None, label: str) -> dict[str, Any]:
    """Arguments as a model would give them, in JSON. The same label draws the same ones; texts that
    name something start with it."""
    if shape is None:
        return {}
    drawn: dict[str, Any] = _draw(shape, label, random.Random(label), "", 0)
    return drawn


def _draw(shape: Shape, label: str, rng: random.Random, name: str, depth: int) -> Any:
    low = shape.metadata.get("min")
    match shape.type_name:
        case "structure":
            if getattr(shape, "is_document_type", False):
                return {}
            required = set(shape.required_members)
            chosen = [
                member
                for member in shape.members
                if member in required or (depth < DEPTH and rng.random() < 0.25)
            ]
            if getattr(shape, "is_tagged_union", False):
                chosen = [rng.choice(sorted(shape.members))]
            if depth > 3 * DEPTH:
                chosen = []
            return {
                member: _draw(shape.members[member], label, rng, member, depth + 1)
                for member in chosen
            }
        case "list":
            count = 0 if depth > 3 * DEPTH else max(int(low or 0), 1)
            return [_draw(shape.member, label, rng, name, depth + 1) for _ in range(min(count, 20))]
        case "map":
            if depth > 3 * DEPTH:
                return {}
            key = _draw(shape.key, label, rng, "key", depth + 1)
            return {key: _draw(shape.value, label, rng, name, depth + 1)}
        case "string" | "character":
            return _text(shape, label, rng, name)
        case "integer" | "long":
            return max(int(low or 0), min(rng.randint(1, 10), int(shape.metadata.get("max", 10))))
        case "float" | "double":
            return max(float(low or 0), min(1.5, float(shape.metadata.get("max", 1.5))))
        case "boolean":
            return rng.random() < 0.5
        case "timestamp":
            return f"2024-0{rng.randint(1, 9)}-01T00:00:00Z"
        case "blob":
            return base64.b64encode(label.encode()).decode()
    raise AssertionError(f"a shape of an unknown type: {shape.type_name}")


def _text(shape: Shape, label: str, rng: random.Random, name: str) -> str:
    if shape.enum:
        return str(rng.choice(shape.enum))
    low, high = int(shape.metadata.get("min", 1)), int(shape.metadata.get("max", 64))
    if re.search(r"arn$", name, re.IGNORECASE) and high >= len(ARN):
        return ARN.ljust(low, "x")
    return label[: max(high, 1)].ljust(low, "x")
