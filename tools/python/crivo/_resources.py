# SPDX-License-Identifier: Apache-2.0
"""What long calls may take, whom they tell how far they are, and how they are interrupted."""

from __future__ import annotations

import _thread
import atexit
import os
import sys
import threading
import time
import warnings
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Callable, Optional, Tuple

from ._errors import Error, failure
from ._native import ffi, lib
from ._texts import c_path, whole


@dataclass(frozen=True)
class Progress:
    """How far a long call is."""

    phase: str
    fraction: Optional[float]  #: of the whole call, from 0 to 1; None while it is not known
    done: int  #: of the phase, in keys or bytes
    total: Optional[int]
    seconds: float  #: since the phase began


class BuildWarning(UserWarning):
    """What a call that succeeded has to say of its input or output."""


#: Whether the process ends, and with it what the threads of unfinished calls wait for.
_has_ended = False


def has_ended() -> bool:
    """Whether the process ends."""
    return _has_ended


@atexit.register
def _end() -> None:
    global _has_ended  # pylint: disable=global-statement
    lib.crivo_py_end()  # first: those whose wait ends now do not come back, as the program may still hand over keys
    _has_ended = True
    lib.crivo_py_wait_outside()


os.register_at_fork(after_in_child=lib.crivo_py_forked)

#: The longest time in seconds for which a thread that waits for another does not look up.
_WAIT = 0.1


class _Request:
    """A function of the program that the library asks for."""

    def __init__(self, function: Callable[[], int]):
        self.function = function
        self.answer = -1
        self.done = threading.Event()


class resources:  # pylint: disable=invalid-name
    """crivo_resources for a call. It runs on a thread of its own, while the thread that made it waits, and runs what the
    library asks of the program there: the progress function, and the steps of an iterable. So Ctrl-C arrives at once, an
    exception of either function ends the call and is raised, and an iterable is used by one thread alone."""

    def __init__(
        self, *, threads: int = 0, memory: int = 0, temp_dir: Any = None,
        progress: Optional[Callable[[Progress], Any]] = None,
    ):
        if progress is not None and not callable(progress):
            raise TypeError(f"progress is {progress!r}, not a function")
        self.progress = progress
        self.warnings: Tuple[str, ...] = ()  #: of the call, once it is done
        self._raised: Optional[BaseException] = None
        self._failure: Optional[Error] = None
        self._requests: SimpleQueue = SimpleQueue()
        self._runs = False
        self._self = ffi.new_handle(self)
        self._temp_dir = c_path(temp_dir) if temp_dir is not None else ffi.NULL
        self.struct = ffi.new(
            "crivo_resources*",
            {
                "struct_size": ffi.sizeof("crivo_resources"),
                "threads": whole(threads, "threads", 2**32 - 1),
                "memory": whole(memory, "memory"),
                "temp_dir": self._temp_dir,
                "on_progress": ffi.addressof(lib, "crivo_py_ask_progress"),
                "context": self._self,
            },
        )

    def __enter__(self):
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def run(self, call: Callable[[], int]) -> None:
        """Makes the call; raises what a function of the program or a signal's handler raised, or what the call's status says."""
        jobs: SimpleQueue = SimpleQueue()
        try:
            _thread.start_new_thread(self._work, (jobs,))
        except BaseException:
            jobs.put(None)  # the exception may be a signal's, and the thread there
            raise
        self._runs = True
        try:
            self._serve(jobs, call)
        except BaseException as error:  # pylint: disable=broad-except
            self._raised = error
            jobs.put(None)
            self.join()
        if self._raised is not None:
            raise self._raised
        if self._failure is not None:
            raise self._failure
        for text in self.warnings:
            warnings.warn(text, BuildWarning, stacklevel=_depth_of_caller())

    def join(self) -> None:
        """Waits until the call has ended, which uses what the caller frees. A signal's handler may raise at any step of Python:
        also of this loop, where it has been told already."""
        while self._runs:
            try:
                self._sleep()
            except BaseException:  # pylint: disable=broad-except
                pass

    # Python looks for signals at the end of each turn of a loop, and from 3.12 on the end of one that holds a `try` is
    # outside of any `try` around it. What signals interrupt are therefore functions, each called in a `try`.

    def _serve(self, jobs: SimpleQueue, call: Callable[[], int]) -> None:
        """Begins the call, and answers what it asks until it has ended."""
        jobs.put(call)
        jobs.put(None)
        while self._runs:
            try:
                self._answer(self._requests.get(timeout=_WAIT))
            except Empty:
                pass

    def _sleep(self) -> None:
        while self._runs:
            time.sleep(_WAIT / 10)

    def ask(self, function: Callable[[], int]) -> int:
        """For the library's threads: the answer of a function of the program, or -1 if the call is to end."""
        request = _Request(function)
        self._requests.put(request)
        while self._raised is None and not _has_ended:
            if request.done.wait(_WAIT):
                return request.answer
        return -1

    def _answer(self, request: Optional[_Request]) -> None:
        if request is not None and self._raised is None:
            request.answer = request.function()
            request.done.set()

    def _work(self, jobs: SimpleQueue) -> None:
        try:
            for call in iter(jobs.get, None):
                # What the library has to tell, it tells the thread that called it.
                self._failure = failure(call())
                text = ffi.string(lib.crivo_warnings()).decode("utf-8", "replace")
                self.warnings = tuple(text.split("\n")) if text else ()
        except BaseException as error:  # pylint: disable=broad-except
            self._raised = self._raised or error
        self._runs = False
        self._requests.put(None)

    def report(self, state: Any) -> int:
        """Of the state of a call: what is not 0 cancels it."""
        if self.progress is None:
            return int(self._raised is not None)
        progress, now = self.progress, Progress(
            ffi.string(state.phase).decode(), state.fraction if state.fraction >= 0 else None, state.done,
            state.total or None, state.seconds,
        )
        return self.ask(lambda: int(bool(progress(now))))


def _depth_of_caller() -> int:
    """Of the first function outside of this package, from who calls this on, as `stacklevel` counts."""
    package = __name__.rpartition(".")[0]
    frame, depth = sys._getframe(1), 1  # pylint: disable=protected-access
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(package + "."):
        frame, depth = frame.f_back, depth + 1
    return depth


@ffi.def_extern(error=1)
def crivo_py_progress(context: Any, state: Any) -> int:
    """Called on the thread that runs the call."""
    return ffi.from_handle(context).report(state)
