"""A build that there is no memory for ends before its work, and --dry-run warns of it."""

import os
import pathlib
import re
import resource
import subprocess

from harness import ENVIRONMENT, CrivoTest

MEGA = 10**6


class Cgroup:
    """A child of the cgroup that this process is in, or else of one above it, whose memory is limited. OSError
    where none can be made: there must be a memory controller, and the right to make groups."""

    CGROUPS = pathlib.Path("/sys/fs/cgroup")

    def __init__(self, megabytes):
        error = OSError("no memory controller")
        for top, path, self.limit in self.memberships():
            for above in (path, *path.parents):
                self.path = top / above.relative_to("/") / f"crivo-test-{os.getpid()}"
                try:
                    self.path.mkdir()
                    try:
                        (self.path / self.limit).write_text(str(megabytes * MEGA))
                        return
                    except OSError:
                        self.path.rmdir()
                        raise
                except OSError as refusal:
                    error = refusal
        raise error

    def memberships(self):
        """Of each hierarchy that may have the controller: its top, this process's group, the limit's file."""
        for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers == "":  # version 2
                yield self.CGROUPS, pathlib.PurePosixPath(path), "memory.max"
            elif "memory" in controllers.split(","):
                yield self.CGROUPS / "memory", pathlib.PurePosixPath(path), "memory.limit_in_bytes"

    def enter(self):
        (self.path / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self):
        self.path.rmdir()


class Memory(CrivoTest):
    def run_in(self, enter, *args):
        """One run, for which `enter` is called in the new process."""
        return subprocess.run(
            [self.program, *map(str, args)],
            capture_output=True,
            cwd=self.dir,
            env=ENVIRONMENT,
            timeout=120,
            check=False,
            preexec_fn=enter,
        )

    def limited(self, megabytes, *args):
        """One run in so much address space."""
        return self.run_in(lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGA,) * 2), *args)

    def in_cgroup(self, megabytes, *args):
        """One run in a cgroup of so much memory."""
        try:
            group = Cgroup(megabytes)
        except OSError as error:
            self.skipTest(f"no cgroup with a memory limit can be made here: {error}")
        try:
            return group, self.run_in(group.enter, *args)
        finally:
            group.remove()

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

    def test_is_refused_in_a_small_cgroup(self):
        self.write("out", b"old")
        args = ("build", "mphf", "keys", "-o", "out", "--force", "--threads", 1)
        group, result = self.in_cgroup(110, *args)
        self.assertEqual(result.returncode, 5, result.stderr)
        message = (
            rb"^crivo: keys: a build of [78]\d{6} keys or more takes about (\d+) MB of memory, and (\d+) MB "
            rb"can be had \(([^\n]+)\); [^\n]+\n$"
        )
        self.assertRegex(result.stderr, message)
        need, left, limit = re.match(message, result.stderr).groups()
        self.assertGreater(int(need), 110)
        self.assertLessEqual(int(left), 110)
        self.assertEqual(limit.decode(), str(group.path / group.limit))
        self.assertEqual((self.dir / "out").read_bytes(), b"old")
        self.assertEqual(self.listing(), ["keys", "out"])

    def test_is_built_in_a_cgroup_that_has_room(self):
        _, result = self.in_cgroup(400, "build", "mphf", "keys", "-o", "out", "-q", "--threads", 1)
        self.assertEqual((result.returncode, result.stderr), (0, b""))

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
