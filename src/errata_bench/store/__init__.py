"""One SQLite file a group: runs, chunks, turns, calls, failures, verdicts, figures and spend.

A chunk is written in one transaction as soon as it ends, spend request by request, so that a killed process loses at
most the turns in flight. It keeps and returns values; it computes no figure and plans nothing. May import: the pure
modules, and the value types of `cases`, `proofreading` and `scoring`.
"""
