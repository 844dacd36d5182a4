# SPDX-License-Identifier: Apache-2.0
"""A build that there is no memory for ends before its work, and --dry-run warns of it."""

import gzip
import itertools
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import unittest

from harness import CRIVO, ENVIRONMENT, LONG, CrivoTest, GeneratedKeys

MEGA = 10**6
SANITIZED = "asan" in CRIVO or "tsan" in CRIVO

# Those that are built in parts.
BUILDS = (
    ["mphf"],
    ["mphf", "--algorithm", "compact"],
    ["mphf", "--algorithm", "tiny"],
    ["mphf", "--signature", "8"],
    ["filter"],
    ["filter", "--type", "fuse"],
    ["filter", "--type", "split-block-bloom"],
    ["filter", "--type", "bloom"],
    ["filter", "--type", "counting-bloom"],
    ["filter", "--type", "cuckoo"],
    ["map"],
    ["map", "--algorithm", "fuse"],
    ["map", "--compress"],
)


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


@unittest.skipIf(SANITIZED, "a sanitizer takes terabytes of address space")
class Memory(GeneratedKeys):
    KIND, COUNT = "words", 8_000_000

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

    MESSAGE = (
        rb"^crivo: keys: not enough memory: a build of ([78]\d{6}) keys or more needs at least (\d+)(?:\.\d)? MiB, and ([^\n]+) is "
        rb"(\d+)(?:\.\d)? MiB; build fewer keys at once \(--memory\)\n$"
    )
    ASKED = rb"^crivo: --memory: (\d+) MiB is too small: a build of ([78]\d{6}) keys or more needs at least (\d+)(?:\.\d)? MiB\n$"

    def assert_refused(self, result, source):
        """Returns what is needed and what may be had, in MiB."""
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertRegex(result.stderr, self.MESSAGE)
        _, need, named, budget = re.match(self.MESSAGE, result.stderr).groups()
        self.assertEqual(named.decode(), source)
        self.assertEqual((self.dir / "out").read_bytes(), b"old")
        self.assertEqual(self.listing(), ["keys", "out"])
        return int(need), int(budget)

    def test_is_refused_before_the_work(self):
        source = "three quarters of what the limit on address space (ulimit -v) leaves"
        for kind, options in (
            ("mphf", ("--algorithm", "bdz")),
            ("mphf", ("--algorithm", "mwhc2")),
            ("filter", ("--type", "hash-compaction")),
            ("map", ("--algorithm", "mwhc3")),
        ):
            self.write("out", b"old")
            args = ("build", kind, "keys", "-o", "out", "--force", "--threads", 1, *options)
            need, budget = self.assert_refused(self.limited(150, *args), source)
            self.assertGreater(need, 8e6 * 32 / 2**20)
            self.assertLess(budget, 150 * 3 / 4)
        for kind in ("mphf", "filter", "map"):
            result = self.crivo("build", kind, "keys", "-o", "out", "--force", "--memory", "2M", code=5)
            self.assertRegex(result.err, self.ASKED)
            budget, _, need = map(int, re.match(self.ASKED, result.err).groups())
            self.assertEqual((self.dir / "out").read_bytes(), b"old")
            self.assertEqual(budget, 2)
            self.assertLess(need, 20)

    def test_is_refused_in_a_small_cgroup(self):
        self.write("out", b"old")
        args = ("build", "mphf", "keys", "-o", "out", "--force", "--threads", 1, "--algorithm", "bdz")
        group, result = self.in_cgroup(150, *args)
        _, budget = self.assert_refused(result, f"three quarters of what {group.path / group.limit} leaves")
        self.assertLessEqual(budget, 150 * 3 / 4)

    def test_is_built_in_a_small_cgroup(self):
        """Where the hashes alone take 128 MB."""
        for kind in ("mphf", "filter") if LONG else ("mphf",):
            _, result = self.in_cgroup(110, "build", kind, "keys", "-o", "out", "-qf", "--threads", 1)
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            # Checked without keeping a key; those that are there twice by way of the temporary disk.
            for keys in (["keys"], ["keys", "keys"]):
                args = ("verify", "out", "-q", "--threads", 1, "--memory", "16M", "--temp-dir", self.dir, "--keys", *keys)
                _, result = self.in_cgroup(80, *args)
                self.assertEqual((result.returncode, result.stderr), (0, b""))

    def test_is_built_in_a_cgroup_that_has_room(self):
        _, result = self.in_cgroup(400, "build", "mphf", "keys", "-o", "out", "-q", "--threads", 1)
        self.assertEqual((result.returncode, result.stderr), (0, b""))

    def test_dry_run_warns(self):
        args = ("build", "mphf", "keys", "-o", "out", "--dry-run", "--threads", 1, "--algorithm", "bdz")
        result = self.limited(150, *args)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, rb"^crivo: warning: not enough memory: a build of 8000000 keys or more needs at ")
        self.assertIn(b"output  ", result.stdout)
        self.assertEqual(self.crivo("build", "mphf", "keys", "-o", "out", "--dry-run").err, b"")

    def test_is_not_refused_where_there_is_enough(self):
        result = self.limited(600, "build", "mphf", "keys", "-o", "out", "-q", "--threads", 1)
        self.assertEqual((result.returncode, result.stderr), (0, b""))

    def test_estimate_is_near_what_is_taken(self):
        builds = (["mphf"], ["map"], ["filter"], ["filter", "--type", "fuse"], ["filter", "--type", "bloom"])
        for kind, *options in builds if LONG else builds[::3]:
            args = ("build", kind, "keys", "-o", "out", "--force", "--threads", 2, "--json", *options)
            with self.subTest(kind=kind, options=options):
                estimate = self.crivo(*args, "--dry-run").json()["memory_bytes"]
                taken = self.crivo(*args).json()["peak_rss_bytes"]
                self.assertLess(abs(estimate / taken - 1), 0.25, f"{estimate} {taken}")

    def test_budget_is_kept(self):
        """Peak memory is within the budget and 64 MiB; without it, the hashes alone take 128 MB."""
        for kind, *options in BUILDS if LONG else BUILDS[:7:6]:
            with self.subTest(kind=kind, options=options):
                args = ("build", kind, "keys", "-o", "out", "--force", "--threads", 2, *options, "--json")
                summary = self.crivo(*args, "--memory", "16M").json()
                self.assertLess(summary["peak_rss_bytes"], (16 + 64) * 2**20)
                self.assertGreaterEqual(summary["temp_bytes"], 8_000_000 * 16)

    def test_budget_is_kept_with_records(self):
        """The same of a store, with four times its largest record."""
        with open(self.dir / "keys", "rb") as keys, open(self.dir / "pairs", "wb") as file:
            lines = (line[:-1] for line in itertools.islice(keys, 1_000_000 if LONG else 300_000))
            file.writelines(b"%s\t%s\n" % (line, line[::-1] * 8) for line in lines)
            file.write(b"long\t" + b"record " * 1_000_000 + b"\n")
        args = ("build", "store", "pairs", "-o", "out", "--force", "--threads", 2, "--json")
        if not LONG:  # else to find out which codec is best takes most of the time
            args += ("--codec", "none")
        estimate = self.crivo(*args, "--dry-run").json()["memory_bytes"]
        digests = set()
        for memory in (16, 64, 1024) if LONG else (16, 1024):
            summary = self.crivo(*args, "--memory", f"{memory}M").json()
            self.assertLess(summary["peak_rss_bytes"], (memory + 64) * 2**20 + 4 * 7_000_000)
            digests.add(summary["digest"])
        self.assertEqual(len(digests), 1)
        self.assertLess(abs(estimate / summary["peak_rss_bytes"] - 1), 0.35)

    def test_full_temporary_disk(self):
        """Stands for one: no file may have more than 40 MB."""

        def enter():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (40 * MEGA,) * 2)

        self.write("out", b"old")
        result = self.run_in(
            enter, "build", "mphf", "keys", "-o", "out", "--force", "--memory", "16M", "--temp-dir", self.dir
        )
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn(b"temporary", result.stderr)
        self.assertEqual((self.dir / "out").read_bytes(), b"old")
        self.assertEqual(self.listing(), ["keys", "out"])


@unittest.skipIf(SANITIZED, "a sanitizer takes more memory")
class Budgets(CrivoTest):
    """Of what is sorted already, and the program that measures all structures under budgets, over few keys."""

    TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/bench/budgets"

    def test_of_a_dictionary(self):
        """Of keys of which each has few bytes of its own, and of others."""
        for name, keys in (("short", [b"%09d\n" % i for i in range(1_000_000)]), ("long", sorted(self.crivo("gen", "urls", "-n", 50_000).out.splitlines(True)))):
            with self.subTest(keys=name):
                self.write("keys", b"".join(keys))
                args = ("build", "dictionary", "keys", "-o", "out", "--force", "--sorted", "--threads", 1, "--memory", "24M", "--json")
                self.assertLess(self.crivo(*args).json()["peak_rss_bytes"], 32 * 2**20)

    def test_table(self):
        done = subprocess.run(
            [self.TOOL, "--crivo", self.program, "--keys", "3000", "--memory", "2M", "--memory", "16M"],
            stdout=subprocess.PIPE,
            cwd=self.dir,
            check=True,
        )
        _, head, _, *rows = done.stdout.decode().splitlines()
        self.assertEqual(head, "| 3000 keys | no limit | 2M | 16M |")
        for row, build in zip(rows, [*BUILDS, ["store"], ["store"]], strict=True):
            self.assertRegex(row, rf"^\| {build[0]}[ ,][^|]+ \| \d+ MiB [\d.]+ s \| refused \| \d+ MiB [\d.]+ s \|$")


class SameBytes(CrivoTest):
    """What is written does not depend on memory, threads, or how the keys come."""

    def test_bytes(self):
        keys = self.crivo("gen", "words", "-n", 300_000).out
        lines = keys.splitlines(keepends=True)
        self.write("keys", keys)
        self.write("shuffled", b"".join(random.Random(1).sample(lines, len(lines))))
        for kind, *options in BUILDS[:: 1 if LONG else 10 if SANITIZED else 5]:  # the library's own test has all (stream/EveryStructure)
            with self.subTest(kind=kind, options=options):
                digests = set()
                for threads, more in ((1, ()), (3, ()), (2, ("--memory", "10M"))):
                    args = ("build", kind, "-o", "out", "-f", "--json", "--threads", threads, *options, *more)
                    inputs = ["keys"] if kind == "map" else ["keys", "shuffled"]
                    for name in inputs:
                        digests.add(self.crivo(*args, name).json()["digest"])
                    digests.add(self.crivo(*args, "-", stdin=keys).json()["digest"])
                self.assertEqual(len(digests), 1)


@unittest.skipIf(SANITIZED, "sanitizers take memory of their own")
class Peaks(CrivoTest):
    """Commands under a budget in MiB."""

    def peak(self, *args, code=0, memory=16, more=0, threads=2):
        """Runs the command within the budget, 64 MiB and so many more; returns what it said."""
        # Started by a process that is small: what a parent has in memory counts as its child's.
        measure = ("import resource, subprocess, sys; code = subprocess.run(sys.argv[1:], check=False).returncode; "
                   "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        command = [CRIVO, *map(str, args), "--memory", f"{memory}M", "--threads", str(threads)]
        done = subprocess.run([sys.executable, "-c", measure, *command], cwd=self.dir, env=ENVIRONMENT, capture_output=True,
                              text=True, check=True)
        returned, peak = map(int, done.stdout.splitlines()[-1].split())
        self.assertEqual(returned, code, done.stderr)
        self.assertLess(peak / 1024, memory + 64 + more, args)
        return done.stderr


class Limits(Peaks):
    """What one line, or one record, may take: it is longer than the limit, or is read piece by piece."""

    def test_of_a_key(self):
        self.write("url", b"http://example.org/?" + b"&a" * 6_000_000)
        self.assertIn("url: byte 0: the key has more than 1048576 bytes\n", self.peak("extract", "urls", "--surt", "url", "-o", "out"))
        self.write("keys", b"a\n" + b"b" * 11 + b"\n")
        refused = "keys:2: the key is longer than the limit of 10 bytes (--max-key, and less by some --hash)\n"
        self.assertIn(refused, self.peak("build", "filter", "keys", "-o", "filter", "--max-key", 10, code=3))
        said = "keys: byte 2: the key has more than 10 bytes (--max-key, and less by some --hash)\n"
        self.assertIn(said, self.peak("extract", "lines", "keys", "-fo", "out", "--max-key", 10))

    def test_of_a_list_of_files(self):
        said = self.peak("sort", "--files-from", "/dev/zero", "-o", "out", code=3, more=64)
        self.assertIn("/dev/zero: the list of files has more than 64 MiB\n", said)

    def test_of_a_line(self):
        """A header of many columns; and a line that is longer than it may be."""
        self.write("columns", b"," * 3_000_000 + b"k\nx\n")
        for how in (["--delimiter", ","], ["--csv"]):
            named = ["columns", "--header", "--column", "k", *how]
            said = self.peak("build", "filter", *named, "-fo", "filter", code=3)
            self.assertIn("columns:2: the line has no column 3000001\n", said)
            said = self.peak("build", "filter", *named, "-fo", "filter", "--max-line", "1M", code=3)
            self.assertRegex(said, r"columns(:1)?: .*the line is longer than the limit of 1048576 bytes.* \(--max-line\)\n")
            said = self.peak("extract", "lines", *named, "--max-line", "1M", "-fo", "out")
            self.assertIn("columns: byte 0: the line has more than 1048576 bytes (--max-line)\n", said)

    def test_of_a_document(self):
        """Its terms are handed over as they come, in every format."""
        text = b"a b " * 10_000_000
        self.write("lines", text)
        self.write("plain", b"docno " + text)
        self.write("trec", b"<DOC>\n<DOCNO>1</DOCNO>\n" + text + b"</DOC>\n")
        page = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(2 * text, 1) + bytes(8)
        head = b"WARC-Type: response\r\nWARC-Target-URI: http://a/\r\nContent-Type: application/http\r\n"
        self.write("warc", b"WARC/1.0\r\n" + head + b"Content-Length: %d\r\n\r\n" % len(page) + page + b"\r\n\r\n")
        self.write("arc", b"filedesc://a 1.1.1.1 20200101000000 text/plain 0\n\nhttp://a/ 1.1.1.1 20200101000000 text/html %d\n" % len(page) + page)
        for name, more in (("lines", []), ("plain", ["--from", "plaintext"]), ("trec", []), ("warc", []), ("arc", ["--max-record", "1G"])):
            said = self.peak("extract", "terms", name, *more, "--count", "-fo", "out")
            limited = "its body has more than 67108864 bytes without its Content-Encoding of gzip (--max-record)\n"
            self.assertEqual(limited in said, name == "warc", said)
            if name != "warc":
                times = 20_000_000 if name == "arc" else 10_000_000
                self.assertEqual((self.dir / "out").read_bytes(), b"a\t%d\nb\t%d\n" % (times, times))

    def test_of_distinct_terms(self):
        self.write("lines", b" ".join(b"%d" % i for i in range(1_500_000)) + b"\na a\n")
        said = self.peak("extract", "terms", "--once", "--count", "lines", "-o", "out")
        self.assertIn("lines: byte 0: the document has more than 262144 distinct terms", said)
        self.assertEqual((self.dir / "out").read_bytes().splitlines()[-1], b"a\t1")


class LongKeys(Peaks):
    """Keys of 1 MiB, more than memory holds."""

    def test_of_texts_that_are_sorted(self):
        keys = [b"%08x" % i + random.Random(i).randbytes(2**19 - 4).hex().encode() for i in range(100)]
        random.Random(1).shuffle(keys)
        self.write("keys", b"\n".join(keys) + b"\n")
        in_order = b"\n".join(sorted(keys)) + b"\n"
        for args in (["sort", "keys"], ["extract", "lines", "keys"]):
            self.peak(*args, "-fo", "out")
            self.assertTrue((self.dir / "out").read_bytes() == in_order)
        self.peak("dedup", "--exact", "keys", "-fo", "out")
        self.assertTrue((self.dir / "out").read_bytes() == b"\n".join(keys) + b"\n")
        self.peak("build", "dictionary", "keys", "-o", "small", memory=24)
        self.crivo("build", "dictionary", "keys", "-o", "large")
        self.assertEqual((self.dir / "small").read_bytes(), (self.dir / "large").read_bytes())
        self.crivo("verify", "small", "--keys", "keys")


class ShortRecords(Peaks):
    """Records of no bytes take their keys and places alone."""

    def test_in_order_and_not(self):
        self.write("pairs", b"".join(b"k%d\t\n" % i for i in range(1_500_000)))
        for more in (["--backend", "flat", "--ordered"], ["--backend", "flat"], []):
            self.peak("build", "store", "pairs", "-o", "store", "-f", "--codec", "none", *more)


class LongRecords(Peaks):
    def test_few(self):
        """Also what --dry-run says of them."""
        record = random.Random(1).randbytes(2**22).hex().encode()
        self.write("pairs", b"".join(b"k%d\t%s\n" % (i, record) for i in range(12)))
        for more in (["--backend", "flat", "--ordered"], ["--backend", "flat"], []):
            args = ("build", "store", "pairs", "-o", "store", "-f", "--codec", "none", "--threads", 2, "--memory", "16M", "--json", *more)
            forecast = self.crivo(*args, "--dry-run").json()["memory_bytes"]
            peak = self.crivo(*args).json()["peak_rss_bytes"]
            self.assertLess(peak, (16 + 64 + 4 * 8) * 2**20)
            self.assertLess(max(peak / forecast, forecast / peak), 1.5, (peak, forecast))


class ManyThreads(Peaks):
    def test_records_that_each_copies(self):
        """To encode some records a thread copies all of a range of hashes, if they are just too short to lie apart."""
        self.write("pairs", b"".join(b"k%d\t%s\n" % (i, (b"%d " % i * 200)[:1000]) for i in range(60_000)))
        self.peak("build", "store", "pairs", "-fo", "store", "--backend", "flat", "--codec", "none", threads=8)
        self.peak("build", "store", "pairs", "-fo", "store", threads=8, memory=64, more=-16)

    def test_long_records(self):
        """One thread at a time has one; the others keep nothing of theirs, in no heap."""
        pairs = b"".join(b"k%d\t%s\n" % (i, b"x" * 2**23) for i in range(20))
        self.write("pairs", pairs)
        self.write("packed", gzip.compress(pairs, 1))
        for name in ("pairs", "packed"):
            self.peak("build", "store", name, "-fo", "store", "--codec", "none", threads=8, memory=64, more=8)


class Forecasts(Peaks):
    def near(self, *args, memory):
        """What --dry-run says is near the peak."""
        command = ("build", *args, "-fo", "out", "--threads", 2, "--memory", memory, "--json")
        forecast = self.crivo(*command, "--dry-run").json()["memory_bytes"]
        peak = self.crivo(*command).json()["peak_rss_bytes"]
        self.assertLess(max(peak / forecast, forecast / peak), 1.5, (args, peak, forecast))

    def test_of_long_keys(self):
        """They are read, and in dictionaries sorted, where they do not fit."""
        self.write("keys", b"".join(b"%06d%s\n" % (i * 7919 % 1_000_003, b"k" * 2**19) for i in range(100)))
        for kind in (["mphf"], ["map"], ["dictionary"]):
            self.near(*kind, "keys", memory="48M")
        self.near("exact", "--members", "keys", "--universe", "keys", memory="48M")

    def test_of_a_codec_in_an_ordered_store(self):
        words = [b"%x" % random.Random(i).getrandbits(24) for i in range(5_000)]
        rng = random.Random(1)
        self.write("pairs", b"".join(b"k%d\t%s\n" % (i, b" ".join(rng.choices(words, k=14))) for i in range(300_000)))
        self.near("store", "pairs", "--backend", "flat", "--ordered", memory="40M")


class EqualKeys(Peaks):
    """However often a key is there, a build keeps to its budget and 64 MiB: done or refused."""

    def test_one_key(self):
        self.write("keys", b"a\n" * 1_000_000)
        for kind, *options in BUILDS if LONG else BUILDS[::5]:
            self.peak("build", kind, "keys", "-o", "out", "-f", "--duplicates", "ignore", *options)
            self.assertEqual(self.info("out")["keys"], 1)
            self.peak("build", kind, "keys", "-o", "out", "-f", *options, code=3)
        self.peak("partition", "keys", "--duplicates", "ignore", "--shards", 1, "-o", "dealt")

    def test_one_key_with_records(self):
        self.write("pairs", b"a\t7\n" * 500_000)
        for kind in (["store"], ["store", "--ordered", "--backend", "flat"], ["map", "--values"]):
            self.peak("build", *kind, "pairs", "-o", "_".join(kind), "--duplicates", "ignore")
            self.peak("build", *kind, "pairs", "-o", "other", code=3)
        self.assertEqual(self.crivo("get", "store", "a").out, b"7")

    def test_each_key_twice(self):
        """So many that what is known of each does not fit."""
        keys = b"".join(b"%d\n" % i for i in range(1_000_000))
        self.write("keys", keys + keys)
        self.peak("build", "mphf", "keys", "-o", "out", "--duplicates", "ignore")
        self.assertEqual(self.info("out")["keys"], 1_000_000)
        self.peak("build", "filter", "keys", "-o", "out", "-f", code=3)
