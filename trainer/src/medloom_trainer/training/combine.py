"""Several trained models → the checkpoint of their ensemble, which no longer depends on theirs.

Its state has the same content as that of every checkpoint, so that it can be evaluated, exported and compared
like any model:

    preprocessing.table.columns   those of all members in order, a column once for each table that
                                  was fitted differently; everything else is that of the first member
    layout                        of these columns
    image_normalization           none: each member normalizes as its own training fitted it
    label_normalization           of the first member, in whose units the mean is computed
    threshold                     chosen on the validation cases that the members share; otherwise the mean of
                                  the members' thresholds
    fitted_on_validation          from these cases; otherwise the reason why not
    data_digests                  of every member, named by its position
    ensemble                      {"members": [...]}: of each its config, layout, normalizations, num_views,
                                  "first" (its first column, number and code), and its origin

Its tensors are those of the members, with the names of `CombinedNetwork`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.contract.phrases import Phrased, phrase, with_phrases
from medloom_trainer.data.splits import SeenCases, read_seen_cases, write_known_cases
from medloom_trainer.data.types import TableLayout
from medloom_trainer.inference.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from medloom_trainer.inference.checkpoint_files import refuse_links_out
from medloom_trainer.inference.stored_network import layout_from_json, layout_to_json
from medloom_trainer.training.same_task import require_same_task
from medloom_trainer.training.shared_validation import Fitted, fit_on_shared_validation

_AS_STORED = {"mean": [0.0, 0.0, 0.0], "std": [1.0, 1.0, 1.0]}


def combine(params: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
    """The task `ensemble`: params and result as declared in the contract.

    CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT; MEMBERS_DIFFER if they do not answer the same question from the
    same inputs.
    """
    checkpoints = []
    allowed = [Path(params["data_dir"]), *(Path(root) for root in params["roots"])]
    for number, member in enumerate(params["members"]):
        progress(phrase("reading", name=member["name"]), 0.8 * number / len(params["members"]))
        folder = Path(member["checkpoint"])
        refuse_links_out(folder, allowed)
        checkpoints.append(load_checkpoint(folder))
    names = [member["name"] for member in params["members"]]
    require_same_task(names, [checkpoint.state for checkpoint in checkpoints])
    progress(phrase("writing_ensemble"), 0.8)
    run_dir = Path(params["run_dir"])
    fitted = fit_on_shared_validation(checkpoints, allowed)
    state = combined_state(checkpoints, fitted, job_id=params["job_id"], job_name=params["job_name"])
    tensors = {
        f"members.{number}.network.{name}": tensor
        for number, checkpoint in enumerate(checkpoints)
        for name, tensor in checkpoint.tensors("model").items()
    }
    known = _remember_cases(run_dir, checkpoints)
    folder = run_dir / "checkpoints" / "best"
    save_checkpoint(
        folder, job_id=params["job_id"], epoch=0, metrics={}, state=state, tensors={"model": tensors}
    )
    network = load_checkpoint(folder).build_network()
    return {
        "task": state["task"],
        "classes": state["classes"],
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "data_digests": state["data_digests"],
        "cases_known": known,
        "fitted_on_validation": with_phrases(
            {
                "cases": None if isinstance(fitted, Phrased) else fitted.on_validation["cases"],
                "reason": fitted if isinstance(fitted, Phrased) else None,
            }
        ),
        "members": [_origin(checkpoint) for checkpoint in checkpoints],
    }


def combined_state(
    checkpoints: Sequence[Checkpoint], fitted: Fitted | Phrased, *, job_id: str, job_name: str
) -> dict[str, Any]:
    """Return the state of the ensemble. checkpoints: of the same question; fitted: from
    `fit_on_shared_validation`."""
    states = [checkpoint.state for checkpoint in checkpoints]
    first = states[0]
    table, layout, members = _side_by_side(checkpoints)
    columns = [state["preprocessing"].get("reference") or {"columns": {}} for state in states]
    reference = first["preprocessing"].get("reference")
    if reference is not None:
        known = {name: facts for one in reversed(columns) for name, facts in one["columns"].items()}
        reference = {**reference, "columns": known}
    complete = [set(state["preprocessing"].get("complete_columns", [])) for state in states]
    return {
        "job_id": job_id,
        "job_name": job_name,
        "epoch": 0,
        **{key: first[key] for key in ("config", "task", "classes", "num_outputs", "label_normalization")},
        "preprocessing": {
            **first["preprocessing"],
            "table": table,
            "reference": reference,
            "complete_columns": sorted(set.intersection(*complete)),
        },
        "layout": layout_to_json(layout),
        "image_normalization": _AS_STORED,
        "num_views": max(state["num_views"] for state in states),
        **_fitted(fitted, [state["threshold"] for state in states]),
        "data_digests": {
            f"{split} of member {number}": digest
            for number, state in enumerate(states, start=1)
            for split, digest in state.get("data_digests", {}).items()
        },
        "fine_tuned_from": None,
        "ensemble": {"members": members},
    }


def _side_by_side(
    checkpoints: Sequence[Checkpoint],
) -> tuple[dict[str, Any], TableLayout, list[dict[str, Any]]]:
    """→ the columns of all members, their layout, and the position of each member's columns. Members whose
    table was fitted identically share the columns."""
    columns: list[dict[str, Any]] = []
    layout = TableLayout((), 0, 0)
    places: dict[str, dict[str, int]] = {}
    members = []
    for checkpoint in checkpoints:
        state, table = checkpoint.state, checkpoint.state["preprocessing"]["table"]
        text = json.dumps(table["columns"], sort_keys=True)
        if text not in places:
            places[text] = {
                "columns": len(columns),
                "values": layout.num_values,
                "codes": layout.num_codes,
            }
            layout = layout.followed_by(layout_from_json(state["layout"]))
            columns += table["columns"]
        members.append(_member(checkpoint, places[text]))
    strategies = [
        checkpoint.state["preprocessing"]["table"]["missing_strategy"] for checkpoint in checkpoints
    ]
    strategy = "drop" if "drop" in strategies else strategies[0]
    return {"missing_strategy": strategy, "columns": columns}, layout, members


def _origin(checkpoint: Checkpoint) -> dict[str, Any]:
    """Contract EnsembleMember, as far as the checkpoint contains it."""
    state = checkpoint.state
    return {
        "job_id": checkpoint.manifest["job_id"],
        "job_name": state.get("job_name", ""),
        "epoch": checkpoint.manifest["epoch"],
        "checkpoint_digest": checkpoint.manifest["files"]["model"]["sha256"],
        "seed": state["config"]["training"]["seed"],
        "fold": state["config"]["data"].get("fold"),
        "data_digests": state.get("data_digests", {}),
    }


def _member(checkpoint: Checkpoint, first: Mapping[str, int]) -> dict[str, Any]:
    state = checkpoint.state
    keys = ("config", "layout", "image_normalization", "label_normalization", "num_views", "threshold")
    return {**_origin(checkpoint), **{key: state[key] for key in keys}, "first": dict(first)}


def _fitted(fitted: Fitted | Phrased, thresholds: Sequence[Any]) -> dict[str, Any]:
    """thresholds: of the members."""
    if isinstance(fitted, Phrased):
        return {"threshold": _mean_threshold(thresholds), "fitted_on_validation": _nothing_fitted(fitted)}
    return {"threshold": fitted.threshold, "fitted_on_validation": fitted.on_validation}


def _mean_threshold(thresholds: Sequence[Any]) -> float | list[float] | None:
    """Mean of the thresholds of a probability, or of one for each label; None if a member chose none."""
    if any(threshold is None for threshold in thresholds):
        return None
    mean = np.mean(np.asarray(thresholds, dtype=np.float64), axis=0)
    return float(mean) if mean.ndim == 0 else [float(value) for value in mean]


def _nothing_fitted(reason: Phrased) -> dict[str, Any]:
    conformal = {"alpha": None, "method": None, "quantile": None, "calibrated_quantile": None}
    return {
        "cases": None,
        "patients": None,
        "reason": reason,
        "temperature": with_phrases({"value": None, "reason": reason, "low": None, "high": None}),
        "operating_points": [],
        "conformal": with_phrases({**conformal, "reason": reason}),
    }


def _remember_cases(run_dir: Path, checkpoints: Sequence[Checkpoint]) -> bool:
    """Store the cases that any member has seen, for evaluations. Return False if they are unknown for one
    member, or not comparable because an older version computed the digests of its images: then none are
    stored, since some would be missing without a warning."""
    seen = [read_seen_cases(checkpoint.folder.parent.parent) for checkpoint in checkpoints]
    found = [one for one in seen if one is not None]
    versions = {one.store_version for one in found if one.known.images.size}
    if len(found) < len(seen) or len(versions) > 1:
        return False
    known, trained = found[0].known, found[0].trained
    for one in found[1:]:
        known, trained = known.joined(one.known), trained.joined(one.trained)
    write_known_cases(run_dir, trained, known, SeenCases(known, trained, *versions))
    return True
