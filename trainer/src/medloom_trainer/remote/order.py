"""Values that a launcher passes to the process of an attempt in its environment: a token in the arguments
would be visible to all users of the machine.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

_TOKEN = "MEDLOOM_EXCHANGE_TOKEN"


@dataclass(frozen=True)
class Order:
    """One attempt of a job, and the address of its service."""

    url: str
    """Without a slash at the end."""
    token: str
    job_id: str
    attempt: int

    @classmethod
    def of_environment(cls) -> Order:
        """KeyError for a missing value."""
        return cls(
            url=os.environ["MEDLOOM_EXCHANGE_URL"].rstrip("/"),
            token=os.environ[_TOKEN],
            job_id=os.environ["MEDLOOM_JOB_ID"],
            attempt=int(os.environ["MEDLOOM_ATTEMPT"]),
        )

    @property
    def name(self) -> str:
        return f"{self.job_id}.{self.attempt}"


def without_token(environment: Mapping[str, str]) -> dict[str, str]:
    """For processes that do not communicate with the service."""
    return {name: value for name, value in environment.items() if name != _TOKEN}
