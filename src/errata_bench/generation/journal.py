"""Everything that happens while a case is made, line by line on disk: the log of proposals, and the checkpoint.

A journal is JSON lines. The first says what is made of what (``start``); after it come ``request`` (each attempt over
the wire, with its cost), ``reply`` (what a model answered, in full), ``fate`` (each proposal and what became of it),
``solver`` and ``written``. A line is on disk before anything is done that follows from it. When the same work is taken
up again it goes the same way, and each question that has its reply here is answered from here: nothing is paid for
twice, whenever the process was killed.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Self

from errata_bench.chat import Attempt, AttemptSink, ChatModel, ChatReply, ChatRequest, ToolCall, Usage, ignore_attempt
from errata_bench.errors import EndpointFault, InternalError, Reach, UserError

FORM = 1
"""The version of the journal's form."""


class Journal:
    """A journal that is being written; make one with `open_journal`. It is the only one of its file."""

    def __init__(self, path: Path, stream: IO[bytes], lines: list[dict[str, Any]]) -> None:
        self.path = path
        self._stream = stream
        self.resumed = len(lines) > 1
        self.spent_before = 0.0
        self._replies: dict[str, dict[str, Any]] = {}
        self._fates: set[str] = set()
        for line in lines:
            match line.get("event"):
                case "reply":
                    self._replies[line["key"]] = line
                case "fate" | "solver":
                    self._fates.add(line["key"])
                case "request":
                    self.spent_before += line.get("cost_usd") or 0.0

    @property
    def replies(self) -> int:
        """How many replies it holds."""
        return len(self._replies)

    def close(self) -> None:
        """Close the file, so that another process may go on."""
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, event: str, **fields: Any) -> None:
        """Write one line, and see to it that it is on disk. Raises `UserError` when it cannot be written."""
        # Escaped, because a model may have sent halves of surrogate pairs, which no UTF-8 can hold.
        line = json.dumps({"event": event, **fields}, ensure_ascii=True, default=_plain)
        try:
            self._stream.write(line.encode() + b"\n")
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except OSError as error:
            raise UserError(f"{self.path}: cannot be written: {error.strerror or error}") from error

    def fate(self, key: str, **fields: Any) -> None:
        """Write what became of an attempt, unless that stands there from an earlier time."""
        self._once("fate", key, fields)

    def solver(self, key: str, **fields: Any) -> None:
        """Write what a solver made of an issue, unless that stands there."""
        self._once("solver", key, fields)

    def _once(self, event: str, key: str, fields: Mapping[str, Any]) -> None:
        if key not in self._fates:
            self._fates.add(key)
            self.append(event, key=key, **fields)

    def find(self, key: str, digest: str) -> dict[str, Any] | None:
        """The recorded reply to that very request, if there is one."""
        line = self._replies.get(key)
        return line if line is not None and line["request"] == digest else None

    def record(self, key: str, digest: str, **fields: Any) -> None:
        """Write a reply."""
        self._replies[key] = {"key": key, "request": digest, **fields}
        self.append("reply", key=key, request=digest, **fields)

    def model(self, inner: ChatModel, key: str) -> RecordedModel:
        """A model whose n-th reply is recorded as ``key/n``."""
        return RecordedModel(inner, self, key)


@dataclass(frozen=True, slots=True)
class Before:
    """What a journal that is there says: the files it wrote, as name and SHA-256, and the errors accepted."""

    written: frozenset[tuple[str, str]] = frozenset()
    accepted: int = 0


def look_before(path: Path) -> Before:
    """Look at a journal without touching it; what cannot be read says nothing."""
    written: set[tuple[str, str]] = set()
    accepted = 0
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return Before()
    for line in lines:
        try:
            content = json.loads(line)
        except ValueError:
            continue
        if isinstance(content, dict):
            accepted += content.get("event") == "fate" and content.get("fate") == "accepted"
            if content.get("event") == "written" and isinstance(content.get("files"), dict):
                written.update(content["files"].items())
    return Before(frozenset(written), accepted)


def refuse_other_work(path: Path, identity: Mapping[str, Any]) -> None:
    """Raise `UserError` where a journal is there that `open_journal` would not go on with; it is not touched."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}") from error
    _refuse_differing(path, _lines_of(path, data), identity)


def open_journal(path: Path, identity: Mapping[str, Any], *, anew: bool = False, replay: bool = True) -> Journal:
    """Open or make a journal for work of that identity.

    ``anew`` forgets what an earlier one holds, whatever it is of; without ``replay`` one of the same work is written
    again from the beginning, as where nothing was paid for.

    Raises `UserError` where the file belongs to other work, is no journal, or is in use.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = path.open("a+b")
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror or error}") from error
    try:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UserError(f"{path}: another process is making this case", mend="wait until it has ended") from error
        lines = [] if anew else _read(path, stream)
        _refuse_differing(path, lines, identity)
        if not replay:
            lines = []
        if not lines:
            stream.truncate(0)
        journal = Journal(path, stream, lines)
        if not lines:
            journal.append("start", form=FORM, identity=identity)
        return journal
    except BaseException:
        stream.close()
        raise


def _read(path: Path, stream: IO[bytes]) -> list[dict[str, Any]]:
    """The lines of a journal; one that was cut by a kill, which can only be the last, is cut off."""
    stream.seek(0)
    data = stream.read()
    lines = _lines_of(path, data)
    if (whole := _whole(data)) < len(data):
        stream.truncate(whole)
    stream.seek(0, os.SEEK_END)
    return lines


def _whole(data: bytes) -> int:
    """The bytes up to the end of the last whole line."""
    return data.rfind(b"\n") + 1


def _lines_of(path: Path, data: bytes) -> list[dict[str, Any]]:
    """The whole lines of a journal. Raises `UserError` for what is none of this version."""
    whole = data[: _whole(data)]
    lines = []
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            content = json.loads(line)
        except ValueError:
            content = None
        if not isinstance(content, dict):
            raise UserError(f"{path}: line {number} is no line of a journal", mend="move the file away, or --overwrite")
        lines.append(content)
    if lines and (lines[0].get("event") != "start" or lines[0].get("form") != FORM):
        raise UserError(f"{path}: this is no journal of this version", mend="move the file away, or --overwrite")
    if data and not whole.strip() and not data.startswith(b'{"event": "start"'):
        raise UserError(f"{path}: this is no journal", mend="move the file away, or --overwrite")
    return lines


def _refuse_differing(path: Path, lines: Sequence[Mapping[str, Any]], identity: Mapping[str, Any]) -> None:
    if lines and lines[0].get("identity") != json.loads(json.dumps(identity)):
        differing = _differing(lines[0].get("identity"), identity)
        raise UserError(
            f"{path}: a case of this name was begun with other settings ({differing})",
            mend="use the same settings to go on, --overwrite to begin anew, or --case-id for another name",
        )


def _differing(before: Any, now: Mapping[str, Any]) -> str:
    held = before if isinstance(before, dict) else {}
    names = sorted(name for name in {*held, *now} if held.get(name) != json.loads(json.dumps(now.get(name))))
    return ", ".join(names) or "unknown"


class RecordedModel:
    """A `ChatModel` whose replies are kept in a journal, and taken from there where they are."""

    def __init__(self, inner: ChatModel, journal: Journal, key: str) -> None:
        self._inner = inner
        self._journal = journal
        self._key = key
        self._asked = 0

    async def complete(self, request: ChatRequest, on_attempt: AttemptSink = ignore_attempt) -> ChatReply:
        """Answer one request; see `ChatModel.complete`.

        A fault that reaches only this request (as of a content filter) is kept as an answer: it would come again.
        """
        self._asked += 1
        key, digest = f"{self._key}/{self._asked}", _digest(request)
        recorded = self._journal.find(key, digest)
        if recorded is not None:
            return _replay(recorded)

        def on_this(attempt: Attempt) -> None:
            self._journal.append(
                "request",
                key=key,
                outcome=attempt.outcome,
                status=attempt.status,
                at=attempt.started_at,
                seconds=round(attempt.duration_seconds, 3),
                usage=asdict(attempt.usage),
                cost_usd=attempt.cost_usd,
                message=attempt.message,
            )
            on_attempt(attempt)

        try:
            reply = await self._inner.complete(request, on_this)
        except EndpointFault as fault:
            if fault.reach is Reach.RUN:
                self._journal.record(key, digest, fault={"kind": fault.kind, "message": fault.message})
            raise
        self._journal.record(key, digest, reply=asdict(reply))
        return reply


def _digest(request: ChatRequest) -> str:
    content = json.dumps(asdict(request), sort_keys=True, default=_plain)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _replay(line: Mapping[str, Any]) -> ChatReply:
    fault = line.get("fault")
    if fault is not None:
        raise EndpointFault(fault["kind"], fault["message"], reach=Reach.RUN)
    reply = dict(line["reply"])
    calls = tuple(ToolCall(**call) for call in reply.pop("tool_calls"))
    return ChatReply(**{**reply, "tool_calls": calls, "usage": Usage(**reply["usage"])})


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise InternalError(f"{type(value).__name__} cannot be written to a journal")
