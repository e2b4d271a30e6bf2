"""Marks around text that is data: whoever wrote it could not know them, so it cannot end before its end."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable


class Fence:
    """Marks for the texts of one prompt.

    The word in them is drawn from all these texts, and stands in none of them. The same texts always get the same
    word, so that the same question is the same request.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = tuple(texts)
        salt = 0
        while True:
            seed = json.dumps([salt, *self._texts]).encode()
            self.word = hashlib.sha256(seed).hexdigest()[:12]
            if not any(self.word in text for text in self._texts):
                return
            salt += 1

    def around(self, name: str, text: str) -> str:
        """The text between its marks, on lines of its own. Only texts that the fence was made for are taken."""
        if text not in self._texts:
            raise ValueError("a fence holds only the texts that it was made for")
        return f"[[begin {name} {self.word}]]\n{text}\n[[end {name} {self.word}]]"
