"""Fetches the data of an attempt into the cache of its node, and links them where its trainer expects them. A
separate process, so that the memory of its tables is freed before the trainer starts.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from medloom_trainer.concurrency.waiting import wait_until
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.durations import FETCH_CHECK_INTERVAL
from medloom_trainer.errors import TrainerError
from medloom_trainer.exchange.events import Events
from medloom_trainer.exchange.heartbeat import Heartbeat
from medloom_trainer.failure import failure_of
from medloom_trainer.files import full_disk_named
from medloom_trainer.folder_map import check_files_by, local, map_folders
from medloom_trainer.remote.client import Client
from medloom_trainer.remote.layout import Layout
from medloom_trainer.remote.node_cache import NodeCache, Version, limit_in_bytes
from medloom_trainer.remote.order import Order
from medloom_trainer.remote.required_files import (
    checkpoint_folders,
    image_places,
    named_files,
    run_of_checkpoint,
)
from medloom_trainer.remote.transfer import transfer

_LIST_FILES = 500
"""Paths in one request."""


def fetch_data(order: Order, layout: Layout) -> int:
    """0: the trainer can start; it reports files that are still missing itself. 1: it cannot, and the events
    contain the reason."""
    map_folders(layout.places(layout.read_order()))
    heartbeat = Heartbeat(RunDirectory(layout.run).heartbeat(order.attempt))
    heartbeat.begin("fetching", phrase("fetching_data"))
    try:
        with full_disk_named(phrase("to_fetch_data")):
            _Fetch(order, layout, heartbeat).all()
        return 0
    except Exception as error:
        failure = failure_of(error)
        with Events(layout.run, order.attempt) as events:
            events.error(failure)
        return 1
    finally:
        heartbeat.close()


class _Fetch:
    def __init__(self, order: Order, layout: Layout, heartbeat: Heartbeat) -> None:
        self._order = order
        self._layout = layout
        self._document = layout.read_order()
        self._heartbeat = heartbeat
        self._client = Client(order)
        limit = limit_in_bytes(self._document["node_cache"], layout.node)
        self._cache = NodeCache(layout.node, limit, order.name)
        # The innermost root first: a root may be inside another one.
        self._roots = sorted(self._document["roots"], key=lambda root: -len(root["folder"]))

    def all(self) -> None:
        spec = self._document["spec"]
        roots = [local(root) for root in spec["roots"]]
        self._fetch(local(path) for path in named_files(spec))
        self._fetch(local(folder) for folder in checkpoint_folders(spec))
        self._fetch_beside_checkpoint(spec)
        check_files_by(lambda path: _is_file(self._facts([path])[0]))
        try:
            images = list(image_places(spec["config"], roots))
        except TrainerError:
            return  # the trainer finds and reports it, too
        self._fetch(images)

    def _fetch_beside_checkpoint(self, spec: dict[str, Any]) -> None:
        """Fetch its history, the cases on which it was trained, and the checkpoints of its baselines."""
        run = run_of_checkpoint(spec)
        if run is None:
            return
        self._fetch([local(run.epochs), local(run.known_cases)])
        folder = RunDirectory(local(run.path)).baseline("any").parent
        (found,) = self._facts([folder])
        names = [] if found is None else found.get("folders", [])
        for name in names:
            own = RunDirectory(RunDirectory(local(run.path)).baseline(name))
            self._fetch([own.epochs, own.checkpoint("last"), own.checkpoint("best")])

    def _fetch(self, places: Iterable[Path]) -> None:
        """Fetch files, and the files of folders, to their location on this machine."""
        wanted: dict[Path, Version] = {}
        requested = list(dict.fromkeys(places))
        for place, facts in zip(requested, self._facts(requested), strict=True):
            if facts is None:
                continue
            folder = facts.get("files")
            files = {place: facts} if folder is None else {place / name: folder[name] for name in folder}
            for path, own in files.items():
                root, below = self._name(path)
                wanted[path] = Version(root, below, own["size_bytes"], own["modified"])
        self._bring(wanted)

    def _bring(self, wanted: dict[Path, Version]) -> None:
        """Fetch the files, and wait for those that another training of this node fetches."""
        targets = {version: path for path, version in wanted.items()}
        missing = set(targets)

        def are_here() -> bool:
            nonlocal missing
            # After a pause another training may have finished, so linking comes before claiming.
            missing = self._link({version: targets[version] for version in missing})
            mine = self._claim(missing) if missing else []
            if mine:
                self._transfer(mine, targets)
                missing = self._link({version: targets[version] for version in missing.difference(mine)})
            return not missing

        wait_until(
            are_here,
            interval=FETCH_CHECK_INTERVAL,
            before_pause=lambda: self._heartbeat.step(phrase("fetched_by_another", count=len(missing))),
        )

    def _transfer(self, versions: list[Version], targets: dict[Version, Path]) -> None:
        done = 0
        try:
            for batch in transfer(versions, self._layout.arriving, lambda: Client(self._order)):
                self._cache.add(
                    (
                        self._with_unique_root(file.requested),
                        self._with_unique_root(file.version),
                        file.path,
                        file.sha256,
                        target,
                    )
                    for file in batch
                    for target in [targets[file.requested]]
                )
                done += len(batch)
                self._heartbeat.step(phrase("files_fetched", done=done, count=len(versions)))
        finally:
            self._cache.release()

    def _link(self, targets: dict[Version, Path]) -> set[Version]:
        """→ the versions that do not exist here"""
        own = {self._with_unique_root(version): version for version in targets}
        return {own[version] for version in self._cache.link({key: targets[own[key]] for key in own})}

    def _claim(self, versions: set[Version]) -> list[Version]:
        own = {self._with_unique_root(version): version for version in versions}
        return [own[version] for version in self._cache.claim(own)]

    def _with_unique_root(self, version: Version) -> Version:
        """Version with a unique root: services that share a node have separate roots."""
        return version._replace(root=f"{self._order.url} {version.root}")

    def _facts(self, places: list[Path]) -> list[dict[str, Any] | None]:
        found: list[dict[str, Any] | None] = []
        for start in range(0, len(places), _LIST_FILES):
            named = [self._name(place) for place in places[start : start + _LIST_FILES]]
            files = [{"root": root, "path": path} for root, path in named]
            found += self._client.post_json("/data/facts", {"files": files})["facts"]
        return found

    def _name(self, place: Path) -> tuple[str, str]:
        """(root, path below it) of a file on this machine."""
        for root in self._roots:
            here = self._layout.root(root["name"])
            if place.is_relative_to(here):
                return root["name"], place.relative_to(here).as_posix()
        return "", ""  # not in any root: it does not exist


def _is_file(facts: dict[str, Any] | None) -> bool:
    return facts is not None and "size_bytes" in facts
