"""What has to be run, and running it.

`plan` works out which runs a group lacks, `engine` executes them many at a time and writes what they did, and
`progress` keeps count. It renders nothing and knows no provider: models are handed in behind `ChatModel`. May import:
everything but `results`, `views` and `cli`.
"""
