# SPDX-License-Identifier: Apache-2.0
"""Filters of hashes that a program made itself, as bytes in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import check
from ._handle import Handle, held
from ._keys import Keys, integers, number_of
from ._native import ffi, lib
from ._texts import text_bytes


def _hashes(given: Keys) -> Any:
    return integers(given, "hashes").astype(np.uint64, copy=False)


def build_filter_hashes(hashes: Keys, *, type: str = "ribbon", fpr: float = 1 / 256) -> bytes:  # pylint: disable=redefined-builtin
    """The filter of hashes, for :class:`HashFilter`: an array or list of integers of 64 bits as good as random, in any order and
    repeated at will. `type` is ribbon, fuse, split-block-bloom or bloom; `fpr` the highest rate to allow.

    >>> data = crivo.build_filter_hashes([0xF095E781A7125E70], type="split-block-bloom", fpr=0.5)
    >>> len(data), data[:4]
    (112, b'crvf')
    """
    numbers = _hashes(hashes)
    name = ffi.new("char[]", text_bytes(type, "type"))
    given = {"struct_size": ffi.sizeof("crivo_hash_filter_options"), "type": name, "fpr": fpr or -1}  # 0 is C's default
    options = ffi.new("crivo_hash_filter_options*", given)
    size = ffi.new("size_t*")
    check(lib.crivo_filter_hashes_bytes(numbers.size, options, size))
    room = bytearray(size[0])
    check(lib.crivo_filter_build_hashes(ffi.from_buffer("uint64_t[]", numbers), numbers.size, options, ffi.from_buffer(room), len(room), size))
    return bytes(room[: size[0]])


class HashFilter(Handle):
    """A filter over hashes of a program's own, in the bytes that :func:`build_filter_hashes` made.

    >>> hashes = [0xF095E781A7125E70, 0x1D0C8E5A9B3F4C77]
    >>> seen = crivo.HashFilter(crivo.build_filter_hashes(hashes, type="fuse", fpr=1e-6))
    >>> len(seen), hashes[0] in seen, seen.get_many([hashes[1], 12345]).tolist()
    (2, True, [True, False])
    """

    def __init__(self, data: Any) -> None:
        view = ffi.from_buffer(data)
        handle = ffi.new("crivo_hash_filter**")
        check(lib.crivo_hash_filter_open(view, len(view), handle))
        self._handle = held(handle[0], lib.crivo_hash_filter_close, view)

    def __len__(self) -> int:
        """The number of hashes; of split-block-bloom and bloom with those that came again."""
        return int(lib.crivo_hash_filter_size(self._open))

    @property
    def fpr(self) -> float:
        """The designed false-positive rate."""
        return float(lib.crivo_hash_filter_fpr(self._open))

    def __contains__(self, item: int) -> bool:
        """False: the hash is surely not in the set. True: it is, or it is a false positive."""
        return bool(lib.crivo_hash_filter_contains(self._open, number_of(item, "hash")))

    def get_many(self, hashes: Keys) -> npt.NDArray[np.bool_]:
        """Whether the filter has the hashes, an array of bool."""
        numbers = _hashes(hashes)
        answers = np.empty(numbers.size, np.bool_)
        room = ffi.from_buffer("uint8_t[]", answers, require_writable=True)
        check(lib.crivo_hash_filter_contains_many(self._open, ffi.from_buffer("uint64_t[]", numbers), numbers.size, room))
        return answers
