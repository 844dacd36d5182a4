# SPDX-License-Identifier: Apache-2.0
"""A program that was built without libcrypto: it writes the same files, and says why it neither signs nor checks signatures."""

import os
import subprocess
import unittest

import minisign
from harness import BIN, ENVIRONMENT, KINDS, CrivoTest, files_of, lines, pairs, records_of, urls

PROGRAM = os.path.join(BIN, "crivo_without_libcrypto")


class WithoutLibcrypto(CrivoTest):
    def run_without(self, *args, code=0):
        done = subprocess.run([PROGRAM, *args], cwd=self.dir, env=ENVIRONMENT, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, code, done)
        return done

    def test_writes_the_same_files(self):
        """Also of chunks that have a hash tree of several lists, by the portable SHA-256 and that of the processor."""
        keys = urls(30_000)
        for kind in (*KINDS, "dictionary"):
            with self.subTest(kind):
                self.write("keys", pairs(keys, records_of(keys)) if kind == "store" else lines(keys))
                options = ("--backend", "flat") if kind == "store" else ("--bits", "30") if kind == "filter" else ()
                made = []
                for name, run in (("with", self.crivo), ("without", self.run_without)):
                    run("build", kind, "keys", "-o", f"{kind}-{name}", "-q", *options)
                    made.append(files_of(self.dir / f"{kind}-{name}"))
                self.assertEqual(made[0], made[1])
                self.run_without("verify", f"{kind}-with")

    def test_says_why_it_does_not(self):
        key = minisign.Key(1)
        self.write("key", key.secret_file())
        self.write("key.pub", key.public_file)
        self.write("keys", lines(urls(100)))
        self.run_without("build", "filter", "keys", "-o", "file.crv", "-q")
        before = self.listing()
        for command in (
            ("sign", "file.crv", "--secret-key", "key"),
            ("publish", "file.crv", "-o", "site", "--secret-key", "key"),
        ):
            self.assertIn(b"built without libcrypto", self.run_without(*command, code=2).stderr)
        self.assertEqual(self.listing(), before)
        self.crivo("sign", "file.crv", "--secret-key", "key", "-q")
        self.crivo("publish", "file.crv", "-o", "site", "--secret-key", "key", "-q")
        for command in (
            ("verify", "file.crv", "--public-key", "key.pub"),
            ("query", "file.crv", "--key", "a", "--public-key", "key.pub"),
            ("info", "file.crv", "--public-key", "key.pub"),
            ("fetch", "site", "-o", "here", "--public-key", "key.pub"),
        ):
            done = self.run_without(*command, code=2)
            self.assertIn(b"built without libcrypto", done.stderr)
            self.assertEqual(done.stdout, b"")


if __name__ == "__main__":
    unittest.main()
