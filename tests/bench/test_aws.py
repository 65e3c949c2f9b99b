"""Operations of AWS through a worker of the guest: a sample of `python -m bench aws-tools`."""

from __future__ import annotations

from bench.aws.command import SERVICE_S_OWN, outcomes
from bench.aws.operations import implemented


def test_every_call_gets_a_result_or_the_service_s_own_error_from_one_worker() -> None:
    operations = list(implemented(only=("s3", "sqs", "stepfunctions")))
    assert {operation.service for operation in operations} == {"s3", "sqs", "stepfunctions"}
    found = list(outcomes(operations))
    assert [outcome.operation for outcome in found] == operations
    wrong = [one for one in found if one.code not in ("result", *SERVICE_S_OWN)]
    assert not wrong
    assert len({outcome.worker for outcome in found}) == 1
    made = {outcome.operation.name: outcome.seen for outcome in found if outcome.made}
    assert made["CreateQueue"]
