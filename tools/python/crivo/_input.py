# SPDX-License-Identifier: Apache-2.0
"""What builds and changes read."""

from __future__ import annotations

from itertools import chain, islice
from typing import Any, Iterable, Iterator, Mapping, Optional, Tuple, Union

import numpy as np

from ._errors import check
from ._files import Files
from ._keys import Column, Key, KeyArray, Keys, as_many, is_number, key_bytes, record_bytes, refuse_key
from ._native import ffi, lib
from ._resources import resources
from ._texts import c_paths, flag
from ._values import together, value_bits

#: What a build takes: keys in memory, any iterable of keys, files, or a mapping with values or records.
Input = Union[Keys, Iterable[Key], Mapping[Key, Any], Files]


#: The most that an iterable hands over at a time: keys, and bytes, by less than one key more.
_UNITS, _BYTES = 1000, 1 << 18


def _uniform(keys: Iterable[Key]) -> Tuple[Iterator[Key], bool]:
    """The keys, and whether they are numbers, as the first one is: texts and numbers are not mixed."""
    rest = iter(keys)
    first = list(islice(rest, 1))
    are_numbers = bool(first) and is_number(first[0])

    def checked() -> Iterator[Key]:
        for i, key in enumerate(chain(first, rest)):
            if is_number(key) != are_numbers:
                refuse_key(key, i)
            yield key

    return checked(), are_numbers


class OpenInput:
    """A crivo_input with what keeps it alive. `values` and `records` are as _values.beside() and values_of() gave them."""

    def __init__(
        self, keys: Input, values: Any, records: Any, allow_empty: bool, given: resources, value_type: Optional[str] = None
    ):
        self.handle: Any = ffi.NULL
        self.given = given
        self.value_type = value_type
        self.kept: Any = None
        keys = as_many(keys)
        handle = ffi.new("crivo_input**")
        if isinstance(keys, Files):
            array, count, self.kept = c_paths(keys.paths, "paths")
            check(lib.crivo_input_files(array, count, keys.format(allow_empty), handle))
        elif isinstance(keys, (list, tuple, np.ndarray, Column)):
            array = KeyArray(keys)
            self.kept = array
            if records is not None:
                texts = KeyArray(records, "records")
                self.kept = (array, texts)
                check(lib.crivo_input_records(array.struct, texts.struct, handle))
            elif values is not None:
                self.kept = (array, values)
                check(lib.crivo_input_values(array.struct, ffi.cast("uint64_t*", values.ctypes.data), handle))
            else:
                check(lib.crivo_input_keys(array.struct, handle))
        else:
            keys, are_numbers = _uniform(keys)
            if records is not None:
                self.units, self.write = together(keys, records, "records"), self._write_record
            elif values is not None:
                self.units, self.write = together(keys, values, "values"), self._write_value
            else:
                self.units, self.write = keys, self._write_key
            self.kept = ffi.new_handle(self)
            check(lib.crivo_input_function(ffi.addressof(lib, "crivo_py_ask_next"), self.kept, handle))
            lib.crivo_input_numbers(handle[0], int(are_numbers))
        self.handle = handle[0]
        if not isinstance(keys, Files):
            lib.crivo_input_allow_empty(self.handle, flag(allow_empty, "allow_empty"))

    def __enter__(self):
        return self

    def __exit__(self, *_: Any) -> None:
        self.given.join()
        lib.crivo_input_free(self.handle)

    def feed(self, writer: Any) -> int:
        """Hands over a thousand keys of an iterable, or fewer that are long: whether there may be more."""
        count = size = 0
        for unit in self.units:
            size += self.write(writer, unit)
            count += 1
            if count == _UNITS or size >= _BYTES:
                return 1
        return 0

    def _write_key(self, writer: Any, unit: Any) -> int:
        text = key_bytes(unit)
        check(lib.crivo_writer_key(writer, text, len(text)))
        return len(text)

    def _write_value(self, writer: Any, unit: Any) -> int:
        text = key_bytes(unit[0])
        check(lib.crivo_writer_value(writer, text, len(text), value_bits(unit[1], self.value_type)))
        return len(text)

    def _write_record(self, writer: Any, unit: Any) -> int:
        text, record = key_bytes(unit[0]), record_bytes(unit[1])
        check(lib.crivo_writer_record(writer, text, len(text), record, len(record)))
        return len(text) + len(record)


@ffi.def_extern(error=-1)
def crivo_py_next(context: Any, writer: Any) -> int:
    """Called on any of the library's threads."""
    source = ffi.from_handle(context)
    return source.given.ask(lambda: source.feed(writer))
