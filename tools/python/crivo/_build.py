# SPDX-License-Identifier: Apache-2.0
"""Builds, and changes of filters."""

from __future__ import annotations

import builtins
import os
from dataclasses import dataclass
from itertools import islice
from typing import Any, Callable, Iterable, Optional, Tuple, Union

import numpy as np

from ._errors import check
from ._keys import Key, KeyArray, Keys, key_bytes, uint64_array
from ._native import ffi, lib
from ._resources import Progress, resources

Path = Union[str, "os.PathLike[str]"]
OnProgress = Optional[Callable[[Progress], Any]]


class Files:
    """Key files as the input of a build: lines (key, or key TAB value or record), pieces that end with NUL, or keys of
    `width` bytes. Compressed ones (gzip, zstd, xz, bzip2) are seen by their first bytes."""

    def __init__(self, *paths: Path, null: bool = False, width: int = 0, strip_cr: bool = False):
        if not paths:
            raise ValueError("name at least one file")
        self.paths = paths
        self.framing = lib.CRIVO_FIXED_WIDTH if width else lib.CRIVO_NULL_ENDED if null else lib.CRIVO_LINES
        self.width = width
        self.strip_cr = strip_cr


#: What a build takes: keys in memory, any iterable of keys, or files.
Input = Union[Keys, Iterable[Key], Files]


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
    warnings: Tuple[str, ...]
    data: Optional["builtins.bytes"]  #: the file, where no output was named


class _Input:
    """A crivo_input with what keeps it alive."""

    def __init__(self, keys: Input, values: Any, records: Any, allow_empty: bool, given: resources):
        self.handle: Any = ffi.NULL
        self.given = given
        handle = ffi.new("crivo_input**")
        if isinstance(keys, Files):
            paths = [ffi.new("char[]", os.fsencode(path)) for path in keys.paths]
            self.kept: Any = (paths, ffi.new("char*[]", paths))
            form = ffi.new("crivo_format*", {
                "struct_size": ffi.sizeof("crivo_format"), "framing": keys.framing, "width": keys.width,
                "strip_cr": int(keys.strip_cr), "allow_empty": int(allow_empty),
            })
            check(lib.crivo_input_files(ffi.cast("const char* const*", self.kept[1]), len(paths), form, handle))
        elif isinstance(keys, (list, tuple, np.ndarray)):
            array = KeyArray(keys)
            self.kept = array
            if records is not None:
                beside = KeyArray(records)
                self.kept = (array, beside)
                check(lib.crivo_input_records(array.struct, beside.struct, handle))
            elif values is not None:
                numbers = uint64_array(values, array.count)
                self.kept = (array, numbers)
                check(lib.crivo_input_values(array.struct, ffi.cast("uint64_t*", numbers.ctypes.data), handle))
            else:
                check(lib.crivo_input_keys(array.struct, handle))
        else:
            self.units = zip(keys, records if records is not None else values) if (
                records is not None or values is not None) else iter(keys)
            self.write = _write_record if records is not None else _write_value if values is not None else _write_key
            self.kept = ffi.new_handle(self)
            check(lib.crivo_input_function(lib.crivo_py_next, self.kept, handle))
        self.handle = handle[0]
        if not isinstance(keys, Files):
            lib.crivo_input_allow_empty(self.handle, int(allow_empty))

    def __enter__(self):
        return self

    def __exit__(self, *_: Any) -> None:
        lib.crivo_input_free(self.handle)


def _write_key(writer: Any, unit: Any) -> None:
    text = key_bytes(unit)
    lib.crivo_writer_key(writer, text, len(text))


def _write_value(writer: Any, unit: Any) -> None:
    text = key_bytes(unit[0])
    lib.crivo_writer_value(writer, text, len(text), int(unit[1]) & (2**64 - 1))


def _write_record(writer: Any, unit: Any) -> None:
    text, record = key_bytes(unit[0]), key_bytes(unit[1])
    lib.crivo_writer_record(writer, text, len(text), record, len(record))


@ffi.def_extern()
def crivo_py_next(context: Any, writer: Any) -> int:
    """Hands over a thousand keys of an iterable."""
    source = ffi.from_handle(context)
    try:
        count = 0
        for unit in islice(source.units, 1000):
            source.write(writer, unit)
            count += 1
        return int(count == 1000)
    except BaseException as error:  # pylint: disable=broad-except
        source.given.raised = error
        return -1


def _build(
    kind: str, keys: Input, output: Optional[Path], options: Any, *, values: Any = None, records: Any = None, seed: int,
    keyed_hash: bool, ignore_duplicates: bool, allow_empty: bool, replace: bool, threads: int, memory: int,
    temp_dir: Optional[Path], progress: OnProgress,
) -> Summary:
    summary = ffi.new("crivo_summary*", {"struct_size": ffi.sizeof("crivo_summary")})
    buffer = ffi.new("crivo_buffer**")
    check(lib.crivo_buffer_new(buffer))
    try:
        with resources(threads=threads, memory=memory, temp_dir=temp_dir, progress=progress) as given, _Input(
            keys, values, records, allow_empty, given
        ) as source:
            common = ffi.new("crivo_build_options*", {
                "struct_size": ffi.sizeof("crivo_build_options"), "seed": seed, "keyed_hash": int(keyed_hash),
                "ignore_duplicates": int(ignore_duplicates), "replace": int(replace), "resources": given.struct,
            })
            path = ffi.new("char[]", os.fsencode(output)) if output is not None else ffi.NULL
            to = ffi.new("crivo_output*", {
                "path": path, "write": ffi.addressof(lib, "crivo_buffer_write"), "context": buffer[0],
            })
            given.run(lambda: getattr(lib, f"crivo_build_{kind}")(source.handle, to, options, common, summary))
        warnings = ffi.string(lib.crivo_warnings()).decode("utf-8", "replace")
        made = lib.crivo_buffer_bytes(buffer[0])
        data = ffi.buffer(made.data, made.size)[:] if output is None else None
    finally:
        lib.crivo_buffer_free(buffer[0])
    return Summary(
        summary.keys, summary.duplicates, summary.bytes, summary.seed, summary.fpr if summary.fpr >= 0 else None,
        summary.measured_fpr if summary.measured_fpr >= 0 else None, summary.seconds, summary.temp_bytes,
        summary.threads, summary.value_bits, ffi.string(summary.digest).decode(),
        tuple(warnings.split("\n")) if warnings else (), data,
    )


def _options(kind: str, **fields: Any) -> Tuple[Any, Any]:
    """The structure of a kind's options, and what keeps its texts."""
    texts = {name: ffi.new("char[]", value.encode()) for name, value in fields.items() if isinstance(value, str)}
    fields = {name: texts.get(name, value) for name, value in fields.items() if value is not None}
    fields["struct_size"] = ffi.sizeof(f"crivo_{kind}_options")
    return ffi.new(f"crivo_{kind}_options*", fields), texts


_COMMON = """

    Without `output` the file is in :attr:`Summary.data`. `keyed_hash`, with a `seed` of :func:`random_seed`, is for keys that
    strangers chose. `ignore_duplicates` keeps the first of equal keys instead of refusing them, `allow_empty` takes the empty
    key for a key, `replace` replaces an existing output. `threads` 0 is one per core; `memory`, in bytes, is kept to; `progress`
    is called with a :class:`Progress` some ten times a second, and cancels the build by returning what is true. What is written
    depends on the keys and the options alone. Raises :class:`Error`."""


def build_mphf(
    keys: Input, output: Optional[Path] = None, *, algorithm: str = "fast", effort: int = 0, signature_bits: int = 0,
    hash: str = "xxh3", unbiased: bool = False, seed: int = 0, keyed_hash: bool = False,  # pylint: disable=redefined-builtin
    ignore_duplicates: bool = False, allow_empty: bool = False, replace: bool = False, threads: int = 0, memory: int = 0,
    temp_dir: Optional[Path] = None, progress: OnProgress = None,
) -> Summary:
    """Builds a minimal perfect hash function, key -> rank. `algorithm`: "fast", "compact", "tiny", or one of the seeds'
    ("mwhc2", "mwhc3", "fch", "bmz", "bdz", which alone take `hash` and `unbiased`)."""
    options, _kept = _options(
        "mphf", algorithm=algorithm, effort=effort, signature_bits=signature_bits, hash=hash, unbiased=int(unbiased)
    )
    return _build(
        "mphf", keys, output, options, seed=seed, keyed_hash=keyed_hash, ignore_duplicates=ignore_duplicates,
        allow_empty=allow_empty, replace=replace, threads=threads, memory=memory, temp_dir=temp_dir, progress=progress,
    )


def build_filter(
    keys: Input, output: Optional[Path] = None, *, type: str = "ribbon", fpr: Optional[float] = None,  # pylint: disable=redefined-builtin
    bits: Optional[float] = None, capacity: int = 0, hashes: int = 0, counter_bits: int = 0, arity: int = 0,
    semi_sorted: bool = False, seed: int = 0, keyed_hash: bool = False, ignore_duplicates: bool = False,
    allow_empty: bool = False, replace: bool = False, threads: int = 0, memory: int = 0, temp_dir: Optional[Path] = None,
    progress: OnProgress = None,
) -> Summary:
    """Builds a filter, key -> maybe or absent, of the false-positive rate `fpr` (1/256 by default) or of `bits` a key. `type`:
    "ribbon", "fuse", "split-block-bloom", "bloom", "counting-bloom", "cuckoo" or "hash-compaction"."""
    options, _kept = _options(
        "filter", type=type, fpr=fpr, bits=bits, capacity=capacity, hashes=hashes, counter_bits=counter_bits, arity=arity,
        semi_sorted=int(semi_sorted),
    )
    return _build(
        "filter", keys, output, options, seed=seed, keyed_hash=keyed_hash, ignore_duplicates=ignore_duplicates,
        allow_empty=allow_empty, replace=replace, threads=threads, memory=memory, temp_dir=temp_dir, progress=progress,
    )


def build_map(
    keys: Input, output: Optional[Path] = None, *, values: Any = None, algorithm: str = "ribbon", value_bits: int = 0,
    compress: bool = False, arity: int = 0, signature_bits: int = 0, value_type: Optional[str] = None, scale: int = 0,
    seed: int = 0, keyed_hash: bool = False, ignore_duplicates: bool = False, allow_empty: bool = False, replace: bool = False, threads: int = 0, memory: int = 0,
    temp_dir: Optional[Path] = None, progress: OnProgress = None,
) -> Summary:
    """Builds a static function, key -> number, without the keys: the `values` (of :class:`Files` True, for lines of key TAB
    value), or where they are None each key's number in the input. `value_type`: "unsigned", "signed" (by default where a value is
    negative) or "decimal" (integers over 10^`scale`). `algorithm`: "ribbon", "fuse", "mwhc2" or "mwhc3"."""
    if values is not None and not isinstance(values, bool) and value_type is None and isinstance(keys, (list, tuple, np.ndarray)):
        values = np.asarray(values)
        value_type = "signed" if values.dtype.kind == "i" and values.size and values.min() < 0 else None
    options, _kept = _options(
        "map", value_type=value_type, scale=scale, algorithm=algorithm, values=int(values is not None and values is not False), value_bits=value_bits,
        compress=int(compress), arity=arity, signature_bits=signature_bits,
    )
    return _build(
        "map", keys, output, options, values=values if values is not False else None, seed=seed, keyed_hash=keyed_hash,
        ignore_duplicates=ignore_duplicates, allow_empty=allow_empty, replace=replace, threads=threads, memory=memory,
        temp_dir=temp_dir, progress=progress,
    )


def build_store(
    keys: Input, output: Path, *, records: Any = None, algorithm: str = "fast", signature_bits: int = 0,
    codec: str = "auto", block_bytes: int = 0, seed: int = 0, keyed_hash: bool = False, ignore_duplicates: bool = False, allow_empty: bool = False, replace: bool = False,
    threads: int = 0, memory: int = 0, temp_dir: Optional[Path] = None, progress: OnProgress = None,
) -> Summary:
    """Builds a record store in the directory `output`, key -> record: the `records`, or :class:`Files` of both (key TAB record
    lines, or key NUL record NUL). `codec`, of the records: "auto", "none", "tokens12", "tokens16" or "zstd" (in blocks of
    `block_bytes`)."""
    options, _kept = _options(
        "store", algorithm=algorithm, signature_bits=signature_bits, codec=codec, block_bytes=block_bytes
    )
    return _build(
        "store", keys, output, options, records=records, seed=seed, keyed_hash=keyed_hash,
        ignore_duplicates=ignore_duplicates, allow_empty=allow_empty, replace=replace, threads=threads, memory=memory,
        temp_dir=temp_dir, progress=progress,
    )


for _function in (build_mphf, build_filter, build_map, build_store):
    _function.__doc__ = (_function.__doc__ or "") + _COMMON


def _edit(call: Any, path: Path, keys: Input, ignore_duplicates: bool, overfill: bool, threads: int) -> None:
    with resources(threads=threads) as given, _Input(keys, None, None, False, given) as source:
        options = ffi.new("crivo_edit_options*", {
            "struct_size": ffi.sizeof("crivo_edit_options"), "ignore_duplicates": int(ignore_duplicates),
            "overfill": int(overfill), "resources": given.struct,
        })
        given.run(lambda: call(os.fsencode(path), source.handle, options))


def add_to_filter(
    path: Path, keys: Input, *, ignore_duplicates: bool = False, overfill: bool = False, threads: int = 0
) -> None:
    """Adds keys to a filter file of a type that can (bloom, counting-bloom, cuckoo), all or none: the changed file takes the
    place of the old one at once. With `overfill` beyond twice the rate that it was built for."""
    _edit(lib.crivo_filter_add, path, keys, ignore_duplicates, overfill, threads)


def remove_from_filter(path: Path, keys: Input, *, ignore_duplicates: bool = False, threads: int = 0) -> None:
    """Removes keys from a filter file of a type that can (counting-bloom, cuckoo), all or none."""
    _edit(lib.crivo_filter_remove, path, keys, ignore_duplicates, False, threads)


def random_seed() -> int:
    """A seed that nobody can foresee, for `keyed_hash`."""
    seed = ffi.new("uint64_t*")
    check(lib.crivo_random_seed(seed))
    return seed[0]
