"""The offline proofreaders behind an OpenAI-compatible server on loopback.

It is the project's test server, and a way to try settings without money: ``errata-bench endpoint serve``. It checks
requests as strictly as the strictest servers do, answers with the baselines, misbehaves on request in ways that can be
repeated exactly, and keeps a ledger of its own to compare the client's with.

==============  ====================================================================================
`body`          the shape of a request; `conversation` the order of its messages; both are strict
`proofreaders`  the served models: a baseline, and what it still has to do in a later turn
`replies`       what a model says, its tokens, its form on the wire; `spoiling` how that goes wrong
`faults`        the kinds of fault, and the seeded draw that decides which request meets which
`ledger`        requests, tokens and cost by outcome and model
`server`        the HTTP side; `lifetime` starts it, and ends it on Ctrl-C
==============  ====================================================================================

It listens on loopback only, knows no key, and measures nothing: times and tokens are made up by plain rules. May
import: the pure modules, `chat`, `errors`, `cases`, `baselines`, and the tools of `proofreading`. It imports nothing
of `endpoint`, because a client that is tested against its own reading of the API is not tested.
"""
