# SPDX-License-Identifier: Apache-2.0
"""What stands beside keys: the values of a map, the records of a store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Iterable, Iterator, Optional, Tuple

import numpy as np

from ._files import Files
from ._keys import Column, as_many, integers, is_number


def beside(keys: Any, given: Any, name: str) -> Tuple[Any, Any]:
    """The keys, and their values or records (`name`), which a mapping has itself and files hold: then True, or None for no
    values at all."""
    keys = as_many(keys)
    if given is False:
        given = None
    if isinstance(given, Mapping):
        raise TypeError(f"{name} is a mapping: pass it in the place of the keys")
    if given is not True:
        given = as_many(given, name)
    if isinstance(keys, Mapping):
        if given is not None and given is not True:
            raise TypeError(f"the keys are a mapping, which has its own {name}: pass it alone, or list(mapping) with {name}")
        return list(keys), list(keys.values())
    if isinstance(keys, Files):
        if given is not None and given is not True:
            raise TypeError(f"files hold the {name} of their keys: pass {name}=True")
    elif given is True:
        raise TypeError(f"{name}=True is for crivo.Files and mappings: pass the {name}, one for each key")
    return keys, given


def with_records(keys: Any, given: Any) -> Tuple[Any, Any]:
    """The keys, and their records; of files None, as the call reads both."""
    keys, records = beside(keys, given, "records")
    if isinstance(keys, Files):
        return keys, None
    if records is None:
        raise TypeError("each key needs a record: pass records=, or a mapping of keys to records")
    return keys, records


def values_of(keys: Any, given: Any, value_type: Optional[str]) -> Tuple[Any, Any, Optional[str]]:
    """The keys, a map's values, None where there are none, and their type: "signed" where one is negative and none is named."""
    keys, values = beside(keys, given, "values")
    if values is None or values is True or not isinstance(keys, (list, tuple, np.ndarray, Column)):
        return keys, values, value_type
    values = integers(values, "values")
    if value_type is None and values.dtype.kind == "i" and values.size and values.min() < 0:
        value_type = "signed"
    if values.size and not fits(int(values.min()), value_type):
        raise ValueError(f"value {int(values.min())} is negative: pass value_type=\"signed\"")
    if values.size and not fits(int(values.max()), value_type):
        raise ValueError(f"value {int(values.max())} is over 2**63 - 1, the largest of signed values and decimals")
    if len(keys) != values.size:
        raise ValueError(f"{len(keys)} keys were given, but {values.size} values")
    if values.dtype != np.uint64:
        values = values.astype(np.int64).view(np.uint64)
    return keys, values, value_type


def fits(value: int, value_type: Optional[str]) -> bool:
    """Whether a value of this type, unsigned unless one is named, can be this integer."""
    return 0 <= value < 2**64 if value_type in (None, "unsigned") else -(2**63) <= value < 2**63


def value_bits(value: Any, value_type: Optional[str]) -> int:
    """A value as C has it."""
    if not is_number(value):
        raise TypeError(f"a value is {value!r}: values are integers of 64 bits")
    number = int(value)
    if not fits(number, value_type):
        raise ValueError(f"value {number} is not one of 64 bits that is {value_type or 'unsigned'}: pass another value_type")
    return number & (2**64 - 1)


def together(keys: Iterable[Any], others: Iterable[Any], name: str) -> Iterator[Tuple[Any, Any]]:
    """Each key with its value or record, as many of both."""
    rest = iter(others)
    for key in keys:
        for other in rest:
            yield key, other
            break
        else:
            raise ValueError(f"there are more keys than {name}")
    for _ in rest:
        raise ValueError(f"there are more {name} than keys")
