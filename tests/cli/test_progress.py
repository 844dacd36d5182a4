# SPDX-License-Identifier: Apache-2.0
"""The progress line: on a terminal of its own, and where there is none."""

import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time

from harness import ENVIRONMENT, GeneratedKeys, in_parallel, lines, urls

WIPE = b"\r\x1b[K"
# Enough for work() on any machine. $CRIVO_SLOWER says how many times slower than optimised the program is.
KEYS = 2_000_000 // int(os.environ.get("CRIVO_SLOWER", "1"))
SLOW = ("--algorithm", "tiny", "--effort", "2", "--threads", "1")
COLUMNS = 60


def work(process):
    """Has a build work for moments only until it must have told of them several times, which it first does after a
    second: so it takes long on any machine, but not of a processor."""
    for pause in (1.2, 0.4, 0.4, 0.4):
        time.sleep(0.1)
        process.send_signal(signal.SIGSTOP)
        time.sleep(pause)
        process.send_signal(signal.SIGCONT)


class ProgressLine(GeneratedKeys):
    KIND, COUNT = "urls", KEYS

    def slow_keys(self, keys="seq 1000", end=b""):
        """A pipe whose keys, a command's, come at once and whose end, after `end`, comes when they have been read and the
        line has been drawn for a while: a slow build that takes no time of a processor."""
        reading, writing = os.pipe()

        def feed():
            with open(writing, "wb", buffering=0) as pipe, contextlib.suppress(BrokenPipeError):
                subprocess.run(["sh", "-c", keys], cwd=self.dir, stdout=pipe, check=False)
                for _ in range(6_000):
                    if fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)) == bytes(4):
                        break
                    time.sleep(0.01)
                time.sleep(2)
                pipe.write(end)

        feeder = threading.Thread(target=feed)
        feeder.start()
        self.addCleanup(feeder.join)
        pipe = open(reading, "rb")
        self.addCleanup(pipe.close)
        return pipe

    def on_a_terminal(self, *args, term="xterm", piped=None, typed=None, answers=False, columns=COLUMNS, slow=False,
                      colour=False):
        """What the program writes to a terminal that is its standard error, and, with `typed`, where its
        keys are typed; with `answers` also its standard output. `piped`: its standard input; `slow`: see work()."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        attributes = termios.tcgetattr(slave)
        attributes[1] &= ~termios.OPOST
        attributes[3] &= ~termios.ECHO
        termios.tcsetattr(slave, termios.TCSANOW, attributes)
        env = dict(ENVIRONMENT, TERM=term, NO_COLOR="" if colour else "1")
        if term is None:
            del env["TERM"]
        process = subprocess.Popen(
            [self.program, *map(str, args)],
            stdin=slave if typed is not None else piped or subprocess.DEVNULL,
            stdout=slave if answers else subprocess.DEVNULL,
            stderr=slave,
            cwd=self.dir,
            env=env,
        )
        os.close(slave)
        if slow:
            work(process)
        seen = []
        if typed is not None:
            os.write(master, typed)
            # Silence for longer than the line waits, and then the end of the input.
            with self.assertRaises(subprocess.TimeoutExpired):
                process.wait(2)
            os.write(master, b"\x04")
        if answers:
            time.sleep(1.5)  # the answers fill the terminal's buffer, and the program waits
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            seen.append(part)
        os.close(master)
        return process.wait(60), b"".join(seen)

    def percentages(self, seen):
        return [int(number) for number in re.findall(rb"(\d+)% ", seen)]

    def assert_one_bar(self, seen):
        shown = self.percentages(seen)
        self.assertGreater(len(shown), 2, seen)
        self.assertEqual(shown, sorted(shown), seen)
        self.assertLessEqual(shown[-1], 100)
        self.assertRegex(seen, rb"% (\[[^]]*\] )?mphf, [0-9.]+ [kMG]? ?keys/s, [0-9]+ s left")

    def test_of_a_build(self):
        code, seen = self.on_a_terminal("build", "mphf", "keys", "-o", "out", *SLOW, slow=True)
        self.assertEqual(code, 0)
        drawn, end = seen.rsplit(WIPE, 1)
        self.assertTrue(end.startswith(b"out: "), end)  # the line is wiped before the summary
        self.assert_one_bar(drawn)
        for line in drawn.split(WIPE):
            self.assertLess(len(line), COLUMNS)
            self.assertNotIn(b"\n", line)

    def test_has_a_bar(self):
        _, seen = self.on_a_terminal("build", "mphf", "keys", "-o", "out", *SLOW, columns=90, slow=True, colour=True)
        bars = re.findall(rb"(\d+)% \[\x1b\[32m(#*)\x1b\[0m(-*)\] [a-z]", seen)
        self.assertGreater(len(bars), 2, seen)
        for percent, done, left in bars:
            share = 100 * len(done) / len(done + left)
            self.assertLessEqual(abs(int(percent) - share), 100 / len(done + left), seen)

    def test_is_cut_to_the_width(self):
        _, seen = self.on_a_terminal("build", "mphf", "keys", "-o", "out", *SLOW, columns=12, slow=True)
        drawn = seen.rsplit(WIPE, 1)[0]
        self.assertTrue(self.percentages(drawn))
        self.assertLess(max(len(line) for line in drawn.split(WIPE)), 12)

    def test_is_gone_before_an_error(self):
        keys = self.slow_keys(end=b"\n")  # an empty key, found at the end
        code, seen = self.on_a_terminal("build", "mphf", "-", "-o", "out", piped=keys)
        self.assertEqual(code, 3)
        drawn, end = seen.rsplit(WIPE, 1)
        self.assertIn(b"hash, ", drawn)
        self.assertRegex(end, rb"^crivo: [^\r]*:1001: [^\r]*\n$")

    def test_where_the_terminal_cannot_show_it(self):
        """Nor with --quiet; in the same time it is shown where it can be."""

        def run(case):
            term, options = case
            out = f"out-{term}-{len(options)}"
            _, seen = self.on_a_terminal("build", "mphf", "-", "-o", out, *options, term=term, piped=self.slow_keys())
            return seen

        quiet = (("xterm", ("-q",)), ("xterm", ("-q", "--progress", "always")))
        plain = [(term, ()) for term in ("xterm", "dumb", "", None)]
        shown, *silent = in_parallel(run, [*plain, *quiet], threads=6)
        self.assertIn(WIPE, shown)
        for seen in silent[:3]:
            self.assertTrue(seen.startswith(b"out-"), seen)
        self.assertEqual(silent[3:], [b"", b""])

    def test_is_no_line_over_keys_that_are_typed(self):
        path = self.build("filter", urls(100))

        def run(answers):
            return self.on_a_terminal("query", path, typed=lines(urls(3)), answers=answers)

        maybe = b"".join(key + b"\tmaybe\n" for key in urls(3))
        self.assertEqual(in_parallel(run, (False, True)), [(0, b""), (0, maybe)])

    def test_is_no_line_over_answers(self):
        path = self.build("filter", urls(100))
        _, seen = self.on_a_terminal("query", path, self.write_keys(urls(10_000), "few"), answers=True)
        self.assertEqual(seen.count(b"\n"), 10_000)
        self.assertNotIn(b"\x1b", seen)

    def test_always_without_a_terminal(self):
        process = subprocess.Popen(
            [self.program, "build", "mphf", "keys", "-o", "out", "--progress", "always", *SLOW],
            stderr=subprocess.PIPE,
            cwd=self.dir,
            env=ENVIRONMENT,
        )
        work(process)
        err = process.communicate(timeout=300)[1]
        self.assertEqual(process.returncode, 0, err)
        self.assertNotIn(b"\x1b", err)
        self.assertNotIn(b"\r", err)
        shown = [line for line in err.split(b"\n") if line.startswith(b"crivo: ")]
        self.assertRegex(b"\n".join(shown), rb"(?m)^crivo: \d+% (hash|mphf), ")

    def test_of_a_pipe_tells_the_percentage_once_the_size_is_known(self):
        keys = self.slow_keys("cat keys")
        result = self.crivo("build", "mphf", "-", "-o", "out", "--progress", "always", stdin=keys)
        shown = [line for line in result.err.split(b"\n") if line.startswith(b"crivo: ")]
        self.assertRegex(shown[0], rb"^crivo: hash, [0-9.]+ MiB, [0-9.]+ MiB/s(, [0-9.]+ MiB spilled)?$")
