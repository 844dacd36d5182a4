# SPDX-License-Identifier: Apache-2.0
"""Builds, and what they would take."""

from __future__ import annotations

import builtins
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Optional, Tuple

from ._errors import check
from ._input import Input, OpenInput
from ._native import ffi, lib
from ._options import Notes, build_options, choices, with_choices
from ._resources import Progress, resources
from ._show import bytes_text, table
from ._texts import Path, c_path
from ._values import beside, values_of, with_records

OnProgress = Optional[Callable[[Progress], Any]]


@dataclass(frozen=True)
class Summary:
    """What a build did."""

    keys: int  #: distinct ones
    duplicates: int  #: left out with ignore_duplicates
    bytes: int  #: of all files written
    seed: int
    fpr: Optional[float]  #: designed false-positive rate
    measured_fpr: Optional[float]  #: of a filter
    seconds: float
    temp_bytes: int
    threads: int
    value_bits: int
    digest: str  #: equal keys and parameters give equal digests
    warnings: Tuple[str, ...]  #: the texts of each :class:`BuildWarning`
    data: "builtins.bytes" = field(repr=False)  #: the file, where no output was named; else nothing

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        rows = [("keys", f"{self.keys:,}"), ("size", bytes_text(self.bytes)), ("seconds", f"{self.seconds:.3g}")]
        if self.keys:
            rows.insert(2, ("bits/key", f"{8 * self.bytes / self.keys:,.2f}"))
        for name, rate in (("false-positive rate", self.fpr), ("measured", self.measured_fpr)):
            if rate is not None:
                rows.append((name, f"{rate:.3g}"))
        rows.append(("digest", self.digest))
        return table("crivo.Summary", rows + [("warning", text) for text in self.warnings])


def empty_summary() -> Any:
    """A crivo_summary to be filled in."""
    return ffi.new("crivo_summary*", {"struct_size": ffi.sizeof("crivo_summary")})


def summary_of(summary: Any, given: resources, data: "builtins.bytes" = b"") -> Summary:
    """Of a build that `given` ran."""
    return Summary(
        summary.keys, summary.duplicates, summary.bytes, summary.seed, summary.fpr if summary.fpr >= 0 else None,
        summary.measured_fpr if summary.measured_fpr >= 0 else None, summary.seconds, summary.temp_bytes,
        summary.threads, summary.value_bits, ffi.string(summary.digest).decode(),
        given.warnings, data,
    )


def _build(
    kind: str, keys: Input, output: Optional[Path], chosen: Dict[str, Any], *, values: Any = None, value_type: Optional[str] = None,
    records: Any = None, universe: Optional[Tuple[Input, Any]] = None, seed: int, keyed_hash: bool, ignore_duplicates: bool,
    allow_empty: bool, replace: bool, notes: Notes, threads: int, memory: int, temp_dir: Optional[Path], progress: OnProgress,
) -> Summary:
    texts, _kept = choices(kind, chosen)
    summary = empty_summary()
    buffer = ffi.new("crivo_buffer**")
    check(lib.crivo_buffer_new(buffer))
    try:
        with resources(threads=threads, memory=memory, temp_dir=temp_dir, progress=progress) as given, OpenInput(
            keys, values, records, allow_empty, given, value_type
        ) as source, ExitStack() as stack:
            if universe is not None:
                asked = stack.enter_context(OpenInput(universe[0], None, universe[1], allow_empty, given))
                check(lib.crivo_input_universe(source.handle, asked.handle))
            common = build_options(
                given, seed=seed, keyed_hash=keyed_hash, ignore_duplicates=ignore_duplicates, replace=replace, notes=notes
            )
            path = c_path(output) if output is not None else ffi.NULL
            to = ffi.new("crivo_output*", {
                "struct_size": ffi.sizeof("crivo_output"), "path": path, "write": ffi.addressof(lib, "crivo_buffer_write"), "context": buffer[0],
            })
            given.run(lambda: lib.crivo_build(
                kind.encode(), source.handle, to, ffi.cast("const char* const*", texts), common, summary))
        made = lib.crivo_buffer_bytes(buffer[0])
        return summary_of(summary, given, ffi.buffer(made.data, made.size)[:] if output is None else b"")
    finally:
        lib.crivo_buffer_free(buffer[0])


_COMMON = """

    Without `output` the file is in :attr:`Summary.data`. `keyed_hash`, with a `seed` of :func:`random_seed`, is for keys that
    strangers chose. `ignore_duplicates` keeps the first of equal keys instead of refusing them, `allow_empty` takes the empty
    key for a key, `replace` replaces an existing output. `notes` are names and values that the file keeps for people and programs
    (:func:`notes`). `threads` 0 is one per core; `memory`, in bytes, is kept to. `progress`
    is called with a :class:`Progress` some ten times a second, a last time before the output takes its place, and cancels the
    build by returning what is true. An exception that it raises cancels the build and is raised here, and so is that of Ctrl-C:
    no output is left, and an old one is as it was (unless it comes after that last time, while the output takes its place). Both this function and the iteration over `keys` run on the thread that called the build. What is written depends on
    the keys and the options alone. Raises :class:`Error`, and warns with :class:`BuildWarning`."""


@with_choices("mphf")
def build_mphf(
    keys: Input, output: Optional[Path] = None, *, seed: int = 0, keyed_hash: bool = False,
    ignore_duplicates: bool = False, allow_empty: bool = False, replace: bool = False, notes: Notes = None, threads: int = 0,
    memory: int = 0, temp_dir: Optional[Path] = None, progress: OnProgress = None, **chosen: Any,
) -> Summary:
    """Builds a minimal perfect hash function, key -> rank.

    >>> ranks = crivo.Mphf(crivo.build_mphf(["ape", "bee", "cat"]).data)
    >>> sorted(ranks.get_many(["ape", "bee", "cat"]).tolist())
    [0, 1, 2]
    """
    return _build(
        "mphf", keys, output, chosen, seed=seed, keyed_hash=keyed_hash, ignore_duplicates=ignore_duplicates,
        allow_empty=allow_empty, replace=replace, notes=notes, threads=threads, memory=memory, temp_dir=temp_dir, progress=progress,
    )


@with_choices("dictionary", "values")
def build_dictionary(
    keys: Input, output: Optional[Path] = None, *, values: Any = None, seed: int = 0, keyed_hash: bool = False,
    ignore_duplicates: bool = False, allow_empty: bool = False, replace: bool = False, notes: Notes = None, threads: int = 0,
    memory: int = 0, temp_dir: Optional[Path] = None, progress: OnProgress = None, **chosen: Any,
) -> Summary:
    """Builds a dictionary, key <-> id: its rank in byte order. The numbers of a mapping, or the `values` (of :class:`Files` True,
    for lines of key TAB value), stand beside the ids: :meth:`Dictionary.value`. `value_type` is as for :func:`build_map`.

    >>> words = crivo.Dictionary(crivo.build_dictionary({"ape": 7, "bee": 9}).data)
    >>> words["bee"], words.key(0), words.value(1)
    (1, b'ape', 9)
    """
    keys, values, value_type = values_of(keys, values, chosen.get("value_type"))
    if values is not None:
        chosen = {**chosen, "values": True, "value_type": value_type}
    return _build(
        "dictionary", keys, output, chosen, values=values, value_type=value_type, seed=seed, keyed_hash=keyed_hash, ignore_duplicates=ignore_duplicates,
        allow_empty=allow_empty, replace=replace, notes=notes, threads=threads, memory=memory, temp_dir=temp_dir, progress=progress,
    )


@with_choices("filter")
def build_filter(
    keys: Input, output: Optional[Path] = None, *, seed: int = 0, keyed_hash: bool = False,
    ignore_duplicates: bool = False, allow_empty: bool = False, replace: bool = False, notes: Notes = None, threads: int = 0,
    memory: int = 0, temp_dir: Optional[Path] = None, progress: OnProgress = None, **chosen: Any,
) -> Summary:
    """Builds a filter, key -> maybe or absent.

    >>> crivo.build_filter(["ape", "bee"], "seen.crv", fpr=0.001).keys
    2
    >>> "ape" in crivo.open("seen.crv")
    True
    """
    return _build(
        "filter", keys, output, chosen, seed=seed, keyed_hash=keyed_hash, ignore_duplicates=ignore_duplicates,
        allow_empty=allow_empty, replace=replace, notes=notes, threads=threads, memory=memory, temp_dir=temp_dir, progress=progress,
    )


@with_choices("rows")
def build_rows(
    keys: Input, output: Optional[Path] = None, *, seed: int = 0, keyed_hash: bool = False,
    ignore_duplicates: bool = False, allow_empty: bool = False, replace: bool = False, notes: Notes = None, threads: int = 0,
    memory: int = 0, temp_dir: Optional[Path] = None, progress: OnProgress = None, **chosen: Any,
) -> Summary:
    """Builds an index of rows, key -> file, row group and row of a table that lies as files: of :class:`Files` with lines of key TAB
    file TAB row, or the columns `column`, `value_column` and `row_column`.

    >>> _ = open("ids.csv", "w").write("id,filename,file_row_number\\nape,a.parquet,7\\n")
    >>> ids = crivo.Files("ids.csv", csv=True, header=True, column="id", value_column="filename", row_column="file_row_number")
    >>> crivo.Rows(crivo.build_rows(ids).data)["ape"].row
    7
    """
    return _build(
        "rows", keys, output, chosen, seed=seed, keyed_hash=keyed_hash, ignore_duplicates=ignore_duplicates,
        allow_empty=allow_empty, replace=replace, notes=notes, threads=threads, memory=memory, temp_dir=temp_dir, progress=progress,
    )


@with_choices("filterset")
def build_filterset(
    keys: Input, output: Optional[Path] = None, *, seed: int = 0, keyed_hash: bool = False,
    ignore_duplicates: bool = False, allow_empty: bool = False, replace: bool = False, notes: Notes = None, threads: int = 0,
    memory: int = 0, temp_dir: Optional[Path] = None, progress: OnProgress = None, **chosen: Any,
) -> Summary:
    """Builds a filter set, group -> a filter of its keys: of :class:`Files` with lines of group TAB key, or the columns `column` (of the
    key) and `value_column` (of its group).

    >>> _ = open("pairs.csv", "w").write("id,filename\\nape,a.parquet\\n")
    >>> pairs = crivo.Files("pairs.csv", csv=True, header=True, column="id", value_column="filename")
    >>> crivo.FilterSet(crivo.build_filterset(pairs).data).groups_of("ape")
    ['a.parquet']
    """
    return _build(
        "filterset", keys, output, chosen, seed=seed, keyed_hash=keyed_hash, ignore_duplicates=ignore_duplicates,
        allow_empty=allow_empty, replace=replace, notes=notes, threads=threads, memory=memory, temp_dir=temp_dir, progress=progress,
    )


@with_choices("map", "values")
def build_map(
    keys: Input, output: Optional[Path] = None, *, values: Any = None, seed: int = 0, keyed_hash: bool = False,
    ignore_duplicates: bool = False, allow_empty: bool = False, replace: bool = False, notes: Notes = None, threads: int = 0,
    memory: int = 0, temp_dir: Optional[Path] = None, progress: OnProgress = None, **chosen: Any,
) -> Summary:
    """Builds a static function, key -> number, without the keys: those of a mapping, or the `values` (of :class:`Files` True, for
    lines of key TAB value), or where they are None each key's number in the input. `value_type` is "signed" by default where a
    value is negative; values of "decimal" are integers over 10^`scale`.

    >>> ages = crivo.Map(crivo.build_map({"ape": 7, "bee": -2}, signature_bits=16).data)
    >>> ages["bee"], ages.get("cat")
    (-2, None)
    """
    keys, values, chosen["value_type"] = values_of(keys, values, chosen.get("value_type"))
    return _build(
        "map", keys, output, {**chosen, "values": values is not None}, values=values, value_type=chosen["value_type"],
        seed=seed, keyed_hash=keyed_hash, ignore_duplicates=ignore_duplicates,
        allow_empty=allow_empty, replace=replace, notes=notes, threads=threads, memory=memory, temp_dir=temp_dir, progress=progress,
    )


@with_choices("store")
def build_store(
    keys: Input, output: Path, *, records: Any = None, seed: int = 0, keyed_hash: bool = False,
    ignore_duplicates: bool = False, allow_empty: bool = False, replace: bool = False, notes: Notes = None, threads: int = 0,
    memory: int = 0, temp_dir: Optional[Path] = None, progress: OnProgress = None, **chosen: Any,
) -> Summary:
    """Builds a record store in the directory `output`, key -> record: those of a mapping, or the `records`, or :class:`Files` of
    both (key TAB record lines, or key NUL record NUL). They can be changed (:func:`set_records`, :class:`Writer`). Of equal keys, with `ignore_duplicates`, the `repeated` record stays.

    >>> crivo.build_store({"ape": "a page", "bee": b"another"}, "pages").keys
    2
    >>> crivo.open("pages")["ape"]
    b'a page'
    """
    keys, records = with_records(keys, records)
    return _build(
        "store", keys, output, chosen, records=records, seed=seed, keyed_hash=keyed_hash, ignore_duplicates=ignore_duplicates,
        allow_empty=allow_empty, replace=replace, notes=notes, threads=threads, memory=memory, temp_dir=temp_dir, progress=progress,
    )


@with_choices("exact", "grouped")
def build_exact(
    members: Input, universe: Input, output: Optional[Path] = None, *, groups: Any = None, universe_groups: Any = None,
    seed: int = 0, keyed_hash: bool = False, ignore_duplicates: bool = False, allow_empty: bool = False, replace: bool = False,
    notes: Notes = None, threads: int = 0, memory: int = 0, temp_dir: Optional[Path] = None, progress: OnProgress = None,
    **chosen: Any,
) -> Summary:
    """Builds an exact set: key -> member or other, without error for every key of the `universe`, which may have the members
    among its keys or not. With `groups` and `universe_groups` each key belongs to a group, whose name stands at the same place
    there; :class:`Files` have both, in lines group TAB key or in the columns of a key and its value, with True for each.

    >>> revoked = crivo.Exact(crivo.build_exact(["bee"], ["ape", "bee", "cat"]).data)
    >>> "bee" in revoked, "cat" in revoked
    (True, False)
    """
    members, groups = beside(members, groups, "groups")
    universe, universe_groups = beside(universe, universe_groups, "universe_groups")
    has_groups = groups is not None or universe_groups is not None
    names, universe_names = (None if given is True else given for given in (groups, universe_groups))  # True: files have them
    return _build(
        "exact", members, output, {**chosen, "grouped": has_groups}, records=names, universe=(universe, universe_names), seed=seed, keyed_hash=keyed_hash, ignore_duplicates=ignore_duplicates,
        allow_empty=allow_empty, replace=replace, notes=notes, threads=threads, memory=memory, temp_dir=temp_dir, progress=progress,
    )


for _function in (build_mphf, build_filter, build_filterset, build_map, build_rows, build_store, build_exact):
    _function.__doc__ = (_function.__doc__ or "") + _COMMON


@dataclass(frozen=True)
class Estimate:
    """What a build would take."""

    keys: int  #: lines, repeats included
    memory_bytes: int  #: at the peak
    minimum_memory_bytes: int  #: the least `memory`
    temp_bytes: int
    output_bytes: int
    partitions: int  #: that the keys are sorted and built in
    seconds: float  #: roughly, on an idle machine that has the input in memory
    would_be_refused: bool  #: the build needs more memory than it may take


def estimate(
    kind: str, keys: Input, *, values: Any = None, records: Any = None, seed: int = 0, keyed_hash: bool = False,
    ignore_duplicates: bool = False, allow_empty: bool = False, threads: int = 0, memory: int = 0,
    temp_dir: Optional[Path] = None, progress: OnProgress = None, **options: Any,
) -> Estimate:
    """Says what the build of a `kind` ("mphf", "filter", "map" or "store") would take, by reading the keys once: the arguments,
    `options` among them, are those of :func:`build_mphf` and its like. Nothing is written. Raises :class:`Error` as they do.

    >>> crivo.estimate("mphf", ["ape", "bee"]).keys
    2
    """
    if kind in ("map", "dictionary"):
        keys, values, value_type = values_of(keys, values, options.get("value_type"))
        options.update(values=values is not None, value_type=value_type)
    elif values is not None:
        raise TypeError(f"values is for a map or a dictionary, not for a kind {kind!r}")
    if kind == "store":
        keys, records = with_records(keys, records)
    elif records is not None:
        raise TypeError(f"records is for a store, not for a kind {kind!r}")
    texts, _kept = choices(kind, options)
    found = ffi.new("crivo_estimate*", {"struct_size": ffi.sizeof("crivo_estimate")})
    with resources(threads=threads, memory=memory, temp_dir=temp_dir, progress=progress) as given, OpenInput(
        keys, values, records, allow_empty, given, options.get("value_type")
    ) as source:
        common = build_options(given, seed=seed, keyed_hash=keyed_hash, ignore_duplicates=ignore_duplicates)
        given.run(lambda: lib.crivo_estimate_build(
            kind.encode(), source.handle, ffi.cast("const char* const*", texts), common, found))
    return Estimate(
        found.keys, found.memory_bytes, found.minimum_memory_bytes, found.temp_bytes, found.output_bytes, found.partitions,
        found.seconds, bool(found.would_be_refused),
    )


def random_seed() -> int:
    """A seed that nobody can foresee, for `keyed_hash`.

    >>> crivo.build_mphf(["ape"], keyed_hash=True, seed=crivo.random_seed()).keys
    1
    """
    seed = ffi.new("uint64_t*")
    check(lib.crivo_random_seed(seed))
    return seed[0]
