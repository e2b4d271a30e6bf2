"""The scatterplot: two figures of every variant against each other.

`axes` are the figures there are, `points` puts variants on two of them, `scale` places values, `canvas` draws with
characters, `labels` finds room for names, `spec` is the same chart in Vega-Lite, `files` writes it, `app` is the
interactive view. Everything shown is handed in.
"""
