"""What people see: tables in the terminal, progress, charts and pages.

Everything shown is handed in; nothing is computed here. Text of models and documents is untrusted and never taken as
markup. May import: the records and summaries of `results`, `runs.progress`, and the pure modules.
"""
