"""The tables of a group's file, and how an older file is brought up to date."""

from __future__ import annotations

APPLICATION_ID = 0x45724248
"""Marks a SQLite file as one of ours (``PRAGMA application_id``)."""

_SLICES = 20


def _moved(source: str, target: str) -> str:
    """Statements that move all rows of a table to another one with the same columns, a slice of the runs at a time.

    Pages that a slice leaves are filled by the next one, so that the file grows by a slice and not by the table.
    """
    slices = [f"WHERE run_id <= (SELECT max(id) FROM runs) * {number} / {_SLICES}" for number in range(1, _SLICES)]
    return "".join(
        f"""
    INSERT INTO {target} SELECT * FROM {source} {of_slice} ORDER BY run_id, chunk;
    DELETE FROM {source} {of_slice};"""
        for of_slice in (*slices, "")
    )


MIGRATIONS: tuple[str, ...] = (
    """
    -- The documents that were worked on, by content, so that a result can be read without its dataset.
    CREATE TABLE cases (
        fingerprint TEXT PRIMARY KEY,
        case_id TEXT NOT NULL,
        content TEXT NOT NULL              -- JSON: instruction, paragraphs, expected paragraphs, issues
    ) WITHOUT ROWID;

    -- One variant working through one case once. All columns up to `reasoning` are its identity (C8).
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY,
        endpoint TEXT NOT NULL,
        model TEXT NOT NULL,
        effort TEXT NOT NULL,              -- '' for a baseline
        fingerprint TEXT NOT NULL REFERENCES cases (fingerprint),
        max_words INTEGER NOT NULL,        -- words a chunk; 0: the whole document
        max_turns INTEGER NOT NULL,        -- turns a chunk
        prompt_version TEXT NOT NULL,
        judge TEXT NOT NULL,               -- '' for none
        max_completion_tokens INTEGER NOT NULL,
        reasoning TEXT NOT NULL,           -- JSON: the options sent with the effort
        sample INTEGER NOT NULL,           -- from 1
        status TEXT NOT NULL CHECK (status IN ('running', 'succeeded', 'failed')),
        chunk_count INTEGER NOT NULL,
        started_at REAL NOT NULL,          -- seconds since 1970, UTC
        ended_at REAL,
        version TEXT NOT NULL,             -- of this program
        adaptations TEXT NOT NULL DEFAULT '[]',  -- JSON: what was changed in requests because the endpoint refused it
        UNIQUE (endpoint, model, effort, fingerprint, max_words, max_turns, prompt_version, judge,
                max_completion_tokens, reasoning, sample)
    );

    CREATE TABLE chunks (
        run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        chunk INTEGER NOT NULL,            -- from 0
        completed INTEGER NOT NULL,        -- 1: the model ended it; 0: the limit of turns did
        changed TEXT NOT NULL,             -- JSON: the inner HTML of the paragraphs that differ, by id
        ended_at REAL NOT NULL,
        PRIMARY KEY (run_id, chunk)
    ) WITHOUT ROWID;

    CREATE TABLE turns (
        run_id INTEGER NOT NULL,
        chunk INTEGER NOT NULL,
        turn INTEGER NOT NULL,             -- from 1
        message TEXT NOT NULL,             -- JSON: the assistant message
        prompt_tokens INTEGER, completion_tokens INTEGER, reasoning_tokens INTEGER, cached_prompt_tokens INTEGER,
        cost_usd REAL,                     -- NULL: nobody knows
        duration REAL NOT NULL,            -- seconds, of the successful attempt alone
        finish_reason TEXT,
        oddities TEXT NOT NULL,            -- JSON: kind to count
        PRIMARY KEY (run_id, chunk, turn),
        FOREIGN KEY (run_id, chunk) REFERENCES chunks (run_id, chunk) ON DELETE CASCADE
    ) WITHOUT ROWID;

    CREATE TABLE calls (
        run_id INTEGER NOT NULL,
        chunk INTEGER NOT NULL,
        turn INTEGER NOT NULL,
        call INTEGER NOT NULL,             -- from 0
        name TEXT NOT NULL,
        arguments TEXT NOT NULL,           -- JSON: the texts the tool got
        raw_arguments TEXT NOT NULL,       -- what was sent, to the letter
        ok INTEGER NOT NULL,
        message TEXT NOT NULL,
        replacements INTEGER NOT NULL,
        PRIMARY KEY (run_id, chunk, turn, call),
        FOREIGN KEY (run_id, chunk, turn) REFERENCES turns (run_id, chunk, turn) ON DELETE CASCADE
    ) WITHOUT ROWID;

    -- Each time a run could not go on; a failed run is taken up again by the next invocation.
    CREATE TABLE failures (
        id INTEGER PRIMARY KEY,
        run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        at REAL NOT NULL,
        chunk INTEGER NOT NULL,
        kind TEXT NOT NULL,
        http_status INTEGER,
        message TEXT NOT NULL
    );
    CREATE INDEX failures_of_run ON failures (run_id);

    CREATE TABLE verdicts (
        run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        issue_id TEXT NOT NULL,
        finding TEXT NOT NULL,
        verdict TEXT NOT NULL,
        PRIMARY KEY (run_id, issue_id)
    ) WITHOUT ROWID;

    -- The figures of a finished run, so that a ranking reads one small row a run.
    CREATE TABLE figures (
        run_id INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
        content TEXT NOT NULL              -- JSON: the fields of RunFigures
    );

    -- Every request, failed ones included; kept when a run is pruned, because the money is spent.
    CREATE TABLE spend (
        id INTEGER PRIMARY KEY,
        run_id INTEGER,
        chunk INTEGER,
        purpose TEXT NOT NULL,             -- 'candidate' or what else the request was for
        at REAL NOT NULL,
        duration REAL NOT NULL,
        outcome TEXT NOT NULL,             -- 'ok' or the kind of fault
        http_status INTEGER,
        prompt_tokens INTEGER, completion_tokens INTEGER, reasoning_tokens INTEGER, cached_prompt_tokens INTEGER,
        cost_usd REAL,                     -- NULL: nobody knows
        message TEXT
    );
    CREATE INDEX spend_of_run ON spend (run_id);
    """,
    """
    -- What a judge said of a fix, by the content of the question: the same edit is never paid for twice.
    CREATE TABLE judgments (
        key TEXT PRIMARY KEY,              -- SHA-256 over issue, original and final paragraph, judge, prompt version
        judge TEXT NOT NULL,
        prompt_version TEXT NOT NULL,      -- of the judge's prompt
        valid INTEGER NOT NULL,
        conclusion TEXT NOT NULL,
        reason TEXT NOT NULL,
        prompt_tokens INTEGER,             -- this question's share of the requests it was part of; NULL: nobody knows
        completion_tokens INTEGER,
        cost_usd REAL,
        at REAL NOT NULL
    ) WITHOUT ROWID;

    -- Which judgment a verdict on a run's issue rests on.
    CREATE TABLE judged_issues (
        run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        issue_id TEXT NOT NULL,
        key TEXT NOT NULL REFERENCES judgments (key),
        PRIMARY KEY (run_id, issue_id)
    ) WITHOUT ROWID;

    -- What a judge said of an edit away from all issues, kept as judgments are.
    CREATE TABLE edit_judgments (
        key TEXT PRIMARY KEY,              -- SHA-256 over both versions, their context, judge, prompt version
        judge TEXT NOT NULL,
        prompt_version TEXT NOT NULL,
        class TEXT NOT NULL,
        agreed INTEGER NOT NULL,           -- 0: it said another thing when the order was swapped
        reason TEXT NOT NULL,
        prompt_tokens INTEGER,
        completion_tokens INTEGER,
        cost_usd REAL,
        at REAL NOT NULL
    ) WITHOUT ROWID;
    """,
    """
    -- Runs that were made elsewhere and of which only figures were read in (they have no chunk, turn or verdict here).
    CREATE TABLE imported_runs (
        run_id INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
        digest TEXT NOT NULL UNIQUE,       -- SHA-256 over what the file said, so that it is read in once
        source TEXT NOT NULL,              -- name of the file
        figures TEXT,                      -- JSON: what was published, by the names of RunFigures; NULL: it failed
        attempt TEXT NOT NULL              -- JSON: what the file said, paths reduced to names
    );

    -- 1: the reply said what it cost; 0: a price list did, or nobody; NULL: not recorded.
    ALTER TABLE turns ADD COLUMN cost_reported INTEGER;
    """,
    """
    -- The aligned verdict beside that of rule v1; '': the case cannot be aligned, or was not when this was scored.
    ALTER TABLE verdicts ADD COLUMN aligned TEXT NOT NULL DEFAULT '';

    -- Edits of a run by paragraph, where there are any: the units that intervals of restraint resample.
    CREATE TABLE restraint (
        run_id INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
        content TEXT NOT NULL              -- JSON: paragraph id to [issues, hits, wrong, unneeded]
    );
    """,
    """
    -- What a report from elsewhere adds to an imported run; its verdicts on issues are in `verdicts`.
    CREATE TABLE imported_reports (
        run_id INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
        digest TEXT NOT NULL,              -- SHA-256 over what the report said, so that another one is noticed
        source TEXT NOT NULL,              -- name of the file
        alone INTEGER NOT NULL,            -- 1: no results file has named the run yet, its figures are the report's
        paragraphs TEXT NOT NULL           -- JSON: issue id to paragraph id, as far as the report says it
    );
    """,
    # Without a rowid, a table is one tree by its key, and each step of a search in it reads a row with its large texts:
    # to find the turn that a call belongs to, SQLite read several whole messages. With one, the key is a tree apart.
    f"""
    CREATE TABLE chunks_by_rowid (
        run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        chunk INTEGER NOT NULL,            -- from 0
        completed INTEGER NOT NULL,        -- 1: the model ended it; 0: the limit of turns did
        changed TEXT NOT NULL,             -- JSON: the inner HTML of the paragraphs that differ, by id
        ended_at REAL NOT NULL,
        PRIMARY KEY (run_id, chunk)
    );
    {_moved("chunks", "chunks_by_rowid")}
    DROP TABLE chunks;
    ALTER TABLE chunks_by_rowid RENAME TO chunks;

    CREATE TABLE turns_by_rowid (
        run_id INTEGER NOT NULL,
        chunk INTEGER NOT NULL,
        turn INTEGER NOT NULL,             -- from 1
        message TEXT NOT NULL,             -- JSON: the assistant message
        prompt_tokens INTEGER, completion_tokens INTEGER, reasoning_tokens INTEGER, cached_prompt_tokens INTEGER,
        cost_usd REAL,                     -- NULL: nobody knows
        duration REAL NOT NULL,            -- seconds, of the successful attempt alone
        finish_reason TEXT,
        oddities TEXT NOT NULL,            -- JSON: kind to count
        cost_reported INTEGER,             -- 1: the reply said it; 0: a price list did, or nobody; NULL: not recorded
        PRIMARY KEY (run_id, chunk, turn),
        FOREIGN KEY (run_id, chunk) REFERENCES chunks (run_id, chunk) ON DELETE CASCADE
    );
    {_moved("turns", "turns_by_rowid")}
    DROP TABLE turns;
    ALTER TABLE turns_by_rowid RENAME TO turns;

    CREATE INDEX runs_of_case ON runs (fingerprint);
    """,
)
"""Each entry takes a file one version further; the version is ``PRAGMA user_version``.

They are run with foreign keys off: a table that is built anew is dropped, and must not take along what refers to it.
"""

SCHEMA_VERSION = len(MIGRATIONS)
