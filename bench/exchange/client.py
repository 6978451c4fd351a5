"""Transfer files like a node, through the exchange or with the bare http.client, and print the seconds.

client.py fetch | bare-fetch | copy  NAMES ROOT FOLDER [ADDRESS]   NAMES: a file of JSON, paths below the root
client.py push | bare-push           RUN [ADDRESS]                 RUN: a run directory with a model
"""

import hashlib
import http.client
import json
import shutil
import sys
import time
import urllib.parse
from pathlib import Path

from medloom_trainer.remote.client import Client
from medloom_trainer.remote.node_cache import Version
from medloom_trainer.remote.order import Order
from medloom_trainer.remote.run_files import RunFiles
from medloom_trainer.remote.transfer import transfer

BLOCK = 1 << 20


def fetch(names: list[str], root: Path, folder: Path) -> None:
    order = Order.of_environment()
    sizes = [(name, (root / name).stat().st_size) for name in names]
    versions = [Version("root", name, size, "") for name, size in sizes]
    arrived = sum(len(batch) for batch in transfer(versions, folder, lambda: Client(order)))
    assert arrived == len(names)


def bare_fetch(names: list[str], folder: Path, address: str) -> None:
    connection = _connection(address)
    for number, name in enumerate(names):
        connection.request("GET", f"/{name}")
        response = connection.getresponse()
        with (folder / str(number)).open("wb") as file:
            while block := response.read(BLOCK):
                file.write(block)


def copy(names: list[str], root: Path, folder: Path) -> None:
    for number, name in enumerate(names):
        shutil.copyfile(root / name, folder / str(number))


def push(run: Path) -> None:
    order = Order.of_environment()
    files = RunFiles(Client(order), run, order.attempt)
    files.request()
    files.end()
    files.watch()


def bare_push(run: Path, address: str) -> None:
    connection = _connection(address)
    for path in sorted((run / "checkpoints/best").iterdir()):
        with path.open("rb") as file:
            connection.request("PUT", f"/{path.name}", file, {"content-length": str(path.stat().st_size)})
            digest = connection.getresponse().read().decode()
        assert len(digest) == hashlib.sha256().digest_size * 2


def _connection(address: str) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urllib.parse.urlsplit(address).netloc)


def main(what: str, *rest: str) -> None:
    if what in ("push", "bare-push"):
        began = time.monotonic()
        push(Path(rest[0])) if what == "push" else bare_push(Path(rest[0]), rest[1])
    else:
        names, root, folder = json.loads(Path(rest[0]).read_text()), Path(rest[1]), Path(rest[2])
        folder.mkdir(parents=True)
        began = time.monotonic()
        if what == "fetch":
            fetch(names, root, folder)
        elif what == "bare-fetch":
            bare_fetch(names, folder, rest[3])
        else:
            copy(names, root, folder)
    print(time.monotonic() - began)


main(*sys.argv[1:])
