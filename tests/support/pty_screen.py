"""A program on a real pseudo-terminal, with a terminal emulator on the other side."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import pyte

_LONGEST_WAIT = 60.0
"""Seconds after which a program that shows nothing of what is waited for has failed; it usually takes none."""
_ROWS = 200


@dataclass
class Terminal:
    """Runs a program on a terminal of so many columns; what it wrote is in ``raw``, what is to be seen in `lines`."""

    args: Sequence[str]
    columns: int
    folder: Path
    rows: int = _ROWS
    env: Mapping[str, str] = field(default_factory=dict)
    raw: bytes = b""

    def __enter__(self) -> Self:
        self._screen = pyte.Screen(self.columns, self.rows)
        self._stream = pyte.ByteStream(self._screen)
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", self.rows, self.columns, 0, 0))
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("ERRATA_BENCH_")
            and name not in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TERM")
        }
        self._process = subprocess.Popen(
            self.args,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=self.folder,
            env={**kept, "TERM": "xterm-256color", **self.env},
            start_new_session=True,
        )
        os.close(slave)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
        os.close(self._master)

    @property
    def lines(self) -> list[str]:
        """The screen's lines, trailing blanks cut off."""
        return [line.rstrip() for line in self._screen.display]

    @property
    def text(self) -> str:
        """The screen as text."""
        return "\n".join(self.lines).rstrip()

    def send(self, keys: str) -> None:
        """Press keys."""
        os.write(self._master, keys.encode())

    def wait_for(self, wanted: str) -> None:
        """Read on until this is on the screen."""
        deadline = time.monotonic() + _LONGEST_WAIT
        while wanted not in self.text:
            assert time.monotonic() < deadline, f"{wanted!r} is not on the screen:\n{self.text}"
            assert self._read(1.0) is not None, f"ended without {wanted!r}:\n{self.text}"

    def end(self) -> int:
        """Read on until the program ends; its exit code."""
        deadline = time.monotonic() + _LONGEST_WAIT
        while self._read(1.0) is not None:
            assert time.monotonic() < deadline, f"does not end:\n{self.text}"
        return self._process.wait()

    def _read(self, seconds: float) -> bytes | None:
        """What was written meanwhile; None at the end."""
        readable, _, _ = select.select([self._master], [], [], seconds)
        if not readable:
            return b""
        try:
            found = os.read(self._master, 65536)
        except OSError:  # Linux says so when the other side is closed
            return None
        if not found:
            return None
        self.raw += found
        self._stream.feed(found)
        return found
