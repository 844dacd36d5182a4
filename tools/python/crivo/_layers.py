# SPDX-License-Identifier: Apache-2.0
"""Changes of indexes of rows: chains of layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterable, Optional

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


def _change(
    call: Callable[..., int], pairs: Optional[Input], removed: Iterable[str], *, snapshot: Optional[str],
    row_groups: Optional[Path], check_files: bool, allow_empty: bool, ignore_duplicates: bool, replace: bool, notes: Notes,
    **work: Any,
) -> RowsChange:
    """Of a call that takes the input if there is one, what to do, how to build, and what comes of it."""
    names, count, _names = c_paths([removed] if isinstance(removed, str) else removed, "removed")
    groups = None if row_groups is None else path_bytes(row_groups)
    edit, _kept = struct_of(
        "rows_edit", removed=names, removed_count=count, snapshot=snapshot, row_groups=groups,
        check_files=flag(check_files, "check_files"),
    )
    change = ffi.new("crivo_rows_change*", {"struct_size": ffi.sizeof("crivo_rows_change")})
    with resources(**work) as given:
        common = build_options(given, replace=replace, ignore_duplicates=ignore_duplicates, notes=notes)
        if pairs is None:
            given.run(lambda: call(edit, common, change))
        else:
            with OpenInput(pairs, None, None, allow_empty, given) as source:
                given.run(lambda: call(source.handle, edit, common, change))
    return RowsChange(
        change.bytes, change.layers, change.keys, change.added, change.files, change.removed_files, ffi.string(change.state).decode()
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
        lambda *rest: lib.crivo_rows_remove(path_bytes(rows), to, *rest), None, removed, snapshot=snapshot, row_groups=None,
        check_files=False, allow_empty=False, ignore_duplicates=False, replace=replace, notes=notes,
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
