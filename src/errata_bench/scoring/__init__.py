"""What a run's final document is worth.

Rule v1 decides on each issue, tool use counts the effort, and `score_run` puts them together. Everything here is a
plain function of values: no I/O, no store, no network. May import: the pure modules and `cases`' value types.
"""
