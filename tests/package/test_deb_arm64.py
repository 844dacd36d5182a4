# SPDX-License-Identifier: Apache-2.0
"""The Debian packages for arm64, by the cross compiler: lintian clean, with what they need named, and used under qemu in an
arm64 system, which is unpacked only, as no program of it can be started here to configure it."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUITE = "bookworm"
NEEDED = ["dpkg-buildpackage", "lintian", "mmdebstrap", "aarch64-linux-gnu-g++", "qemu-aarch64-static"]
MISSING = [program for program in NEEDED if shutil.which(program) is None]


@unittest.skipIf(MISSING or os.geteuid() != 0, f"not root, or no {', '.join(MISSING)}: see tools/setup full")
class Arm64(unittest.TestCase):
    def test_from_the_tree_to_an_answer(self):
        with tempfile.TemporaryDirectory(prefix="crivo-test-") as scratch:
            out, system = pathlib.Path(scratch) / "out", pathlib.Path(scratch) / "system"
            built = subprocess.run([ROOT / "tools/package/deb", "--arm64", out], capture_output=True, text=True)
            self.assertEqual(built.returncode, 0, built.stdout[-3000:] + built.stderr[-3000:])
            packages = [package for package in out.glob("*.deb") if "dbgsym" not in package.name]
            self.assertEqual(sorted(package.name.split("_")[0] for package in packages),
                             ["crivo", "crivo-doc", "libcrivo-collections1", "libcrivo-dev", "libcrivo-read1", "libcrivo1", "python3-crivo"])
            needed = set()
            for package in packages:
                field = lambda name: subprocess.check_output(["dpkg-deb", "--field", package, name], text=True).strip()
                self.assertEqual(field("Architecture"), "all" if "crivo-doc" in package.name else "arm64")
                if "libcrivo-dev" not in package.name:
                    needed |= {word.split()[0].removesuffix(":any") for word in field("Depends").split(",") if word}
            needed -= {package.name.split("_")[0] for package in packages}
            unpacked = subprocess.run(["mmdebstrap", "--variant=extract", "--architectures=arm64",
                                       f"--include={','.join(sorted(needed))}", SUITE, system], capture_output=True, text=True)
            self.assertEqual(unpacked.returncode, 0, unpacked.stderr[-3000:])
            for package in packages:
                subprocess.run(["dpkg-deb", "--extract", package, system], check=True)
            shutil.copy(shutil.which("qemu-aarch64-static"), system)
            (system / "keys").write_text("one\ntwo\nthree\n")

            # numpy's two libraries get the names by which it finds them when they are configured.
            paths = ":".join(f"/usr/lib/aarch64-linux-gnu/{library}" for library in ("blas", "lapack"))

            def inside(*command):
                done = subprocess.run(["chroot", system, "/qemu-aarch64-static", "-E", f"LD_LIBRARY_PATH={paths}", *command],
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                return done.stdout

            inside("/usr/bin/crivo", "build", "map", "/keys", "-o", "/map.crv", "--quiet")
            self.assertEqual(inside("/usr/bin/crivo", "query", "/map.crv", "--key", "two"), "two\t1\n")
            inside("/usr/bin/crivo", "verify", "/map.crv", "--keys", "/keys")
            asked = inside("/usr/bin/python3", "-c", "import crivo; print(crivo.Map('/map.crv').get(b'three'))")
            self.assertEqual(asked, "2\n")
            self.assertTrue((system / "usr/share/man/man1/crivo-build-map.1.gz").exists())


if __name__ == "__main__":
    unittest.main()
