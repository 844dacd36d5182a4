# SPDX-License-Identifier: Apache-2.0
"""Runs the program with one fault planned: a call of some class that fails, or a SIGKILL at it
(fault_library.c says which calls and how; $CRIVO_FAULT_LIBRARY names the built library)."""

import errno
import os
import shutil
import struct
import subprocess
from dataclasses import dataclass

from harness import BIN, ENVIRONMENT, Result
from starter import Starter

LIBRARY = os.path.join(BIN, "fault_library.so")


@dataclass(frozen=True)
class Fault:
    """What goes wrong at a call of a class."""

    action: str
    error: int = 0

    @property
    def kills(self):
        return self.action.startswith("kill")

    def __str__(self):
        return f"{self.action} {errno.errorcode[self.error]}" if self.error else self.action


def fail(error):
    return Fault("fail", error)


def fail_on(error):
    return Fault("fail-on", error)


SHORT = Fault("short")
KILL_BEFORE = Fault("kill-before")
KILL_AFTER = Fault("kill-after")


class Injector:
    """Runs commands in `directory`; `counter` is a file of its own, outside of what the test looks at."""

    def __init__(self, program, directory, counter, variables):
        self.program, self.directory, self.counter, self.variables = program, directory, counter, variables
        counter.write_bytes(bytes(8))

    def run_from_start(self, args, calls, at, fault):
        """The same of a program that is started by itself, with the calls that it makes before main() too."""
        self.counter.write_bytes(bytes(8))
        env = {
            **ENVIRONMENT, **self.variables, "LD_PRELOAD": LIBRARY, "CRIVO_FAULT_COUNT": str(self.counter), "CRIVO_FAULT_EARLY": "1",
            "CRIVO_FAULT_CLASS": calls, "CRIVO_FAULT_AT": str(at), "CRIVO_FAULT_ACTION": fault.action,
            "CRIVO_FAULT_ERRNO": str(fault.error),
        }
        process = subprocess.run(
            [self.program, *args], capture_output=True, cwd=self.directory, env=env, timeout=120, check=False)
        (seen,) = struct.unpack("@Q", self.counter.read_bytes())
        return Result(args, process.returncode, process.stdout, process.stderr), seen

    def run(self, args, calls, at, fault, prefix=(), named=False, no_proc=False, stdin=b""):
        """One run in which call number `at` of the class `calls` meets `fault` (at 0: none does), with the
        bytes `stdin` in a pipe. Returns the Result and the number of such calls that there were."""
        with open(self.counter, "r+b") as file:
            file.write(bytes(8))
        env = {**ENVIRONMENT, **self.variables, "CRIVO_FAULT_COUNT": str(self.counter)}
        plan = {
            "CRIVO_FAULT_CLASS": calls,
            "CRIVO_FAULT_AT": at,
            "CRIVO_FAULT_ACTION": fault.action,
            "CRIVO_FAULT_ERRNO": fault.error,
        }
        if named:
            plan["CRIVO_FAULT_NAMED"] = 1
        if no_proc:
            plan["CRIVO_FAULT_NO_PROC"] = 1
        if prefix:  # which preloads the library
            env |= {name: str(value) for name, value in plan.items()}
            env["CRIVO_FAULT_LIBRARY"] = LIBRARY
            command = [*prefix, self.program, *args]
            process = subprocess.run(
                command, input=stdin, capture_output=True, cwd=self.directory, env=env, timeout=120, check=False
            )
            said = process.returncode, process.stdout, process.stderr
        else:
            env["LD_PRELOAD"] = LIBRARY
            said = Starter.run(self.program, args, env, self.directory, stdin, 120, plan)
        (seen,) = struct.unpack("@Q", self.counter.read_bytes())
        return Result(args, *said), seen


def same_number_each_time():
    """A prefix of commands that runs each as process 2 of a namespace of its own, or None where the system
    does not let us. (Process 1 could not be killed from within.)"""
    if shutil.which("unshare") is None:
        return None
    shell = ("sh", "-c", 'LD_PRELOAD="$CRIVO_FAULT_LIBRARY" "$@"; exit $?', "sh")
    for rights in ((), ("--user", "--map-root-user")):
        prefix = ("unshare", *rights, "--pid", "--fork")
        if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0:
            return (*prefix, *shell)
    return None
