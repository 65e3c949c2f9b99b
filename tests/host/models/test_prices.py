"""The cost of requests, by a dated price table."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.host.errors import UsageError
from ambidex.host.models.prices import Tokens, read_prices

TABLE = """
as_of = 2026-01-02
source = "a contract"

[models.toy]
input = 10
output = 20
cached = 1
"""


def test_a_price_is_per_million_tokens_and_cached_ones_have_their_own(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(TABLE)
    prices = read_prices(tmp_path / "own.toml")
    # 600 000 new at 10, 400 000 cached at 1, 500 000 output at 20
    tokens = Tokens(input=1_000_000, cached=400_000, output=500_000)
    assert prices.cost("toy", tokens) == pytest.approx(6 + 0.4 + 10)
    assert prices.cost("vendor/toy", tokens) == prices.cost("toy", tokens)


def test_the_cost_of_a_model_in_no_table_is_unknown() -> None:
    assert read_prices().cost("nobody-knows-it", Tokens(input=1)) is None


def test_a_custom_price_table_overrides_only_the_models_it_lists(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(TABLE.replace("models.toy", "models.o3"))
    ours, mine = read_prices(), read_prices(tmp_path / "own.toml")
    thousand = Tokens(input=1_000_000)
    assert (ours.cost("o3", thousand), mine.cost("o3", thousand)) == (2, 10)
    assert mine.cost("gpt-5", thousand) == ours.cost("gpt-5", thousand) is not None
    assert ours.hash != mine.hash


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("input = 10", "input = -1", "input"),
        ("cached", "cashed", "cashed"),
        ("as_of", "asof", "as_of"),
    ],
)
def test_an_invalid_price_table_is_refused_with_the_wrong_key(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    path = tmp_path / "own.toml"
    path.write_text(TABLE.replace(old, new))
    with pytest.raises(UsageError, match=said):
        read_prices(path)
    with pytest.raises(UsageError, match="cannot read the price table"):
        read_prices(tmp_path / "none.toml")
