# SPDX-License-Identifier: Apache-2.0
"""Changes of exact sets and filters: deltas, and chains of a base with its deltas."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Optional, Union

from ._build import OnProgress, Summary, empty_summary, summary_of
from ._errors import check
from ._input import Input, OpenInput
from ._native import ffi, lib
from ._options import Notes, build_options, struct_of
from ._resources import resources
from ._texts import Path, c_path, c_paths, flag, path_bytes
from ._trust import Trust, trust_struct
from ._values import beside


@dataclass(frozen=True)
class DeltaSummary:
    """What :func:`squash_deltas` or :func:`apply_deltas` wrote."""

    bytes: int  #: of the delta; of a chain with its base and deltas
    base_bytes: int  #: of a chain
    delta_bytes: int  #: of a chain
    deltas: int  #: in all; a joined one counts for those that it is made of
    flips: int  #: keys whose answers change; none of a filter
    members: int  #: of the set after them, or keys of the filter
    state: str  #: in hexadecimal digits: what the next delta must follow
    fpr: float  #: of a chain of a filter: of its base and all that was added
    rebase: bool  #: of a chain: a new base serves better (deltas beyond a quarter of it, or twice its false-positive rate)


def _summary_of(summary: Any) -> DeltaSummary:
    return DeltaSummary(
        summary.bytes, summary.base_bytes, summary.delta_bytes, summary.deltas, summary.flips, summary.members,
        ffi.string(summary.state).decode(), summary.fpr, bool(summary.rebase),
    )


def _change(call: Callable[[Any, int, Any], int], deltas: Iterable[Path]) -> DeltaSummary:
    """Of a call that takes the array of the deltas' paths, their number, and a summary."""
    array, count, _kept = c_paths(deltas, "deltas")
    summary = ffi.new("crivo_delta_summary*", {"struct_size": ffi.sizeof("crivo_delta_summary")})
    with resources() as given:
        given.run(lambda: call(array, count, summary))
    return _summary_of(summary)


def build_delta(
    exact: Path, members: Input, universe: Input, output: Path, *, groups: Any = None, universe_groups: Any = None,
    covers: Optional[str] = None, strict: bool = False, allow_empty: bool = False, replace: bool = False, notes: Notes = None,
    threads: int = 0, memory: int = 0, temp_dir: Optional[Path] = None, progress: OnProgress = None,
) -> Summary:
    """Writes the delta after which the exact set or chain has these members, and no others of the `universe`. Groups are as in
    :func:`build_exact`; `covers` is what the universe covers now beside what it did, and `strict` refuses members that are not
    in it.

    >>> known = ["ape", "bee", "cat"]
    >>> _ = crivo.build_exact(["bee"], known, "set.crv")
    >>> _ = crivo.build_delta("set.crv", ["bee", "cat"], known, "day1.crv")
    >>> crivo.apply_deltas("set.crv", "day1.crv", "now.crv").members
    2
    """
    members, groups = beside(members, groups, "groups")
    universe, universe_groups = beside(universe, universe_groups, "universe_groups")
    names, universe_names = (None if given is True else given for given in (groups, universe_groups))  # True: files have them
    summary = empty_summary()
    with resources(threads=threads, memory=memory, temp_dir=temp_dir, progress=progress) as given, OpenInput(
        members, None, names, allow_empty, given
    ) as some, OpenInput(universe, None, universe_names, allow_empty, given) as every:
        check(lib.crivo_input_universe(some.handle, every.handle))
        how, _kept = struct_of("delta_options", covers=covers, strict=flag(strict, "strict"))
        path = c_path(output)
        to = ffi.new("crivo_output*", {"struct_size": ffi.sizeof("crivo_output"), "path": path})
        common = build_options(given, replace=replace, notes=notes)
        given.run(lambda: lib.crivo_build_delta(path_bytes(exact), some.handle, to, how, common, summary))
    return summary_of(summary, given)


def build_filter_delta(
    filter: Path, added: Input, output: Path, *,  # pylint: disable=redefined-builtin
    fpr: Optional[float] = None, ignore_duplicates: bool = False, allow_empty: bool = False, replace: bool = False,
    notes: Notes = None, threads: int = 0, memory: int = 0, temp_dir: Optional[Path] = None, progress: OnProgress = None,
) -> Summary:
    """Writes the delta after which the filter, or chain of one, holds the keys `added`, too. Those that it holds, or seems to
    hold, already are left out. `fpr` is the highest false-positive rate of what is added; without it that of a chain stays
    below twice its base's.

    >>> _ = crivo.build_filter(["ape"], "old.crv")
    >>> _ = crivo.build_filter_delta("old.crv", ["bee"], "more.crv")
    >>> _ = crivo.apply_deltas("old.crv", "more.crv", "new.crv")
    >>> "bee" in crivo.open("new.crv")
    True
    """
    summary = empty_summary()
    with resources(threads=threads, memory=memory, temp_dir=temp_dir, progress=progress) as given, OpenInput(
        added, None, None, allow_empty, given
    ) as some:
        how, _kept = struct_of("filter_delta_options", fpr=float(fpr or 0))
        path = c_path(output)
        to = ffi.new("crivo_output*", {"struct_size": ffi.sizeof("crivo_output"), "path": path})
        common = build_options(given, replace=replace, ignore_duplicates=ignore_duplicates, notes=notes)
        given.run(lambda: lib.crivo_build_filter_delta(path_bytes(filter), some.handle, to, how, common, summary))
    return summary_of(summary, given)


def squash_deltas(deltas: Iterable[Path], output: Path, *, replace: bool = False) -> DeltaSummary:
    """Joins deltas that follow each other, in their order, to one that leads to the same state. Needs no universe. Raises
    :class:`CorruptError` for one that does not follow the one before it.

    >>> _ = crivo.build_filter(["ape"], "few.crv")
    >>> for day, key in ("1.crv", "bee"), ("2.crv", "cat"):
    ...     _ = crivo.build_filter_delta("few.crv" if key == "bee" else "chain.crv", [key], day)
    ...     _ = crivo.apply_deltas("few.crv" if key == "bee" else "chain.crv", day, "chain.crv", replace=True)
    >>> crivo.squash_deltas(["1.crv", "2.crv"], "both.crv").deltas
    2
    """
    return _change(
        lambda array, count, summary: lib.crivo_squash_deltas(array, count, path_bytes(output), flag(replace, "replace"), summary), deltas
    )


def apply_deltas(
    exact: Path, deltas: Union[Path, Iterable[Path]], output: Optional[Path] = None, *, replace: bool = False,
    trust: Optional[Trust] = None,
) -> DeltaSummary:
    """Writes the chain of an exact set or filter, or of the files of a chain, and of these deltas: :func:`open` opens it. Without `output`
    the chain itself is lengthened, at once. Its files must be in its folder or below; with `trust` they must be signed. Raises
    :class:`CorruptError`, and changes nothing, for a delta that does not follow.

    >>> _ = crivo.build_filter(["ape"], "base.crv")
    >>> _ = crivo.build_filter_delta("base.crv", ["bee"], "delta.crv")
    >>> crivo.apply_deltas("base.crv", ["delta.crv"], "longer.crv").deltas
    1
    """
    trusted = trust_struct(trust) if trust is not None else (None, None)
    how, _kept = struct_of("apply_options", replace=flag(replace, "replace"), trust=trusted[0])
    path = path_bytes(exact if output is None else output)
    return _change(
        lambda array, count, summary: lib.crivo_apply_deltas(path_bytes(exact), array, count, path, how, summary),
        [deltas] if isinstance(deltas, (str, os.PathLike)) else deltas,
    )
