"""The failure of a group from which the others result. Ray is not needed for this."""

from __future__ import annotations

from dataclasses import asdict
from types import SimpleNamespace

import pytest
import torch.distributed as dist

from medloom_trainer.cluster.group import first_failure
from medloom_trainer.cluster.member import MemberFailed
from medloom_trainer.errors import TrainerError
from medloom_trainer.failure import failure_of
from medloom_trainer.training.distributed.group import lost_peer
from medloom_trainer.training.distributed.launch import ProcessFailure, failure_of_process


class GroupError(Exception):
    """Like an error of Ray Train: rank → failure of its process."""

    def __init__(self, **failures: object) -> None:
        super().__init__("Training failed due to worker errors")
        self.worker_failures = {int(rank[1:]): failure for rank, failure in failures.items()}


def reported(error: Exception, time_ns: int) -> object:
    """Error that a process reports about itself, wrapped as in Ray Train."""
    return SimpleNamespace(_base_exc=MemberFailed(asdict(ProcessFailure(failure_of(error), 4, time_ns))))


def killed(rank: int) -> object:
    failure = failure_of_process(f"process {rank + 1} of 2", {}, -9, killed_ns=0)
    return SimpleNamespace(_base_exc=MemberFailed(asdict(failure)))


PEER = TrainerError("WORKER_LOST", "the connection to another process of the training was lost")
OWN = TrainerError("LOSS_NOT_FINITE", "the loss is not finite in epoch 1, batch 3")


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (
            GroupError(r0=reported(PEER, 5), r1=killed(1)),
            "WORKER_LOST",
            "process 2 of 2 was killed (SIGKILL)",
        ),
        (GroupError(r0=reported(OWN, 9), r1=reported(PEER, 5)), "LOSS_NOT_FINITE", OWN.message),
        (GroupError(r0=reported(PEER, 5)), "WORKER_LOST", PEER.message),
        (
            GroupError(r1=RuntimeError("health")),
            "WORKER_LOST",
            "process 2 was lost together with its node (RuntimeError)",
        ),
        (RuntimeError("controller"), "WORKER_LOST", "Ray ended the group (RuntimeError)"),
    ],
    ids=["killed", "own", "peer", "node", "controller"],
)
def test_the_failure_that_caused_the_others(error, code, message):
    failure = first_failure(error).failure
    assert (failure.code, failure.message) == (code, message)


def test_a_peer_that_is_gone_is_no_failure_of_this_process():
    assert lost_peer(RuntimeError("[gloo/transport/tcp/pair.cc:547] Connection closed by peer [10.0.0.2]"))
    assert lost_peer(dist.DistNetworkError("timed out"))
    assert not lost_peer(RuntimeError("mat1 and mat2 shapes cannot be multiplied"))
    assert not lost_peer(ConnectionResetError("by peer"))
