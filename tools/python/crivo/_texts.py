# SPDX-License-Identifier: Apache-2.0
"""Numbers, paths and texts as C has them, which ends a text at a NUL: each arrives as it was given or is refused."""

from __future__ import annotations

import operator
import os
from typing import Any, Iterable, Tuple, Union

import numpy as np

from ._native import ffi

Path = Union[str, "os.PathLike[str]"]


def whole(value: Any, name: str, most: int = 2**64 - 1) -> int:
    """An integer from 0 to `most`, which C would also make of what is none."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, not an integer") from None
    if not 0 <= number <= most:
        raise OverflowError(f"{name} is {number}, which is not between 0 and {most}")
    return number


def seconds(value: Any, name: str) -> float:
    """A time that ends."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"{name} is {value!r}, not a number of seconds")
    if not 0 < value <= 1e6:
        raise ValueError(f"{name} is {value}, which is not between 0 and 1,000,000 seconds")
    return float(value)


def flag(value: Any, name: str) -> int:
    """True or False as C has them; it would make one of anything."""
    if not isinstance(value, (bool, np.bool_)) and not (isinstance(value, int) and value in (0, 1)):
        raise TypeError(f"{name} is {value!r}, not True or False")
    return int(value)


def pair(value: Any, name: str) -> Tuple[Any, Any]:
    """Two of something; `name` says what."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise TypeError(f"{name} is {value!r}, not a pair")
    return value[0], value[1]


def one_character(text: Any, name: str) -> str:
    """A text of one character, of one byte."""
    if len(text_bytes(text, name)) != 1:
        raise ValueError(f"{name} is {text!r}, not one character of one byte")
    return text


def path_bytes(path: Union[Path, bytes]) -> bytes:
    """A path as the system has it."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError(f"a path has a NUL: {path!r}")
    return name


def text_bytes(text: str, what: str) -> bytes:
    """A text in UTF-8; messages call it `what`."""
    if not isinstance(text, str):
        raise TypeError(f"{what} is {text!r}, not a str")
    if "\0" in text:
        raise ValueError(f"{what} has a NUL: {text!r}")
    return text.encode()


def c_path(path: Union[Path, bytes]) -> Any:
    """A path that lives as long as what is given."""
    return ffi.new("char[]", path_bytes(path))


def c_text(text: str, what: str) -> Any:
    """A text that lives as long as what is given."""
    return ffi.new("char[]", text_bytes(text, what))


def c_paths(paths: Iterable[Path], name: str) -> Tuple[Any, int, Any]:
    """An array of paths, their number, and what keeps them."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise TypeError(f"{name} is one path: pass a list of them")
    each = [c_path(path) for path in paths]
    array = ffi.new("char*[]", each)
    return ffi.cast("const char* const*", array), len(each), (array, each)
