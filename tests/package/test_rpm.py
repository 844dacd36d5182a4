# SPDX-License-Identifier: Apache-2.0
"""The rpm: built, and what it holds works where it is unpacked."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@unittest.skipUnless(shutil.which("rpmbuild") and shutil.which("rpm2cpio"), "no rpmbuild: the rpm is not tested")
class Rpm(unittest.TestCase):
    def test_from_the_tree_to_an_answer(self):
        with tempfile.TemporaryDirectory(prefix="crivo-test-") as directory:
            subprocess.run([ROOT / "tools" / "package" / "rpm", directory], check=True, stdout=subprocess.DEVNULL)
            (package,) = pathlib.Path(directory).glob("*.rpm")
            listed = subprocess.run(["rpm", "-qpl", package], check=True, stdout=subprocess.PIPE, text=True).stdout
            for name in ("/usr/bin/crivo", "/usr/bin/crivo-spell", "/usr/bin/crivo-slurm", "/usr/share/man/man1/crivo.1", "/usr/include/crivo/mphf.hpp",
                         "/usr/share/doc/crivo/formats/crivo-1.md"):
                self.assertIn(f"{name}\n", listed)
            subprocess.run(f"rpm2cpio {package} | cpio -id --quiet", shell=True, cwd=directory, check=True)
            crivo = pathlib.Path(directory) / "usr" / "bin" / "crivo"
            subprocess.run([crivo, "build", "map", "-", "-o", "m", "-q"], cwd=directory, input=b"a\nb\n", check=True)
            said = subprocess.run([crivo, "query", "m", "-k", "b"], cwd=directory, check=True, stdout=subprocess.PIPE).stdout
            self.assertEqual(said, b"b\t1\n")


if __name__ == "__main__":
    unittest.main()
