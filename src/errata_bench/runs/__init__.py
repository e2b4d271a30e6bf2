"""What has to be run, and running it.

`plan` works out which runs a group lacks, `estimate` what they will take and `consent` whether that may be spent.
`invocation` puts an invocation together: `models` behind an endpoint, `queue` and `engine`, which execute many runs at
a time and write what they did, `judging`, `budget`, which keeps to a cap, `log` and `progress`. It renders nothing and
knows no provider: models are handed in behind `ChatModel`. May import: everything but `results`, `views` and `cli`.
"""
