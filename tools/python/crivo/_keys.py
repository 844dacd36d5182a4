# SPDX-License-Identifier: Apache-2.0
"""Python's keys as crivo.h has them."""

from __future__ import annotations

from typing import Any, Iterator, Optional, Sequence, Tuple, Union

import numpy as np

from ._native import ffi, lib

Key = Union[bytes, str, int]
#: Many keys in memory.
Keys = Union[Sequence[bytes], Sequence[str], np.ndarray]


def key_bytes(key: Key) -> bytes:
    """The bytes of one key."""
    if isinstance(key, bytes):
        return key
    if isinstance(key, str):
        return key.encode()
    if isinstance(key, (int, np.integer)):
        return (int(key) & (2**64 - 1)).to_bytes(8, "little")
    return bytes(key)


def _find_texts(items: Union[list, tuple], each: Any, begin: int) -> None:
    """Writes where their bytes are. The first of them is key `begin`."""
    found = lib.crivo_py_texts(ffi.cast("void*", id(items)), each)
    if found < 0:
        raise TypeError(f"key {begin - 1 - found} is neither bytes nor str: {items[-1 - found]!r}")


class KeyArray:
    """Keys that C can read, and what keeps them where they are."""

    def __init__(self, keys: Any):
        kept: Any = None
        width = 0
        if isinstance(keys, np.ndarray) and keys.dtype.kind in "iu":
            if keys.dtype.itemsize != 8:
                raise TypeError(f"keys are integers of 64 bits, not {keys.dtype}; convert them if you mean that")
            kept = np.ascontiguousarray(keys.reshape(-1)).view(np.uint64)
            self.count = kept.size
            data = ffi.cast("void*", kept.ctypes.data)
            layout = lib.CRIVO_NUMBERS
        elif isinstance(keys, np.ndarray) and keys.dtype.kind == "S":
            kept = np.ascontiguousarray(keys.reshape(-1))
            self.count = kept.size
            data = ffi.cast("void*", kept.ctypes.data)
            layout = lib.CRIVO_PADDED
            width = kept.itemsize
        else:
            items = tuple(keys.tolist() if isinstance(keys, np.ndarray) else keys)
            self.count = len(items)
            if items and isinstance(items[0], (int, np.integer)):
                self.__init__(np.array([int(item) & (2**64 - 1) for item in items], dtype=np.uint64))
                return
            each = np.empty((self.count, 2), np.uint64)
            data = ffi.cast("void*", each.ctypes.data)
            _find_texts(items, ffi.cast("crivo_bytes*", data), 0)
            kept = (items, each)
            layout = lib.CRIVO_EACH
        self._kept = kept
        self.struct = ffi.new("crivo_keys*", {"layout": layout, "count": self.count, "data": data, "width": width})


#: Keys of a list at a time. They and their texts stay in the processor's caches from one step of a lookup to the next.
_BLOCK = 8192


def batches(keys: Any) -> Tuple[int, Iterator[Tuple[int, Any]]]:
    """How many keys there are, and crivo_keys of some after some of them, each with the place of the first: valid until the next."""
    if isinstance(keys, np.ndarray) and keys.dtype.kind not in "iuS":
        keys = keys.tolist()
    elif not isinstance(keys, (list, tuple, np.ndarray)):
        keys = tuple(keys)
    if isinstance(keys, np.ndarray) or not keys or isinstance(keys[0], (int, np.integer)):
        array = KeyArray(keys)
        return array.count, _whole(array)
    return len(keys), _some(keys, len(keys))


def _whole(array: KeyArray) -> Iterator[Tuple[int, Any]]:
    yield 0, array.struct


def _some(keys: Union[list, tuple], count: int) -> Iterator[Tuple[int, Any]]:
    each = ffi.new("crivo_bytes[]", min(count, _BLOCK))
    struct = ffi.new("crivo_keys*", {"layout": lib.CRIVO_EACH, "data": each})
    for begin in range(0, count, _BLOCK):
        some = keys[begin:min(begin + _BLOCK, count)]  # which keeps them, whatever other threads do with the list
        _find_texts(some, each, begin)
        struct.count = len(some)
        yield begin, struct


def uint64_array(values: Any, count: Optional[int] = None) -> np.ndarray:
    """Numbers as a contiguous array of uint64, negative ones in two's complement."""
    array = np.ascontiguousarray(values)
    if array.dtype != np.uint64:
        if array.dtype.kind not in "iu":
            raise TypeError("values are integers of 64 bits")
        array = array.astype(np.int64).view(np.uint64)
    if count is not None and array.size != count:
        raise ValueError(f"{count} keys and {array.size} values were given")
    return array
