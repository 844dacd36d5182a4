# SPDX-License-Identifier: Apache-2.0
"""What is open, and lookups in it."""

from __future__ import annotations

import os
import threading
from collections.abc import ItemsView, Mapping
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple, Union, cast

import numpy as np
import numpy.typing as npt

from ._errors import CorruptError, UsageError, check
from ._handle import Handle, held
from ._keys import Key, Keys, batches, check_many, integers, is_number, joined, key_bytes, number_of
from ._native import ffi, lib
from ._resources import Progress, resources
from ._show import rows_of_info, table
from ._texts import Path, flag, one_character, pair, path_bytes, text_bytes, whole
from ._views import DictionaryKeys, StoreItems, StoreRecords, walk
from ._trust import Signature, Trust, signature_of, trust_struct

#: What :meth:`Mphf.get_many` answers for a key that is surely not in the set.
ABSENT = np.uint64(2**64 - 1)

_MODES = {"mapped": lib.CRIVO_MODE_MAPPED, "preload": lib.CRIVO_MODE_PRELOAD, "lock": lib.CRIVO_MODE_LOCK, "copy": lib.CRIVO_MODE_COPY,
          "checked": lib.CRIVO_MODE_CHECKED, "unchecked": lib.CRIVO_MODE_UNCHECKED, "read": lib.CRIVO_MODE_READ}
#: Keys of an iterable at a time, and records of many keys.
_BLOCK = 1024


@dataclass(frozen=True)
class Info:
    """What a file holds."""

    kind: str  #: "mphf", "filter", "filterset", "map", "store", "exact" or "rows"
    algorithm: str  #: MPHF or map algorithm, or filter type
    keys: int
    bytes: int  #: of all files
    seed: int
    fpr: Optional[float]  #: designed false-positive rate
    signature_bits: int
    value_bits: int  #: of a map
    value_type: str  #: of a map, or a dictionary with values: "unsigned", "signed" or "decimal"
    scale: int  #: of decimals
    hash: str
    format_version: str
    digest: str


def info_of(fill: Callable[[Any], int]) -> Info:
    info = ffi.new("crivo_info*", {"struct_size": ffi.sizeof("crivo_info")})
    check(fill(info))

    def text(field: Any) -> str:
        return ffi.string(field).decode()

    return Info(
        text(info.kind), text(info.algorithm), info.keys, info.bytes, info.seed, info.fpr if info.fpr >= 0 else None,
        info.signature_bits, info.value_bits, text(info.value_type), info.scale, text(info.hash), text(info.format_version), text(info.digest),
    )


def guard_reads() -> None:
    """Handles SIGBUS from now on, in the whole process: where a page of a mapped file cannot be read, as its disk is bad or the
    file was cut short, lookups that check what they read raise :class:`CorruptError`, these and all later ones out of the file.
    What else there is of the signal goes to the handler that was there before.

    >>> crivo.guard_reads()
    """
    lib.crivo_guard_reads()


def inspect(path: Path) -> Info:
    """Says what is in a file or store, without reading its bulk.

    >>> _ = crivo.build_mphf(["ape", "bee"], "two.crv")
    >>> crivo.inspect("two.crv").kind, crivo.inspect("two.crv").keys
    ('mphf', 2)
    """
    return info_of(lambda info: lib.crivo_inspect(path_bytes(path), info))


@ffi.def_extern()
def crivo_py_note(context: Any, name: Any, value: Any) -> None:
    """Called for each note of a file."""
    ffi.from_handle(context)[ffi.string(name).decode()] = ffi.string(value).decode()


def notes(path: Path) -> Dict[str, str]:
    """The notes that a file or store was built with.

    >>> _ = crivo.build_mphf(["ape"], "noted.crv", notes={"source": "a list of animals"})
    >>> crivo.notes("noted.crv")
    {'source': 'a list of animals'}
    """
    found: Dict[str, str] = {}
    context = ffi.new_handle(found)
    check(lib.crivo_inspect_notes(path_bytes(path), ffi.addressof(lib, "crivo_py_tell_note"), context))
    return found


def verify(
    path: Path, *, threads: int = 0, progress: Optional[Callable[[Progress], Any]] = None, trust: Optional[Trust] = None
) -> Optional[Signature]:
    """Reads every byte of a file or store and checks it; raises :class:`CorruptError` that says what is damaged. With `trust` the
    file must be signed; returns what the signature says.

    >>> _ = crivo.build_mphf(["ape"], "sound.crv")
    >>> crivo.verify("sound.crv")
    """
    with resources(threads=threads, progress=progress) as given:
        if trust is None:
            given.run(lambda: lib.crivo_verify(path_bytes(path), given.struct))
            return None
        trusted, _kept = trust_struct(trust)
        answer = ffi.new("crivo_signature*", {"struct_size": ffi.sizeof("crivo_signature")})
        given.run(lambda: lib.crivo_verify_signed(path_bytes(path), trusted, given.struct, answer))
        return signature_of(answer)


def _modes(mode: str) -> Tuple[int, Any]:
    """How the index and the data get into memory, by MODE or "index=MODE,data=MODE"; NULL for the data: as the index."""
    text_bytes(mode, "mode")
    index, data = mode[len("index=") :].split(",data=", 1) if mode.startswith("index=") and ",data=" in mode else (mode, None)
    of_data = {**_MODES, "random": lib.CRIVO_MODE_MAPPED}
    if index not in _MODES or data is not None and data not in of_data:
        raise ValueError(f"mode is {mode!r}: use {', '.join(_MODES)}, or index=MODE,data=MODE")
    return _MODES[index], ffi.NULL if data is None else ffi.new("crivo_mode*", of_data[data])


_DAMAGED = 2**64 - 2  # in the place of an id


def _told(number: int) -> int:
    """The id. CorruptError where the bytes that tell it are damaged."""
    if number == _DAMAGED:
        raise CorruptError("damaged: the bytes that tell an id fail their sums")
    return number


def _all_told(ids: "npt.NDArray[np.uint64]") -> "npt.NDArray[np.uint64]":
    """The same of many."""
    if np.any(ids == np.uint64(_DAMAGED)):
        _told(_DAMAGED)
    return ids


class _Opened(Handle):
    """What is open. It is pickled as its path, which is opened anew where it is unpickled."""

    _kind = ""
    __iter__: Any = None  # else Python would ask for the keys 0, 1, 2, ...

    def __init__(self, source: Union[Path, bytes, bytearray, memoryview], *, mode: str = "mapped", verify: bool = False, trust: Optional[Trust] = None):
        self._source: Any = None
        index_mode, data_mode = _modes(mode)
        trusted, _kept = (ffi.NULL, None) if trust is None else trust_struct(trust)
        options = ffi.new(
            "crivo_open_options*",
            {"struct_size": ffi.sizeof("crivo_open_options"), "mode": index_mode, "verify": flag(verify, "verify"), "trust": trusted, "data_mode": data_mode},
        )
        handle = ffi.new(f"crivo_{self._kind}**")
        if isinstance(source, (bytes, bytearray, memoryview)):
            call = getattr(lib, f"crivo_{self._kind}_open_bytes", None)
            if call is None:
                raise TypeError(f"a {self._kind} is opened by its path, not from bytes")
            contents = ffi.from_buffer(source)
            check(call(contents, len(contents), options, handle))
            self._hold(handle[0], contents)
        else:
            check(getattr(lib, f"crivo_{self._kind}_open")(path_bytes(source), options, handle))
            self._source = (os.path.abspath(os.fsdecode(source)), mode, verify, trust)
            self._hold(handle[0])

    def _hold(self, handle: Any, *below: Any) -> None:
        self._handle = held(handle, getattr(lib, f"crivo_{self._kind}_close"), *below)

    def __reduce__(self) -> Any:
        if self._open and self._source is None:
            raise TypeError(f"a {type(self).__name__} that was opened from bytes cannot be pickled: open a file")
        return _open_again, (type(self), *self._source)

    def __len__(self) -> int:
        """The number of keys."""
        return getattr(lib, f"crivo_{self._kind}_size")(self._open)

    def longest_suffix(self, key: Any, delimiter: str = ".") -> Any:
        """The key, if it is ``in`` this, or else the longest text behind a delimiter in it that is, such as the blocked domain
        that a host is below; None where none is. In an exact set with groups, `key` is a pair of group and key."""
        one_character(delimiter, "delimiter")
        group, text = key if isinstance(key, tuple) else (None, key)
        border = delimiter if isinstance(text, str) else delimiter.encode()
        while (text if group is None else (group, text)) not in self:
            text = text.partition(border)[2]
            if not text:
                return None
        return text

    @property
    def info(self) -> Info:
        """What the file holds."""
        return info_of(lambda info: getattr(lib, f"crivo_{self._kind}_info")(self._open, info))

    def verify(self, *, threads: int = 0, progress: Optional[Callable[[Progress], Any]] = None) -> None:
        """Reads every byte and checks it; raises :class:`CorruptError`."""
        opened = self._open
        with resources(threads=threads, progress=progress) as given:
            given.run(lambda: getattr(lib, f"crivo_{self._kind}_verify")(opened, given.struct))

    def __repr__(self) -> str:
        try:
            state = f"{len(self)} keys"
        except ValueError:
            state = "closed"
        return f"<crivo.{type(self).__name__}: {state}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        try:
            return table(f"crivo.{type(self).__name__}", rows_of_info(self.info))
        except ValueError:
            return table(repr(self), [])


def _open_again(kind: Any, path: str, mode: str, verify: bool, trust: Optional[Trust]) -> _Opened:  # pylint: disable=redefined-outer-name
    return kind(path, mode=mode, verify=verify, trust=trust)


def _blocks(keys: Iterable[Key]) -> Iterator[List[Key]]:
    check_many(keys)
    it = iter(keys)
    while block := list(islice(it, _BLOCK)):
        yield block


class _Told(_Opened):
    """What answers something for any key, unless it has signatures."""

    _answer = "number"

    def __init__(self, source: Union[Path, bytes, bytearray, memoryview], *, mode: str = "mapped", verify: bool = False, trust: Optional[Trust] = None):
        super().__init__(source, mode=mode, verify=verify, trust=trust)
        self._has_signatures = self.info.signature_bits != 0

    def get(self, key: Key, default: Any = None) -> Any:
        raise NotImplementedError

    def __getitem__(self, key: Key) -> Any:
        found = self.get(key)
        if found is None:
            raise KeyError(key)
        return found

    def __contains__(self, key: Key) -> bool:
        if not self._has_signatures:
            refuse_untold(type(self).__name__, self._answer)
        return self.get(key) is not None


def _answers(keys: Keys, kind: Any, ask: Callable[..., Any], *of: Any) -> npt.NDArray[Any]:
    """What `ask(*of, block, room)` writes for each key, an array of that kind."""
    count, some = batches(keys)
    answers = np.empty(count, kind)
    room = ffi.from_buffer(f"uint{8 * answers.itemsize}_t[]", answers)
    for begin, block in some:
        check(ask(*of, block, room + begin))
    return answers


class Mphf(_Told):
    """A minimal perfect hash function: gives each of its n keys a rank of its own in [0, n). Built with signatures it also
    refuses other keys, all but 2^-bits of them; without, any key gets some rank, and ``in`` raises :class:`UsageError`.

    >>> ranks = crivo.Mphf(crivo.build_mphf(["ape", "bee"], signature_bits=16).data)
    >>> sorted(ranks[key] for key in ("ape", "bee")), ranks.get("cat"), "ape" in ranks
    ([0, 1], None, True)
    """

    _kind = "mphf"

    def get(self, key: Key, default: Any = None) -> Any:
        """The rank of a key; `default` if it is surely not in the set, for which ``[]`` raises KeyError."""
        text = key_bytes(key)
        rank = lib.crivo_mphf_lookup(self._open, text, len(text))
        return rank if rank != 2**64 - 1 else default

    def get_many(self, keys: Keys) -> npt.NDArray[np.uint64]:
        """The ranks of many keys, an array of uint64; :data:`ABSENT` for those surely not in the set."""
        return _answers(keys, np.uint64, lib.crivo_mphf_lookup_many, self._open)

    def pairs(self, keys: Iterable[Key]) -> Iterator[Tuple[Key, Optional[int]]]:
        """Each key of any iterable with its rank or None, as they come."""
        for block in _blocks(keys):
            for key, rank in zip(block, self.get_many(block).tolist()):
                yield key, rank if rank != 2**64 - 1 else None


class Filter(_Opened):
    """A filter: a key that it was built over is ``in`` it, and so is the part :attr:`fpr` of all others.

    >>> seen = crivo.Filter(crivo.build_filter(["ape", "bee"], bits=16).data)
    >>> "ape" in seen, seen.get_many(["bee", "cat"]).tolist()
    (True, [True, False])
    """

    _kind = "filter"

    @property
    def fpr(self) -> float:
        """The designed false-positive rate."""
        return lib.crivo_filter_fpr(self._open)

    def __contains__(self, key: Key) -> bool:
        """False: the key is surely not in the set. True: it is, or it is a false positive."""
        if is_number(key):
            return bool(lib.crivo_filter_contains_number(self._open, number_of(key)))
        text = key_bytes(key)
        return bool(lib.crivo_filter_contains(self._open, text, len(text)))

    def get_many(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """Whether the filter has the keys, an array of bool."""
        return _answers(keys, np.bool_, lib.crivo_filter_contains_many, self._open)

    @property
    def takes_ranges(self) -> bool:
        """Whether it is of type range: :meth:`contains_range` then answers, an integer stands for itself, and a text of at most
        8 bytes for the number of its bytes, the highest first."""
        return bool(lib.crivo_filter_takes_ranges(self._open))

    def contains_range(self, low: int, high: int) -> bool:
        """Whether there may be a key from `low` to `high`, both included. Of ranges of more than 2**24 numbers it is True."""
        found = ffi.new("int*")
        check(lib.crivo_filter_contains_range(self._open, number_of(low, "low"), number_of(high, "high"), found))
        return bool(found[0])

    def contains_ranges(self, lows: Keys, highs: Keys) -> npt.NDArray[np.bool_]:
        """The same for many ranges, an array of bool. `lows` and `highs` are arrays or lists of integers."""
        ends = [integers(each, name).astype(np.uint64) for each, name in ((lows, "lows"), (highs, "highs"))]
        if ends[0].shape != ends[1].shape:
            raise ValueError(f"there are {ends[0].size} lows, and {ends[1].size} highs")
        answers = np.empty(ends[0].size, np.bool_)
        low, high = (ffi.from_buffer("uint64_t[]", each) for each in ends)
        check(lib.crivo_filter_contains_ranges(self._open, low, high, answers.size, ffi.from_buffer("uint8_t[]", answers, require_writable=True)))
        return answers

    def count(self, key: Key) -> int:
        """How often a key was added, or more; 0 or 1 for a type without counters."""
        if is_number(key):
            return lib.crivo_filter_count_number(self._open, number_of(key))
        text = key_bytes(key)
        return lib.crivo_filter_count(self._open, text, len(text))

    def pairs(self, keys: Iterable[Key]) -> Iterator[Tuple[Key, bool]]:
        """Each key of any iterable with its answer, as they come."""
        for block in _blocks(keys):
            yield from zip(block, self.get_many(block).tolist())


#: What :class:`Exact` answers; the place of each is what :meth:`Exact.get_many` has for it.
ANSWERS = ("other", "member", "outside")


def _answer(number: int) -> str:
    if number == lib.CRIVO_EXACT_ANSWER_DAMAGED:
        raise CorruptError("damaged: the bytes that tell the membership of a key fail their sums")
    return ANSWERS[number]


def _all_sound(answers: "npt.NDArray[np.uint8]") -> "npt.NDArray[np.uint8]":
    if np.any(answers == lib.CRIVO_EXACT_ANSWER_DAMAGED):
        _answer(lib.CRIVO_EXACT_ANSWER_DAMAGED)
    return answers


class ExactGroup:
    """A group of an exact set: :meth:`Exact.group`. It keeps what was open when it was made.

    >>> data = crivo.build_exact(["7"], ["7", "8"], groups=["ann"], universe_groups=["ann", "ann"]).data
    >>> group = crivo.Exact(data).group("ann")
    >>> group.get("7"), "8" in group
    ('member', False)
    """

    def __init__(self, opened: Any, name: Key):
        text = key_bytes(name)
        group = ffi.new("crivo_exact_group**")
        check(lib.crivo_exact_group_of(opened, text, len(text), group))
        self._handle = held(group[0], lib.crivo_exact_group_free, opened)

    def get(self, key: Key) -> str:
        """One of :data:`ANSWERS`; CorruptError where the bytes that tell which are damaged."""
        text = key_bytes(key)
        return _answer(lib.crivo_exact_group_contains(self._handle, text, len(text)))

    def __contains__(self, key: Any) -> bool:
        return self.get(key) == "member"

    def get_many(self, keys: Keys) -> npt.NDArray[np.uint8]:
        """Places in :data:`ANSWERS`, an array of uint8."""
        return _all_sound(_answers(keys, np.uint8, lib.crivo_exact_group_contains_many, self._handle))


class Exact(_Opened):
    """An exact set: says of every key of its universe whether it is a member, without error. ``in`` is for members; in a set
    with groups a pair of group and key is asked for.

    >>> revoked = crivo.Exact(crivo.build_exact(["bee"], ["ape", "bee"]).data)
    >>> revoked.get("ape"), revoked.get_many(["ape", "bee"]).tolist()
    ('other', [0, 1])
    """

    _kind = "exact"

    def refresh(self) -> bool:
        """Goes over to the set or chain that has taken the file's place: whether there was one. Other threads may look up
        meanwhile."""
        newer = ffi.new("crivo_exact**")
        check(lib.crivo_exact_newer(self._open, newer))
        if newer[0] == ffi.NULL:
            return False
        self._hold(newer[0])
        return True

    def get(self, key: Key, group: Optional[Key] = None, epoch: Optional[Tuple[str, int]] = None) -> str:
        """One of :data:`ANSWERS`. A key outside the universe is "other", mostly; one of an unknown group, or of an `epoch`, a name
        and a number, that is not covered, is "outside". Raises :class:`CorruptError` where the bytes that tell it are damaged."""
        text = key_bytes(key)
        name = key_bytes(group) if group is not None else b""
        if epoch is not None:
            epoch_name, value = pair(epoch, "epoch")
            return _answer(lib.crivo_exact_contains_at(self._open, name, len(name), text, len(text), text_bytes(epoch_name, "epoch"), whole(value, "the epoch's value")))
        if group is None:
            return _answer(lib.crivo_exact_contains(self._open, text, len(text)))
        return _answer(lib.crivo_exact_contains_in(self._open, name, len(name), text, len(text)))

    def __contains__(self, key: Any) -> bool:
        group, text = key if isinstance(key, tuple) else (None, key)
        return self.get(text, group) == "member"

    def get_many(self, keys: Keys, group: Optional[Key] = None, *, groups: Optional[Keys] = None) -> npt.NDArray[np.uint8]:
        """Places in :data:`ANSWERS` for many keys, of one `group` or each of that in its place of `groups`: an array of uint8."""
        name = key_bytes(group) if group is not None else b""
        if groups is not None:
            (texts, _kept), (names, _kept_names) = joined(keys), joined(groups)
            if texts.count != names.count:
                raise ValueError(f"there are {texts.count} keys, and {names.count} groups")
            answers = np.empty(texts.count, np.uint8)
            check(lib.crivo_exact_contains_pairs(self._open, names, texts, ffi.from_buffer("uint8_t[]", answers)))
            return _all_sound(answers)
        return _all_sound(_answers(keys, np.uint8, lib.crivo_exact_contains_many, self._open, name, len(name)))

    def group(self, name: Key) -> ExactGroup:
        """One group, for many lookups. Of a set without groups the name is not looked at."""
        return ExactGroup(self._open, name)

    def covers(self, name: str, value: int) -> bool:
        """Whether the universe covers that epoch, or the build did not say what it covers."""
        return lib.crivo_exact_covers(self._open, text_bytes(name, "name"), whole(value, "value")) != 0

    @property
    def universe_size(self) -> int:
        """The keys of the universe that was read, repeats counted."""
        return lib.crivo_exact_universe_size(self._open)

    @property
    def groups(self) -> int:
        """The number of groups; 0 of a set without."""
        return lib.crivo_exact_groups(self._open)


class Map(_Told):
    """A static function: the number that each of its keys was built with (of decimals, the integer over 10^scale). Built with
    signatures it also refuses other keys; without, any key gets some number, and ``in`` raises :class:`UsageError`.

    >>> ages = crivo.Map(crivo.build_map({"ape": 7, "bee": 9}, signature_bits=16).data)
    >>> ages["ape"], ages.get("cat", 0), ages.get_many(["bee"])[0].tolist()
    (7, 0, [9])
    """

    _kind = "map"

    def __init__(self, source: Union[Path, bytes, bytearray, memoryview], *, mode: str = "mapped", verify: bool = False, trust: Optional[Trust] = None):
        super().__init__(source, mode=mode, verify=verify, trust=trust)
        self._type = np.uint64 if self.info.value_type == "unsigned" else np.int64

    def get(self, key: Key, default: Any = None) -> Any:
        """The value of a key; `default` if it is surely not in the set, for which ``[]`` raises KeyError. Raises
        :class:`CorruptError` where the bytes that tell it are damaged."""
        text = key_bytes(key)
        value = ffi.new("uint64_t*")
        answer = lib.crivo_map_lookup(self._open, text, len(text), value)
        if answer == lib.CRIVO_ANSWER_DAMAGED:
            raise CorruptError("damaged: the bytes that tell a value fail their sums")
        if answer == lib.CRIVO_ANSWER_ABSENT:
            return default
        return value[0] if self._type is np.uint64 or value[0] < 2**63 else value[0] - 2**64

    def get_many(self, keys: Keys) -> Tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
        """The values of many keys, an array of uint64 (of signed values int64), 0 where there is none; and where there is one, an array of bool."""
        count, some = batches(keys)
        values = np.empty(count, self._type)
        present = np.empty(count, np.bool_)
        values_room = ffi.from_buffer("uint64_t[]", values)
        present_room = ffi.from_buffer("uint8_t[]", present)
        opened = self._open
        for begin, block in some:
            check(lib.crivo_map_lookup_many(opened, block, values_room + begin, present_room + begin))
        return values, present

    def pairs(self, keys: Iterable[Key]) -> Iterator[Tuple[Key, Optional[int]]]:
        """Each key of any iterable with its value or None, as they come."""
        for block in _blocks(keys):
            values, present = self.get_many(block)
            for key, value, is_present in zip(block, values.tolist(), present.tolist()):
                yield key, value if is_present else None


class Row(NamedTuple):
    """Where a key is.

    >>> crivo.Row("a.parquet", None, 7).row
    7
    """

    file: str  #: the name of a file; what is no UTF-8 as :func:`os.fsdecode` has it
    group: Optional[int]  #: its row group, from 0; None where row groups are not known
    row: int  #: from 0


#: What many rows are in numpy.
_ROWS = np.dtype([("file", np.uint64), ("group", np.uint64), ("row", np.uint64)])


class Rows(_Told):
    """An index of rows: the file, row group and row of a table that each of its keys is in. All but 2^-signature_bits of other keys
    are refused.

    >>> _ = open("ids.tsv", "w").write("ape\\ta.parquet\\t7\\nbee\\tb.parquet\\t0\\n")
    >>> rows = crivo.Rows(crivo.build_rows(crivo.Files("ids.tsv")).data)
    >>> rows["ape"], rows.get("cat")
    (Row(file='a.parquet', group=None, row=7), None)
    """

    _kind = "rows"
    _answer = "row"

    def files(self) -> List[str]:
        """The names of all files, in order."""
        opened = self._open
        return [self._name(opened, number) for number in range(lib.crivo_rows_files(opened))]

    @staticmethod
    def _name(opened: Any, number: int) -> str:
        name = lib.crivo_rows_file(opened, number)
        return os.fsdecode(ffi.buffer(name.data, name.size)[:])

    def get(self, key: Key, default: Any = None) -> Any:
        """The :class:`Row` of a key; `default` if it is surely not in the set, for which ``[]`` raises KeyError. Raises
        :class:`CorruptError` where the bytes that tell it are damaged."""
        text, opened = key_bytes(key), self._open
        found = ffi.new("crivo_row*")
        answer = lib.crivo_rows_lookup(opened, text, len(text), found)
        if answer == lib.CRIVO_ANSWER_DAMAGED:
            raise CorruptError("damaged: the bytes that tell a row fail their sums")
        if answer == lib.CRIVO_ANSWER_ABSENT:
            return default
        return self._row(opened, found)

    def _row(self, opened: Any, found: Any) -> Row:
        return Row(self._name(opened, found.file), found.group if found.group != 2**64 - 1 else None, found.row)

    def all(self, key: Key) -> List[Row]:
        """The rows that a key may be in, the newest layer's first: all of it, where keys stand in several (`many`); in a chain (crivo rows
        add) those of each layer, since each may take the key for its own; otherwise that of :meth:`get`, or none."""
        text, opened = key_bytes(key), self._open
        room, count = 64, ffi.new("size_t*")
        while True:
            found = ffi.new("crivo_row[]", room)
            if lib.crivo_rows_lookup_all(opened, text, len(text), found, room, count) == lib.CRIVO_ANSWER_DAMAGED:
                raise CorruptError("damaged: the bytes that tell a row fail their sums")
            if count[0] <= room:
                return [self._row(opened, found[i]) for i in range(count[0])]
            room = count[0]

    def all_many(self, keys: Keys) -> Tuple[npt.NDArray[Any], npt.NDArray[np.uint64]]:
        """All rows of many keys, one key's behind those of the one before, an array as :meth:`get_many` has it; and where those of each
        end, an array of uint64.

        >>> _ = open("seen.tsv", "w").write("ape\\ta.parquet\\t7\\nape\\tb.parquet\\t0\\nbee\\tb.parquet\\t1\\n")
        >>> seen = crivo.Rows(crivo.build_rows(crivo.Files("seen.tsv"), many=True).data)
        >>> found, ends = seen.all_many(["ape", "cat", "bee"])
        >>> found["row"].tolist(), ends.tolist()
        ([7, 0, 1], [2, 2, 3])
        """
        total, some = batches(keys)
        ends, begin, found, count = np.empty(total, np.uint64), 0, [], ffi.new("size_t*")
        room_of_ends, opened = ffi.from_buffer("uint64_t[]", ends), self._open
        for first, block in some:
            end = min(first + block.count, total)
            own = np.empty(end - first, _ROWS)
            while True:
                check(lib.crivo_rows_lookup_lists(opened, block, ffi.from_buffer("crivo_row[]", own), len(own), room_of_ends + first, count))
                if count[0] <= len(own):
                    break
                own = np.empty(count[0], _ROWS)
            ends[first:end] += np.uint64(begin)
            begin += count[0]
            found.append(own[: count[0]])
        return np.concatenate([np.empty(0, _ROWS), *found]), ends

    def get_many(self, keys: Keys) -> Tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
        """The rows of many keys, an array with the fields `file` (a number of :meth:`files`), `group` (:data:`ABSENT` where row groups
        are not known) and `row`, 0 where there is none; and where there is one, an array of bool."""
        count, some = batches(keys)
        found = np.empty(count, _ROWS)
        present = np.empty(count, np.bool_)
        found_room, present_room = ffi.from_buffer("crivo_row[]", found), ffi.from_buffer("uint8_t[]", present)
        opened = self._open
        for begin, block in some:
            check(lib.crivo_rows_lookup_many(opened, block, found_room + begin, present_room + begin))
        return found, present

    def pairs(self, keys: Iterable[Key]) -> Iterator[Tuple[Key, Optional[Row]]]:
        """Each key of any iterable with its row or None, as they come."""
        for key in keys:
            yield key, self.get(key)


class FilterSet(_Opened):
    """A set of filters, one for each group of keys, all asked by one hash of a key: each may hold its own keys, and a fraction `fpr` of
    all others. Groups are known by their names, and by their numbers in the order of these.

    >>> _ = open("pairs.tsv", "w").write("a.parquet\\tape\\na.parquet\\tbee\\nb.parquet\\tbee\\n")
    >>> files = crivo.FilterSet(crivo.build_filterset(crivo.Files("pairs.tsv", column=2, value_column=1), fpr=1e-6).data)
    >>> files.groups_of("bee"), files.groups_of("cat"), files.contains("b.parquet", "ape")
    (['a.parquet', 'b.parquet'], [], False)
    """

    _kind = "filterset"

    def groups(self) -> List[str]:
        """The names of all groups, in order; what is no UTF-8 as :func:`os.fsdecode` has it."""
        opened = self._open
        return [self._name(opened, number) for number in range(lib.crivo_filterset_groups(opened))]

    @staticmethod
    def _name(opened: Any, number: int) -> str:
        name = lib.crivo_filterset_name(opened, number)
        return os.fsdecode(ffi.buffer(name.data, name.size)[:])

    def number(self, group: Union[str, bytes]) -> Optional[int]:
        """The number of the group of that name; None if there is none."""
        name = os.fsencode(group)
        found = lib.crivo_filterset_find(self._open, name, len(name))
        return None if found == 2**64 - 1 else int(found)

    def contains(self, group: Union[str, bytes, int], key: Key) -> bool:
        """Whether a group, by its name or number, may hold the key; False where there is no such group."""
        number = group if isinstance(group, int) else self.number(group)
        text = key_bytes(key)
        return number is not None and number >= 0 and bool(lib.crivo_filterset_contains(self._open, number, text, len(text)))

    def contains_many(self, group: Union[str, bytes, int], keys: Keys) -> npt.NDArray[np.bool_]:
        """The same of many keys, an array of bool."""
        number = group if isinstance(group, int) else self.number(group)
        return _answers(keys, np.bool_, lib.crivo_filterset_contains_many, self._open, 2**64 - 1 if number is None else number)

    def groups_of(self, key: Key) -> List[str]:
        """The names of the groups that may hold the key, in order."""
        opened = self._open
        return [self._name(opened, int(number)) for number in np.flatnonzero(self.groups_of_many([key])[0])]

    def groups_of_many(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """Which groups may hold each key: an array of bool, a row a key and a column a group."""
        opened = self._open
        groups = lib.crivo_filterset_groups(opened)
        words = (groups + 63) // 64
        count, some = batches(keys)
        bitmaps = np.empty((count, words), np.uint64)
        room = ffi.from_buffer("uint64_t[]", bitmaps)
        for begin, block in some:
            check(lib.crivo_filterset_groups_of(opened, block, room + begin * words))
        return np.unpackbits(bitmaps.view(np.uint8), axis=1, count=groups, bitorder="little").view(np.bool_)

    def count(self, keys: Keys) -> npt.NDArray[np.uint32]:
        """How many of the keys each group may hold, an array by the numbers of groups."""
        opened = self._open
        counts = np.zeros(lib.crivo_filterset_groups(opened), np.uint32)
        room = ffi.from_buffer("uint32_t[]", counts)
        for _, block in batches(keys)[1]:
            check(lib.crivo_filterset_count(opened, block, room))
        return counts


#: Keys of ids at a time, and room for their bytes.
_KEYS_AT_ONCE, _KEY_BYTES = 4096, 1 << 18


class Dictionary(_Opened, Mapping[Key, int]):
    """A sorted set of keys, each with its id: its rank in byte order, from 0. A read-only mapping of keys to ids, in order, whose
    keys() are also a sequence: `words.keys()[10:20]`.

    >>> words = crivo.Dictionary(crivo.build_dictionary(["bee", "ape", "cat"]).data)
    >>> words["bee"], words.key(2), words.keys()[:2], list(words.prefix("c")), "dog" in words
    (1, b'cat', [b'ape', b'bee'], [2], False)
    """

    __eq__, __hash__ = object.__eq__, object.__hash__  # as what is open, not as its contents

    _kind = "dictionary"

    def __init__(self, source: Union[Path, bytes, bytearray, memoryview], *, mode: str = "mapped", verify: bool = False, trust: Optional[Trust] = None):
        super().__init__(source, mode=mode, verify=verify, trust=trust)
        self._longest = lib.crivo_dictionary_longest_key(self._open)
        self._type = np.uint64 if self.info.value_type in ("", "unsigned") else np.int64

    def get(self, key: Key, default: Any = None) -> Any:
        """The id of a key; `default` if it is not in the dictionary, for which ``[]`` raises KeyError."""
        text = key_bytes(key)
        found = _told(lib.crivo_dictionary_lookup(self._open, text, len(text)))
        return found if found != 2**64 - 1 else default

    def __getitem__(self, key: Key) -> int:
        found = self.get(key)
        if found is None:
            raise KeyError(key)
        return found

    def __contains__(self, key: Any) -> bool:
        return self.get(key) is not None

    def get_many(self, keys: Keys) -> npt.NDArray[np.uint64]:
        """The ids of many keys, an array of uint64; :data:`ABSENT` for those not in the dictionary."""
        return _all_told(_answers(keys, np.uint64, lib.crivo_dictionary_lookup_many, self._open))

    @property
    def has_hashed(self) -> bool:
        """Whether the dictionary was built with ``hashed=True``, for :meth:`hashed` and :meth:`hashed_many`."""
        return bool(lib.crivo_dictionary_has_hashed(self._open))

    def hashed(self, key: Key, default: Any = None) -> Any:
        """The id of a key by its hash, several times faster than :meth:`get`; of texts that are no keys one in 256 gets some id.
        UsageError where the dictionary has no hashed ids."""
        text = key_bytes(key)
        check(lib.crivo_dictionary_lookup_hashed(self._open, text, len(text), found := ffi.new("uint64_t*")))
        return _told(found[0]) if found[0] != 2**64 - 1 else default

    def hashed_many(self, keys: Keys) -> npt.NDArray[np.uint64]:
        """The same of many keys, as :meth:`get_many`."""
        return _all_told(_answers(keys, np.uint64, lib.crivo_dictionary_lookup_hashed_many, self._open))

    def _id(self, number: int) -> int:
        if not is_number(number):
            raise TypeError(f"an id is {number!r}, not an integer")
        if not 0 <= number < len(self):
            raise IndexError(f"there is no id {number}: ids are below {len(self)}")
        return number

    def key(self, number: int) -> bytes:
        """The key of an id. IndexError for an id of no key."""
        buffer, size = ffi.new("char[]", max(self._longest, 1)), ffi.new("size_t*")
        if lib.crivo_dictionary_key(self._open, self._id(number), buffer, size) != lib.CRIVO_ANSWER_FOUND:
            raise CorruptError("damaged: a block of keys is malformed")
        return ffi.buffer(buffer, size[0])[:]

    def key_many(self, numbers: Union[npt.NDArray[Any], Iterable[int]]) -> List[bytes]:
        """The keys of many ids, an array of integers or an iterable of them, in their order. IndexError for an id of no
        key."""
        ids = integers(numbers, "numbers")
        for wrong in ids[(ids < 0) | (ids >= len(self))][:1]:
            self._id(wrong)
        ids = ids.astype(np.uint64)
        keys: List[bytes] = []
        room = max(_KEY_BYTES, self._longest)
        buffer, written = ffi.new("char[]", room), ffi.new("size_t*")
        opened = self._open
        while len(keys) != ids.size:
            some = ids[len(keys) : len(keys) + _KEYS_AT_ONCE]
            ends = np.empty(some.size + 1, np.uint64)
            check(lib.crivo_dictionary_key_many(opened, ffi.from_buffer("uint64_t[]", some), some.size, buffer, room,
                                                ffi.from_buffer("uint64_t[]", ends), written))
            at = ends[: written[0] + 1].tolist()
            text = ffi.buffer(buffer, at[-1])[:]
            keys += [text[begin:end] for begin, end in zip(at, at[1:])]
        return keys

    def value(self, number: int) -> Optional[int]:
        """The number beside the key of an id (of decimals, the integer over 10^scale), or None where the dictionary was built
        without. IndexError for an id of no key."""
        found = ffi.new("uint64_t*")
        answer = lib.crivo_dictionary_value(self._open, self._id(number), found)
        if answer == lib.CRIVO_ANSWER_DAMAGED:
            raise CorruptError("damaged: a value is malformed")
        if answer != lib.CRIVO_ANSWER_FOUND:
            return None
        return found[0] if self._type is np.uint64 or found[0] < 2**63 else found[0] - 2**64

    def value_many(self, numbers: Union[npt.NDArray[Any], Iterable[int]]) -> Tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
        """The numbers beside many ids, as :meth:`get_many` gives them: an array of uint64 (of signed values int64), 0 where there
        is none; and where there is one, an array of bool."""
        ids = integers(numbers, "numbers").astype(np.uint64)
        values = np.empty(ids.size, self._type)
        present = np.empty(ids.size, np.bool_)
        check(lib.crivo_dictionary_value_many(self._open, ffi.from_buffer("uint64_t[]", ids), ids.size,
                                              ffi.from_buffer("uint64_t[]", values), ffi.from_buffer("uint8_t[]", present)))
        return values, present

    def lower_bound(self, text: Key) -> int:
        """The id of the first key at or above `text`; the number of keys if all are below."""
        text = key_bytes(text)
        return _told(lib.crivo_dictionary_lower_bound(self._open, text, len(text)))

    def prefix(self, text: Key) -> range:
        """The ids of the keys that begin with `text`."""
        text, begin, end = key_bytes(text), ffi.new("uint64_t*"), ffi.new("uint64_t*")
        lib.crivo_dictionary_prefix(self._open, text, len(text), begin, end)
        return range(_told(begin[0]), end[0])

    def longest_prefix(self, text: Key) -> Optional[bytes]:
        """The longest key that `text` begins with, or None."""
        text, size = key_bytes(text), ffi.new("size_t*")
        found = _told(lib.crivo_dictionary_longest_prefix(self._open, text, len(text), size))
        return text[: size[0]] if found != 2**64 - 1 else None

    def prefixes(self, text: Key) -> List[bytes]:
        """All keys that `text` begins with, the longest first."""
        text = key_bytes(text)
        found = ffi.new("crivo_prefix[]", len(text) + 1)
        count = ffi.new("size_t*")
        check(lib.crivo_dictionary_prefixes(self._open, text, len(text), found, len(text) + 1, count))
        return [text[: found[i].size] for i in range(count[0])]

    def fuzzy(self, text: Key, edits: int) -> List[Tuple[int, int]]:
        """The ids of all keys that at most `edits` (0 to 2) edits of characters make of `text`, in order, each with
        how many make it. A byte that is no part of a character in UTF-8 counts as one."""
        text, count, room = key_bytes(text), ffi.new("size_t*"), 0
        opened = self._open
        while True:
            found = ffi.new("crivo_near[]", room)
            check(lib.crivo_dictionary_fuzzy(opened, text, len(text), whole(edits, "edits"), found, room, count))
            if count[0] <= room:
                return [(found[i].id, found[i].edits) for i in range(count[0])]
            room = count[0]

    def __iter__(self) -> Iterator[bytes]:
        """All keys, in order."""
        for begin in range(0, len(self), _KEYS_AT_ONCE):
            yield from self.key_many(range(begin, min(begin + _KEYS_AT_ONCE, len(self))))

    def keys(self) -> DictionaryKeys:
        """All keys, in order: also by their ids, `keys()[7]`, and by slices of these."""
        return DictionaryKeys(cast("Mapping[bytes, int]", self))

    def items(self) -> ItemsView[bytes, int]:
        """All keys with their ids, in order."""
        return _DictionaryItems(cast("Mapping[bytes, int]", self))

    def pairs(self, keys: Iterable[Key]) -> Iterator[Tuple[Key, Optional[int]]]:
        """Each key of any iterable with its id or None, as they come."""
        for block in _blocks(keys):
            for key, found in zip(block, self.get_many(block).tolist()):
                yield key, found if found != 2**64 - 1 else None


class _DictionaryItems(ItemsView[bytes, int]):
    """All keys of a dictionary with their ids, in order, without a lookup of each."""

    _mapping: Any

    def __iter__(self) -> Iterator[Tuple[bytes, int]]:
        return ((key, number) for number, key in enumerate(self._mapping))


class _Readers:
    """Readers of a store as it was when the first was made, whatever is committed meanwhile; each is closed when nothing holds it."""

    def __init__(self, store: Any):
        self._first = self._made(lib.crivo_reader_open, store)
        self._idle = [self._first]  # that no thread uses; pop and append are atomic

    @staticmethod
    def _made(make: Callable[[Any, Any], int], source: Any) -> Any:
        reader = ffi.new("crivo_reader**")
        check(make(source, reader))
        return held(reader[0], lib.crivo_reader_close)

    def take(self) -> Any:
        try:
            return self._idle.pop()
        except IndexError:
            return self._made(lib.crivo_reader_copy, self._first)

    def give_back(self, reader: Any) -> None:
        self._idle.append(reader)


class Store(_Opened, Mapping[Key, bytes]):
    """A record store: the record of each key, exactly. A read-only mapping of keys to records. Usable from several threads at
    once, which all see the same: what is committed meanwhile is seen after :meth:`refresh`.

    >>> _ = crivo.build_store({"ape": "a", "bee": "b"}, "letters")
    >>> with crivo.open("letters") as letters:
    ...     letters["ape"], letters.get("cat"), sorted(letters.items())
    (b'a', None, [(b'ape', b'a'), (b'bee', b'b')])
    """

    __eq__, __hash__ = object.__eq__, object.__hash__  # as what is open, not as its contents

    _kind = "store"

    def __init__(self, source: Path, *, mode: str = "mapped", verify: bool = False, trust: Optional[Trust] = None):
        self._lock = threading.RLock()  # a handler of signals may look up while it is held
        self._newest: Optional[_Readers] = None  # until the first lookup after opening or a refresh
        super().__init__(source, mode=mode, verify=verify, trust=trust)

    def close(self) -> None:
        with self._lock:
            self._newest = None
            super().close()

    def refresh(self) -> bool:
        """Goes over to what has taken the store's place in its directory since, and to updates that were committed: whether
        there was anything new. Other threads may look up meanwhile."""
        renewed = ffi.new("int*")
        with self._lock:
            check(lib.crivo_store_refresh(self._open, renewed))
            if renewed[0]:
                self._newest = None
        return bool(renewed[0])

    @property
    def _readers(self) -> _Readers:
        readers = self._newest
        if readers is None:
            with self._lock:
                readers = self._newest = self._newest or _Readers(self._open)
        return readers

    def get(self, key: Key, default: Any = None) -> Any:
        """The record of a key, bytes, or `default` if there is none. Raises :class:`CorruptError` if it is damaged."""
        text = key_bytes(key)
        record = ffi.new("crivo_bytes*")
        readers = self._readers
        reader = readers.take()
        try:
            answer = lib.crivo_reader_find(reader, text, len(text), record)
            if answer == lib.CRIVO_ANSWER_FOUND:
                return ffi.buffer(record.data, record.size)[:]
        finally:
            readers.give_back(reader)
        if answer == lib.CRIVO_ANSWER_DAMAGED:
            raise CorruptError(f"the record of {key!r} is damaged")
        return default

    def __getitem__(self, key: Key) -> bytes:
        record = self.get(key)
        if record is None:
            raise KeyError(key)
        return record

    def __contains__(self, key: Any) -> bool:
        return self.get(key) is not None

    def get_many(self, keys: Keys) -> List[Optional[bytes]]:
        """The records of many keys; None for those that have none."""
        count, some = batches(keys, _BLOCK)
        found: List[Optional[bytes]] = [None] * count
        ends = ffi.new("uint64_t[]", _BLOCK)
        answers = ffi.new("int8_t[]", _BLOCK)
        records = ffi.new("crivo_py_records*", {"ends": ends, "answers": answers})
        readers = self._readers
        reader = readers.take()
        try:
            for begin, block in some:
                records.size = 0
                check(lib.crivo_py_find_many(reader, block, records))
                damaged = lib.crivo_py_put(ffi.cast("void*", id(found)), begin, block.count, records)
                if damaged == -2:
                    raise MemoryError
                if damaged >= 0:
                    raise CorruptError(f"the record of keys[{begin + damaged}] is damaged")
        finally:
            readers.give_back(reader)
            lib.free(records.bytes)
        return found

    def pairs(self, keys: Iterable[Key]) -> Iterator[Tuple[Key, Optional[bytes]]]:
        """Each key of any iterable with its record or None, as they come."""
        for block in _blocks(keys):
            yield from zip(block, self.get_many(block))

    @property
    def is_ordered(self) -> bool:
        """Whether the records are in the order of their keys (`ordered=True` of build_store), so that what follows is there;
        otherwise it raises :class:`UsageError`."""
        return bool(lib.crivo_store_is_ordered(self._open))

    def _records(self) -> Iterator[Tuple[bytes, bytes]]:
        return self.range(b"") if self.is_ordered else walk(self._open)

    def __iter__(self) -> Iterator[bytes]:
        """All keys: in order where the store is ordered, and else in that of their ranks, which says nothing."""
        return (key for key, _ in self._records())

    def items(self) -> StoreItems:
        """All keys with their records, as :meth:`__iter__` has them and with what is committed when an iteration begins. Each is
        checked as it is read: :class:`CorruptError`."""
        return StoreItems(cast("Mapping[bytes, bytes]", self))

    def values(self) -> StoreRecords:
        """All records, likewise."""
        return StoreRecords(self)

    def prefix(self, text: Key) -> Iterator[Tuple[bytes, bytes]]:
        """The keys that begin with a text, with their records, in order."""
        begin = key_bytes(text)
        return takewhile(lambda item: item[0].startswith(begin), self.range(begin))

    def range(self, low: Key, high: Optional[Key] = None) -> Iterator[Tuple[bytes, bytes]]:
        """The keys from `low` on, and below `high` if that is given, with their records, in order."""
        cursor = ffi.new("crivo_store_cursor**")
        check(lib.crivo_store_cursor_open(self._open, cursor))
        return self._walk(held(cursor[0], lib.crivo_store_cursor_close), key_bytes(low), None if high is None else key_bytes(high))

    @staticmethod
    def _walk(cursor: Any, low: bytes, high: Optional[bytes]) -> Iterator[Tuple[bytes, bytes]]:
        key, record = ffi.new("crivo_bytes*"), ffi.new("crivo_bytes*")
        answer = lib.crivo_store_cursor_seek_key(cursor, low, len(low), key, record)
        while answer == lib.CRIVO_ANSWER_FOUND:
            text = ffi.buffer(key.data, key.size)[:]
            if high is not None and text >= high:
                return
            yield text, ffi.buffer(record.data, record.size)[:]
            answer = lib.crivo_store_cursor_next(cursor, key, record)
        if answer == lib.CRIVO_ANSWER_DAMAGED:
            raise CorruptError("a record or its key is damaged")


def kind_of(info: Info) -> str:
    """Of a chain what it is a chain of: of a filter, an index of rows, a filter set, or an exact set."""
    return info.kind if info.kind != "chain" else {"layers": "filter", "rows": "rows", "filterset": "filterset"}.get(info.algorithm, "exact")


def refuse_untold(name: str, answer: str) -> None:
    """Raises UsageError for what gives any key a rank, a number or a row."""
    raise UsageError(f"without signatures a {name} cannot tell which keys it has, as any key gets a {answer}: build it with signature_bits")


_CLASSES = {"mphf": Mphf, "filter": Filter, "map": Map, "store": Store, "dictionary": Dictionary, "exact": Exact, "filterset": FilterSet, "rows": Rows}


def open(path: Path, *, mode: str = "mapped", verify: bool = False, trust: Optional[Trust] = None) -> Union[Mphf, Filter, FilterSet, Map, Store, Dictionary, Exact, Rows]:  # pylint: disable=redefined-builtin
    """Opens a file or store as what it holds. `mode`: "mapped" (reads what lookups touch), "preload", "lock" (kept in memory),
    "copy" (read whole and checked), or "read" (pages read and checked as they are touched, and nothing mapped); of a store also "index=preload,data=random", each by itself; `verify` reads every byte and checks it first; with `trust` the file must also be signed.

    >>> _ = crivo.build_filter(["ape", "bee"], "f.crv")
    >>> with crivo.open("f.crv", mode="preload") as seen:
    ...     len(seen), "ape" in seen
    (2, True)
    """
    path = os.fsdecode(path)  # bytes are those of a path here
    if path.startswith(("http://", "https://")):
        raise UsageError("crivo.open takes a path; crivo.Remote takes the URL of an index on a server")
    kind = kind_of(inspect(path))
    if kind == "delta":
        raise UsageError(f"{os.fspath(path)}: is a delta: apply it to its base, and open the chain")
    if kind not in _CLASSES:
        raise UsageError(f"{os.fspath(path)}: is a {kind} of a sharded build: merge the parts first")
    return _CLASSES[kind](path, mode=mode, verify=verify, trust=trust)
