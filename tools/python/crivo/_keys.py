# SPDX-License-Identifier: Apache-2.0
"""Python's keys as crivo.h has them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Iterator, NoReturn, Protocol, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._arrow import column, is_column
from ._files import Files
from ._native import ffi, lib

Key = Union[bytes, str, int]
#: An array of numpy, of any type.
Array = npt.NDArray[Any]


class ArrowArray(Protocol):
    """A column of Arrow in one piece."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


class ArrowStream(Protocol):
    """A column of Arrow in some."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class Series(Protocol):
    """A series of pandas or polars."""

    def to_numpy(self) -> Any: ...


#: Many keys in memory.
Keys = Union[Sequence[Key], Array, ArrowArray, ArrowStream, Series]

_TEXTS = (bytes, str, bytearray, memoryview)


def is_number(item: Any) -> bool:
    """Whether it is an integer; True and False are none."""
    return isinstance(item, (int, np.integer)) and not isinstance(item, bool)


def number_of(item: Any, name: str = "a key") -> int:
    """An integer as 64 bits have it."""
    if not is_number(item):
        raise TypeError(f"{name} is {item!r}, not an integer")
    number = int(item)
    if not -(2**63) <= number < 2**64:
        raise OverflowError(f"{name} is {number}, which does not fit in 64 bits")
    return number & (2**64 - 1)


def key_bytes(key: Key) -> bytes:
    """The bytes of one key."""
    if isinstance(key, bytes):
        return key
    if isinstance(key, str):
        return key.encode()
    if is_number(key):
        return number_of(key).to_bytes(8, "little")
    if isinstance(key, (bytearray, memoryview)):
        return bytes(key)
    raise TypeError(f"a key is bytes, str or an integer of 64 bits, not {type(key).__name__}")


def record_bytes(record: Union[bytes, str], name: str = "a record") -> bytes:
    """The bytes of a record."""
    if isinstance(record, str):
        return record.encode()
    if isinstance(record, _TEXTS):
        return bytes(record)
    raise TypeError(f"{name} is bytes or str, not {type(record).__name__}")


def check_many(given: Any, name: str = "keys") -> None:
    """Refuses one text where many are meant, whose letters would be taken for them."""
    if isinstance(given, _TEXTS):
        raise TypeError(f"{name} is one {type(given).__name__}: pass a list, as [{name[:-1]}], or crivo.Files(path) for a file")
    if isinstance(given, os.PathLike):
        raise TypeError(f"{name} is a path: pass crivo.Files(path) to read the file")
    if given is not None and not isinstance(given, (Iterable, Files, Column)) and not is_column(given):
        raise TypeError(f"{name} is {given!r}: pass a list, as [{name[:-1]}]")


def refuse_key(item: Any, index: int, name: str = "keys") -> NoReturn:
    """Raises what is wrong with a key or record."""
    if isinstance(item, str):
        item.encode()  # raises UnicodeEncodeError
    ways = " or integers of 64 bits alone" if name == "keys" else ""
    raise TypeError(f"{name}[{index}] is {item!r}: {name} are bytes and str{ways}")


def _plain(array: Array, name: str) -> Array:
    """An array of one dimension, in the byte order of the machine, whose items all count."""
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array: pass {name}.compressed(), which leaves out what is masked")
    if array.ndim != 1:
        raise ValueError(f"{name} is an array of {array.ndim} dimensions; pass one of 1 dimension")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def integers(given: Any, name: str) -> Array:
    """An array or an iterable of integers, as an array of integers of at most 64 bits: what is none is refused, not rounded."""
    given = as_many(given, name)
    if isinstance(given, Column):
        raise TypeError(f"{name} is a column of texts: {name} are integers of 64 bits")
    if isinstance(given, np.ndarray) and given.dtype.kind != "O" and given.size != 0:
        array = _plain(given, name)
        if array.dtype.kind not in "iu":
            raise TypeError(f"{name} is an array of {array.dtype}: {name} are integers of 64 bits")
        return np.ascontiguousarray(array)
    items = list(_plain(given, name) if isinstance(given, np.ndarray) else given)
    for i, item in enumerate(items):
        if not is_number(item):
            raise TypeError(f"{name}[{i}] is {item!r}: {name} are integers of 64 bits")
    low, high = (int(min(items)), int(max(items))) if items else (0, 0)
    if low >= 0 and high < 2**64:
        return np.array(items, np.uint64)
    if low >= -(2**63) and high < 2**63:
        return np.array(items, np.int64)
    raise ValueError(f"{name} from {low} to {high} do not fit in 64 bits")


def _checked(given: Array, name: str) -> Array:
    array = _plain(given, name)
    if array.size == 0 and array.dtype.kind == "f":  # np.array([])
        return np.empty(0, np.dtype("S1"))
    if array.dtype.kind == "V" and array.dtype.names is None and array.dtype.itemsize:
        return array  # bytes, all of which count
    if array.dtype.kind not in "iuSUO" or (array.dtype.kind in "iu" and name != "keys"):
        raise TypeError(f"{name} is an array of {array.dtype}: {name} are bytes and str"
                        + (" or integers of 64 bits" if name == "keys" else ""))
    if array.dtype.kind in "iu" and array.dtype.itemsize != 8:
        raise TypeError(f"{name} is an array of {array.dtype}; convert it to int64 or uint64 if you mean the keys of 8 bytes")
    return array


def as_many(given: Any, name: str = "keys") -> Any:
    """Many keys, records or values as they are, but a series of pandas as its array, and a column of Arrow as numbers (an array),
    bytes of one width (an array), or texts (a :class:`Column`)."""
    check_many(given, name)
    if isinstance(given, (np.ndarray, list, tuple, Files, Column)) or given is None:
        return given
    if is_column(given):
        kind, items, kept = column(given, name)
        return Column(items, kept) if kind == "texts" else np.asarray(_Held(items, kept))
    return given.to_numpy() if hasattr(given, "to_numpy") else given


class _Held:
    """The items of an array, and what keeps them: the base of the array that numpy makes of it."""

    def __init__(self, items: Array, kept: Any):
        self.__array_interface__, self.kept = items.__array_interface__, (items, kept)


class Column:
    """Texts of a column of Arrow: the place and size of each, and what keeps them there."""

    def __init__(self, places: Array, kept: Any):
        self.places, self.kept = places, kept

    def __len__(self) -> int:
        return len(self.places)


class KeyArray:
    """Keys or records that C can read, and what keeps them where they are."""

    def __init__(self, keys: Any, name: str = "keys"):
        keys = as_many(keys, name)
        kept: Any = None
        width = 0
        if isinstance(keys, Column):
            self.count = len(keys)
            self._kept = keys
            self.struct = ffi.new("crivo_keys*", {
                "layout": lib.CRIVO_LAYOUT_EACH, "count": self.count, "data": ffi.cast("void*", keys.places.ctypes.data)})
            return
        if isinstance(keys, np.ndarray):
            keys = _checked(keys, name)
        kind = keys.dtype.kind if isinstance(keys, np.ndarray) else ""
        if kind and kind in "iu":
            kept = np.ascontiguousarray(keys).view(np.uint64)
            self.count = kept.size
            data = ffi.cast("void*", kept.ctypes.data)
            layout = lib.CRIVO_LAYOUT_NUMBERS
        elif kind and kind in "SV":
            kept = np.ascontiguousarray(keys)
            self.count = kept.size
            data = ffi.cast("void*", kept.ctypes.data)
            layout = lib.CRIVO_LAYOUT_PADDED if kind == "S" else lib.CRIVO_LAYOUT_FIXED
            width = kept.itemsize
        else:
            items = tuple(keys.tolist() if kind else keys)
            self.count = len(items)
            if items and name == "keys" and is_number(items[0]):
                numbers = np.empty(self.count, np.uint64)
                for i, item in enumerate(items):
                    if not is_number(item):
                        refuse_key(item, i, name)
                    numbers[i] = number_of(item, f"{name}[{i}]")
                self.__init__(numbers)  # type: ignore[misc]
                return
            each = np.empty((self.count, 2), np.uint64)
            data = ffi.cast("void*", each.ctypes.data)
            found = lib.crivo_py_texts(ffi.cast("void*", id(items)), ffi.cast("crivo_bytes*", data))
            if found < 0:
                refuse_key(items[-1 - found], -1 - found, name)
            kept = (items, each)
            layout = lib.CRIVO_LAYOUT_EACH
        self._kept = kept
        self.struct = ffi.new("crivo_keys*", {"layout": layout, "count": self.count, "data": data, "width": width})


#: Keys at a time, and the bytes of those of a list: few enough to stay in the processor's caches from one step of a lookup to
#: the next, and many enough for a call to cost nothing.
_MOST = 4096
_BYTES = 1 << 19


def batches(keys: Any, most: int = _MOST) -> Tuple[int, Iterator[Tuple[int, Any]]]:
    """How many keys there are, and crivo_keys of some after some of them, each with the place of the first: valid until the
    next."""
    keys = as_many(keys)
    if isinstance(keys, np.ndarray):
        keys = _checked(keys, "keys")
        keys = keys.tolist() if keys.dtype.kind in "UO" else keys
    elif not isinstance(keys, (list, tuple, Column)):
        keys = tuple(keys)
    if isinstance(keys, (np.ndarray, Column)) or not keys or is_number(keys[0]):
        array = KeyArray(keys)
        return array.count, _slices(array, most)
    return len(keys), _copies(keys, len(keys), most)


def joined(keys: Any) -> Tuple[Any, Any]:
    """crivo_keys of copies of all keys, and what it stands on, which must be kept as long."""
    keys = as_many(keys)
    if isinstance(keys, Column):
        array = KeyArray(keys)
        return array.struct, array
    texts = [key_bytes(key) for key in (_checked(keys, "keys").tolist() if isinstance(keys, np.ndarray) else keys)]
    offsets = np.zeros(len(texts) + 1, np.uint64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    data = ffi.from_buffer(b"".join(texts))
    ends = ffi.from_buffer("uint64_t[]", offsets)
    all_keys = ffi.new(
        "crivo_keys*", {"layout": lib.CRIVO_LAYOUT_OFFSETS, "count": len(texts), "data": data, "offsets": ends}
    )
    return all_keys, (data, ends)


def _slices(array: KeyArray, most: int) -> Iterator[Tuple[int, Any]]:
    """Of an array of keys of one width, or of their places."""
    all_keys = array.struct
    width = ffi.sizeof("crivo_bytes") if all_keys.layout == lib.CRIVO_LAYOUT_EACH else all_keys.width or 8
    data = ffi.cast("char*", all_keys.data)
    some = ffi.new("crivo_keys*", {"layout": all_keys.layout, "width": all_keys.width})
    for begin in range(0, array.count, most):
        some.data = data + begin * width
        some.count = min(most, array.count - begin)
        yield begin, some


def _copies(keys: Union[list, tuple], count: int, most: int) -> Iterator[Tuple[int, Any]]:
    """Of a list, copied, since other threads may change it and let go of the keys."""
    offsets = ffi.new("uint64_t[]", most + 1)
    block = ffi.new("crivo_py_block*", {"offsets": offsets})
    some = ffi.new("crivo_keys*", {"layout": lib.CRIVO_LAYOUT_OFFSETS, "offsets": offsets})
    items = ffi.cast("void*", id(keys))
    begin = 0
    try:
        while begin < count:
            copied = lib.crivo_py_copy(items, begin, min(most, count - begin), _BYTES, block)
            if copied == -1:
                raise MemoryError
            if copied < 0:
                refuse_key(keys[-2 - copied], -2 - copied, "keys")
            if copied == 0:
                raise RuntimeError("the list of keys became shorter during the call")
            some.data = block.bytes
            some.count = copied
            yield begin, some
            begin += copied
    finally:
        lib.free(block.bytes)
