"""How a model proofreads a document: prompts, tools, chunks, and the loop over turns.

It knows models only through `errata_bench.chat` and nothing of cases' issues, of scoring or of where results are
kept. May import: the pure modules and `chat`.
"""
