"""Reading results that the existing project has published, as runs of which the documents are elsewhere.

`files` tells by its content what a file is: a results file (`artifact`, with an attempt for each run) or reports of
runs (`reports`, with a verdict on each issue). `attempts` and `report_runs` make runs of what they say, `matching`
finds out which of them are the same run, and `group` puts them into a group. Nothing is run, judged or scored again.
May import: what `results` may.
"""
