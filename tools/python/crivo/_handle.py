# SPDX-License-Identifier: Apache-2.0
"""What holds something of the library until it is closed."""

from typing import Any

from ._native import ffi


class Handle:
    """``_handle`` is what the library gave, NULL before and after; ``close`` gives it back."""

    _handle: Any = ffi.NULL

    @property
    def _open(self) -> Any:
        if self._handle == ffi.NULL:
            raise ValueError(f"the {type(self).__name__} is closed")
        return self._handle

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self):
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be pickled")

    def __del__(self) -> None:
        if self._handle != ffi.NULL:
            self.close()
