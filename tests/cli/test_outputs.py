# SPDX-License-Identifier: Apache-2.0
"""What may be an output, what becomes of the one that was there, and what an exit code says of it."""

import os
import socket
import stat
import subprocess

from harness import CRIVO, ENVIRONMENT, KINDS, CrivoTest, data_file, files_of, lines, pairs, records_of, urls

FILES = ("mphf", "filter", "map")
BLOOM = ("--type", "counting-bloom", "--capacity", "1000")


class Outputs(CrivoTest):
    def inputs(self, kind, name="keys", salt=0):
        keys = urls(60, salt)
        return self.write(name, pairs(keys, records_of(keys)) if kind == "store" else lines(keys))

    def old(self, kind, out="out", *options):
        self.crivo("build", kind, self.inputs(kind, "small", salt=7), "-o", out, "-q", *options)
        return files_of(self.dir / out)

    def rebuild(self, kind, out="out", code=0, **how):
        return self.crivo("build", kind, self.inputs(kind), "-o", out, "-q", "--force", code=code, **how)

    def mode(self, path):
        return stat.S_IMODE(os.lstat(self.dir / path).st_mode)


class Inputs(Outputs):
    """An output that is one of the inputs is refused, by whatever name either goes."""

    def refused(self, name, *args, **how):
        before = (self.dir / name).read_bytes()
        result = self.crivo(*args, code=2, **how)
        self.assertIn(b"an input", result.err)
        self.assertEqual((self.dir / name).read_bytes(), before)

    def test_files(self):
        for kind in FILES:
            self.inputs(kind, "real.txt")
            os.link(self.dir / "real.txt", self.dir / "hard")
            os.symlink("real.txt", self.dir / "soft")
            for given, out in (("real.txt", "real.txt"), ("hard", "real.txt"), ("real.txt", "hard"), ("soft", "hard")):
                with self.subTest(kind=kind, given=given, out=out):
                    self.refused("real.txt", "build", kind, "--duplicates", "ignore", "-q", given, "-o", out, "-f")
            self.refused("real.txt", "build", kind, "soft", "-o", "soft", "-f")
            self.inputs(kind, "other", salt=1)
            self.refused("real.txt", "build", kind, "other", "soft", "-o", "real.txt", "-f")
            with open(self.dir / "real.txt", "rb") as file:
                self.refused("real.txt", "build", kind, "-", "-o", "real.txt", "-f", stdin=file)
            for name in ("real.txt", "hard", "soft"):
                os.unlink(self.dir / name)

    def test_stores(self):
        self.old("store")
        name = f"out/{data_file(self.dir / 'out').name}"
        os.rename(self.dir / name, self.dir / "kept")
        self.inputs("store", name)
        self.refused(name, "build", "store", name, "-o", "out", "-f")
        os.symlink(name, self.dir / "link")
        self.refused(name, "build", "store", "link", "-o", "out", "-f")

    def test_edits(self):
        self.old("filter", "out", *BLOOM)
        os.link(self.dir / "out", self.dir / "hard")
        for operation in ("add", "remove"):
            self.refused("out", "filter", operation, "out", "out")
            self.refused("out", "filter", operation, "out", "hard")


class Descriptors(Outputs):
    """Standard streams that the caller closed."""

    def run_closed(self, streams, *args):
        return subprocess.run(
            ["/bin/sh", "-c", f'exec "$0" "$@" {streams}', CRIVO, *args],
            cwd=self.dir,
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )

    def test_input(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                old = self.old(kind, kind)
                for streams in ("<&-", "<&- >&- 2>&-"):
                    result = self.run_closed(streams, "build", kind, "-", "-o", kind, "-f")
                    self.assertEqual(result.returncode, 5, str(result))
                    self.assertEqual(files_of(self.dir / kind), old)
                self.assertEqual(self.run_closed("<&-", "query", kind, "-").returncode, 5)

    def test_outputs(self):
        """No message gets into a file."""
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.rebuild(kind, "whole")
                whole = files_of(self.dir / "whole")
                for streams in ("2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
                    args = ("build", kind, "keys", "-o", "out", "-f", "--progress", "always")
                    self.assertEqual(self.run_closed(streams, *args).returncode, 0)
                    self.assertEqual(files_of(self.dir / "out"), whole)
                subprocess.run(["rm", "-r", "whole", "out"], cwd=self.dir, check=True)

    def test_progress(self):
        """Nor does the progress line of a build that takes its time: more text than the output has bytes."""
        self.write("keys", lines(urls(3)))
        self.crivo("build", "mphf", "keys", "-o", "whole")
        slow = f"(sleep 4; cat keys) | '{CRIVO}' \"$@\" 2>&-"
        args = ("build", "mphf", "-", "-o", "out", "--progress", "always")
        subprocess.run(["/bin/sh", "-c", slow, "sh", *args], cwd=self.dir, env=ENVIRONMENT, check=True)
        self.assertEqual(files_of(self.dir / "out"), files_of(self.dir / "whole"))


class Paths(Outputs):
    """What is no place for an output is refused before any work."""

    def refused(self, kind, out, *words):
        """The input is not looked for before the output is."""
        result = self.crivo("build", kind, "no such input", "-o", out, "--force", code=2)
        for word in words:
            self.assertIn(word, result.err)

    def test_other_than_files(self):
        os.mkfifo(self.dir / "fifo")
        os.mkdir(self.dir / "directory")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(os.path.relpath(self.dir / "socket"))
        os.symlink("/dev/null", self.dir / "device")
        os.symlink("nowhere", self.dir / "dangling")
        os.symlink("circle", self.dir / "circle")
        names = ("fifo", "directory", "socket", "device", "/dev/null", "dangling", "circle")
        before = [(os.lstat(self.dir / name).st_ino, os.lstat(self.dir / name).st_mode) for name in names]
        for kind in FILES:
            for name in names:
                with self.subTest(kind=kind, name=name):
                    self.refused(kind, name, name.encode())
        for name in ("fifo", "socket", "device", "/dev/null", "dangling", "circle"):
            with self.subTest(kind="store", name=name):
                self.refused("store", name, name.encode())
        self.assertEqual([(os.lstat(self.dir / n).st_ino, os.lstat(self.dir / n).st_mode) for n in names], before)

    def test_standard_output_is_a_pipe(self):
        """As root the device's link used to be replaced by a file."""
        os.symlink("/proc/self/fd/1", self.dir / "stdout")
        self.refused("mphf", "stdout")
        self.assertTrue(os.path.islink(self.dir / "stdout"))

    def test_what_is_not_ours_in_a_store(self):
        self.old("store")
        os.mkdir(self.dir / "out/lock.mdb")
        (self.dir / "out/lock.mdb/diary").write_bytes(b"mine")
        self.refused("store", "out", b"lock.mdb")
        self.rebuild("store", code=2)
        self.assertEqual((self.dir / "out/lock.mdb/diary").read_bytes(), b"mine")

    def test_mount_points(self):
        self.write("other", b"mounted")
        os.mkdir(self.dir / "directory")
        for kind, source, out in (("mphf", "other", "out"), ("store", "directory", "store")):
            self.old(kind, out)
            mount = ["mount", "--bind", source, out]
            if subprocess.run(mount, cwd=self.dir, stderr=subprocess.DEVNULL, check=False).returncode != 0:
                self.skipTest("only root mounts")
            try:
                self.refused(kind, out, b"mount point")
            finally:
                subprocess.run(["umount", out], cwd=self.dir, check=True)

    def test_names(self):
        os.mkdir(self.dir / "work")
        longest = "n" * 255
        for kind in KINDS:
            with self.subTest(kind=kind):
                for length in (240, 250, 255):
                    out = f"work/{longest[:length]}"
                    self.old(kind, out)
                    self.rebuild(kind, out)
                    self.crivo("verify", out)
                    subprocess.run(["rm", "-r", out], cwd=self.dir, check=True)
                self.assertEqual(self.listing("work"), [])
                self.refused(kind, f"work/{longest}n", b"too long")
        self.old("filter", f"work/{longest}", *BLOOM)
        self.crivo("filter", "add", f"work/{longest}", self.inputs("filter"), "-q")
        self.assertEqual(self.listing("work"), [longest])

    def test_links(self):
        """A link to an old output leads to the new one then."""
        for kind in KINDS:
            with self.subTest(kind=kind):
                os.mkdir(self.dir / "work")
                self.old(kind, "work/real")
                os.symlink("work/real", self.dir / "link")
                os.symlink("link", self.dir / "twice")
                self.crivo("build", kind, self.inputs(kind), "-o", "link", code=2)
                self.rebuild(kind, "twice")
                self.assertTrue(os.path.islink(self.dir / "link") and os.path.islink(self.dir / "twice"))
                self.rebuild(kind, "new")
                self.assertEqual(files_of(self.dir / "work/real"), files_of(self.dir / "new"))
                self.assertEqual(self.listing("work"), ["real"])
                subprocess.run(["rm", "-r", "work", "link", "twice", "new"], cwd=self.dir, check=True)


class Ownership(Outputs):
    """Who may read an output is not changed by replacing it."""

    def replacements(self):
        """Each way to replace a file, done to `out`."""
        for kind in FILES:
            self.old(kind)
            yield kind, lambda kind=kind: self.rebuild(kind)
            os.unlink(self.dir / "out")
        for operation, keys in (("add", "more"), ("remove", "small")):
            self.old("filter", "out", *BLOOM)
            self.inputs("filter", "more", salt=8)
            yield operation, lambda o=operation, k=keys: self.crivo("filter", o, "out", k, "-q")
            os.unlink(self.dir / "out")
        for name in ("a", "b"):
            self.old("filter", name, "--type", "bloom", "--capacity", "1000")
        for operation in ("union", "intersect"):
            self.old("mphf")
            yield operation, lambda o=operation: self.crivo("filter", o, "a", "b", "-o", "out", "-f", "-q")
            os.unlink(self.dir / "out")

    def test_mode(self):
        for name, replace in self.replacements():
            for before, after in ((0o600, 0o600), (0o664, 0o664), (0o6755, 0o755)):
                with self.subTest(name, mode=oct(before)):
                    os.chmod(self.dir / "out", before)
                    inode = os.stat(self.dir / "out").st_ino
                    try:
                        replace()
                    except AssertionError:
                        if name != "remove":  # the keys are gone after the first time
                            raise
                        self.crivo("filter", "add", "out", "small", "-q")
                    self.assertEqual(oct(self.mode("out")), oct(after))
                    self.assertNotEqual(os.stat(self.dir / "out").st_ino, inode)

    def test_owner(self):
        if os.geteuid() != 0:
            self.skipTest("only root gives files away")
        for name, replace in self.replacements():
            with self.subTest(name):
                os.chown(self.dir / "out", 1234, 2345)
                replace()
                status = os.stat(self.dir / "out")
                self.assertEqual((status.st_uid, status.st_gid), (1234, 2345))

    def test_store(self):
        self.old("store")
        root = os.geteuid() == 0


        def members():
            return {self.dir / "out": 0o750, self.dir / "out/index.crv": 0o640, data_file(self.dir / "out"): 0o600}

        for path, mode in members().items():
            if root:
                os.chown(path, 1234, 2345)
            os.chmod(path, mode)
        before = data_file(self.dir / "out")
        self.rebuild("store")
        self.assertNotEqual(data_file(self.dir / "out"), before)
        for path, mode in members().items():
            self.assertEqual(oct(self.mode(path)), oct(mode), path)
            if root:
                self.assertEqual(os.stat(path).st_uid, 1234, path)


class Failures(Outputs):
    """Exit 5 means that nothing was replaced."""

    def test_summary_that_cannot_be_printed(self):
        self.old("filter", "out", *BLOOM)
        self.inputs("filter", "more", salt=8)
        for args in (("filter", "add", "out", "more"), ("build", "filter", "more", "-o", "out", "-f")):
            with open("/dev/full", "wb") as full:
                result = self.crivo(*args, "--json", stdout=full)
            self.assertIn(b"crivo: warning: the output is written", result.err)

    def test_a_directory_that_may_be_written_but_not_read(self):
        how = self.as_nobody()
        self.inputs("filter")
        os.mkdir(self.dir / "work")
        if "user" in how:
            os.chown(self.dir / "work", 65534, 65534)
        self.addCleanup(os.chmod, self.dir / "work", 0o700)
        os.chmod(self.dir / "work", 0o300)
        for _ in range(2):
            args = ("build", "filter", "keys", "-o", "work/f", "-f", *BLOOM)
            result = subprocess.run([CRIVO, *args], **how)
            self.assertEqual(result.returncode, 0, result.stderr)
        self.inputs("filter", "more", salt=8)
        result = subprocess.run([CRIVO, "filter", "add", "work/f", "more"], **how)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.info("work/f")["keys"], 120)
        if os.geteuid() == 0:
            self.assertEqual(self.listing("work"), ["f"])

    def test_directories_that_cannot_be_made_or_filled(self):
        """The reason is the system's, and an empty directory is not left."""
        self.inputs("filter")
        self.crivo("partition", "keys", "--shards", 2, "-o", "dealt", "-q", code=5, file_limit=100)
        self.assertNotIn("dealt", self.listing())
        how = self.as_nobody()
        os.mkdir(self.dir / "locked")
        os.chmod(self.dir / "locked", 0o555)
        if "user" in how:
            result = subprocess.run([CRIVO, "build", "mphf", "keys", "-o", "out", "--resume", "locked/go"], **how)
            self.assertEqual(result.returncode, 5, result.stderr)
            self.assertIn(b"locked/go: cannot make or open the directory: Permission denied", result.stderr)

    def test_what_the_file_system_says_of_a_full_disk(self):
        self.write("large", pairs(urls(20_000), [os.urandom(40).hex().encode() for _ in range(20_000)]))
        args = ("build", "store", "large", "--codec", "none", "-o")
        result = self.crivo(*args, "out", code=5, file_limit=100_000)
        self.assertIn(b"File too large", result.err)
        self.assertNotIn(b"is the disk full?", result.err)
        os.mkdir(self.dir / "disk")
        mount = ["mount", "-t", "tmpfs", "-o", "size=192k", "tmpfs", str(self.dir / "disk")]
        if subprocess.run(mount, stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("no disk to fill")
        self.addCleanup(subprocess.run, ["umount", str(self.dir / "disk")], check=True)
        result = self.crivo(*args, "disk/out", code=5)
        self.assertIn(b"No space left on device", result.err)
        self.assertNotIn(b"is the disk full?", result.err)
