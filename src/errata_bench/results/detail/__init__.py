"""The evidence behind a ranking, as plain records: by case, by category, by issue, by run.

`selection` narrows a group down, `tally` counts verdicts by issue and variant, and on it stand `rates` (cases and
categories), `issues` (each issue, and what was made of it) and `misses`. `marking` puts a paragraph into pieces with
its errors and other edits, `run` tells one run wholly. Verdicts are those of rule v1 as stored; places and other edits
come from `scoring.aligned`, which needs numpy and rapidfuzz as soon as a changed paragraph is marked.

Tables read verdicts and issues row by row and no document; what shows text reads one case at a time. Renders nothing.
"""
