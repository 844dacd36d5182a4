# SPDX-License-Identifier: Apache-2.0
"""Columns of Arrow (pyarrow, polars, DuckDB, pandas from 2.2 on) as keys, records and values, by Arrow's C data interface: the
bytes of texts stay where they are."""

from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np
import numpy.typing as npt

from ._native import ffi, lib

#: The types of a column that are taken, by Arrow's letters: the width of the ends of texts, or the type of numbers.
_TEXTS = {"u": np.int32, "z": np.int32, "U": np.int64, "Z": np.int64}
_NUMBERS = {"c": np.int8, "C": np.uint8, "s": np.int16, "S": np.uint16, "i": np.int32, "I": np.uint32, "l": np.int64, "L": np.uint64}


def is_column(given: Any) -> bool:
    """Whether an object is one that Arrow's interface gives."""
    return hasattr(given, "__arrow_c_array__") or hasattr(given, "__arrow_c_stream__")


def _pointer(capsule: Any, kind: str, name: bytes) -> Any:
    pointer = lib.crivo_py_capsule(ffi.cast("void*", id(capsule)), name)
    if pointer == ffi.NULL:
        raise TypeError(f"a column of Arrow gives no {name.decode()}")
    return ffi.cast(f"{kind}*", pointer)


def _released(pointer: Any) -> Any:
    """What the interface filled in, which is released once nothing uses it any more."""

    def release(one: Any) -> None:
        if one.release != ffi.NULL:
            one.release(one)

    return ffi.gc(pointer, release)


class _Chunks:
    """The schema of a column and its arrays, and what keeps them: a capsule releases what it holds with itself."""

    def __init__(self, given: Any):
        self.kept: Any
        if hasattr(given, "__arrow_c_array__"):
            self.kept = given.__arrow_c_array__()
            self.schema = _pointer(self.kept[0], "ArrowSchema", b"arrow_schema")
            self.arrays = [_pointer(self.kept[1], "ArrowArray", b"arrow_array")]
            return
        self.kept = given.__arrow_c_stream__()
        stream = _pointer(self.kept, "ArrowArrayStream", b"arrow_array_stream")

        def ask(function: Any, answer: Any) -> None:
            if function(stream, answer) != 0:
                text = stream.get_last_error(stream)
                raise ValueError("a column of Arrow fails: " + (ffi.string(text).decode("utf-8", "replace") if text != ffi.NULL else "?"))

        self.schema = _released(ffi.new("ArrowSchema*"))
        ask(stream.get_schema, self.schema)
        self.arrays = []
        while True:
            array = _released(ffi.new("ArrowArray*"))
            ask(stream.get_next, array)
            if array.release == ffi.NULL:
                return
            self.arrays.append(array)


def _bytes_at(pointer: Any, begin: int, count: int, kind: Any) -> "npt.NDArray[Any]":
    """`count` items of a buffer from `begin` on."""
    if count == 0:
        return np.empty(0, kind)
    size = np.dtype(kind).itemsize
    return np.frombuffer(ffi.buffer(ffi.cast("char*", pointer) + begin * size, count * size), kind)


def _check_no_nulls(array: Any, first: int, name: str) -> None:
    if array.null_count == 0 or array.buffers[0] == ffi.NULL or array.length == 0:
        return
    bits = np.unpackbits(_bytes_at(array.buffers[0], 0, (array.offset + array.length + 7) // 8, np.uint8), bitorder="little")
    nulls = np.flatnonzero(bits[array.offset : array.offset + array.length] == 0)
    if nulls.size:
        raise TypeError(f"{name}[{first + int(nulls[0])}] is null: leave out what has none, as by drop_null()")


def column(given: Any, name: str) -> Tuple[str, Any, Any]:
    """What a column is made of: "numbers" with an array; "fixed" with an array of bytes of one width; or "texts" with an array of
    the address and size of each; and what keeps it."""
    chunks = _Chunks(given)
    letters = ffi.string(chunks.schema.format).decode()
    if chunks.schema.dictionary != ffi.NULL or not (letters in _TEXTS or letters in _NUMBERS or letters.startswith("w:")):
        kind = "dictionary-encoded" if chunks.schema.dictionary != ffi.NULL else f"of Arrow's type {letters!r}"
        raise TypeError(f"{name} is a column {kind}: cast it to strings, binary, or integers")
    parts: List["npt.NDArray[Any]"] = []
    first = 0
    for array in chunks.arrays:
        _check_no_nulls(array, first, name)
        first += array.length
        if letters in _NUMBERS:
            parts.append(_bytes_at(array.buffers[1], array.offset, array.length, _NUMBERS[letters]))
        elif letters in _TEXTS:
            parts.append(_places(array, _TEXTS[letters]))
        else:
            width = int(letters[2:])
            parts.append(_bytes_at(array.buffers[1], array.offset, array.length, np.dtype(("V", width)) if width else "V1"))
    if letters in _NUMBERS:
        whole = parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, _NUMBERS[letters]), *parts])
        return "numbers", whole, chunks
    if letters in _TEXTS:
        whole = parts[0] if len(parts) == 1 else np.concatenate([np.empty((0, 2), np.uint64), *parts])
        return "texts", whole, chunks
    return "fixed", parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, f"V{letters[2:]}"), *parts]), chunks


def _places(array: Any, kind: Any) -> "npt.NDArray[Any]":
    """The address and size of each text of an array."""
    places = np.empty((array.length, 2), np.uint64)
    if array.length:
        ends = _bytes_at(array.buffers[1], array.offset, array.length + 1, kind).astype(np.int64)
        sizes = np.diff(ends)
        if ends[0] < 0 or (sizes < 0).any():
            raise ValueError("a column of Arrow has texts that end before they begin")
        places[:, 0] = ends[:-1].astype(np.uint64) + np.uint64(int(ffi.cast("uintptr_t", array.buffers[2])))
        places[:, 1] = sizes.astype(np.uint64)
    return places
