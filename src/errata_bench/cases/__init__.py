"""Cases: documents with planted, known errors, and the files they come from.

Reads case files and their sources, reports every fault of them at once, takes disqualified issues out of scoring,
and gives each case a fingerprint of its content. It neither runs models nor scores anything. May import: the pure
modules and `errors`.
"""
