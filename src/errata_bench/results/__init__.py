"""From runs to the figures of a variant, and from those to a ranking.

Reads records, never the network, and renders nothing. May import: everything below `runs`, and the store's records.
"""
