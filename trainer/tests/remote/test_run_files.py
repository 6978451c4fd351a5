"""Files of a run directory that a node sends."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.remote.client import Client
from medloom_trainer.remote.run_files import RunFiles


class Received:
    """A service that has what was placed, and counts the bytes that arrive."""

    def __init__(self) -> None:
        self.placed: dict[str, bytes] = {}
        self.arriving = b""
        self.arrived = 0

    def post_json(self, _: str, file: dict[str, Any]) -> dict[str, Any]:
        if len(self.arriving) == file["size_bytes"]:
            self.placed[file["path"]], self.arriving = self.arriving, b""
            return {"placed": True, "offset": file["size_bytes"]}
        if file["extends"] is not None:
            self.arriving = self.placed[file["path"]]
            assert len(self.arriving) == file["extends"]["size_bytes"]
        return {"placed": False, "offset": len(self.arriving)}

    def put(self, _: str, offset: int, content: bytes) -> int:
        assert offset == len(self.arriving)
        self.arriving += content
        self.arrived += len(content)
        return len(self.arriving)


def test_of_a_history_that_grew_only_the_new_lines_are_sent(tmp_path: Path) -> None:
    service, history = Received(), RunDirectory(tmp_path).epochs
    history.parent.mkdir()
    files = RunFiles(cast(Client, service), tmp_path, 1)
    for text, arrived in ((b"1\n" * 100, 200), (b"1\n" * 100 + b"2\n", 202), (b"3\n" * 102, 406)):
        history.write_bytes(text)
        files._send_changed()
        assert service.placed["metrics/epochs.jsonl"] == text
        assert service.arrived == arrived, "a history that was rewritten is sent as a whole"
