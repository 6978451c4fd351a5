"""The event file: short lines, whatever the content of an event."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from medloom_trainer.exchange.events import MAX_LINE_BYTES, Events, SilentEvents, has_ended


def _wide(columns: int = 20_000) -> dict[str, object]:
    return {"numeric_columns": [f"radiomics_feature_{number:05d}" for number in range(columns)]}


def test_an_event_of_a_very_wide_table_lies_in_a_file_that_its_line_names(tmp_path: Path) -> None:
    with Events(tmp_path, 2) as events:
        events.phase("preparing", 0)
        events.prepared(_wide())
        events.phase("training", 1)
    lines = (tmp_path / "events.2.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["type"] for line in lines] == ["phase", "prepared", "phase"]
    assert all(len(line) < MAX_LINE_BYTES for line in lines)
    reference = json.loads(lines[1])
    payload = reference["payload"]
    content = (tmp_path / payload["file"]).read_bytes()
    assert (len(content), hashlib.sha256(content).hexdigest()) == (payload["size_bytes"], payload["sha256"])
    assert payload["file"] == f"events.2/{payload['sha256']}.json"
    event = json.loads(content)
    assert (event["prepared"], event["timestamp"]) == (_wide(), reference["timestamp"])


def test_the_end_of_a_run_is_known_even_where_its_event_lies_in_a_file(tmp_path: Path) -> None:
    with Events(tmp_path, 1) as events:
        assert not has_ended(tmp_path, 1)
        events.completed(
            status="completed",
            reason="all epochs done",
            epoch=1,
            metrics={f"sensitivity_of_class_{number:05d}": 0.5 for number in range(20_000)},
            best=None,
            best_checkpoint=None,
            duration_seconds=1.0,
        )
    assert has_ended(tmp_path, 1)


def test_the_other_processes_of_a_group_write_nothing(tmp_path: Path) -> None:
    with SilentEvents(tmp_path, 1) as events:
        events.prepared(_wide())
    assert list(tmp_path.iterdir()) == []
