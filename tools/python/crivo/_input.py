# SPDX-License-Identifier: Apache-2.0
"""What builds and changes read."""

from __future__ import annotations

import os
from itertools import islice
from typing import Any, Iterable, Union

import numpy as np

from ._errors import check
from ._keys import Key, KeyArray, Keys, key_bytes, uint64_array
from ._native import ffi, lib
from ._resources import resources

Path = Union[str, "os.PathLike[str]"]


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


class OpenInput:
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
