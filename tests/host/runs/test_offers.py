"""Whether the tools on offer fit into one request, on the guest's real catalogue."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.host.errors import UsageError
from ambidex.host.records.config import Exposure, ModelConfig
from ambidex.host.runs.offers import (
    MOST_FUNCTIONS,
    default_exposure,
    largest_request,
    refuse_too_many_functions,
)
from ambidex.tasks import Suite
from ambidex.tasks.load import load_suite
from tests.support.served import ALL
from tests.support.tables import every_case

GPT = ModelConfig(name="openai/gpt-5")
IMAGE = "debian-12"


@pytest.fixture(scope="module")
def demo() -> Suite:
    return load_suite(Path("tasks/demo"), ALL)


@every_case("dialect", ["functions", "openai", "anthropic"])
def test_the_default_exposure_fits_into_one_request(demo: Suite, dialect: str) -> None:
    model = ModelConfig(name="openai/gpt-5", dialect=dialect)
    exposure = default_exposure(demo, ALL, "hybrid", model, IMAGE)
    assert exposure == Exposure(policy="retrieved", top=20)
    number = largest_request(demo, ALL, "hybrid", model, exposure, IMAGE)
    assert 20 < number <= MOST_FUNCTIONS


def test_all_tools_are_the_default_where_they_fit_or_no_model_is_asked(demo: Suite) -> None:
    services = load_suite(Path("tasks/services"), ALL)
    headless = "debian-13-services"
    assert default_exposure(services, ALL, "tools", GPT, headless) == Exposure()
    assert default_exposure(demo, ALL, "gui", GPT, IMAGE) == Exposure()
    assert default_exposure(demo, ALL, "hybrid", None, IMAGE) == Exposure()
    paper = ModelConfig(name="openai/gpt-5", dialect="paper")
    assert default_exposure(demo, ALL, "hybrid", paper, IMAGE) == Exposure()


def test_an_offer_is_counted_with_the_functions_that_end_an_episode(demo: Suite) -> None:
    one = Suite(demo.name, demo.folder, demo.tasks[:1])
    tools = {name: ALL[name] for name in ("calc_save", "computer_click", "computer_scroll")}
    counts = {
        dialect: largest_request(
            one, tools, "hybrid", ModelConfig(name="m", dialect=dialect), Exposure(), IMAGE
        )
        for dialect in ("functions", "openai", "pyautogui")
    }
    # OpenAI's computer tool stands for both GUI tools; Python calls tools without declaring them.
    assert counts == {"functions": 5, "openai": 4, "pyautogui": 0}


@every_case(
    ("model", "exposure", "refused"),
    [
        (GPT, Exposure(), True),
        (GPT, Exposure(policy="app"), True),
        (GPT, Exposure(policy="retrieved", top=120), True),
        (GPT, Exposure(policy="retrieved"), False),
        (ModelConfig(name="o3"), Exposure(), True),
        (ModelConfig(name="m", base_url="https://api.openai.com/v1"), Exposure(), True),
        (ModelConfig(name="anthropic/claude", dialect="anthropic"), Exposure(), False),
        (ModelConfig(name="gpt-oss", base_url="http://127.0.0.1:8000/v1"), Exposure(), False),
    ],
)
def test_more_functions_than_openai_takes_are_refused_by_name(
    demo: Suite, model: ModelConfig, exposure: Exposure, refused: bool
) -> None:
    if not refused:
        refuse_too_many_functions(demo, ALL, "hybrid", model, exposure, IMAGE)
        return
    with pytest.raises(UsageError, match=f"--exposure {exposure.policy} .* at most 128"):
        refuse_too_many_functions(demo, ALL, "hybrid", model, exposure, IMAGE)
