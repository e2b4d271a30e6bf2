"""Reading results that the existing project has published, as runs of which there are figures alone.

`artifact` is the form of its results file, `attempts` makes runs of what it says, `reports` adds what its report files
say of single issues, and `group` puts runs into a group. Nothing is run, judged or scored again. May import: what
`results` may.
"""
