# SPDX-License-Identifier: Apache-2.0
"""What holds something of the library until it is closed."""

from __future__ import annotations

from typing import Any, TypeVar

from ._native import ffi


_Self = TypeVar("_Self")


def held(given: Any, give_back: Any, *below: Any) -> Any:
    """What the library gave, which takes it back once nothing uses it any more; what it stands on is kept as long. A call
    holds its arguments, and so nothing is taken back from under one, whoever closes it."""
    if not below:
        return ffi.gc(given, give_back)

    def last(pointer: Any, _below: Any = below) -> None:
        give_back(pointer)

    return ffi.gc(given, last)


class Handle:
    """``_handle`` is what the library gave, as :func:`held` has it, NULL before and after; ``close`` lets go of it."""

    _handle: Any = ffi.NULL

    @property
    def _open(self) -> Any:
        """What a lookup reads, and holds until it is done: asked for once in a call, since another thread may close this, or
        go over to a newer one."""
        handle = self._handle
        if handle == ffi.NULL:
            raise ValueError(f"the {type(self).__name__} is closed")
        return handle

    def close(self) -> None:
        """Lets go of what is open, with the last call that is inside it. Done by ``with`` too."""
        self._handle = ffi.NULL

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be pickled")
