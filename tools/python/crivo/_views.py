# SPDX-License-Identifier: Apache-2.0
"""What is open as Python has it: views of keys, records and pairs, and the walk over all records of a store."""

from __future__ import annotations

import os
import threading
from collections.abc import ItemsView, KeysView, Sequence, ValuesView
from queue import Full, Queue
from typing import Any, Iterator, List, Optional, Tuple, Union, overload

from . import _resources
from ._errors import failure
from ._native import ffi, lib

Pair = Tuple[bytes, bytes]


class DictionaryKeys(KeysView[bytes], Sequence[bytes]):
    """The keys of a dictionary in order: a view as that of a dict, and a sequence, whose places are the ids.

    >>> with crivo.Dictionary(crivo.build_dictionary(["b", "a", "c"]).data) as words:
    ...     words.keys()[-1], words.keys()[:2], "b" in words.keys(), words.keys().index("c")
    (b'c', [b'a', b'b'], True, 2)
    """

    _mapping: Any

    @overload
    def __getitem__(self, place: int) -> bytes: ...
    @overload
    def __getitem__(self, place: slice) -> List[bytes]: ...

    def __getitem__(self, place: Union[int, slice]) -> Union[bytes, List[bytes]]:
        if isinstance(place, slice):
            return self._mapping.key_many(range(*place.indices(len(self))))
        return self._mapping.key(place + len(self) if place < 0 else place)

    def index(self, value: Any, start: int = 0, stop: Optional[int] = None) -> int:
        """The id of a key; ValueError if it is not there, or not in this part."""
        found = self._mapping.get(value)
        if found is None or found not in range(*slice(start, stop).indices(len(self))):
            raise ValueError(f"{value!r} is not a key there")
        return found

    def count(self, value: Any) -> int:
        """1 of a key, else 0."""
        return int(value in self)

    def __reversed__(self) -> Iterator[bytes]:
        return (self[place] for place in range(len(self) - 1, -1, -1))


class StoreItems(ItemsView[bytes, bytes]):
    """All keys of a store with their records: by one walk, and not by a lookup of each."""

    _mapping: Any

    def __iter__(self) -> Iterator[Pair]:
        return self._mapping._records()  # pylint: disable=protected-access


class StoreRecords(ValuesView[bytes]):
    """All records of a store."""

    _mapping: Any

    def __iter__(self) -> Iterator[bytes]:
        return (record for _, record in self._mapping._records())  # pylint: disable=protected-access

    def __contains__(self, value: object) -> bool:
        return any(record == value for record in self)


#: Records, and their bytes, that the walk hands over at a time; and how many times it is ahead.
_RECORDS, _BYTES, _AHEAD = 1000, 1 << 18, 4


class _Walk:
    """A walk over a store, on a thread of its own: the library calls a function for each record, and Python asks for the next."""

    def __init__(self, store: Any):
        self._blocks: "Queue[Union[List[Pair], Exception, None]]" = Queue(_AHEAD)
        self._some: List[Pair] = []
        self._bytes = 0
        self._is_stopped = False
        self._self = ffi.new_handle(self)
        self._process = os.getpid()
        self._thread = threading.Thread(target=self._run, args=(store,), daemon=True)
        self._thread.start()

    def _run(self, store: Any) -> None:
        status = lib.crivo_store_for_each(store, ffi.addressof(lib, "crivo_py_ask_record"), self._self)
        error = failure(status)  # what the library has to tell, it tells the thread that called it
        self._hand_over(self._some)
        self._hand_over(error)

    def add(self, key: bytes, record: bytes) -> int:
        """What is not 0 ends the walk."""
        self._some.append((key, record))
        self._bytes += len(key) + len(record)
        if len(self._some) < _RECORDS and self._bytes < _BYTES:
            return 0
        block, self._some, self._bytes = self._some, [], 0
        return self._hand_over(block)

    def _hand_over(self, block: Any) -> int:
        while not self._is_stopped and not _resources.has_ended():
            try:
                self._blocks.put(block, timeout=0.1)
                return 0
            except Full:
                pass
        return 1

    def stop(self) -> None:
        self._is_stopped = True

    def __iter__(self) -> Iterator[Pair]:
        while True:
            if os.getpid() != self._process:  # which has no such thread, and may have the queue locked
                raise RuntimeError("the process was forked during the iteration: begin it anew")
            block = self._blocks.get()
            if block is None:
                return
            if isinstance(block, Exception):
                raise block
            yield from block


def walk(store: Any) -> Iterator[Pair]:
    """All keys of a store with their records, in the order of the ranks."""
    steps = _Walk(store)
    try:
        yield from steps
    finally:
        steps.stop()


@ffi.def_extern(error=1)
def crivo_py_record(context: Any, key: Any, record: Any) -> int:
    """Called on the thread of a walk."""
    return ffi.from_handle(context).add(ffi.buffer(key.data, key.size)[:], ffi.buffer(record.data, record.size)[:])
