"""What judges said, kept by the content of the question."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errata_bench.scoring.judge.edits import EditClass
from errata_bench.scoring.judge.prompts import Conclusion
from errata_bench.scoring.judge.use import JudgingUse
from errata_bench.store.open import store_faults
from errata_bench.store.values import storable_count, storable_text

_KEYS_AT_A_TIME = 500


@dataclass(frozen=True, slots=True)
class Judgment:
    """What a judge said of one fix, and this question's share of what was paid for it. ``at``: seconds since 1970."""

    judge: str
    prompt_version: str
    valid: bool
    conclusion: Conclusion
    reason: str
    use: JudgingUse
    at: float


@dataclass(frozen=True, slots=True)
class EditJudgment:
    """What a judge said of one edit away from all issues; ``agreed``: in both orders alike."""

    judge: str
    prompt_version: str
    edit_class: EditClass
    agreed: bool
    reason: str
    use: JudgingUse
    at: float


class Judgments:
    """The judgments of a group; `errata_bench.store.group.Group.judgments` has them."""

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        transaction: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._path = path
        self._connection = connection
        self._transaction = transaction

    def of(self, keys: Collection[str]) -> dict[str, Judgment]:
        """The judgments there are under these keys."""
        return {row["key"]: _judgment(row) for row in self._rows("judgments", keys)}

    def add(self, judgments: Mapping[str, Judgment]) -> None:
        """Keep judgments by their keys, all or nothing; what is kept under a key already stays."""
        with self._transaction():
            self._connection.executemany(
                "INSERT OR IGNORE INTO judgments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (key, one.judge, one.prompt_version, one.valid, one.conclusion.value, *_common(one))
                    for key, one in judgments.items()
                ],
            )

    def of_run(self, run_id: int) -> dict[str, Judgment]:
        """The judgments that verdicts on a run's issues rest on, by issue id."""
        with store_faults(self._path):
            rows = self._connection.execute(
                "SELECT issue_id, judgments.* FROM judged_issues JOIN judgments USING (key) WHERE run_id = ?", (run_id,)
            ).fetchall()
            return {row["issue_id"]: _judgment(row) for row in rows}

    def rest_on(self, run_id: int, keys: Mapping[str, str]) -> None:
        """Let a run's issues rest on judgments that are kept: ``keys`` by issue id."""
        with self._transaction():
            self._connection.executemany(
                "INSERT OR REPLACE INTO judged_issues VALUES (?, ?, ?)",
                [(run_id, issue_id, key) for issue_id, key in keys.items()],
            )

    def edits(self, keys: Collection[str]) -> dict[str, EditJudgment]:
        """The judgments of edits there are under these keys."""
        return {row["key"]: _edit_judgment(row) for row in self._rows("edit_judgments", keys)}

    def edit_judges(self) -> tuple[str, ...]:
        """The judges that have been asked about edits."""
        with store_faults(self._path):
            return tuple(row[0] for row in self._connection.execute("SELECT DISTINCT judge FROM edit_judgments"))

    def add_edit(self, key: str, judgment: EditJudgment) -> None:
        """Keep the judgment of an edit; what is kept already stays."""
        with self._transaction():
            self._connection.execute(
                "INSERT OR IGNORE INTO edit_judgments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    key,
                    judgment.judge,
                    judgment.prompt_version,
                    judgment.edit_class.value,
                    judgment.agreed,
                    *_common(judgment),
                ),
            )

    def _rows(self, table: str, keys: Collection[str]) -> Iterator[sqlite3.Row]:
        wanted = list(keys)
        for start in range(0, len(wanted), _KEYS_AT_A_TIME):
            some = wanted[start : start + _KEYS_AT_A_TIME]
            with store_faults(self._path):
                rows: Iterable[Any] = self._connection.execute(
                    f"SELECT * FROM {table} WHERE key IN ({', '.join('?' * len(some))})", some
                ).fetchall()
            yield from rows


def _common(judgment: Judgment | EditJudgment) -> tuple[str | int | float | None, ...]:
    use = judgment.use
    return (
        storable_text(judgment.reason),
        storable_count(use.prompt_tokens),
        storable_count(use.completion_tokens),
        use.cost_usd,
        judgment.at,
    )


def _judgment(row: sqlite3.Row) -> Judgment:
    return Judgment(
        judge=row["judge"],
        prompt_version=row["prompt_version"],
        valid=bool(row["valid"]),
        conclusion=Conclusion(row["conclusion"]),
        reason=row["reason"],
        use=_use(row),
        at=row["at"],
    )


def _edit_judgment(row: sqlite3.Row) -> EditJudgment:
    return EditJudgment(
        judge=row["judge"],
        prompt_version=row["prompt_version"],
        edit_class=EditClass(row["class"]),
        agreed=bool(row["agreed"]),
        reason=row["reason"],
        use=_use(row),
        at=row["at"],
    )


def _use(row: sqlite3.Row) -> JudgingUse:
    return JudgingUse(row["prompt_tokens"], row["completion_tokens"], row["cost_usd"])
