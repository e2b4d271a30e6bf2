"""What is slow, how slow, and how it grows; run by hand, never asserted in a test.

Each module is a script with one concern: ``python -m benchmarks.harness``. ``python -m benchmarks`` runs them all one
after the other, each in a process of its own. `measure` says how times are taken and shown, `invented` makes texts and
cases, and `endpoint` is a model server in another process. `docs/benchmarks.md` has the last figures.
"""
