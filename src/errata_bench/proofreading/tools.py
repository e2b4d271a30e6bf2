"""The three tools of a proofreader (contract C5): what the model is told of them, and what they do."""

from __future__ import annotations

FIND_AND_REPLACE = "find_and_replace"
REPLACE_PARAGRAPH = "replace_paragraph"
PROOFREADING_COMPLETE = "proofreading_complete"
