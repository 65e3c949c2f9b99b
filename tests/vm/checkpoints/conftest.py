"""Tests of checkpoints save machines over one base snapshot."""

from tests.vm.checkpoints.captured import root

__all__ = ["root"]
