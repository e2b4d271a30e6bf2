"""A second, independent verdict: decided on the place where an error was planted, not by searching its paragraph.

`run.align_document` aligns a final document with a lattice (the corrupted text with the right text as a parallel
branch at each error) and says of each issue whether it is fixed, altered, deleted or untouched, and what else was
changed. The parts, in the order of work: `plain_text` (HTML to text, folding), `tokens`, `cores` (where each error
is and what would be right there), `cuts` (long equal stretches), `lattice` (the alignment itself), `path` (one
paragraph), `verdicts`, `markup` (hunks and segments), `run` (a whole document).

It asks no judge, does no I/O and knows nothing of rule v1. May import: the pure modules, `cases`' value types and
`errors`. numpy and rapidfuzz are imported only once something has to be aligned.
"""
