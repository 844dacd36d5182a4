# SPDX-License-Identifier: Apache-2.0
"""Builds that go on where an earlier one was killed: `build --resume`."""

import fcntl
import os
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest

from harness import CRIVO, ENVIRONMENT, LONG, SANITIZED, CrivoTest, GeneratedKeys

KILLS = 50 if LONG else 4
STORE_KILLS = 2 if SANITIZED else KILLS  # of each backend's
PLACES = 1 if SANITIZED else 4  # at which a file is damaged
BUILDS = (["mphf"], ["filter"], ["map"], ["map", "--values"], ["map", "--values", "--duplicates", "ignore"])
STORES = [
    ["store", "--backend", backend, "--codec", codec, "--duplicates", policy]
    for backend in ("lmdb", "flat")
    for codec in ("none", "zstd", "tokens12", "tokens16", "auto")
    for policy in ("ignore", "last", "all")
]
if not LONG:  # training takes most of their time
    STORES = [build for build in STORES if "none" in build][::2]


def bytes_of(path):
    """Of a file, or of each of a directory."""
    return {file.name: file.read_bytes() for file in path.iterdir()} if path.is_dir() else path.read_bytes()


class Resumed(GeneratedKeys):
    """Builds of 4 MB a part."""

    LOGS = ["crivo-hashes"]

    def inputs_of(self, _options):
        return ["keys"]

    def args(self, kind, *options, out="out", threads=2, memory="10M"):
        inputs = self.inputs_of(options)
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
        """Ends a build at a full disk, when some parts were read, and so many bytes a key written to one file."""
        with self.start(*args, "--resume", "go", enter=self.full_disk(self.COUNT * key_bytes / 1e6)) as process:
            _, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 5, err)
        self.assertIn(f"{self.dir}/go/".encode(), err)  # whose disk is full, and not that of --temp-dir
        self.assertNotIn(b"temp-dir", err)
        self.assertEqual(sorted(os.listdir(self.dir / "go")), sorted([*self.LOGS, "crivo-journal"]))

    def bytes_of(self, name):
        return bytes_of(self.dir / name)

    def remove_output(self):
        path = self.dir / "out"
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def cut_in_files(self, name):
        """The names of 6 files of the lines of one, some compressed."""
        names = []
        lines = (self.dir / name).read_bytes().splitlines(keepends=True)
        for i in range(6):
            part = self.dir / f"part-{i}"
            part.write_bytes(b"".join(lines[i * len(lines) // 6 : (i + 1) * len(lines) // 6]))
            if i % 2 == 0:
                command, ending = (["zstd", "-q", "--rm"], ".zst") if i == 2 else (["gzip", "-1"], ".gz")
                subprocess.run([*command, part], check=True)
                part = part.with_name(part.name + ending)
            names.append(part.name)
        return names

    def expect_full_disk_is_survived(self, kind, *options, key_bytes=8):
        with self.subTest(kind=kind, options=options):
            self.crivo(*self.args(kind, *options, out="whole"))
            self.partly_built(*self.args(kind, *options), key_bytes=key_bytes)
            self.assertNotIn("out", os.listdir(self.dir))
            summary = self.crivo(*self.args(kind, *options, threads=1, memory="64M"), "--resume", "go").json()
            self.assertGreaterEqual(summary["resumed_bytes"], 4 * 2**20)
            self.assertEqual(self.bytes_of("out"), self.bytes_of("whole"))
            self.assertNotIn("go", os.listdir(self.dir))
            self.remove_output()

    def expect_kills_are_survived(self, *build, wanted=KILLS):
        rng = random.Random(self.id() + str(os.getpid()))
        self.crivo(*self.args(*build, out="whole"))
        begin = time.monotonic()
        self.crivo(*self.args(*build), "--resume", "go")
        seconds = time.monotonic() - begin
        kills = resumed = 0
        while kills < wanted:
            self.remove_output()
            with self.start(*self.args(*build), "--resume", "go") as process:
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
        self.crivo(*self.args(*build), "--resume", "go")
        self.assertEqual(self.bytes_of("out"), self.bytes_of("whole"))
        self.assertNotIn("go", os.listdir(self.dir))
        if LONG:
            self.assertGreater(resumed, 0)

    def expect_damage_is_found(self, *build, key_bytes=8):
        """Exit 4, or the right bytes; never others."""
        rng = random.Random(1)
        self.crivo(*self.args(*build, out="whole"))
        self.partly_built(*self.args(*build), key_bytes=key_bytes)
        saved = {name: self.bytes_of(f"go/{name}") for name in os.listdir(self.dir / "go")}
        outcomes = {}
        for name, sound in saved.items():
            # Of a log most is of the parts that were read, and what stands behind them is of no matter.
            places = [rng.randrange(len(sound)) for _ in range(PLACES)] + [0, len(sound) - 1]
            damages = [sound[:at] + bytes([sound[at] ^ 1 << rng.randrange(8)]) + sound[at + 1 :] for at in places]
            for damaged in [*damages, sound[: len(sound) // 3], b"", sound + b"more"]:
                (self.dir / "go").mkdir(exist_ok=True)
                for other, content in saved.items():
                    self.write(f"go/{other}", damaged if other == name else content)
                self.remove_output()
                result = self.run_crivo(*self.args(*build), "--resume", "go")
                outcomes.setdefault(name, []).append(result.code)
                if result.code == 0:
                    self.assertEqual(self.bytes_of("out"), self.bytes_of("whole"))
                else:
                    self.assertEqual(result.code, 4, result.err)
                    self.assertIn(f"go/{name}".encode(), result.err)
        self.assertEqual(outcomes["crivo-journal"], [4] * (PLACES + 5))
        for log in self.LOGS:
            self.assertGreaterEqual(outcomes[log].count(4), PLACES)

    def refused(self, message, *args, code=2, **keywords):
        result = self.crivo(*args, "--resume", "go", code=code, **keywords)
        self.assertIn(message, result.err)
        self.assertIn("go", os.listdir(self.dir))


class ResumeExact(Resumed):
    """Exact sets and their deltas: the members and the universe are kept apart."""

    KIND, COUNT = "words", 1_500_000
    LOGS = ["crivo-hashes", "universe"]

    def setUp(self):
        super().setUp()
        keys = (self.dir / "keys").read_bytes().splitlines(keepends=True)
        self.write("members", b"".join(keys[::50]))
        self.write("fewer", b"".join(keys[::50][:-40]))

    def args(self, kind, *options, out="out", threads=2, memory="10M"):
        how = ["-f", "--memory", memory, "--threads", threads, "--json", *options]
        if kind == "delta":
            return ["diff", "base", "--members", "fewer", "--universe", "keys", "-o", out, *how]
        return ["build", "exact", "--members", "members", "--universe", "keys", "-o", out, *how]

    def test_a_full_disk(self):
        self.crivo(*self.args("exact", out="base"))
        self.expect_full_disk_is_survived("exact", key_bytes=9)
        self.expect_full_disk_is_survived("delta", key_bytes=9)

    def test_what_cannot_be_continued(self):
        self.partly_built(*self.args("exact"), key_bytes=9)
        self.refused(b"go: was started by a build with other options", *self.args("exact", "--fpr", "0.1"))
        self.write("keys", b"other\n")
        self.refused(b"keys: has changed since", *self.args("exact"))


class ResumeRows(Resumed):
    """Indexes of rows, whose files have the numbers in which they came; NULL keys are counted."""

    KIND, COUNT = "words", 800_000

    def setUp(self):
        super().setUp()
        keys = (self.dir / "keys").read_bytes().split(b"\n")[:-1]
        rows = [b"%s\tpart-%d.parquet\t%d\n" % (b"NIL" if i % 1000 == 7 else key, i // 50 * 7919 % 501, i) for i, key in enumerate(keys)]
        self.write("pairs", b"".join(rows))
        self.write("groups", b"".join(b"part-%d.parquet\t0\t%d\n" % (i, self.COUNT) for i in range(501)))

    def inputs_of(self, _options):
        return ["pairs", "--null-text", "NIL"]

    def test_a_full_disk(self):
        for options in ([], ["--many"], ["--row-groups", "groups"])[:: 2 if SANITIZED else 1]:
            self.expect_full_disk_is_survived("rows", *options)

    def test_what_cannot_be_continued(self):
        self.partly_built(*self.args("rows", "--row-groups", "groups"))
        self.write("groups", (self.dir / "groups").read_bytes().replace(b"part-9.", b"part-x."))
        self.refused(b"was started with other row groups", *self.args("rows", "--row-groups", "groups"))
        shutil.rmtree(self.dir / "go")
        partition = ["partition", "pairs", "--rows", "--shards", 4, "--memory", "10M", "--part", "0/1", "-o", "dealt"]
        with self.start(*partition, "--resume", "go", enter=self.full_disk(8)) as process:
            _, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 5, err)
        for more in (["--many"], ["--null-text", "NIL"], ["--fixed", "8"]):
            self.refused(b"by a build with other options", *partition, *more)

    def test_damage(self):
        self.expect_damage_is_found("rows")


class ResumeFilterSets(Resumed):
    """Filter sets, whose groups' names are kept beside the hashes: most have all of their keys in one part of the input."""

    KIND, COUNT = "words", 800_000
    BLOCKS = ["--type", "bloom", "--layout", "blocks"]

    def setUp(self):
        super().setUp()
        keys = (self.dir / "keys").read_bytes().split(b"\n")[:-1]
        self.write("pairs", b"".join(b"part-%d.parquet\t%s\n" % (i // 1600, key) for i, key in enumerate(keys)))
        self.inputs = ["pairs"]

    def inputs_of(self, _options):
        return self.inputs

    def test_a_full_disk(self):
        for options in ([], self.BLOCKS)[:: 2 if SANITIZED else 1]:
            self.expect_full_disk_is_survived("filterset", *options)

    def test_killed_at_random_moments(self):
        self.expect_kills_are_survived("filterset")

    def test_what_cannot_be_continued(self):
        self.partly_built(*self.args("filterset"))
        for more in (["--seed", "7"], ["--fpr", "0.1"], self.BLOCKS, ["--group", "2"]):
            self.refused(b"by a build with other options", *self.args("filterset", *more))

    def test_each_file_is_a_group(self):
        keys = (self.dir / "keys").read_bytes().splitlines(keepends=True)
        files = [self.write(f"file-{i}", b"".join(keys[i::7])) for i in range(7)]
        self.inputs = [*files, self.write("empty", b""), "--group-by-file"]
        self.crivo(*self.args("filterset", out="whole"))
        self.partly_built(*self.args("filterset"), key_bytes=12)
        named = self.inputs.pop()
        self.refused(b"by a build with other options", *self.args("filterset"))
        self.crivo(*self.args("filterset", named, threads=1), "--resume", "go")
        self.assertEqual(self.bytes_of("out"), self.bytes_of("whole"))

    def test_damage(self):
        self.expect_damage_is_found("filterset")


class Resume(Resumed):
    KIND, COUNT = "words", 1_500_000

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        keys = (cls.shared / "keys").read_bytes().split(b"\n")[:-1]
        # A file that is cut in parts, compressed ones, and pairs.
        (cls.shared / "pairs").write_bytes(b"".join(b"%s\t%d\n" % (key, i % 1000) for i, key in enumerate(keys)))

    def setUp(self):
        super().setUp()
        os.link(self.shared / "pairs", self.dir / "pairs")
        self.inputs = {False: ["keys"], True: ["pairs"]}

    def inputs_of(self, options):
        return self.inputs["--values" in options]

    def test_a_full_disk(self):
        for build in BUILDS if LONG else BUILDS[:: 4 if SANITIZED else 2]:
            self.expect_full_disk_is_survived(*build)

    def test_many_files(self):
        """Some are compressed, which are read whole; the numbers of lines are those of the whole input."""
        self.inputs[False] = self.cut_in_files("keys")
        self.crivo(*self.args("map", out="whole"))
        self.partly_built(*self.args("map"), key_bytes=18)
        self.crivo(*self.args("map"), "--resume", "go")
        self.assertEqual(self.bytes_of("out"), self.bytes_of("whole"))

    def test_killed_at_random_moments(self):
        self.expect_kills_are_survived("mphf")

    def test_killed_while_it_builds(self):
        """Parts that were made are not made again, however many threads go on; a torn log costs only what is torn."""
        build = self.args("mphf", "--algorithm", "tiny")
        self.crivo(*self.args("mphf", "--algorithm", "tiny", out="whole"))
        log = self.dir / "go" / "crivo-parts"
        with self.start(*build, "--resume", "go") as process:
            while process.poll() is None and not (log.exists() and log.stat().st_size > 60_000):
                time.sleep(0.001)
            process.kill()
            process.communicate()
        made = log.stat().st_size
        with open(log, "r+b") as file:
            file.truncate(made - 100)
        self.crivo(*build, "--resume", "go")
        self.assertEqual(self.bytes_of("out"), self.bytes_of("whole"))
        self.assertNotIn("go", os.listdir(self.dir))

    def test_partition(self):
        """A task that is killed goes on, whatever it deals out with the keys."""
        self.write("rows", b"".join(line + b"\t7\n" for line in (self.dir / "pairs").read_bytes().splitlines()))
        for options in ([], ["--no-numbers"], ["--values"], ["--records"], ["--rows"], ["--filterset", "--group", "2"]):
            with self.subTest(options):
                partition = ["partition", "rows" if options == ["--rows"] else "pairs" if options and "no" not in options[0] else "keys", "--shards", 4,
                             *options, "--memory", "10M", "--part", "0/1"]  # fmt: skip
                self.crivo(*partition, "-o", "dealt", "--quiet")
                whole = self.bytes_of("dealt/keys-0-of-1.crv")
                with self.start(*partition, "-o", "again", "--resume", "go", enter=self.full_disk(14)) as process:
                    _, err = process.communicate(timeout=120)
                    self.assertEqual(process.returncode, 5, err)
                self.assertIn("crivo-journal", os.listdir(self.dir / "go"))
                self.refused(b"go: was started by a build with other options", *partition, "--seed", 7, "-o", "other")
                self.crivo(*partition, "-o", "again", "--resume", "go", "--quiet")
                self.assertEqual(self.bytes_of("again/keys-0-of-1.crv"), whole)
                self.assertNotIn("go", os.listdir(self.dir))
                shutil.rmtree(self.dir / "dealt")
                shutil.rmtree(self.dir / "again")
                shutil.rmtree(self.dir / "other", ignore_errors=True)

    def test_what_cannot_be_continued(self):
        self.partly_built(*self.args("mphf"))
        self.refused(b"go: was started by a build with other options", *self.args("mphf", "--effort", 0, "--seed", 7))
        self.refused(b"go: was started by a build with other options", *self.args("filter"))
        self.write("more", b"key\n")
        self.refused(b"go: was started with 1 inputs, not 2", *self.args("mphf"), "more")
        self.inputs[False] = ["pairs"]
        self.refused(b"go: was started with the input keys, not pairs", *self.args("mphf"))
        self.inputs[False] = ["keys"]
        shutil.copy(self.dir / "keys", self.dir / "later")  # as the file is that of all tests
        os.utime(self.dir / "later", ns=(1, 1))
        os.replace(self.dir / "later", self.dir / "keys")
        self.refused(b"keys: has changed since the build in go started", *self.args("mphf"))

    def test_a_pipe(self):
        result = self.crivo("build", "mphf", "-", "-o", "out", "--resume", "go", stdin=b"key\n", code=2)
        self.assertIn(b"(standard input): cannot be read twice", result.err)

    def test_two_builds_at_once(self):
        self.partly_built(*self.args("mphf"))
        lock = os.open(self.dir / "go", os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        self.refused(b"go: another build is using it", *self.args("mphf"), code=5)
        os.close(lock)

    def test_damage(self):
        self.expect_damage_is_found("mphf")

    def test_a_directory_with_other_files(self):
        (self.dir / "go").mkdir()
        self.write("go/mine", b"precious")
        self.crivo(*self.args("mphf"), "--resume", "go")
        self.assertEqual(os.listdir(self.dir / "go"), ["mine"])


class ResumeStores(Resumed):
    """A key of ten is there twice, in another part, with another record."""

    KIND, COUNT = "urls", 75_000
    LOGS = ["crivo-hashes", "crivo-records"]
    LOG_BYTES = 155  # a key, about: of the records' log when two parts are in it, and the third is not

    def setUp(self):
        super().setUp()
        keys = (self.dir / "keys").read_bytes().split(b"\n")[:-1]
        keys += keys[::10]
        self.write("records", b"".join(b"%s\t%d of %s\n" % (key, i, key[::-1]) for i, key in enumerate(keys)))
        self.inputs = ["records"]

    def inputs_of(self, _options):
        return self.inputs

    def test_a_full_disk(self):
        for build in STORES[:: 2 if SANITIZED else 1]:
            self.expect_full_disk_is_survived(*build, key_bytes=self.LOG_BYTES)

    def test_many_files(self):
        """Some are compressed, which are read whole; of equal keys the last one is that of the whole input."""
        self.inputs = self.cut_in_files("records")
        build = ("store", "--backend", "flat", "--codec", "none", "--duplicates", "last")
        self.crivo(*self.args(*build, out="whole"))
        self.partly_built(*self.args(*build), key_bytes=self.LOG_BYTES)
        self.crivo(*self.args(*build), "--resume", "go")
        self.assertEqual(self.bytes_of("out"), self.bytes_of("whole"))

    def test_killed_at_random_moments(self):
        self.expect_kills_are_survived("store", "--codec", "none", "--duplicates", "all", wanted=STORE_KILLS)

    def test_killed_flat_ones(self):
        self.expect_kills_are_survived(
            "store", "--backend", "flat", "--codec", "none", "--duplicates", "last", wanted=STORE_KILLS
        )

    def test_what_cannot_be_continued(self):
        build = ("store", "--codec", "none", "--duplicates", "last")
        self.partly_built(*self.args(*build), key_bytes=self.LOG_BYTES)
        others = b"go: was started by a build with other options"
        for *other, policy in (("store", "--codec", "zstd", "last"), ("store", "--backend", "flat", "last"), ("map", "ignore"),
                               ("store", "--codec", "none", "all"), ("store", "--codec", "none", "ignore")):
            self.refused(others, *self.args(*other, "--duplicates", policy))
        self.inputs = ["records", "keys"]
        self.refused(b"go: was started with 1 inputs, not 2", *self.args(*build))
        self.inputs = ["records"]
        os.utime(self.dir / "records", ns=(1, 1))
        self.refused(b"records: has changed since the build in go started", *self.args(*build))

    def test_a_pipe(self):
        result = self.crivo("build", "store", "-", "-o", "out", "--resume", "go", stdin=b"key\trecord\n", code=2)
        self.assertIn(b"(standard input): cannot be read twice", result.err)

    def test_damage(self):
        self.expect_damage_is_found("store", "--codec", "none", "--duplicates", "ignore", key_bytes=self.LOG_BYTES)

    def test_logs_of_two_builds(self):
        """Those of one input are no good for another, though they are as long."""
        build = ("store", "--codec", "none", "--duplicates", "ignore")
        self.partly_built(*self.args(*build, threads=1), key_bytes=self.LOG_BYTES)
        log = self.bytes_of("go/crivo-records")
        shutil.rmtree(self.dir / "go")
        self.write("records", (self.dir / "records").read_bytes().replace(b" of ", b" at "))
        self.partly_built(*self.args(*build, threads=1), key_bytes=self.LOG_BYTES)
        self.write("go/crivo-records", log)
        self.refused(b"go/crivo-records: is damaged", *self.args(*build), code=4)


class Dictionaries(Resumed):
    """The keys themselves are kept, with their values if they have any."""

    COUNT = 250_000
    LOGS = ["crivo-hashes", "crivo-records"]
    VALUES = ("--values", "--duplicates", "ignore")

    def setUp(self):
        super().setUp()
        keys = (self.dir / "keys").read_bytes().split()
        self.write("pairs", b"".join(b"%s\t%d\n" % (key, i) for i, key in enumerate([*keys, *keys[::9]])))

    def inputs_of(self, options):
        return ["pairs" if "--values" in options else "keys"]

    def args(self, kind, *options, out="out", threads=2, memory="32M"):
        return super().args(kind, *options, out=out, threads=threads, memory=memory)

    def test_a_full_disk(self):
        for options in ((), self.VALUES):
            self.expect_full_disk_is_survived("dictionary", *options, key_bytes=40)

    def test_killed_at_random_moments(self):
        self.expect_kills_are_survived("dictionary", *self.VALUES, wanted=STORE_KILLS)

    def test_what_cannot_be_continued(self):
        self.partly_built(*self.args("dictionary"), key_bytes=40)
        self.refused(b"go: was started by a build with other options", *self.args("dictionary", "--block-keys", "32"))
        self.refused(b"cannot be resumed", *self.args("dictionary", "--sorted"))

    def test_repeated_keys_are_named(self):
        result = self.crivo("build", "dictionary", "pairs", "--values", "-o", "out", "--resume", "go", code=3)
        self.assertIn(b"pairs:250001: duplicate key", result.err)


class SmallInputs(CrivoTest):
    def test_none_and_few_keys(self):
        for keys in (b"", b"a\n", b"a\nb\nc"):
            self.write("keys", keys)
            self.write("records", b"".join(key + b"\trecord\n" for key in keys.split()))
            for kind in ("mphf", "filter", "map", "store", "dictionary"):
                units = "records" if kind == "store" else "keys"
                self.crivo("build", kind, units, "-o", f"plain-{kind}", "-f")
                self.crivo("build", kind, units, "-o", f"out-{kind}", "-f", "--resume", "go")
                self.assertEqual(bytes_of(self.dir / f"out-{kind}"), bytes_of(self.dir / f"plain-{kind}"))
                self.assertFalse((self.dir / "go").exists())

    def test_repeated_keys_are_named(self):
        self.write("keys", b"a\nb\na\n")
        result = self.crivo("build", "mphf", "keys", "-o", "out", "--resume", "go", code=3)
        self.assertIn(b"keys:3: ", result.err)
        self.crivo("build", "mphf", "keys", "-o", "out", "--duplicates", "ignore", "--resume", "other")
        self.write("records", b"a\t1\nb\t2\na\t3\n")
        result = self.crivo("build", "store", "records", "-o", "store", "--resume", "third", code=3)
        self.assertIn(b"records:3: ", result.err)
        self.crivo("build", "store", "records", "-o", "store", "--duplicates", "last", "--resume", "fourth")
        self.assertEqual(self.crivo("get", "store", "a", "b").out, b"3\n2\n")


if __name__ == "__main__":
    unittest.main()
