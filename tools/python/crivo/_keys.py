"""Python's keys as crivo.h has them."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

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


class KeyArray:
    """Keys that C can read, and what keeps them where they are."""

    def __init__(self, keys: Any):
        kept: Any = None
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
            each = np.empty((self.count, 2), np.uint64)
            each[:, 0] = np.uint64(kept.ctypes.data) + np.arange(self.count, dtype=np.uint64) * np.uint64(kept.itemsize)
            each[:, 1] = np.char.str_len(kept)
            kept = (kept, each)
            data = ffi.cast("void*", each.ctypes.data)
            layout = lib.CRIVO_EACH
        else:
            items = tuple(keys.tolist() if isinstance(keys, np.ndarray) else keys)
            self.count = len(items)
            if items and isinstance(items[0], (int, np.integer)):
                self.__init__(np.array([int(item) & (2**64 - 1) for item in items], dtype=np.uint64))
                return
            each = np.empty((self.count, 2), np.uint64)
            data = ffi.cast("void*", each.ctypes.data)
            found = lib.crivo_py_texts(ffi.cast("void*", id(items)), ffi.cast("crivo_bytes*", data))
            if found < 0:
                raise TypeError(f"key {-1 - found} is neither bytes nor str: {items[-1 - found]!r}")
            kept = (items, each)
            layout = lib.CRIVO_EACH
        self._kept = kept
        self.struct = ffi.new("crivo_keys*", {"layout": layout, "count": self.count, "data": data})


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
