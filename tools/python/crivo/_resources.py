# SPDX-License-Identifier: Apache-2.0
"""What long calls may take, and whom they tell how far they are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable, Optional

from ._errors import check
from ._native import ffi, lib


@dataclass(frozen=True)
class Progress:
    """How far a long call is."""

    phase: str
    fraction: Optional[float]  #: of the whole call, from 0 to 1; None while it is not known
    done: int  #: of the phase, in keys or bytes
    total: Optional[int]
    seconds: float  #: since the phase began


class resources:  # pylint: disable=invalid-name
    """crivo_resources for a call, whose function may raise: what it raises comes out of run()."""

    def __init__(
        self, *, threads: int = 0, memory: int = 0, temp_dir: Any = None,
        progress: Optional[Callable[[Progress], Any]] = None,
    ):
        self.progress = progress
        self.raised: Optional[BaseException] = None
        self._self = ffi.new_handle(self)
        self._temp_dir = ffi.new("char[]", os.fsencode(temp_dir)) if temp_dir is not None else ffi.NULL
        self.struct = ffi.new(
            "crivo_resources*",
            {
                "struct_size": ffi.sizeof("crivo_resources"),
                "threads": threads,
                "memory": memory,
                "temp_dir": self._temp_dir,
                "on_progress": lib.crivo_py_progress if progress is not None else ffi.NULL,
                "context": self._self,
            },
        )

    def __enter__(self):
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def run(self, call: Callable[[], int]) -> None:
        """Makes the call; raises what a function of the program raised, or what the call's status says."""
        status = call()
        if self.raised is not None:
            raise self.raised
        check(status)


@ffi.def_extern()
def crivo_py_progress(context: Any, state: Any) -> int:
    """Anything that is true cancels the call, and so does an exception."""
    given = ffi.from_handle(context)
    try:
        return int(bool(given.progress(Progress(
            ffi.string(state.phase).decode(), state.fraction if state.fraction >= 0 else None, state.done,
            state.total or None, state.seconds,
        ))))
    except BaseException as error:  # pylint: disable=broad-except
        given.raised = error
        return 1
