# SPDX-License-Identifier: Apache-2.0
"""What the harness says of runs of a program that forks itself is so (starter.py)."""

import os
import subprocess
import unittest

import starter
from harness import BIN, SANITIZED, CrivoTest, in_parallel


@unittest.skipUnless(os.path.exists(starter.LIBRARY), "each run is started from its beginning")
class Started(CrivoTest):
    program = os.path.join(BIN, "started")

    def test_arguments_and_exit(self):
        for word in ("a", "", "two words", "\u00e9".encode("latin-1")):
            said = self.run_crivo(word, "more")
            expected = b" ".join(map(os.fsencode, (self.dir, word, self.program, "0")))
            self.assertEqual((said.code, said.out, said.err), (3, expected, b""))

    def test_streams(self):
        """More than a pipe takes, by pipe and from a file."""
        sent = bytes(range(256)) * 1000
        self.write("sent", sent)
        for data in (b"", sent[: starter.PIPE_BYTES], sent):
            said = self.run_crivo("copy", stdin=data)
            self.assertEqual((said.out, said.err), (data, data))
        with open(self.dir / "sent", "rb") as file:
            said = self.run_crivo("copy", stdin=file)
        self.assertEqual((said.out, said.err), (sent, sent))

    def test_runs_at_once(self):
        said = in_parallel(lambda i: self.run_crivo("copy", stdin=b"%d" % i).out, range(200), threads=8)
        self.assertEqual(said, [b"%d" % i for i in range(200)])

    def test_what_goes_wrong(self):
        for _ in range(2):
            with self.assertRaisesRegex(AssertionError, "crashed:\n.*\nexit -9"):
                self.run_crivo("crash")
            with self.assertRaises(subprocess.TimeoutExpired):
                self.run_crivo("sleep", timeout=0.1)
            self.assertEqual(self.run_crivo("copy", stdin=b"x").out, b"x")

    @unittest.skipUnless(SANITIZED, "leaks are searched for by AddressSanitizer")
    def test_leaks_are_found(self):
        with self.assertRaisesRegex(AssertionError, "LeakSanitizer"):
            self.run_crivo("leak")
        self.assertEqual(self.run_crivo("leak").code, 0)  # searched for once


if __name__ == "__main__":
    unittest.main()
