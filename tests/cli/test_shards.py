# SPDX-License-Identifier: Apache-2.0
"""Builds in shards: partition, build --shard and merge give the file of one build, byte for byte; all else is refused."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import harness
from harness import CRIVO, ENVIRONMENT, LONG, SANITIZED, CrivoTest, GeneratedKeys, gzipped, in_parallel, lines, pairs, urls

DAMAGE = float(os.environ.get("CRIVO_DAMAGE", "1"))
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "formats"))
import write_keys

BUILDS = (
    ("mphf",),
    ("mphf", "--algorithm", "compact", "--effort", "1", "--signature", "16"),
    ("mphf", "--algorithm", "tiny", "--signature", "8"),
    ("filter", "--fpr", "0.01"),
    ("filter", "--type", "fuse", "--bits", "9", "--arity", "3"),
    ("filter", "--type", "bloom", "--capacity", "200k"),
    ("filter", "--type", "counting-bloom"),
    ("filter", "--type", "cuckoo", "--semi-sorted"),
    ("map", "--signature", "32"),
    ("map", "--algorithm", "fuse", "--value-bits", "20"),
)

SHARDS = (1, 3, 8) if LONG else (3,) if SANITIZED else (1, 3)


class Shards(CrivoTest):
    def build_parts(self, directory, shards, kind, *options, out="part"):
        """Builds the parts of all shards; returns their names."""
        names = [f"{out}-{shard}" for shard in range(shards)]
        in_parallel(
            lambda shard: self.crivo(
                "build", kind, directory, "--shard", f"{shard}/{shards}", "-o", names[shard], "-f", "--quiet", *options
            ),
            range(shards),
        )
        return names

    def merged(self, directory, shards, *build, out="merged"):
        parts = self.build_parts(directory, shards, *build)
        self.crivo("merge", *parts, "-o", out, "-f", "--quiet")
        return (self.dir / out).read_bytes()

    def whole(self, kind, files, *options):
        self.crivo("build", kind, *files, "-o", "whole", "-f", "--quiet", *options)
        return (self.dir / "whole").read_bytes()


class Uneven(Shards, GeneratedKeys):
    KIND, COUNT = "ints", 3_000_000  # of which an MPHF has four partitions

    def test_a_shard_that_has_twice_as_many_keys_says_so(self):
        self.crivo("partition", "keys", "--shards", "4", "-o", "dealt", "--quiet")
        said = {}
        for shard, shards in ((0, 3), (1, 3), (2, 3), (0, 4), (0, 2), (0, 5)):
            options = ("--shard", f"{shard}/{shards}", "-o", "part", "-f")
            said[shard, shards] = b"warning: " in self.crivo("build", "mphf", "dealt", *options).err
        large = [key for key, warned in said.items() if warned]
        self.assertEqual(len(large), 1)
        self.assertEqual(large[0][1], 3)
        result = self.crivo("build", "mphf", "dealt", "--shard", f"{large[0][0]}/3", "-o", "part", "-f")
        self.assertIn(b"has 2 of the 4 partitions of fast, more than one in 3; the shares of 2 or 4 shards", result.err)


class Bytes(Shards, GeneratedKeys):
    COUNT = 120_000

    def test_every_structure(self):
        """One partition serves every structure and any number of shards."""
        self.crivo("partition", "keys", "--shards", "8", "-o", "dealt", "--quiet")
        for build in BUILDS if LONG else BUILDS[::3] if not SANITIZED else BUILDS[::5]:
            with self.subTest(build):
                expected = self.whole(build[0], ["keys"], *build[1:])
                for shards in SHARDS:
                    self.assertTrue(self.merged("dealt", shards, *build) == expected, shards)

    def test_many_shards(self):
        """More shards than some structures have partitions: their keys are unbuilt."""
        shards = 64 if LONG else 8
        self.crivo("partition", "keys", "--shards", shards, "-o", "dealt", "--quiet")
        for build in (("mphf", "--signature", "8"), ("filter",), ("map",)):
            with self.subTest(build):
                expected = self.whole(build[0], ["keys"], *build[1:])
                self.assertTrue(self.merged("dealt", shards, *build, "--threads", "1") == expected)

    def test_another_hash(self):
        self.crivo("partition", "keys", "--shards", "3", "--hash", "xxh64", "-o", "dealt", "--quiet")
        build = ("filter", "--type", "split-block-bloom")
        self.assertTrue(self.merged("dealt", 3, *build) == self.whole(build[0], ["keys"], *build[1:]))
        self.crivo("partition", "keys", "--shards", "3", "--seed", "random:7", "-o", "keyed", "--quiet")
        self.assertTrue(self.merged("keyed", 3, "mphf") == self.whole("mphf", ["keys"], "--seed", "random:7"))

    def test_memory_and_threads(self):
        """Neither decides about a byte, spilled or not."""
        expected = self.whole("map", ["keys"])
        little = ("--memory", "8M", "--threads", "1", "--temp-dir", ".")
        self.crivo("partition", "keys", "--shards", "3", "-o", "dealt", "--quiet", *little)
        self.assertTrue(self.merged("dealt", 3, "map", *little) == expected)
        for threads in ("1", "3"):
            options = ("--memory", "64M", "--threads", threads)
            self.crivo("partition", "keys", "--shards", "3", "-o", f"dealt-{threads}", "--quiet", *options)
            self.assertEqual(harness.files_of(self.dir / "dealt"), harness.files_of(self.dir / f"dealt-{threads}"))
            self.assertTrue(self.merged(f"dealt-{threads}", 3, "map", *options) == expected)

    def test_tasks(self):
        """The input is dealt out by any tasks, in any order, also again, and also by more than there are files."""
        keys = (self.dir / "keys").read_bytes().splitlines()
        files = []
        for i, begin in enumerate(range(0, len(keys), 30_000)):
            data = lines(keys[begin : begin + 30_000])
            members = b"".join(gzipped(data[at : at + 100_000]) for at in range(0, len(data), 100_000))
            files.append(self.write(f"in{i}", members if i % 2 else data))
        expected = self.whole("map", files)
        for tasks in (2, 4, 7) if LONG else (7,):
            partition = ("partition", *files, "--shards", "3", "-o", f"dealt{tasks}")
            for task in reversed(range(tasks)):
                self.crivo(*partition, "--part", f"{task}/{tasks}", "--quiet")
            again = self.crivo(*partition, "--part", f"1/{tasks}", "--json").json()
            self.assertTrue(again["was_done"])
            totals = self.crivo("partition", "--finish", f"dealt{tasks}", "--json").json()
            self.assertEqual((totals["keys"], totals["tasks"]), (len(keys), tasks))
            self.assertTrue(self.merged(f"dealt{tasks}", 3, "map") == expected)


class LeftOver(Shards, GeneratedKeys):
    KIND, COUNT = "ints", 1_000_000

    def test_merge_within_memory(self):
        """What the parts leave over has no room in memory."""
        self.crivo("partition", "keys", "--shards", 2, "-o", "dealt", "--quiet")
        build = ("mphf", "--signature", "8")
        parts = self.build_parts("dealt", 2, *build)
        told = self.crivo("merge", *parts, "-o", "merged", "--memory", "8M", "--json").json()
        self.assertGreater(told["temp_bytes"], 0)
        self.assertTrue((self.dir / "merged").read_bytes() == self.whole(build[0], ["keys"], *build[1:]))


class CompressedMaps(Shards):
    """Their codes follow from all values, which are counted when the partition is finished."""

    COUNT = 150_000 if SANITIZED else 700_000  # two partitions

    def test_shards(self):
        keys = self.crivo("gen", "ints", "-n", self.COUNT).out.splitlines()
        rare = (b"%d" % (i * i) for i in range(len(keys)))
        values = [next(rare) if i % 50 == 0 else b"%d" % (i % 37 // 30) for i in range(len(keys))]
        table = self.write("table", pairs(keys, values))
        options = ("--values", "--compress", "--signature", "8")
        expected = self.whole("map", [table], *options)
        for memory in (("--memory", "16M", "--temp-dir", "."), *(((),) if LONG else ())):
            directory = f"dealt{len(memory)}"
            self.crivo("partition", table, "--values", "--shards", "8", "-o", directory, "--quiet", *memory)
            for shards in (3,) if memory else SHARDS:
                self.assertTrue(self.merged(directory, shards, "map", *options, *memory) == expected, shards)

    def test_small_sets(self):
        for count in (0, 1, 2000) if LONG else (1, 2000):
            keys = urls(count)
            for name, values in (
                ("constant", [b"7"] * count),
                ("skewed", [b"%d" % (0 if i % 9 else i) for i in range(count)]),
                ("distinct", [b"%d" % (i << 40) for i in range(count)]),
            ):
                with self.subTest(name, count=count):
                    table = self.write(name, pairs(keys, values))
                    self.crivo("partition", table, "--values", "--shards", "2", "-o", f"{name}{count}", "--quiet")
                    expected = self.whole("map", [table], "--values", "--compress")
                    for shards in (1, 64 if LONG else 8) if name == "skewed" else (2,):
                        self.assertEqual(
                            self.merged(f"{name}{count}", shards, "map", "--values", "--compress"), expected
                        )

    def test_many_values(self):
        """More values than have codewords: those of a sample are counted, the same by all tasks."""
        keys = urls(90_000)
        table = self.write("table", pairs(keys, [b"%d" % (i if i % 3 else 5) for i in range(len(keys))]))
        expected = self.whole("map", [table], "--values", "--compress")
        self.crivo("partition", table, "--values", "--shards", "3", "-o", "dealt", "--quiet")
        self.assertTrue(self.merged("dealt", 3, "map", "--values", "--compress") == expected)

    def test_duplicates(self):
        """Values are those of the first of equal keys."""
        keys = urls(2000)
        files = [
            self.write(f"in{i}", pairs(some, [b"%d" % (n % 5 * (i + 1)) for n in range(len(some))]))
            for i, some in enumerate((keys[:1500], keys[500:] + keys[:10]))
        ]
        partition = ("partition", *files, "--values", "--shards", "3", "--duplicates", "ignore", "--quiet", "-o", "dealt")
        for task in range(2):
            self.crivo(*partition, "--part", f"{task}/2")
        self.crivo("partition", "--finish", "dealt", "--quiet")
        expected = self.whole("map", files, "--values", "--compress", "--duplicates", "ignore")
        self.assertEqual(self.merged("dealt", 3, "map", "--values", "--compress"), expected)

    def test_refusals(self):
        keys = urls(2000)
        for name, values in (("a", [b"%d" % (i % 7) for i in range(2000)]), ("b", [b"%d" % (i % 8) for i in range(2000)])):
            self.write(name, pairs(keys, values))
            self.crivo("partition", name, "--values", "--shards", "2", "-o", f"{name}-dealt", "--quiet")
        parts = self.build_parts("a-dealt", 2, "map", "--values", "--compress", out="a-part")
        others = self.build_parts("b-dealt", 2, "map", "--values", "--compress", out="b-part")
        error = self.crivo("merge", parts[0], others[1], "-o", "x", code=2).err
        self.assertIn(b"b-part-1: belongs to a different build", error)
        expected = self.whole("map", ["a"], "--values", "--compress")
        for case in self.damaged(".", parts, round(40 * DAMAGE), 4):
            if self.crivo("merge", *parts, "-o", "merged", "-f", code=(0, 2, 4)).code == 0:
                self.assertEqual((self.dir / "merged").read_bytes(), expected, case)
        self.write_keys(keys, "keys")
        self.crivo("partition", "keys", "--shards", "2", "-o", "dealt", "--quiet")
        error = self.crivo("build", "map", "dealt", "--compress", "--shard", "0/2", "-o", "x", code=2).err
        self.assertIn(b"cannot be compressed", error)


class SmallSets(Shards):
    def test_sizes(self):
        """Sets of few keys are one partition, whose keys are unbuilt in the parts."""
        for count in (0, 1, 3, 1000, 1025) if LONG else (0, 1025):
            keys = self.write_keys(urls(count), f"keys{count}")
            self.crivo("partition", keys, "--shards", "2", "-o", f"dealt{count}", "--quiet")
            for build in (*BUILDS[:: 3 if SANITIZED else 1], ("mphf", "--signature", "32")):
                with self.subTest(build, count=count):
                    self.assertEqual(
                        self.merged(f"dealt{count}", 2, *build), self.whole(build[0], [keys], *build[1:])
                    )

    def test_a_partition_counts_the_time_of_its_reading(self):
        """Its input pauses for longer than all else takes."""
        self.write_keys(urls(10))
        slow = f"(sleep 0.5; cat keys.txt) | {CRIVO} partition - --shards 2 -o dealt --json"
        said = subprocess.run(["sh", "-c", slow], cwd=self.dir, env=ENVIRONMENT, check=True, stdout=subprocess.PIPE).stdout
        self.assertGreaterEqual(json.loads(said)["seconds"], 0.5)

    def test_even(self):
        """Whatever the number of keys, a shard has its share of them, and no other has any of it."""
        for count in (1000, 30_000):
            keys = self.write_keys(urls(count), f"keys{count}")
            self.crivo("partition", keys, "--shards", "8", "-o", f"dealt{count}", "--quiet")
            for build in (("mphf", "--signature", "8"), ("filter", "--type", "fuse"), ("map", "--signature", "16")):
                with self.subTest(build, count=count):
                    parts = self.build_parts(f"dealt{count}", 8, *build)
                    # All that has more than a few bytes in such a part is its keys.
                    of_key = 48 if build[0] == "map" else 16  # of a map two structures are made
                    sizes = [(self.dir / part).stat().st_size for part in parts]
                    self.assertLess(max(sizes) - min(sizes), 2 * of_key * count / 8, sizes)
                    self.assertGreater(min(sizes), of_key * count / 16)
                    self.crivo("merge", *parts, "-o", "merged", "-f", "--quiet")
                    self.assertEqual((self.dir / "merged").read_bytes(), self.whole(build[0], [keys], *build[1:]))

    def test_unbuilt_keys_that_are_no_shards(self):
        """A part with sound checksums whose keys are another shard's, or there twice, or too few."""
        keys = self.write_keys(urls(500))
        self.crivo("partition", keys, "--shards", "2", "-o", "dealt", "--quiet")
        parts = self.build_parts("dealt", 2, "mphf")
        for case in self.damaged(".", parts, round(60 * DAMAGE), 5):
            self.crivo("merge", *parts, "-o", "merged", "-f", code=(0, 2, 4))

    def test_no_numbers(self):
        keys = urls(3000)
        self.write("a", lines(keys[:2000]))
        self.write("b", lines(keys[2000:]))
        for task in range(2):
            self.crivo("partition", "a", "b", "--shards", "2", "--no-numbers", "-o", "dealt", "--part", f"{task}/2", "--quiet")
        self.crivo("partition", "--finish", "dealt", "--quiet")
        for build in (("mphf", "--signature", "8"), ("filter",)):
            self.assertEqual(self.merged("dealt", 2, *build), self.whole(build[0], ["a", "b"], *build[1:]))
        error = self.crivo("build", "map", "dealt", "--shard", "0/2", "-o", "x", code=2).err
        self.assertIn(b"its keys have no numbers; partition keys with them", error)

    def test_values(self):
        keys = urls(3000)
        table = self.write("table", pairs(keys, [b"%d" % (i * i) for i in range(len(keys))]))
        self.crivo("partition", table, "--values", "--shards", "2", "-o", "dealt", "--quiet")
        for options in ((), ("--algorithm", "fuse"), ("--signature", "8", "--value-bits", "40")):
            expected = self.whole("map", [table], "--values", *options)
            self.assertEqual(self.merged("dealt", 2, "map", "--values", *options), expected)
        self.assertEqual(self.merged("dealt", 2, "mphf"), self.whole("mphf", [self.write_keys(keys)]))
        table = self.write("signed", pairs(keys, [b"%d.5" % (i - 99) for i in range(len(keys))]))
        form = ("--values", "--value-type", "decimal", "--scale", "1")
        self.crivo("partition", table, *form, "--shards", "2", "-o", "decimals", "--quiet")
        self.assertEqual(self.merged("decimals", 2, "map", *form), self.whole("map", [table], *form))
        self.crivo("build", "map", "decimals", "--values", "--shard", "0/2", "-o", "x", code=2)

    def test_duplicates(self):
        """The first of equal keys counts, whoever dealt it out; otherwise they are refused where they meet."""
        keys = urls(2000)
        repeats = [keys[:1500], keys[500:] + keys[:10], keys[100:200]]
        for values in (False, True):
            files = []
            for i, some in enumerate(repeats):
                data = pairs(some, [b"%d" % (i * 1000 + n) for n in range(len(some))]) if values else lines(some)
                files.append(self.write(f"in{values}{i}", data))
            options = ("--values",) if values else ()
            for tasks in (1, 3):
                directory = f"dealt{values}{tasks}"
                partition = ("partition", *files, *options, "--shards", "3", "--quiet", "-o", directory)
                for task in range(tasks):
                    self.crivo(*partition, "--duplicates", "ignore", "--part", f"{task}/{tasks}")
                totals = self.crivo("partition", "--finish", directory, "--json").json()
                self.assertEqual((totals["keys"], totals["duplicates"]), (2000, 1110))
                for build in (("map", *options), ("mphf", "--signature", "8"), ("filter",)):
                    plain = values and build[0] != "map"
                    whole = [self.write_keys(keys)] if plain else files
                    expected = self.whole(build[0], whole, *build[1:], "--duplicates", "ignore")
                    self.assertEqual(self.merged(directory, 3, *build), expected)
            self.crivo("partition", *files, *options, "--shards", "3", "-o", f"once{values}", code=3)

    def test_repeats_are_refused_where_they_meet(self):
        keys = urls(3000)
        self.write_keys(keys[1999:2000] + keys[:1999], "a")
        self.write_keys(keys[1999:], "b")
        for task in range(2):
            self.crivo("partition", "a", "b", "--shards", "2", "-o", "met", "--part", f"{task}/2", "--quiet")
        self.crivo("partition", "--finish", "met", "--quiet")
        error = self.crivo("build", "mphf", "met", "--shard", "0/1", "-o", "part", code=3).err
        self.assertIn(b"1 key is there more than once, as key 1 and key 2001 of the input", error)

    def test_python_partition(self):
        """formats/write_keys.py deals keys out as the program does, but for the state of the input."""
        keys = urls(1500)
        expected = self.whole("map", [self.write_keys(keys)])
        (self.dir / "dealt").mkdir()
        for task, (begin, end, bits) in enumerate(((0, 700, 0), (700, 701, 3), (701, 1500, 6))):
            write_keys.write(keys[begin:end], self.dir / "dealt", task, 3, bits)
            self.crivo("verify", f"dealt/keys-{task}-of-3.crv")
        self.crivo("partition", "--finish", "dealt", "--quiet")
        for shards in (1, 3):
            self.assertEqual(self.merged("dealt", shards, "map"), expected)
        self.assertLessEqual(len(pathlib.Path(write_keys.__file__).read_text().splitlines()), 110)


STORES = (
    ("--backend", "lmdb", "--codec", "zstd"),
    ("--backend", "flat", "--codec", "zstd", "--algorithm", "tiny"),
    ("--backend", "lmdb", "--codec", "tokens12", "--algorithm", "tiny"),
    ("--backend", "flat", "--codec", "tokens16"),
    ("--backend", "lmdb", "--codec", "none", "--signature", "8"),
)


class Stores(Shards):
    """Records are dealt out with their keys; the merged directory is that of one build."""

    def merged_files(self, directory, shards, *options):
        parts = self.build_parts(directory, shards, "store", *options)
        self.crivo("merge", *parts, "-o", "merged", "-f", "--quiet")
        return harness.files_of(self.dir / "merged")

    def whole_files(self, files, *options):
        self.crivo("build", "store", *files, "-o", "whole", "-f", "--quiet", *options)
        return harness.files_of(self.dir / "whole")

    def mphf_of(self, keys):
        self.crivo("build", "mphf", self.write_keys(keys), "-o", "mphf", "--quiet")
        return (self.dir / "mphf").read_bytes()

    def records(self, count, salt=0):
        return [b'{"n":%d,"lang":"pl","x":%d}' % (i % 100, i * 7 + salt) for i in range(count)]

    def test_shards(self):
        count = 20_000 if LONG else 3000
        keys = urls(count)
        table = self.write("table", pairs(keys, self.records(count)))
        little = ("--memory", "24M", "--threads", "1", "--temp-dir", ".")
        self.crivo("partition", table, "--records", "--shards", "8", "-o", "dealt", "--quiet")
        self.crivo("partition", table, "--records", "--shards", "8", "-o", "again", "--quiet", *little)
        self.assertEqual(harness.files_of(self.dir / "dealt"), harness.files_of(self.dir / "again"))
        for options in STORES if LONG else STORES[:1] if SANITIZED else STORES[:3]:
            with self.subTest(options):
                expected = self.whole_files([table], *options)
                self.assertEqual(self.merged_files("dealt", 3, *options, *little), expected)
        expected = self.whole_files([table])
        for shards in (1, 8):
            self.assertEqual(self.merged_files("dealt", shards), expected)
        self.crivo("verify", "merged")
        self.assertEqual(self.merged("dealt", 2, "mphf", out="m"), self.mphf_of(keys))

    def test_partitions(self):
        """Of several partitions of the function, whose ranks take keys of each other; of fewer than shards."""
        count = 5000 if SANITIZED else 400_000
        keys = [b"%d" % (i * 7919) for i in range(count)]
        table = self.write("table", pairs(keys, [b"%d" % (i % 1000) for i in range(count)]))
        self.crivo("partition", table, "--records", "--shards", "64", "-o", "dealt", "--quiet")
        for shards, *codec in ((2, "--codec", "zstd", "--block", "16K"), (64, "--codec", "none"))[: 2 if LONG else 1]:
            options = ("--algorithm", "tiny", *codec)
            self.assertEqual(self.merged_files("dealt", shards, *options), self.whole_files([table], *options), shards)

    def test_sizes(self):
        for count in (0, 1, 2, 1500) if LONG else (0, 1500):
            table = self.write("table", pairs(urls(count), [b"x" * (i % 300 * (50 if LONG else 10)) for i in range(count)]))
            self.crivo("partition", table, "--records", "--shards", "2", "-o", f"d{count}", "--quiet")
            for backend in ("flat",) if SANITIZED else ("lmdb", "flat"):
                options = ("--backend", backend, "--codec", "zstd")
                self.assertEqual(
                    self.merged_files(f"d{count}", 2, *options), self.whole_files([table], *options), count
                )

    def test_duplicates(self):
        """Whoever dealt them out, in the order of the input."""
        keys = urls(600)
        files = []
        for i, some in enumerate((keys[:400], keys[200:] + keys[:10], keys[50:60])):
            files.append(self.write(f"in{i}", pairs(some + some[:5], self.records(len(some) + 5, 1000 * i))))
        for policy in ("ignore", "last", "all"):
            expected = self.whole_files(files, "--duplicates", policy)
            for tasks in (1, 3):
                directory = f"dealt-{policy}-{tasks}"
                for task in range(tasks):
                    self.crivo(
                        "partition", *files, "--records", "--shards", "3", "--quiet", "-o", directory,
                        "--duplicates", policy, "--part", f"{task}/{tasks}",
                    )
                totals = self.crivo("partition", "--finish", directory, "--json").json()
                self.assertEqual((totals["keys"], totals["duplicates"]), (600, 235))
                self.assertEqual(self.merged_files(directory, 3), expected, (policy, tasks))
        self.crivo("partition", *files, "--records", "--shards", "3", "-o", "once", code=3)
        self.crivo("partition", *files, "--shards", "3", "-o", "keys", "--duplicates", "last", code=2)

    def test_refusals(self):
        table = self.write("table", pairs(urls(900), self.records(900)))
        self.crivo("partition", table, "--records", "--shards", "2", "-o", "dealt", "--quiet")
        parts = self.build_parts("dealt", 2, "store")
        self.crivo("merge", parts[0], "-o", "merged", code=2)
        other = self.build_parts("dealt", 2, "store", "--codec", "none", out="other")
        self.assertIn(b"a different build", self.crivo("merge", parts[0], other[1], "-o", "merged", code=2).err)
        self.assertIn(b"whole set", self.crivo("build", "store", "dealt", "--shard", "0/2", "--algorithm", "bdz", "-o", "x", code=2).err)
        self.crivo("partition", self.write_keys(urls(900)), "--shards", "2", "-o", "keys", "--quiet")
        self.assertIn(b"no records", self.crivo("build", "store", "keys", "--shard", "0/2", "-o", "x", code=2).err)
        self.assertIn(b"no numbers", self.crivo("build", "map", "dealt", "--shard", "0/2", "-o", "x", code=2).err)
        self.crivo("partition", table, "--records", "--values", "--shards", "2", "-o", "both", code=2)

    def test_damage(self):
        table = self.write("table", pairs(urls(700), self.records(700)))
        options = ("--codec", "zstd", "--block", "512")
        self.crivo("partition", table, "--records", "--shards", "2", "-o", "dealt", "--quiet")
        expected = self.whole_files([table], *options)
        parts = self.build_parts("dealt", 2, "store", *options)
        for case in self.damaged(".", parts, round(40 * DAMAGE), 5):
            if self.crivo("merge", *parts, "-o", "merged", "-f", code=(0, 2, 4)).code == 0:
                self.assertEqual(harness.files_of(self.dir / "merged"), expected, case)
        part = (self.dir / parts[0]).read_bytes()
        for case in self.damaged("dealt", ["keys-0-of-1.crv"], round(40 * DAMAGE), 6):
            done = self.crivo("build", "store", "dealt", "--shard", "0/2", *options, "-o", "part", "-f", code=(0, 2, 4))
            if done.code == 0:
                self.assertEqual((self.dir / "part").read_bytes(), part, case)

    def test_a_full_disk(self):
        table = self.write("table", pairs(urls(3000), self.records(3000)))
        self.crivo("partition", table, "--records", "--shards", "2", "-o", "full", code=5, file_limit=1000)
        self.crivo("partition", table, "--records", "--shards", "2", "-o", "dealt", "--quiet")
        self.crivo("build", "store", "dealt", "--shard", "0/1", "-o", "part", code=5, file_limit=1000)
        parts = self.build_parts("dealt", 1, "store")
        self.crivo("merge", *parts, "-o", "merged", code=5, file_limit=1000)
        self.assertEqual([name for name in self.listing() if name in ("part", "merged")], [])


class Refusals(Shards):
    def setUp(self):
        super().setUp()
        self.keys = urls(2000)
        self.write_keys(self.keys, "keys")
        self.crivo("partition", "keys", "--shards", "3", "-o", "dealt", "--quiet")
        self.parts = self.build_parts("dealt", 3, "mphf")

    def refused(self, *args, said, code=2):
        before = self.listing()
        error = self.crivo(*args, code=code).err.decode()
        self.assertIn(said, error)
        self.assertEqual(self.listing(), before)

    def merge(self, *parts, said, code=2):
        self.refused("merge", *parts, "-o", "merged", said=said, code=code)

    def test_parts_that_do_not_belong(self):
        a, b, c = self.parts
        self.merge(a, c, said="of 3 shards, the parts of these are missing: 1")
        self.merge(a, b, b, said=f"{b}: is shard 1, as is {b}")
        self.merge(a, b, c, a, said=f"{a}: is shard 0")
        other = self.build_parts("dealt", 3, "mphf", "--effort", "0", "--signature", "8", out="other")
        self.merge(a, other[1], c, said="other-1: belongs to a different build than part-0")
        four = self.build_parts("dealt", 4, "mphf", out="four")
        self.merge(a, four[1], c, said="four-1: is one of 4 parts, and part-0 one of 3")
        self.write_keys(urls(2000, 1), "foreign")
        self.crivo("partition", "foreign", "--shards", "3", "-o", "elsewhere", "--quiet")
        foreign = self.build_parts("elsewhere", 3, "mphf", out="foreign")
        self.merge(a, b, foreign[2], said="foreign-2: belongs to a different build")
        self.crivo("build", "mphf", "keys", "-o", "whole", "--quiet")
        self.merge(a, "whole", c, said="whole: not a part")
        self.merge(a, b, "dealt/totals.crv", said="totals.crv: not a part")
        self.merge(a, b, "nothing", said="nothing", code=5)

    def test_damaged_parts(self):
        expected = self.whole("mphf", ["keys"])
        for case in self.damaged(".", self.parts, round(60 * DAMAGE), 1):
            result = self.crivo("merge", *self.parts, "-o", "merged", "-f", code=(0, 2, 4))
            if result.code == 0:
                self.assertEqual((self.dir / "merged").read_bytes(), expected, case)

    def test_damaged_keys(self):
        names = ["keys-0-of-1.crv", "totals.crv"]
        expected = (self.dir / self.parts[1]).read_bytes()
        for case in self.damaged("dealt", names, round(40 * DAMAGE), 2):
            result = self.crivo("build", "mphf", "dealt", "--shard", "1/3", "-o", "part", "-f", code=(0, 2, 4))
            if result.code == 0:
                self.assertEqual((self.dir / "part").read_bytes(), expected, case)

    def test_damaged_parts_of_other_kinds(self):
        """Those of a filter have no notes to speak of, those of a map signatures of places."""
        for kind, *options in (("filter", "--type", "cuckoo"), ("map", "--signature", "8")):
            expected = self.whole(kind, ["keys"], *options)
            parts = self.build_parts("dealt", 3, kind, *options, out=kind)
            for case in self.damaged(".", parts, round(40 * DAMAGE), 3):
                result = self.crivo("merge", *parts, "-o", "merged", "-f", code=(0, 2, 4))
                if result.code == 0:
                    self.assertEqual((self.dir / "merged").read_bytes(), expected, (kind, case))

    def test_a_task_again(self):
        """A part is replaced by one of the same shard and build, and by no other."""
        for _ in range(2):
            self.crivo("build", "mphf", "dealt", "--shard", "1/3", "-o", self.parts[1], "--quiet")
        self.refused("build", "mphf", "dealt", "--shard", "2/3", "-o", self.parts[1], said="exists")
        self.refused("build", "filter", "dealt", "--shard", "1/3", "-o", self.parts[1], said="exists")
        self.crivo("partition", "keys", "--shards", "3", "-o", "dealt", "--quiet")
        self.crivo("merge", *self.parts, "-o", "merged", "--quiet")

    def test_directories(self):
        self.refused("partition", "--finish", ".", said="does not hold keys")
        self.refused("build", "mphf", "keys", "--shard", "0/1", "-o", "x", said="is not finished")
        self.refused("partition", "keys", "--shards", "4", "-o", "dealt", said="belongs to another partition")
        (self.dir / "other").mkdir()
        (self.dir / "other" / "file").touch()
        self.refused("partition", "keys", "--shards", "4", "-o", "other", said="holds file")
        self.crivo("partition", "keys", "--shards", "4", "-o", "dealt", "-f", "--quiet")
        self.crivo("partition", "keys", "--shards", "3", "-o", "half", "--part", "1/2", "--quiet")
        self.refused("partition", "--finish", "half", said="keys-0-of-2.crv: is missing")
        self.refused("build", "mphf", "half", "--shard", "0/1", "-o", "x", said="is not finished")
        self.refused("partition", "-", "--shards", "3", "-o", "half", "--part", "0/2", said="-: is not a regular file")
        self.refused("partition", "keys", "--shards", "3", "-o", "r", "--part", "0/2", "--seed", "random", said="random:N")

    def test_one_file_in_parts(self):
        """Each of the tasks has about as many keys; what cannot be cut is refused."""
        data = (self.dir / "keys").read_bytes()
        members = b"".join(gzipped(data[at : at + 9_000]) for at in range(0, len(data), 9_000))
        expected = self.whole("map", ["keys"])
        for name, written in (("keys", data), ("members", members)):
            self.write(name, written)
            shares = [
                self.crivo("partition", name, "--shards", "3", "-o", f"{name}.d", "--part", f"{task}/3", "--json").json()["keys"]
                for task in range(3)
            ]
            self.assertEqual(sum(shares), data.count(b"\n"))
            self.assertLess(max(shares), 1.5 * min(shares))
            self.crivo("partition", "--finish", f"{name}.d", "--quiet")
            self.assertTrue(self.merged(f"{name}.d", 3, "map") == expected)
        self.write("one", gzipped(data))
        self.refused("partition", "one", "--shards", "3", "-o", "x", "--part", "2/3", said="one: cannot be cut into parts")
        self.refused("partition", "keys", "--csv", "--shards", "3", "-o", "x", "--part", "0/3", said="use no more parts than there are files (1)")
        self.crivo("partition", "one", "--shards", "3", "-o", "one.d", "--part", "0/1", "--quiet")

    def test_a_fault_in_a_part(self):
        """It is told with its line in the whole file."""
        texts = [b"key %d\n" % i for i in range(9_000)]
        texts[7_000] = b"\n"
        data = b"".join(texts)
        self.write("plain", data)
        self.write("members", b"".join(gzipped(data[at : at + 5_000]) for at in range(0, len(data), 5_000)))
        for name in ("plain", "members"):
            error = self.crivo("partition", name, "--shards", "2", "-o", f"{name}.d", "--part", "2/3", code=3).err
            self.assertIn(f"{name}:7001:".encode(), error)

    def test_a_stale_file(self):
        """What was dealt out again after it was counted has to be counted again."""
        self.write_keys(urls(1000, 5), "b")
        for task in range(2):
            self.crivo("partition", "keys", "b", "--shards", "3", "-o", "two", "--part", f"{task}/2", "--quiet")
        self.crivo("partition", "--finish", "two", "--quiet")
        data = (self.dir / "b").read_bytes()
        self.write("b", data[:-2] + b"Z\n")
        self.crivo("partition", "keys", "b", "--shards", "3", "-o", "two", "--part", "1/2", "--quiet")
        self.refused("build", "mphf", "two", "--shard", "0/3", "-o", "x", said="keys-1-of-2.crv: is not the file that")
        self.crivo("partition", "--finish", "two", "--quiet")
        self.assertEqual(self.merged("two", 3, "mphf"), self.whole("mphf", ["keys", "b"]))
        shutil.copy(self.dir / "two" / "keys-0-of-2.crv", self.dir / "two" / "keys-1-of-2.crv")
        self.refused("partition", "--finish", "two", said="holds the keys of another part")
        self.crivo("partition", "b", "keys", "--shards", "3", "-o", "three", "--part", "1/2", "--quiet")
        shutil.copy(self.dir / "three" / "keys-1-of-2.crv", self.dir / "two" / "keys-1-of-2.crv")
        self.refused("partition", "--finish", "two", said="belongs to another partition")

    def test_what_a_directory_lacks(self):
        self.refused("build", "map", "dealt", "--shard", "0/3", "--values", "-o", "x", said="its keys have no values")
        self.refused("build", "filter", "dealt", "--shard", "0/3", "--type", "split-block-bloom", "-o", "x", said="takes xxh64; partition the keys with that hash (--hash)")
        self.refused("build", "filter", "dealt", "--shard", "0/3", "--type", "hash-compaction", "-o", "x", said="whole set")
        self.refused("build", "mphf", "dealt", "--shard", "0/3", "--algorithm", "mwhc3", "-o", "x", said="whole set")
        self.refused("build", "map", "dealt", "--shard", "0/3", "--value-bits", "5", "-o", "x", said="11 bits")
        self.refused("build", "mphf", "dealt", "--shard", "3/3", "-o", "x", said="count from 0")
        self.refused("build", "mphf", "dealt", "--shard", "0/3", "--null", "-o", "x", said="crivo partition")
        self.refused("build", "mphf", "dealt", "keys", "--shard", "0/3", "-o", "x", said="one directory")

    def test_too_little_memory(self):
        """What is less than the least is refused before any work; the merge has what parts leave over in memory."""
        said = "--memory: 2 MiB is too small: a shard of 2000 keys or more needs at least 4"
        self.refused("build", "mphf", "dealt", "--shard", "0/1", "-o", "x", "--memory", "2M", said=said, code=5)
        self.crivo("build", "mphf", "dealt", "--shard", "0/1", "-o", "x", "--memory", "5M", "--quiet")
        said = "--memory: 2 MiB is too small: a merge of 2000 keys or more needs at least 4"
        self.refused("merge", *self.parts, "-o", "merged", "--memory", "2M", said=said, code=5)

    def test_steps_are_no_indexes(self):
        for step in (self.parts[0], "dealt/keys-0-of-1.crv", "dealt/totals.crv"):
            self.crivo("verify", step)
            self.crivo("query", step, "--key", "k", code=2)
            self.assertIn(self.info(step)["kind"], ("part", "keys", "totals"))

    def test_a_full_disk(self):
        for args in (
            ("partition", "keys", "--shards", "3", "-o", "full"),
            ("build", "mphf", "dealt", "--shard", "0/1", "-o", "full-part"),
        ):
            self.crivo(*args, code=5, file_limit=1000)
        self.crivo("merge", *self.parts, "-o", "merged", code=5, file_limit=600)
        self.assertEqual([name for name in self.listing() if name in ("full-part", "merged")], [])
        self.assertFalse((self.dir / "full").exists())


if __name__ == "__main__":
    unittest.main()
