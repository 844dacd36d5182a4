# SPDX-License-Identifier: Apache-2.0
"""Short runs of a program that is started once: it forks itself for each (starter.c, of which $CRIVO_STARTER_LIBRARY
names what is built)."""

import array
import atexit
import os
import select
import socket
import struct
import subprocess
import time

LIBRARY = os.path.join(os.path.dirname(os.path.abspath(os.environ["CRIVO"])), "starter.so")
PIPE_BYTES = 1 << 16  # what a pipe takes without a reader


def takes(stdin):
    """Whether a run with this standard input can be had here."""
    return os.path.exists(LIBRARY) and (not isinstance(stdin, bytes) or len(stdin) <= PIPE_BYTES)


class Starter:
    """A program that has been started with some variables, and waits before its main()."""

    waiting = {}  # of each program and variables: those that no thread has a run of

    @classmethod
    def run(cls, program, args, variables, directory, stdin, timeout, more=()):
        """A run with the bytes `stdin`, PIPE_BYTES at most, in a pipe, or with an open file; (exit code, output, error
        output). `more`: variables that the program looks for from main() on."""
        waiting = cls.waiting.setdefault((program, tuple(variables.items())), [])
        try:
            starter = waiting.pop()
        except IndexError:
            starter = cls(program, variables)
        result = starter._run([program, *args], directory, stdin, timeout, dict(more))
        waiting.append(starter)  # not after an exception
        return result

    def __init__(self, program, variables):
        self.socket, its_end = socket.socketpair()
        with its_end:
            preloaded = ":".join(filter(None, (variables.get("LD_PRELOAD"), LIBRARY)))
            self.process = subprocess.Popen(
                [program],
                stdin=subprocess.DEVNULL,
                env={**variables, "LD_PRELOAD": preloaded, "LD_BIND_NOW": "1", "CRIVO_STARTER": str(its_end.fileno())},
                pass_fds=[its_end.fileno()],
            )
        atexit.register(self._end)

    def _end(self):
        self.socket.close()
        self.process.wait()

    def _run(self, args, directory, stdin, timeout, more):
        settings = [f"{name}={value}" for name, value in more.items()]
        text = b"".join(os.fsencode(word) + b"\0" for word in (directory, *args, *settings))
        out, its_out = os.pipe()
        err, its_err = os.pipe()
        if isinstance(stdin, bytes):
            its_in, feed = os.pipe()
            os.write(feed, stdin)
            os.close(feed)
        else:
            its_in = os.dup(stdin.fileno())
        try:
            rights = array.array("i", [its_in, its_out, its_err])
            self.socket.sendmsg(
                [struct.pack("=3I", len(text), len(args), len(more))], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)]
            )
            self.socket.sendall(text)
            for end in rights:
                os.close(end)
            process = self._answer()
            said = self._read(out, err, args, process, timeout)
            return os.waitstatus_to_exitcode(self._answer()), *said
        finally:
            os.close(out)
            os.close(err)

    def _answer(self):
        return struct.unpack("=i", self.socket.recv(4, socket.MSG_WAITALL))[0]

    def _read(self, out, err, args, process, timeout):
        """All that comes of both."""
        said = {out: [], err: []}
        poll = select.poll()
        for end in said:
            poll.register(end, select.POLLIN | select.POLLHUP)
        deadline = time.monotonic() + timeout
        open_ends = 2
        while open_ends:
            ready = poll.poll(max(0, deadline - time.monotonic()) * 1000)
            if not ready:
                os.kill(process, 9)
                raise subprocess.TimeoutExpired(args, timeout)
            for end, _ in ready:
                data = os.read(end, PIPE_BYTES)
                if data:
                    said[end].append(data)
                else:
                    poll.unregister(end)
                    open_ends -= 1
        return b"".join(said[out]), b"".join(said[err])
