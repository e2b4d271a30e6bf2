"""New cases from any clean text: a corruptor plants errors, reviewers accept those worth benchmarking.

=============  ========================================================================================
`source`       the clean text, paragraph by paragraph, as its author wrote it and as a model reads it
`windows`      consecutive paragraphs, and how many errors each is to get
`balance`      which categories are offered next
`proposals`    what a corruptor proposes, and the fates a proposal can have
`placing`      from a proposal to a change at one place; `draft` checks it against everything planted so far
`corruptor`    the model that plants; `reviewer` those that judge; `solver` those that try to find what was planted
`asking`       one question with one forced tool call, until the answer can be read
`journal`      every reply, proposal and fate on disk, so that nothing is paid for twice
`session`      the rounds in which all this happens
`rules`        the corruptor that needs no model
`markup`       changes as an annotated source; `output` the files that come of it
`invocation`   one invocation of ``generate``, from options to files
=============  ========================================================================================

It scores no model and renders nothing. May import: the pure modules, `cases`, `endpoint`, `proofreading`, `scoring`,
and from `runs` what handles money.
"""
