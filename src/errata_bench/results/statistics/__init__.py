"""How sure a figure is: intervals, comparisons, ranks, and what a group of runs could have shown at all.

Two questions are kept apart everywhere (`scores.Question`): how well a variant does *on these texts*, and how well it
would do *on new texts* of their kind. `scores` holds what goes in, `intervals` gives a figure its interval, `compare`
sets two variants against each other, `ranks` orders all of them, `power` says what could have been seen. Underneath:
`table` (values as arrays), `resample` (bootstraps), `spread` (standard errors), `student` (the t distribution).

It knows nothing of runs, of the store, or of how a figure came about. May import: numpy and nothing of the project.
Everything random is seeded, so the same scores give the same numbers. All of it but `scores` needs numpy: import it
late from whatever the command line loads at start.
"""
