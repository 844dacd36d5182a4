# SPDX-License-Identifier: Apache-2.0
"""The example program of the README, on a file that the program built."""

import os
import pathlib
import subprocess

from harness import CRIVO, ENVIRONMENT, CrivoTest, urls

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
EXAMPLE = os.path.join(os.path.dirname(CRIVO), "crivo-example-lookup")


class ExampleTest(CrivoTest):
    def example(self, *args):
        return subprocess.run(
            [EXAMPLE, *args], cwd=self.dir, env=ENVIRONMENT, capture_output=True, timeout=60, check=False
        )

    def test_looks_keys_up(self):
        keys = urls(300)
        path = self.build("mphf", keys, "--signature", "32")
        asked = [*keys[:3], b"http://no.such.host.invalid/"]
        rows = b"".join(k + b"\t" + a + b"\n" for k, a in zip(asked, self.query(path, asked)))
        first = keys[0] + b" is one of 300 keys\n"
        result = self.example(path, *asked)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, first + rows, b""))
        self.assertTrue(rows.endswith(b"\t-\n"))

    def test_tells_what_is_wrong(self):
        self.assertEqual(self.example().returncode, 2)
        missing = self.example("none.crv", "key")
        self.assertEqual(missing.returncode, 1)
        self.assertTrue(missing.stderr.startswith(b"lookup: none.crv: cannot open"))
        other = self.build("filter", urls(10))
        self.assertEqual(self.example(other, "key").returncode, 1)

    def test_is_short(self):
        """As its like for C, Python and Java: twenty lines without comments."""
        for name in ("examples/lookup.cpp", "examples/lookup.c", "examples/lookup.py", "java/example/Lookup.java"):
            lines = [line.strip() for line in (TOOLS / name).read_text(encoding="utf-8").splitlines()]
            code = [line for line in lines if line and not line.startswith(("//", "/*", "# ", '"""'))]
            self.assertLessEqual(len(code), 20, name)
