# SPDX-License-Identifier: Apache-2.0
"""A build on another processor gives the same bytes, and its reader the same answers: the program for arm64, by a cross
compiler, under qemu-user. CRIVO is the machine's own program, CRIVO_ARM64_BUILD the folder to build in."""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
NEEDED = ["aarch64-linux-gnu-g++", "qemu-aarch64-static", "cmake"]
MISSING = [program for program in NEEDED if shutil.which(program) is None]
KEYS = 20_000


@unittest.skipIf(MISSING, f"no {', '.join(MISSING)}: see tools/setup full")
class Arm64(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        build = os.environ["CRIVO_ARM64_BUILD"]
        for command in (
            ["cmake", "-S", HERE.parent.parent, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
             f"-DCMAKE_TOOLCHAIN_FILE={HERE / 'arm64.cmake'}", "-DCMAKE_UNITY_BUILD=ON", "-DCRIVO_TESTS=OFF",
             "-DCRIVO_APPS=OFF", "-DCRIVO_BENCH=OFF", "-DCRIVO_EXPERIMENTS=OFF"],
            ["cmake", "--build", build, "--target", "crivo-cli", "--", "--quiet"],
        ):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        cls.native = [os.environ["CRIVO"]]
        cls.arm64 = ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu", f"{build}/bin/crivo"]
        cls.scratch = tempfile.TemporaryDirectory(prefix="crivo-arm64-")
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.keys = pathlib.Path(cls.scratch.name) / "keys"
        cls.values = pathlib.Path(cls.scratch.name) / "values"
        generated = subprocess.run([*cls.native, "gen", "urls", "-n", str(KEYS)], check=True, stdout=subprocess.PIPE).stdout
        cls.keys.write_bytes(generated)
        cls.values.write_bytes(b"".join(b"%s\t%d\n" % (key, i % 7 * i % 500) for i, key in enumerate(generated.splitlines())))

    def run_it(self, program, *arguments):
        done = subprocess.run([*program, *map(str, arguments)], cwd=self.scratch.name, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    def check(self, kind, *options):
        source = self.values if "--values" in options else self.keys
        # One thread: not every version of qemu-user starts more.
        build = ["build", kind, source, "--force", "--threads", "1", "--progress", "never", *options, "-o"]
        self.run_it(self.native, *build, "native.crv")
        self.run_it(self.arm64, *build, "arm64.crv")
        native, arm64 = ((pathlib.Path(self.scratch.name) / name).read_bytes() for name in ("native.crv", "arm64.crv"))
        self.assertTrue(native == arm64, "other bytes")
        query = ["query", "native.crv", self.keys]
        self.assertEqual(self.run_it(self.native, *query), self.run_it(self.arm64, *query), "other answers")

    def test_mphf(self):
        for algorithm in ("fast", "compact", "tiny", "mwhc3", "fch", "bmz", "bdz"):
            with self.subTest(algorithm=algorithm):
                self.check("mphf", "--algorithm", algorithm)

    def test_signature(self):
        self.check("mphf", "--signature", "16")

    def test_filter(self):
        for type_ in ("ribbon", "fuse", "split-block-bloom", "bloom", "counting-bloom", "cuckoo", "hash-compaction"):
            with self.subTest(type=type_):
                self.check("filter", "--type", type_)

    def test_map(self):
        for options in ([], ["--values"], ["--values", "--algorithm", "fuse"], ["--values", "--compress"]):
            with self.subTest(options=options):
                self.check("map", *options)

    def test_reproduce(self):
        """What the machine's own program built, from what its files record."""
        environment = dict(os.environ, CRIVO_OTHER=shlex.join(self.arm64))
        for variable in ("CRIVO_DAMAGE", "CRIVO_SLOWER"):
            environment.setdefault(variable, "1")
        subprocess.run([sys.executable, "-B", "-m", "unittest", "test_reproduce.ReproduceTest.test_every_kind_is_the_same"],
                       cwd=HERE.parent / "cli", env=environment, check=True)


if __name__ == "__main__":
    unittest.main()
