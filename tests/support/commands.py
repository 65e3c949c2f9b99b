"""Running commands of `ambidex` in this process."""

from __future__ import annotations

import pytest

from ambidex.host.cli import main


def ambidex(*words: object) -> int:
    """Run a command; return its exit status."""
    with pytest.raises(SystemExit) as ended:
        main.main([str(word) for word in words])
    code = ended.value.code
    assert isinstance(code, int)
    return code
