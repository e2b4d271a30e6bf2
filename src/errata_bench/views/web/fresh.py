"""A group's facts, kept until its file changes."""

from __future__ import annotations

from errata_bench.store.group import Group
from errata_bench.views.web.data import Facts


class GroupData:
    """A group's `Facts`, made anew as soon as its file has changed."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self._counter: int | None = None
        self._facts = Facts(group)

    @property
    def facts(self) -> Facts:
        """What holds now. Raises `StoreError` when the file cannot be used."""
        counter = self._group.change_counter
        if counter != self._counter:
            self._counter = counter
            self._facts = Facts(self._group)
        return self._facts
