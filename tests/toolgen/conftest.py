"""Tests that ask a model leave nothing of litellm behind."""

from tests.support.models import nothing_of_litellm_stays

__all__ = ["nothing_of_litellm_stays"]
