# SPDX-License-Identifier: Apache-2.0
"""Builds in shards: keys are dealt out, each shard builds its part, and the parts are merged or served."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, Optional, Tuple

from ._build import Summary, empty_summary, summary_of
from ._errors import check
from ._input import Input, OpenInput
from ._native import ffi, lib
from ._options import Notes, build_options, choices, struct_of
from ._resources import Progress, resources
from ._texts import Path, c_paths, flag, pair, path_bytes, whole
from ._values import beside, values_of

OnProgress = Optional[Callable[[Progress], Any]]


@dataclass(frozen=True)
class Partition:
    """What a task of a partition did."""

    keys: int  #: that it dealt out
    duplicates: int  #: left out with ignore_duplicates
    bytes: int  #: of its file
    seconds: float
    was_done: bool  #: its file was there already, of the same input files and options


@dataclass(frozen=True)
class Totals:
    """What all shards have to know of a partition."""

    keys: int  #: distinct ones
    duplicates: int  #: left out
    tasks: int
    seconds: float


def _share(given: Any, name: str) -> Dict[str, int]:
    """A crivo_share."""
    index, count = pair(given, name)
    return {"index": whole(index, f"{name}[0]"), "count": whole(count, f"{name}[1]")}


def partition_keys(
    keys: Input, directory: Path, *, shards: int = 1, values: Any = None, value_type: Optional[str] = None, scale: int = 0,
    records: Any = None, repeated: str = "first", hash: str = "xxh3",  # pylint: disable=redefined-builtin
    numbers: bool = True, texts: bool = False, prefixes: str = "", universe: Any = None, groups: Any = None, universe_groups: Any = None,
    rows: bool = False, many: bool = False, fixed: int = 0, null_text: Optional[str] = None, row_groups: Optional[Path] = None,
    filter_set: bool = False, part: Tuple[int, int] = (0, 1), seed: int = 0, keyed_hash: bool = False,
    ignore_duplicates: bool = False, allow_empty: bool = False, replace: bool = False, threads: int = 0, memory: int = 0,
    temp_dir: Optional[Path] = None, progress: OnProgress = None,
) -> Partition:
    """Deals keys out by their hashes into files of `directory`, for about so many `shards`. `part` (J, M) is the share of task J
    of M: of :class:`Files` those that begin in it, else it is the keys themselves. `values` are those of a map (of :class:`Files`
    True, and of a mapping too), of `value_type` "unsigned", "signed" or "decimal" with `scale`; the `records` those of a store, of which the
    `repeated` ones stay as of :func:`build_store`; `hash` is "xxh3", "xxh64" for split-block-bloom
    filters or "range" for range filters. Of filters with `prefixes` that character. Without `numbers` a third less is written and read, but no map of numbers can be built. With `texts` the keys themselves are kept, of which dictionaries are built. Members of an exact set have their `universe`, and both their groups
    as of :func:`build_exact`. With `rows` the keys have those of :func:`build_rows`, and `many`, `fixed`, `null_text` and `row_groups` are its
    choices. With `filter_set` the keys, of :class:`Files`, are those of :func:`build_filterset`. Then :func:`finish_partition`, once all tasks are done. Raises :class:`Error`.

    >>> for task in range(2):
    ...     _ = crivo.partition_keys([f"key {task}", f"another {task}"], "dealt", shards=2, part=(task, 2))
    >>> crivo.finish_partition("dealt").keys
    4
    """
    has_groups = groups is not None or universe_groups is not None
    if universe is not None:
        keys, groups = beside(keys, groups, "groups")
        universe, universe_groups = beside(universe, universe_groups, "universe_groups")
        records = None if groups is True else groups  # True: the files have them
    elif records is not None and records is not False:
        keys, records = beside(keys, records, "records")
    elif isinstance(keys, Mapping) and values is not True:
        raise TypeError("a mapping has values or records: pass values=True or records=True, or list(mapping) for its keys alone")
    else:
        records = None
        keys, values, found_type = values_of(keys, values, value_type)
        if found_type != value_type:
            raise ValueError("some values are negative: pass value_type=\"signed\", the same for every task")
    options, _kept = struct_of(
        "partition_options", shards=shards, values=int(values is not None), value_type=value_type, scale=scale,
        records=int(records is not None and universe is None), repeated=repeated, hash=hash, part=_share(part, "part"),
        no_numbers=1 - flag(numbers, "numbers"), prefixes=prefixes, grouped=int(has_groups), texts=flag(texts, "texts"),
        rows=flag(rows, "rows"), many=flag(many, "many"), fixed=fixed, null_text=null_text,
        row_groups=None if row_groups is None else path_bytes(row_groups), filter_set=flag(filter_set, "filter_set"),
    )
    done = ffi.new("crivo_partition_summary*", {"struct_size": ffi.sizeof("crivo_partition_summary")})
    with resources(threads=threads, memory=memory, temp_dir=temp_dir, progress=progress) as given, OpenInput(
        keys, values, records, allow_empty, given, value_type
    ) as source, ExitStack() as stack:
        if universe is not None:
            names = None if universe_groups is True else universe_groups
            every = stack.enter_context(OpenInput(universe, None, names, allow_empty, given))
            check(lib.crivo_input_universe(source.handle, every.handle))
        common = build_options(
            given, seed=seed, keyed_hash=keyed_hash, ignore_duplicates=ignore_duplicates, replace=replace
        )
        given.run(lambda: lib.crivo_partition_keys(source.handle, path_bytes(directory), options, common, done))
    return Partition(done.keys, done.duplicates, done.bytes, done.seconds, bool(done.was_done))


def finish_partition(
    directory: Path, *, threads: int = 0, memory: int = 0, temp_dir: Optional[Path] = None, progress: OnProgress = None
) -> Totals:
    """Counts what all tasks dealt out, once they are done.

    >>> _ = crivo.partition_keys(["ape", "bee"], "dealt2")
    >>> crivo.finish_partition("dealt2").tasks
    1
    """
    totals = ffi.new("crivo_partition_totals*", {"struct_size": ffi.sizeof("crivo_partition_totals")})
    with resources(threads=threads, memory=memory, temp_dir=temp_dir, progress=progress) as given:
        given.run(lambda: lib.crivo_finish_partition(path_bytes(directory), build_options(given), totals))
    return Totals(totals.keys, totals.duplicates, totals.tasks, totals.seconds)


def build_part(
    kind: str, directory: Path, shard: Tuple[int, int], output: Path, *, replace: bool = False, threads: int = 0,
    memory: int = 0, temp_dir: Optional[Path] = None, progress: OnProgress = None, **options: Any,
) -> Summary:
    """Builds the part of a `shard` (I, N) of the file that the build of the `kind` ("mphf", "filter", "map", "store", "rows", "filterset", "dictionary" or "exact") would write of the
    same keys and `options`, which are those of :func:`build_mphf` and its like (of a map or dictionary `values=True` if they were dealt out).
    Seed and treatment of duplicates are those of the `directory`. Raises :class:`Error`.

    >>> _ = crivo.partition_keys(["ape", "bee"], "dealt3", shards=2)
    >>> _ = crivo.finish_partition("dealt3")
    >>> for shard in range(2):
    ...     _ = crivo.build_part("mphf", "dealt3", (shard, 2), f"part{shard}.crv")
    >>> crivo.merge_parts(["part0.crv", "part1.crv"], "merged.crv").keys
    2
    """
    texts, _kept = choices(kind, options)
    part = ffi.new("crivo_share*", _share(shard, "shard"))
    summary = empty_summary()
    with resources(threads=threads, memory=memory, temp_dir=temp_dir, progress=progress) as given:
        common = build_options(given, replace=replace)
        given.run(lambda: lib.crivo_build_part(
            kind.encode(), path_bytes(directory), part[0], path_bytes(output), ffi.cast("const char* const*", texts), common,
            summary))
    return summary_of(summary, given)


def build_delta_part(
    exact: Path, directory: Path, shard: Tuple[int, int], output: Path, *, covers: Optional[str] = None, strict: bool = False,
    replace: bool = False, threads: int = 0, memory: int = 0, temp_dir: Optional[Path] = None, progress: OnProgress = None,
) -> Summary:
    """Builds the part of a `shard` (I, N) of the delta that :func:`build_delta` would write for the exact set or chain, of a
    `directory` of members with their universe, which were dealt out with the seed of the set.

    >>> known = ["ape", "bee", "cat"]
    >>> _ = crivo.build_exact(["bee"], known, "exact.crv")
    >>> _ = crivo.partition_keys(["cat"], "dealt4", universe=known)
    >>> _ = crivo.finish_partition("dealt4")
    >>> _ = crivo.build_delta_part("exact.crv", "dealt4", (0, 1), "dpart.crv")
    >>> _ = crivo.merge_parts(["dpart.crv"], "ddelta.crv")
    """
    part = ffi.new("crivo_share*", _share(shard, "shard"))
    how, _kept = struct_of("delta_options", covers=covers, strict=flag(strict, "strict"))
    summary = empty_summary()
    with resources(threads=threads, memory=memory, temp_dir=temp_dir, progress=progress) as given:
        common = build_options(given, replace=replace)
        given.run(lambda: lib.crivo_build_delta_part(
            path_bytes(exact), path_bytes(directory), part[0], path_bytes(output), how, common, summary))
    return summary_of(summary, given)


def _join(
    call: Any, parts: Iterable[Path], output: Path, replace: bool, notes: Notes, threads: int, memory: int,
    temp_dir: Optional[Path], progress: OnProgress,
) -> Summary:
    array, count, _kept = c_paths(parts, "parts")
    summary = empty_summary()
    with resources(threads=threads, memory=memory, temp_dir=temp_dir, progress=progress) as given:
        common = build_options(given, replace=replace, notes=notes)
        given.run(lambda: call(array, count, path_bytes(output), common, summary))
    return summary_of(summary, given)


def merge_parts(
    parts: Iterable[Path], output: Path, *, replace: bool = False, notes: Notes = None, threads: int = 0, memory: int = 0,
    temp_dir: Optional[Path] = None, progress: OnProgress = None,
) -> Summary:
    """Puts the parts of all shards, in any order, together: the very file that one machine would have written.

    >>> _ = crivo.partition_keys(["ape"], "dealt5")
    >>> _ = crivo.finish_partition("dealt5")
    >>> _ = crivo.build_part("filter", "dealt5", (0, 1), "only.crv", bits=8)
    >>> crivo.merge_parts(["only.crv"], "whole.crv").keys
    1
    """
    return _join(lib.crivo_merge_parts, parts, output, replace, notes, threads, memory, temp_dir, progress)


def write_manifest(
    parts: Iterable[Path], output: Path, *, replace: bool = False, notes: Notes = None, threads: int = 0, memory: int = 0,
    temp_dir: Optional[Path] = None, progress: OnProgress = None,
) -> Summary:
    """Writes a small file by which the parts, in its folder or below, are served unmerged: it is opened by its path as the merged
    file would be.

    >>> _ = crivo.partition_keys(["ape"], "dealt6")
    >>> _ = crivo.finish_partition("dealt6")
    >>> _ = crivo.build_part("mphf", "dealt6", (0, 1), "served.crv")
    >>> _ = crivo.write_manifest(["served.crv"], "manifest.crv")
    >>> crivo.open("manifest.crv")["ape"]
    0
    """
    return _join(lib.crivo_write_manifest, parts, output, replace, notes, threads, memory, temp_dir, progress)
