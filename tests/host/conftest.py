"""Fixtures of the host's tests: a suite that plays on a peer, and nothing left of litellm."""

from tests.support.models import nothing_of_litellm_stays
from tests.support.suites import screenless, suite

__all__ = ["nothing_of_litellm_stays", "screenless", "suite"]
