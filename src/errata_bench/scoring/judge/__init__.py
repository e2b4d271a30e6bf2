"""Asking a model whether a fix that differs from the canonical one is valid, and what an edit elsewhere is worth.

Two kinds of questions, alike in how they are asked:

=============  ========================================================================================
`questions`    what is asked of a fix, and the key under which its answer is kept
`prompts`      what the judge is told of fixes, and the tool that it has to call
`reading`      a reply becomes verdicts, or a problem that the judge is told of
`asking`       one paragraph: asked, asked again, repaired; what is missing stays unjudged
`edits`        pairs of versions of one passage, out of a run's edits away from all issues, or out of planted errors
`comparing`    which of two versions has an error: asked twice with the order swapped
=============  ========================================================================================

`conversation`, `fences` and `use` are what both share. Documents, edits and descriptions are data: they stand between
marks that their authors could not know. All I/O goes through the `ChatModel` that is handed in; nothing is stored
here. May import: the pure modules, `chat`, `errors` and `cases`' value types; `edits` also the alignment.
"""
