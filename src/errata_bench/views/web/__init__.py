"""A group as web pages: served on loopback, or written as a static site; the same pages from the same templates.

`data` is the one place that asks `results` for figures, `fresh` keeps them until the file changes. `pages` says which
pages there are, the modules of `contexts` what stands on each, `render` turns that into HTML, `site` finds the page of
a path. `app` serves a site (Starlette), `serve` runs it (uvicorn), `export` writes it to a folder.

Nothing here computes a figure. What comes from models and documents is text: Jinja escapes it, scripts set it as
``textContent``, and the Content-Security-Policy allows no script and no style but the files in ``static``.

Everything but `security` is imported late: the command line starts without it.
"""
