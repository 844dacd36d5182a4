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


def _refuse(item: Any, index: int) -> None:
    raise TypeError(f"key {index} is neither bytes nor str: {item!r}")


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
            found = lib.crivo_py_texts(ffi.cast("void*", id(items)), ffi.cast("crivo_bytes*", data))
            if found < 0:
                _refuse(items[-1 - found], -1 - found)
            kept = (items, each)
            layout = lib.CRIVO_EACH
        self._kept = kept
        self.struct = ffi.new("crivo_keys*", {"layout": layout, "count": self.count, "data": data, "width": width})


#: Keys at a time, and the bytes of those of a list: few enough to stay in the processor's caches from one step of a lookup to
#: the next, and many enough for a call to cost nothing.
_MOST = 4096
_BYTES = 1 << 19


def batches(keys: Any, most: int = _MOST) -> Tuple[int, Iterator[Tuple[int, Any]]]:
    """How many keys there are, and crivo_keys of some after some of them, each with the place of the first: valid until the
    next."""
    if isinstance(keys, np.ndarray) and keys.dtype.kind not in "iuS":
        keys = keys.tolist()
    elif not isinstance(keys, (list, tuple, np.ndarray)):
        keys = tuple(keys)
    if isinstance(keys, np.ndarray) or not keys or isinstance(keys[0], (int, np.integer)):
        array = KeyArray(keys)
        return array.count, _slices(array, most)
    return len(keys), _copies(keys, len(keys), most)


def _slices(array: KeyArray, most: int) -> Iterator[Tuple[int, Any]]:
    """Of an array of keys of one width."""
    all_keys = array.struct
    width = all_keys.width or 8
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
    some = ffi.new("crivo_keys*", {"layout": lib.CRIVO_OFFSETS, "offsets": offsets})
    items = ffi.cast("void*", id(keys))
    begin = 0
    try:
        while begin < count:
            copied = lib.crivo_py_copy(items, begin, min(most, count - begin), _BYTES, block)
            if copied == -1:
                raise MemoryError
            if copied < 0:
                _refuse(keys[-2 - copied], -2 - copied)
            if copied == 0:
                raise RuntimeError("the list of keys became shorter")
            some.data = block.bytes
            some.count = copied
            yield begin, some
            begin += copied
    finally:
        lib.free(block.bytes)


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
