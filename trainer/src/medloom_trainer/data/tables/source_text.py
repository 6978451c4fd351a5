"""The text of a table file, which need not stay in memory while the columns are made from its bytes."""

from __future__ import annotations


class SourceText:
    """A text, the encoding that its table names, and the bytes from which it was decoded."""

    def __init__(self, text: str, encoding: str, content: bytes | None = None) -> None:
        self._text: str | None = text
        self._content = content
        self.encoding = encoding

    @property
    def text(self) -> str:
        if self._text is None:
            assert self._content is not None
            self._text = self._content.decode("utf-8")
        return self._text

    def take_utf8(self) -> bytes:
        """The text in UTF-8. If the file has the same bytes, the text itself is freed until it is needed
        again."""
        if self._content is None or self.encoding != "utf-8":
            return self.text.encode("utf-8")
        self._text = None
        return self._content
