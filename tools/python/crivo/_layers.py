# SPDX-License-Identifier: Apache-2.0
"""Changes of chains of layers: of indexes of rows, and of filter sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, Optional

from ._build import OnProgress
from ._input import Input, OpenInput
from ._native import ffi, lib
from ._options import Notes, build_options, struct_of
from ._resources import resources
from ._texts import Path, c_paths, flag, path_bytes


@dataclass(frozen=True)
class RowsChange:
    """What :func:`add_rows`, :func:`remove_rows` or :func:`compact_rows` wrote."""

    bytes: int  #: of the chain with its layers
    layers: int
    keys: int  #: of all layers
    added: int  #: keys
    files: int  #: that are not removed
    removed_files: int
    state: str  #: in hexadecimal digits


@dataclass(frozen=True)
class GroupsChange:
    """What :func:`add_groups`, :func:`remove_groups` or :func:`compact_groups` wrote."""

    bytes: int  #: of the chain with its layers
    layers: int
    keys: int  #: of all layers
    added: int  #: keys
    groups: int  #: that are not removed
    removed_groups: int
    state: str  #: in hexadecimal digits


def _changed(
    kind: str, call: Callable[..., int], pairs: Optional[Input], removed: Iterable[str], *, replace: bool, notes: Notes,
    snapshot: Optional[str], allow_empty: bool = False, ignore_duplicates: bool = False, edited: Optional[Dict[str, Any]] = None,
    **work: Any,
) -> Any:
    """What comes of a call for chains of that kind, which takes the input if there is one, what to do (with what `edited` says of it), how
    to build, and room for what comes of it."""
    names, count, _names = c_paths([removed] if isinstance(removed, str) else removed, "removed")
    edit, _kept = struct_of(f"{kind}_edit", removed=names, removed_count=count, snapshot=snapshot, **(edited or {}))
    change = ffi.new(f"crivo_{kind}_change*", {"struct_size": ffi.sizeof(f"crivo_{kind}_change")})
    with resources(**work) as given:
        common = build_options(given, replace=replace, ignore_duplicates=ignore_duplicates, notes=notes)
        if pairs is None:
            given.run(lambda: call(edit, common, change))
        else:
            with OpenInput(pairs, None, None, allow_empty, given) as source:
                given.run(lambda: call(source.handle, edit, common, change))
    return change


def _change(
    call: Callable[..., int], pairs: Optional[Input], removed: Iterable[str], *, row_groups: Optional[Path] = None,
    check_files: bool = False, **how: Any,
) -> RowsChange:
    groups = None if row_groups is None else path_bytes(row_groups)
    edited = {"row_groups": groups, "check_files": flag(check_files, "check_files")}
    change = _changed("rows", call, pairs, removed, edited=edited, **how)
    return RowsChange(
        change.bytes, change.layers, change.keys, change.added, change.files, change.removed_files, ffi.string(change.state).decode()
    )


def _change_groups(call: Callable[..., int], pairs: Optional[Input], removed: Iterable[str], **how: Any) -> GroupsChange:
    change = _changed("filterset", call, pairs, removed, **how)
    return GroupsChange(
        change.bytes, change.layers, change.keys, change.added, change.groups, change.removed_groups, ffi.string(change.state).decode()
    )


def add_rows(
    rows: Path, pairs: Input, chain: Optional[Path] = None, *, removed: Iterable[str] = (), snapshot: Optional[str] = None,
    row_groups: Optional[Path] = None, check_files: bool = False, allow_empty: bool = False, ignore_duplicates: bool = False,
    replace: bool = False, notes: Notes = None, threads: int = 0, memory: int = 0, temp_dir: Optional[Path] = None,
    progress: OnProgress = None,
) -> RowsChange:
    """Adds the rows of new files to an index of rows, or a chain of some: `pairs` are those of :func:`build_rows`, `removed` the names of
    files that are no more. Without `chain` the chain at `rows` is replaced, at once. Raises :class:`BadInputError` for a file that the index
    has and that is not removed, and for one to be removed that it does not have.

    >>> _ = open("old.tsv", "w").write("ape\\told.parquet\\t7\\n")
    >>> _ = open("new.tsv", "w").write("bee\\tnew.parquet\\t1\\n")
    >>> _ = crivo.build_rows(crivo.Files("old.tsv"), "table.crv")
    >>> crivo.add_rows("table.crv", crivo.Files("new.tsv"), "table.chain", removed=["old.parquet"]).files
    1
    >>> crivo.Rows("table.chain").get("ape"), crivo.Rows("table.chain")["bee"].row
    (None, 1)
    """
    to = path_bytes(rows if chain is None else chain)
    return _change(
        lambda source, *rest: lib.crivo_rows_add(path_bytes(rows), source, to, *rest), pairs, removed, snapshot=snapshot,
        row_groups=row_groups, check_files=check_files, allow_empty=allow_empty, ignore_duplicates=ignore_duplicates, replace=replace,
        notes=notes, threads=threads, memory=memory, temp_dir=temp_dir, progress=progress,
    )


def remove_rows(
    rows: Path, removed: Iterable[str], chain: Optional[Path] = None, *, snapshot: Optional[str] = None, replace: bool = False,
    notes: Notes = None,
) -> RowsChange:
    """Removes files from an index of rows, or a chain of some: their rows are found no more.

    >>> _ = open("both.tsv", "w").write("ape\\ta.parquet\\t7\\nbee\\tb.parquet\\t1\\n")
    >>> _ = crivo.build_rows(crivo.Files("both.tsv"), "both.crv")
    >>> crivo.remove_rows("both.crv", ["a.parquet"], "fewer.chain").removed_files
    1
    """
    to = path_bytes(rows if chain is None else chain)
    return _change(
        lambda *rest: lib.crivo_rows_remove(path_bytes(rows), to, *rest), None, removed, snapshot=snapshot, replace=replace, notes=notes,
    )


def compact_rows(
    chain: Path, pairs: Input, *, removed: Iterable[str] = (), snapshot: Optional[str] = None, row_groups: Optional[Path] = None,
    check_files: bool = False, allow_empty: bool = False, ignore_duplicates: bool = False, replace: bool = False, notes: Notes = None,
    threads: int = 0, memory: int = 0, temp_dir: Optional[Path] = None, progress: OnProgress = None,
) -> RowsChange:
    """Builds a chain of layers anew as one, of the rows of all its files, since no index holds its keys. Raises :class:`BadInputError` where
    `pairs` has a file that the chain does not have, or none of one that it has.

    >>> _ = open("base.tsv", "w").write("ape\\ta.parquet\\t7\\n")
    >>> _ = open("more.tsv", "w").write("bee\\tb.parquet\\t1\\n")
    >>> _ = crivo.build_rows(crivo.Files("base.tsv"), "base-rows.crv")
    >>> crivo.add_rows("base-rows.crv", crivo.Files("more.tsv"), "rows.chain").layers
    2
    >>> crivo.compact_rows("rows.chain", crivo.Files("base.tsv", "more.tsv")).layers
    1
    """
    return _change(
        lambda source, *rest: lib.crivo_rows_compact(path_bytes(chain), source, *rest), pairs, removed, snapshot=snapshot,
        row_groups=row_groups, check_files=check_files, allow_empty=allow_empty, ignore_duplicates=ignore_duplicates, replace=replace,
        notes=notes, threads=threads, memory=memory, temp_dir=temp_dir, progress=progress,
    )


def add_groups(
    filters: Path, pairs: Input, chain: Optional[Path] = None, *, removed: Iterable[str] = (), snapshot: Optional[str] = None,
    allow_empty: bool = False, replace: bool = False, notes: Notes = None, threads: int = 0, memory: int = 0,
    temp_dir: Optional[Path] = None, progress: OnProgress = None,
) -> GroupsChange:
    """Adds new groups to a filter set, or a chain of some: `pairs` are those of :func:`build_filterset`, `removed` the names of groups that
    are no more. Without `chain` the chain at `filters` is replaced, at once. Raises :class:`BadInputError` for a group that the set has and
    that is not removed, and for one to be removed that it does not have; :class:`UsageError` where the form of keys that the set notes,
    "crivo.with.keys", is not in `notes`.

    >>> _ = open("old-groups.tsv", "w").write("old.parquet\\tape\\n")
    >>> _ = open("new-groups.tsv", "w").write("new.parquet\\tape\\n")
    >>> _ = crivo.build_filterset(crivo.Files("old-groups.tsv", column=2, value_column=1), "groups.crv")
    >>> new = crivo.Files("new-groups.tsv", column=2, value_column=1)
    >>> crivo.add_groups("groups.crv", new, "groups.chain", removed=["old.parquet"]).groups
    1
    >>> crivo.FilterSet("groups.chain").groups_of("ape")
    ['new.parquet']
    """
    to = path_bytes(filters if chain is None else chain)
    return _change_groups(
        lambda source, *rest: lib.crivo_filterset_add(path_bytes(filters), source, to, *rest), pairs, removed, snapshot=snapshot,
        allow_empty=allow_empty, replace=replace, notes=notes, threads=threads, memory=memory, temp_dir=temp_dir, progress=progress,
    )


def remove_groups(
    filters: Path, removed: Iterable[str], chain: Optional[Path] = None, *, snapshot: Optional[str] = None, replace: bool = False,
    notes: Notes = None,
) -> GroupsChange:
    """Removes groups from a filter set, or a chain of some. Their names may come back.

    >>> _ = open("two-groups.tsv", "w").write("a.parquet\\tape\\nb.parquet\\tbee\\n")
    >>> _ = crivo.build_filterset(crivo.Files("two-groups.tsv", column=2, value_column=1), "two-groups.crv")
    >>> crivo.remove_groups("two-groups.crv", ["a.parquet"], "fewer-groups.chain").removed_groups
    1
    """
    to = path_bytes(filters if chain is None else chain)
    return _change_groups(
        lambda *rest: lib.crivo_filterset_remove(path_bytes(filters), to, *rest), None, removed, snapshot=snapshot, replace=replace,
        notes=notes,
    )


def compact_groups(
    chain: Path, *, removed: Iterable[str] = (), snapshot: Optional[str] = None, replace: bool = False, notes: Notes = None,
) -> GroupsChange:
    """Puts the filters of all groups of a chain into one layer, as they are: no keys are needed. Where groups were removed, its number of
    keys is estimated.

    >>> _ = open("a-group.tsv", "w").write("a.parquet\\tape\\n")
    >>> _ = open("b-group.tsv", "w").write("b.parquet\\tbee\\n")
    >>> _ = crivo.build_filterset(crivo.Files("a-group.tsv", column=2, value_column=1), "a-group.crv")
    >>> crivo.add_groups("a-group.crv", crivo.Files("b-group.tsv", column=2, value_column=1), "ab.chain").layers
    2
    >>> crivo.compact_groups("ab.chain").layers
    1
    """
    return _change_groups(
        lambda *rest: lib.crivo_filterset_compact(path_bytes(chain), *rest), None, removed, snapshot=snapshot, replace=replace,
        notes=notes,
    )
