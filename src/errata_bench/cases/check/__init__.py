"""The checker: whether cases are good to benchmark on, beyond what it takes to load them.

It looks at issues (can each be told and mended for certain?), at how they lie in the text, at texts that are alike,
and at what offline checkers find fault with in the clean text. It changes nothing and judges no model. The offline
checkers are handed in. May import: the pure modules, `cases`, and `errors`.
"""

from errata_bench.cases.check.complaints import Complaint, ParagraphChecker
from errata_bench.cases.check.limits import Limits
from errata_bench.cases.check.report import CaseFigures, Finding, Report, case_figures
from errata_bench.cases.check.run import check_cases

__all__ = [
    "CaseFigures",
    "Complaint",
    "Finding",
    "Limits",
    "ParagraphChecker",
    "Report",
    "case_figures",
    "check_cases",
]
