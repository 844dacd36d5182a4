# SPDX-License-Identifier: Apache-2.0
"""Changes of filters and stores that are there."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

from ._errors import check
from ._handle import Handle, held
from ._input import Input, OpenInput
from ._keys import Key, key_bytes, record_bytes
from ._native import ffi, lib
from ._options import struct_of
from ._resources import Progress, resources
from ._texts import Path, flag, path_bytes
from ._values import with_records

OnProgress = Optional[Callable[[Progress], Any]]


def _edit_filter(call: Any, path: Path, keys: Input, ignore_duplicates: bool, overfill: bool, threads: int) -> None:
    with resources(threads=threads) as given, OpenInput(keys, None, None, False, given) as source:
        options, _kept = struct_of(
            "edit_options", ignore_duplicates=flag(ignore_duplicates, "ignore_duplicates"), overfill=flag(overfill, "overfill"), resources=given.struct
        )
        given.run(lambda: call(path_bytes(path), source.handle, options))


def add_to_filter(
    path: Path, keys: Input, *, ignore_duplicates: bool = False, overfill: bool = False, threads: int = 0
) -> None:
    """Adds keys to a filter file of a type that can (bloom, counting-bloom, cuckoo), all or none: the changed file takes the
    place of the old one at once. With `overfill` beyond twice the rate that it was built for.

    >>> _ = crivo.build_filter(["ape"], "open.crv", type="bloom", capacity=100)
    >>> crivo.add_to_filter("open.crv", ["bee"])
    >>> "bee" in crivo.open("open.crv")
    True
    """
    _edit_filter(lib.crivo_filter_add, path, keys, ignore_duplicates, overfill, threads)


def remove_from_filter(path: Path, keys: Input, *, ignore_duplicates: bool = False, threads: int = 0) -> None:
    """Removes keys from a filter file of a type that can (counting-bloom, cuckoo), all or none.

    >>> _ = crivo.build_filter(["ape", "bee"], "counted.crv", type="counting-bloom")
    >>> crivo.remove_from_filter("counted.crv", ["bee"])
    >>> "bee" in crivo.open("counted.crv")
    False
    """
    _edit_filter(lib.crivo_filter_remove, path, keys, ignore_duplicates, False, threads)


@dataclass(frozen=True)
class StoreEdit:
    """What an update of a store did."""

    given: int  #: records or keys of the input
    added: int  #: of the records to set, those of keys that had none
    replaced: int  #: those of keys that had another one
    unchanged: int  #: those that their keys had already
    absent: int  #: of the keys to remove, those that had no record
    records: int  #: that the store has now


def _edit_store(call: Any, path: Path, keys: Input, records: Any, progress: OnProgress) -> StoreEdit:
    edit = ffi.new("crivo_store_edit*", {"struct_size": ffi.sizeof("crivo_store_edit")})
    with resources(progress=progress) as given, OpenInput(keys, None, records, False, given) as source:
        given.run(lambda: call(path_bytes(path), source.handle, given.struct, edit))
    return StoreEdit(edit.given, edit.added, edit.replaced, edit.unchanged, edit.absent, edit.records)


def set_records(path: Path, keys: Input, records: Any = None, *, progress: OnProgress = None) -> StoreEdit:
    """Gives keys, also those that a store does not have, these records (a mapping and :class:`Files` have their own): all or none,
    at once, while others read it. A :class:`Store` that is open sees them after :meth:`Store.refresh`. Raises
    :class:`UsageError` for a store that is signed.

    >>> _ = crivo.build_store({"ape": "old"}, "apes")
    >>> crivo.set_records("apes", {"ape": "new", "bee": "b"}).added
    1
    """
    keys, records = with_records(keys, records)
    return _edit_store(lib.crivo_store_set, path, keys, records, progress)


def remove_records(path: Path, keys: Input, *, progress: OnProgress = None) -> StoreEdit:
    """Takes the records of keys away, likewise.

    >>> _ = crivo.build_store({"ape": "a", "bee": "b"}, "animals")
    >>> crivo.remove_records("animals", ["bee", "cat"]).absent
    1
    """
    return _edit_store(lib.crivo_store_remove, path, keys, None, progress)


@dataclass(frozen=True)
class StoreCompaction:
    """What a compaction of a store did."""

    is_compacted: bool  #: False: there were no updates, or not enough of them
    records: int  #: that the store has
    bytes_before: int  #: of all files of the store
    bytes: int  #: now


def compact_store(
    path: Path, *, above: float = 0.0, threads: int = 0, memory: int = 0, temp_dir: Optional[Path] = None,
    progress: OnProgress = None,
) -> StoreCompaction:
    """Folds the updates of a store into a fresh generation of it, under its readers, unless the file of updates has at most `above`
    times the bytes of the data file (0: unless there are none). Keys whose records were removed are none of the store any more.

    >>> _ = crivo.build_store({"ape": "a", "bee": "b"}, "zoo")
    >>> _ = crivo.set_records("zoo", {"ape": "c"})
    >>> crivo.compact_store("zoo").is_compacted
    True
    """
    done = ffi.new("crivo_store_compaction*", {"struct_size": ffi.sizeof("crivo_store_compaction")})
    with resources(threads=threads, memory=memory, temp_dir=temp_dir, progress=progress) as given:
        given.run(lambda: lib.crivo_store_compact(path_bytes(path), above, given.struct, done))
    return StoreCompaction(bool(done.is_compacted), done.records, done.bytes_before, done.bytes)


class Writer(Handle):
    """Adds and changes records of a store one by one, while others read it. What a commit makes durable is seen at once by whoever opens
    or refreshes the store afterwards. Waits until no other writer has the store, and keeps others, and builds, waiting until it
    is closed. Left by ``with``, it commits, or after an exception drops what was not committed. Calls of several threads wait
    for each other.

    >>> _ = crivo.build_store({"ape": "a", "bee": "b"}, "farm")
    >>> with crivo.Writer("farm") as farm:
    ...     farm["ape"] = "c"
    ...     del farm["bee"]
    >>> crivo.open("farm").get_many(["ape", "bee"])
    [b'c', None]
    """

    def __init__(self, path: Path):
        self._lock = threading.RLock()  # a handler of signals may close it
        handle, name = ffi.new("crivo_store_writer**"), path_bytes(path)
        with resources() as given:
            given.run(lambda: lib.crivo_store_writer_open(name, given.struct, handle))
        self._handle = held(handle[0], lib.crivo_store_writer_close)

    def set(self, key: Key, record: Union[bytes, str]) -> None:
        """Gives a key, also one that the store does not have, this record. Raises :class:`BadInputError` if it or the record is
        too long; after another :class:`Error`, only :meth:`close` follows."""
        text, content = key_bytes(key), record_bytes(record)
        with self._lock:
            check(lib.crivo_store_writer_set(self._open, text, len(text), content, len(content)))

    __setitem__ = set

    def remove(self, key: Key) -> bool:
        """Takes the record of a key away: whether there was one."""
        text = key_bytes(key)
        had_record = ffi.new("int*")
        with self._lock:
            check(lib.crivo_store_writer_remove(self._open, text, len(text), had_record))
        return bool(had_record[0])

    def __delitem__(self, key: Key) -> None:
        if not self.remove(key):
            raise KeyError(key)

    def commit(self) -> None:
        """Makes all since the last commit durable, then visible."""
        with self._lock:
            check(lib.crivo_store_writer_commit(self._open))

    def close(self) -> None:
        """Drops what was not committed."""
        with self._lock:
            super().close()

    def __exit__(self, *raised: Any) -> None:
        try:
            if raised[0] is None and self._handle != ffi.NULL:
                self.commit()
        finally:
            self.close()
