"""What stands on each page: plain values for the templates, taken from `data.Facts` and the page's query.

A module a page. Unknown or senseless values of a query are as if they were not there: a link that somebody has kept
still leads to a page when the group has changed.
"""
