# SPDX-License-Identifier: Apache-2.0
"""Builds that go on where an earlier one was killed: `build --resume`."""

import fcntl
import os
import random
import resource
import signal
import subprocess
import time
import unittest

from harness import CRIVO, ENVIRONMENT, LONG, SANITIZED, CrivoTest, GeneratedKeys

KILLS = 50 if LONG else 4
PLACES = 1 if SANITIZED else 4  # at which a file is damaged
BUILDS = (["mphf"], ["filter"], ["map"], ["map", "--values"], ["map", "--values", "--duplicates", "ignore"])


class Resume(GeneratedKeys):
    """Of 4 MB a part."""

    KIND, COUNT = "words", 1_500_000

    def setUp(self):
        super().setUp()
        keys = (self.dir / "keys").read_bytes().split(b"\n")[:-1]
        # A file that is cut in parts, compressed ones, and pairs.
        self.write("pairs", b"".join(b"%s\t%d\n" % (key, i % 1000) for i, key in enumerate(keys)))
        self.inputs = {False: ["keys"], True: ["pairs"]}

    def args(self, kind, *options, out="out", threads=2, memory="10M"):
        inputs = self.inputs["--values" in options]
        return ["build", kind, *inputs, "-o", out, "-f", "--memory", memory, "--threads", threads, "--json", *options]

    def start(self, *args, enter=None):
        return subprocess.Popen(
            [self.program, *map(str, args)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.dir,
            env=ENVIRONMENT,
            preexec_fn=enter,
        )

    def full_disk(self, megabytes):
        """Stands for one: no file may be longer."""

        def enter():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(megabytes * 10**6),) * 2)

        return enter

    def partly_built(self, *args, key_bytes=8):
        """Ends a build at a full disk, when some parts were read, and so many bytes a key of all written."""
        with self.start(*args, "--resume", "go", enter=self.full_disk(self.COUNT * key_bytes / 1e6)) as process:
            _, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 5, err)
        self.assertEqual(sorted(os.listdir(self.dir / "go")), ["crivo-hashes", "crivo-journal"])

    def bytes_of(self, name):
        return (self.dir / name).read_bytes()

    def test_a_full_disk(self):
        for kind, *options in BUILDS[:: 3 if SANITIZED else 1]:
            with self.subTest(kind=kind, options=options):
                self.crivo(*self.args(kind, *options, out="whole"))
                self.partly_built(*self.args(kind, *options))
                self.assertNotIn("out", os.listdir(self.dir))
                summary = self.crivo(*self.args(kind, *options, threads=1, memory="64M"), "--resume", "go").json()
                self.assertGreaterEqual(summary["resumed_bytes"], 4 * 2**20)
                self.assertEqual(self.bytes_of("out"), self.bytes_of("whole"))
                self.assertNotIn("go", os.listdir(self.dir))
                (self.dir / "out").unlink()

    def test_many_files(self):
        """Some are compressed, which are read whole; the numbers of lines are those of the whole input."""
        names = []
        lines = (self.dir / "keys").read_bytes().splitlines(keepends=True)
        for i in range(6):
            part = self.dir / f"part-{i}"
            part.write_bytes(b"".join(lines[i * len(lines) // 6 : (i + 1) * len(lines) // 6]))
            if i % 2 == 0:
                subprocess.run(["gzip", "-1", part], check=True)
                part = part.with_name(part.name + ".gz")
            names.append(part.name)
        self.inputs[False] = names
        self.crivo(*self.args("map", out="whole"))
        self.partly_built(*self.args("map"), key_bytes=18)
        self.crivo(*self.args("map"), "--resume", "go")
        self.assertEqual(self.bytes_of("out"), self.bytes_of("whole"))

    def test_killed_at_random_moments(self):
        rng = random.Random(self.id() + str(os.getpid()))
        self.crivo(*self.args("mphf", out="whole"))
        begin = time.monotonic()
        self.crivo(*self.args("mphf"), "--resume", "go")
        seconds = time.monotonic() - begin
        kills = resumed = 0
        while kills < KILLS:
            (self.dir / "out").unlink(missing_ok=True)
            with self.start(*self.args("mphf"), "--resume", "go") as process:
                try:
                    process.wait(rng.uniform(0, seconds))
                except subprocess.TimeoutExpired:
                    process.kill()
                    kills += 1
                out, err = process.communicate()
                if process.returncode == 0:  # it was quicker
                    resumed += b"resumed_bytes" in out
                    self.assertEqual(self.bytes_of("out"), self.bytes_of("whole"))
                else:
                    self.assertEqual((process.returncode, err), (-signal.SIGKILL, b""))
                    if (self.dir / "out").exists():  # killed after it was done
                        self.assertEqual(self.bytes_of("out"), self.bytes_of("whole"))
        self.crivo(*self.args("mphf"), "--resume", "go")
        self.assertEqual(self.bytes_of("out"), self.bytes_of("whole"))
        self.assertNotIn("go", os.listdir(self.dir))

    def refused(self, message, *args, code=2, **keywords):
        result = self.crivo(*args, "--resume", "go", code=code, **keywords)
        self.assertIn(message, result.err)
        self.assertIn("go", os.listdir(self.dir))

    def test_what_cannot_be_continued(self):
        self.partly_built(*self.args("mphf"))
        self.refused(b"go: was begun by a build with other options", *self.args("mphf", "--effort", 0, "--seed", 7))
        self.refused(b"go: was begun by a build with other options", *self.args("filter"))
        self.write("more", b"key\n")
        self.refused(b"go: was begun with 1 inputs, not 2", *self.args("mphf"), "more")
        self.inputs[False] = ["pairs"]
        self.refused(b"go: was begun with the input keys, not pairs", *self.args("mphf"))
        self.inputs[False] = ["keys"]
        os.utime(self.dir / "keys", ns=(1, 1))
        self.refused(b"keys: has changed since the build in go was begun", *self.args("mphf"))

    def test_a_pipe(self):
        result = self.crivo("build", "mphf", "-", "-o", "out", "--resume", "go", stdin=b"key\n", code=2)
        self.assertIn(b"(standard input): is no file that can be read again", result.err)
        self.write("records", b"key\trecord\n")
        result = self.crivo("build", "store", "records", "-o", "out", "--resume", "go", code=2)
        self.assertIn(b"--resume", result.err)

    def test_two_builds_at_once(self):
        self.partly_built(*self.args("mphf"))
        lock = os.open(self.dir / "go", os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        self.refused(b"go: another build is at work with it", *self.args("mphf"), code=5)
        os.close(lock)

    def test_damage(self):
        """Exit 4, or the right bytes; never others."""
        rng = random.Random(1)
        self.crivo(*self.args("mphf", out="whole"))
        self.partly_built(*self.args("mphf"))
        saved = {name: self.bytes_of(f"go/{name}") for name in os.listdir(self.dir / "go")}
        outcomes = {}
        for name, sound in saved.items():
            # Of the log most is hashes, and what stands behind the last part read is of no matter.
            places = [rng.randrange(len(sound)) for _ in range(PLACES)] + [0, len(sound) - 1]
            damages = [sound[:at] + bytes([sound[at] ^ 1 << rng.randrange(8)]) + sound[at + 1 :] for at in places]
            for damaged in [*damages, sound[: len(sound) // 3], b"", sound + b"more"]:
                (self.dir / "go").mkdir(exist_ok=True)
                for other, content in saved.items():
                    self.write(f"go/{other}", damaged if other == name else content)
                (self.dir / "out").unlink(missing_ok=True)
                result = self.run_crivo(*self.args("mphf"), "--resume", "go")
                outcomes.setdefault(name, []).append(result.code)
                if result.code == 0:
                    self.assertEqual(self.bytes_of("out"), self.bytes_of("whole"))
                else:
                    self.assertEqual(result.code, 4, result.err)
                    self.assertIn(f"go/{name}".encode(), result.err)
        self.assertEqual(outcomes["crivo-journal"], [4] * (PLACES + 5))
        self.assertGreaterEqual(outcomes["crivo-hashes"].count(4), PLACES)

    def test_a_directory_with_other_files(self):
        (self.dir / "go").mkdir()
        self.write("go/mine", b"precious")
        self.crivo(*self.args("mphf"), "--resume", "go")
        self.assertEqual(os.listdir(self.dir / "go"), ["mine"])


class SmallInputs(CrivoTest):
    def test_none_and_few_keys(self):
        for keys in (b"", b"a\n", b"a\nb\nc"):
            self.write("keys", keys)
            for kind in ("mphf", "filter", "map"):
                self.crivo("build", kind, "keys", "-o", "plain", "-f")
                self.crivo("build", kind, "keys", "-o", "out", "-f", "--resume", "go")
                self.assertEqual((self.dir / "out").read_bytes(), (self.dir / "plain").read_bytes())
                self.assertFalse((self.dir / "go").exists())

    def test_repeated_keys_are_named(self):
        self.write("keys", b"a\nb\na\n")
        result = self.crivo("build", "mphf", "keys", "-o", "out", "--resume", "go", code=3)
        self.assertIn(b"keys:3: ", result.err)
        self.crivo("build", "mphf", "keys", "-o", "out", "--duplicates", "ignore", "--resume", "other")


if __name__ == "__main__":
    unittest.main()
