"""Offline proofreaders behind the `ChatModel` protocol, which put a language model's score into proportion.

They get the same requests as a language model and answer with calls of the same three tools: ``baseline/untouched``
does nothing, ``baseline/oracle`` makes exactly the expected corrections, and three checkers in common use correct what
they can: ``baseline/spelling`` (symspellpy), ``baseline/harper`` (Harper) and ``baseline/languagetool`` (LanguageTool's
rules through lingotweaker; an optional extra). A checker's suggestions are taken as a person of sense would take them:
clear errors, no matters of style or dialect, nothing that may be a name or a term.

No network, no files but the checkers' own data, nothing of cases or scoring. May import: the pure modules, `chat`,
`errors`, and from `proofreading` the names of the tools. Importing this package loads no checker.

`engines` starts worker processes by *spawn*, so that a script of one's own that uses a checker needs the usual
``if __name__ == "__main__":``.
"""

from errata_bench.baselines.catalogue import BASELINE_NAMES, baseline_model, close_engines, unavailable_reason

__all__ = ["BASELINE_NAMES", "baseline_model", "close_engines", "unavailable_reason"]
