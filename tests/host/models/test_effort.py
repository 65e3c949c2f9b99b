"""Reasoning effort: what is sent, and what is refused before any machine."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from ambidex.host import Form
from ambidex.host.errors import UsageError
from ambidex.host.models.effort import check_effort, effort_settings
from ambidex.host.records.config import Effort, ModelConfig
from tests.support.models import nothing_of_litellm_stays
from tests.support.tables import every_case
from tests.support.vendors import check_request

__all__ = ["nothing_of_litellm_stays"]

FORMS: dict[Form, dict[str, Any]] = {
    "chat": {"messages": []},
    "messages": {"messages": []},
    "responses": {"input": []},
}
OWN = "http://127.0.0.1:1/v1"


@pytest.mark.parametrize("form", FORMS)
def test_every_effort_that_passes_the_check_is_in_the_vendor_s_types(form: Form) -> None:
    name = "claude-opus-4-7" if form == "messages" else "toy"
    sent = []
    for effort in get_args(Effort):
        config = ModelConfig(name=name, base_url=OWN, effort=effort)
        try:
            check_effort(config, form)
        except UsageError:
            continue
        check_request(form, {**FORMS[form], **effort_settings(form, effort)})
        sent.append(effort)
    anthropics = ["low", "medium", "high", "xhigh", "max"]
    assert sent == (anthropics if form == "messages" else list(get_args(Effort)))


def test_without_an_effort_nothing_is_sent_or_checked() -> None:
    assert effort_settings("chat", None) == {}
    check_effort(ModelConfig(name="gpt-4o"), "chat")


@every_case(
    ("config", "form", "said"),
    [
        ({"name": "gpt-4o", "effort": "high"}, "chat", "does not support"),
        ({"name": "gpt-4o", "effort": "high"}, "responses", "does not support"),
        ({"name": "gpt-5", "effort": "none"}, "chat", "effort=none is not supported"),
        ({"name": "no-vendor", "effort": "low"}, "chat", "Provider NOT provided"),
        ({"name": "claude-opus-4-7", "effort": "minimal"}, "messages", "knows low, medium"),
        ({"name": "toy", "effort": "high", "base_url": OWN}, "messages", "would not send it"),
        (
            {"name": "claude-opus-4-7", "effort": "high", "max_tokens": 1024},
            "messages",
            "more than 1024",
        ),
        (
            {"name": "claude-opus-4-7", "effort": "high", "temperature": 0.0},
            "messages",
            "no temperature",
        ),
    ],
)
def test_an_effort_that_would_not_reach_the_model_is_refused(
    config: dict[str, Any], form: Form, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        check_effort(ModelConfig.model_validate(config), form)


def test_what_a_model_takes_is_accepted() -> None:
    check_effort(ModelConfig(name="gpt-5", effort="minimal"), "responses")
    check_effort(ModelConfig(name="anthropic/claude-sonnet-4-6", effort="high"), "messages")
    check_effort(ModelConfig(name="anthropic/claude-sonnet-4-6", effort="high"), "chat")
