"""A build that there is no memory for ends before its work, and --dry-run warns of it."""

import resource
import subprocess

from harness import ENVIRONMENT, CrivoTest

MEGA = 10**6


class Memory(CrivoTest):
    def limited(self, megabytes, *args):
        """One run in so much address space."""
        return subprocess.run(
            [self.program, *map(str, args)],
            capture_output=True,
            cwd=self.dir,
            env=ENVIRONMENT,
            timeout=120,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGA,) * 2),
        )

    def setUp(self):
        super().setUp()
        if "asan" in self.program or "tsan" in self.program:
            self.skipTest("a sanitizer takes terabytes of address space")
        with open(self.dir / "keys", "wb") as file:
            self.crivo("gen", "words", "-n", 8_000_000, stdout=file)

    def test_is_refused_before_the_work(self):
        for kind, options in (("mphf", ()), ("filter", ()), ("map", ()), ("mphf", ("--algorithm", "bdz"))):
            self.write("out", b"old")
            result = self.limited(110, "build", kind, "keys", "-o", "out", "--force", "--threads", 1, *options)
            self.assertEqual(result.returncode, 5, result.stderr)
            self.assertRegex(
                result.stderr,
                rb"^crivo: keys: a build of [78]\d{6} keys or more takes about \d+ MB of memory, and \d+ MB "
                rb"can be had \(the limit on address space \(ulimit -v\)\); [^\n]+\n$",
            )
            self.assertEqual((self.dir / "out").read_bytes(), b"old")
            self.assertEqual(self.listing(), ["keys", "out"])

    def test_dry_run_warns(self):
        result = self.limited(110, "build", "mphf", "keys", "-o", "out", "--dry-run", "--threads", 1)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, rb"^crivo: warning: a build of 8000000 keys or more takes about ")
        self.assertIn(b"output  ", result.stdout)
        self.assertEqual(self.crivo("build", "mphf", "keys", "-o", "out", "--dry-run").err, b"")

    def test_is_not_refused_where_there_is_enough(self):
        result = self.limited(600, "build", "mphf", "keys", "-o", "out", "-q", "--threads", 1)
        self.assertEqual((result.returncode, result.stderr), (0, b""))

    def test_estimate_is_near_what_is_taken(self):
        for kind, *options in (["mphf"], ["filter"], ["filter", "--type", "fuse"], ["map"], ["filter", "--type", "bloom"]):
            args = ("build", kind, "keys", "-o", "out", "--force", "--threads", 2, "--json", *options)
            estimate = self.crivo(*args, "--dry-run").json()["memory_bytes"]
            taken = self.crivo(*args).json()["peak_rss_bytes"]
            self.assertLess(abs(estimate / taken - 1), 0.25, f"{kind} {options}: {estimate} {taken}")
