"""Files of a user, opened without waiting. All of them are read by this module: a pipe or a device would
block a worker without limit.
"""

from __future__ import annotations

import os
import stat
from io import BufferedReader

from medloom_trainer.contract.phrases import Phrased, phrase


class NotRegularError(OSError):
    """A pipe, a socket or a device instead of a file. Its text names the kind: "is a named pipe"."""

    def __init__(self, reason: Phrased) -> None:
        super().__init__(reason)
        self.reason = reason


_KINDS = {
    stat.S_IFIFO: phrase("image_is_pipe"),
    stat.S_IFSOCK: phrase("image_is_socket"),
    stat.S_IFCHR: phrase("image_is_device"),
    stat.S_IFBLK: phrase("image_is_device"),
}


def open_regular(path: str | os.PathLike[str]) -> BufferedReader:
    """Open a regular file for reading. NotRegularError, also if it is replaced between the check and the
    opening; IsADirectoryError, FileNotFoundError and similar errors as in `open`.
    """
    _refuse_special(os.stat(path))
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        _refuse_special(os.fstat(descriptor))
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_regular(path: str | os.PathLike[str]) -> bytes:
    """The content of a regular file; errors as in `open_regular`."""
    with open_regular(path) as file:
        return file.read()


def special_kind(path: str | os.PathLike[str]) -> Phrased | None:
    """Kind of a special file: "is a named pipe"; None for others."""
    try:
        return _KINDS.get(stat.S_IFMT(os.stat(path).st_mode))
    except OSError:
        return None


def _refuse_special(found: os.stat_result) -> None:
    if kind := _KINDS.get(stat.S_IFMT(found.st_mode)):
        raise NotRegularError(phrase("image_not_regular", kind=kind))
