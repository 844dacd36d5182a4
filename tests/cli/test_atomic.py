# SPDX-License-Identifier: Apache-2.0
"""A build that is killed or finds the disk full leaves the old output whole and nothing in part."""

import contextlib
import functools
import os
import random
import signal
import subprocess
import time

from harness import CRIVO, ENVIRONMENT, KINDS, CrivoTest, files_of, in_use, lines, pairs, records_of, urls


@functools.cache
def inputs_of(kind, count):
    """Files to build from: of few keys, and of `count` others."""
    small, large = urls(60), urls(count, salt=1)
    if kind == "store":
        hexadecimal = [b"%064x" % random.Random(k).getrandbits(256) for k in large]
        return pairs(small, records_of(small)), pairs(large, hexadecimal)
    return lines(small), lines(large)


class Atomic(CrivoTest):
    """A small old output `work/out`, and keys enough for a new one that takes its time."""

    COUNTS = {"mphf": 200_000, "filter": 300_000, "map": 200_000, "store": 20_000}
    # Of what is large: to find out which codec is best would take most of the time.
    OPTIONS = {"mphf": (), "filter": (), "map": (), "store": ("--codec", "zstd")}

    def prepare(self, kind):
        self.kind = kind
        (self.dir / "work").mkdir(exist_ok=True)
        small, large = inputs_of(kind, self.COUNTS[kind])
        self.write("small", small)
        self.write("large", large)
        self.crivo("build", kind, "small", "-o", "work/out")
        self.old = files_of(self.dir / "work/out")

    def build_large(self):
        return subprocess.Popen(
            [CRIVO, "build", self.kind, "large", "-o", "work/out", "--force", *self.OPTIONS[self.kind]],
            cwd=self.dir,
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def duration(self):
        start = time.monotonic()
        self.crivo("build", self.kind, "large", "-o", "timing", *self.OPTIONS[self.kind], env={})
        self.new = files_of(self.dir / "timing")
        return time.monotonic() - start

    def moments(self, whole, count):
        """Moments spread over the build, half of them near its end, where files are put in place."""
        rng = random.Random(6)
        return [whole * (1.1 * i / count if i % 2 else rng.uniform(0.8, 1.1)) for i in range(count)]

    def interrupt(self, sig, moment):
        process = self.build_large()
        time.sleep(moment)
        process.send_signal(sig)
        process.wait(60)
        return process.returncode

    def generation(self):
        """What is in use of the output; the next build removes what else is there."""
        got = files_of(self.dir / "work/out")
        found = in_use(got, self.old, self.new)
        self.assertIsNotNone(found, f"torn: {sorted(got)}")
        self.assertLessEqual(len(found[1]), 1 if self.kind == "store" else 0, f"{sorted(got)}")
        return found[0]

    def restore(self):
        self.crivo("build", self.kind, "small", "-o", "work/out", "--force")

    def test_killed(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.prepare(kind)
                cut = 0
                for moment in self.moments(self.duration(), 12):
                    cut += self.interrupt(signal.SIGKILL, moment) < 0
                    got = self.generation()
                    self.crivo("verify", "work/out")
                    for name in set(self.listing("work")) - {"out"}:
                        self.assertTrue(name.startswith(".") or ".tmp" in name, f"looks whole: {name}")
                    if got == self.new:
                        self.restore()
                self.assertGreater(cut, 0, "no build was cut short")
                # What a killed build left does not hinder the next one.
                self.assertEqual(self.build_large().wait(120), 0)
                self.assertEqual(files_of(self.dir / "work/out"), self.new)
                self.assertEqual(self.listing("work"), ["out"], "left behind by a killed build")
                self.cleanup(kind)

    def cleanup(self, kind):
        subprocess.run(["rm", "-rf", "work", "timing"], cwd=self.dir, check=True)

    def test_interrupted(self):
        """A signal that can be caught leaves nothing at all."""
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.prepare(kind)
                whole = self.duration()
                for i, moment in enumerate(self.moments(whole, 6)):
                    code = self.interrupt((signal.SIGINT, signal.SIGTERM)[i % 2], moment)
                    self.assertEqual(self.listing("work"), ["out"], f"exit {code} after {moment} s")
                    got = files_of(self.dir / "work/out")
                    self.assertTrue(got in (self.old, self.new))
                    if got == self.new:
                        self.restore()
                self.cleanup(kind)

    def test_killed_first_build(self):
        """Without an old output there is none or a whole one."""
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.prepare(kind)
                for moment in self.moments(self.duration(), 4):
                    subprocess.run(["rm", "-rf", "work/out"], cwd=self.dir, check=True)
                    self.interrupt(signal.SIGKILL, moment)
                    if "out" in self.listing("work"):
                        self.assertEqual(files_of(self.dir / "work/out"), self.new)
                self.cleanup(kind)


class FullDisk(CrivoTest):
    COUNTS = {"mphf": 100_000, "filter": 300_000, "map": 100_000, "store": 20_000}
    OPTIONS = {**Atomic.OPTIONS, "mphf": ("--signature", "32")}
    prepare = Atomic.prepare

    def assert_old_output_alone(self):
        self.assertEqual(self.listing("work"), ["out"])
        self.assertEqual(files_of(self.dir / "work/out"), self.old)
        self.crivo("verify", "work/out")

    @contextlib.contextmanager
    def small_disk(self):
        """Makes `work` a disk of 192 KiB where the system lets us; else limits the size of every file.

        Yields the options of run_crivo that hold writers to it.
        """
        (self.dir / "work").mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=192k", "tmpfs", str(self.dir / "work")]
        mounted = subprocess.run(mount, stderr=subprocess.DEVNULL, check=False).returncode == 0
        try:
            yield {} if mounted else {"file_limit": 100_000}
        finally:
            if mounted:
                subprocess.run(["umount", str(self.dir / "work")], check=True)
            subprocess.run(["rm", "-rf", str(self.dir / "work")], check=True)

    def test_full_disk(self):
        for kind in KINDS:
            with self.subTest(kind=kind), self.small_disk() as limits:
                self.prepare(kind)
                for force in (True, False):
                    out = "work/out" if force else "work/second"
                    args = ("build", kind, "large", "-o", out, *self.OPTIONS[kind], *["--force"][:force])
                    self.crivo(*args, code=5, **limits)
                    self.assert_old_output_alone()

    def test_file_size_limit(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.prepare(kind)
                args = ("build", kind, "large", "-o", "work/out", "--force", *self.OPTIONS[kind])
                self.crivo(*args, code=5, file_limit=100_000)
                self.assert_old_output_alone()
                subprocess.run(["rm", "-rf", "work"], cwd=self.dir, check=True)

    def test_output_in_a_directory_that_may_not_be_written(self):
        if os.geteuid() == 0:
            return  # root may write anywhere; the case is met where the suite runs as a user
        self.prepare("mphf")
        os.chmod(self.dir / "work", 0o555)
        self.addCleanup(os.chmod, self.dir / "work", 0o755)
        self.crivo("build", "mphf", "small", "-o", "work/out", "--force", code=5)
        self.assert_old_output_alone()
