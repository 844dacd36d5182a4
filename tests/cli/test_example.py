# SPDX-License-Identifier: Apache-2.0
"""The example program of the README, on a file that the program built."""

import os
import subprocess

from harness import CRIVO, ENVIRONMENT, CrivoTest, urls

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
        first = keys[0] + b" has rank " + self.query(path, keys[:1])[0] + b"\n"
        result = self.example(path, *asked)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, b"300 keys\n" + first + rows, b""))
        self.assertTrue(rows.endswith(b"\t-\n"))

    def test_tells_what_is_wrong(self):
        self.assertEqual(self.example().returncode, 2)
        missing = self.example("none.crv", "key")
        self.assertEqual(missing.returncode, 1)
        self.assertTrue(missing.stderr.startswith(b"lookup: none.crv: cannot open"))
        other = self.build("filter", urls(10))
        self.assertEqual(self.example(other, "key").returncode, 1)
