# SPDX-License-Identifier: Apache-2.0
"""tools/package/static: a program that looks keys up where there is nothing else, not even a C library."""

import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Static(unittest.TestCase):
    def test_in_an_empty_root(self):
        with tempfile.TemporaryDirectory(prefix="crivo-test-") as directory:
            root = pathlib.Path(directory)
            subprocess.run([ROOT / "tools" / "package" / "static", root / "crivo"], check=True)
            (root / "records.tsv").write_bytes(b"key\trecord\nother\t\n")
            inside = ["unshare", "--user", "--map-root-user", "chroot", root, "/crivo"]
            output = lambda *command: subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE).stdout
            self.assertIn(b"crivo 1.", output(*inside, "--version"))
            # What is written takes its name by /proc, which an empty root has not.
            output(root / "crivo", "build", "store", "records.tsv", "-o", "store", "-q")
            output(root / "crivo", "build", "map", "records.tsv", "-o", "map", "-q")
            self.assertEqual(output(*inside, "get", "store", "key"), b"record")
            self.assertEqual(output(*inside, "query", "map", "--key", "other\t"), b"other\t\t1\n")


if __name__ == "__main__":
    unittest.main()
