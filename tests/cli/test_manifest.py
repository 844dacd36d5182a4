# SPDX-License-Identifier: Apache-2.0
"""Parts served unmerged: a manifest answers as the merged file does, in every way to open it; all else is refused by name."""

import importlib.machinery
import os
import pathlib
import shutil
import unittest

from harness import LONG, SANITIZED, GeneratedKeys, pairs, urls
from test_shards import DAMAGE, SHARDS, Shards

# Of several partitions each, so that parts are mapped: `fuse` has two from 1,600,000 keys on. A sanitized program has
# to do with fewer, and reads the parts of `fuse` of one.
BUILDS = (
    ("mphf",),
    ("mphf", "--algorithm", "compact", "--signature", "16"),
    ("mphf", "--algorithm", "tiny"),
    ("mphf", "--algorithm", "tiny", "--signature", "8"),
    ("filter", "--fpr", "0.01"),
    ("filter", "--type", "fuse"),
    ("filter", "--type", "bloom"),
    ("filter", "--type", "counting-bloom"),
    ("filter", "--type", "cuckoo", "--semi-sorted"),
    ("map", "--signature", "8"),
    ("map", "--algorithm", "fuse", "--value-bits", "21"),
)
ASKED = 20_000  # of the set, and as many others

golden = importlib.machinery.SourceFileLoader(
    "golden", str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "golden")
).load_module()


class Manifests(Shards):
    def manifest_of(self, parts, out="served"):
        self.crivo("manifest", *parts, "-o", out, "-f", "--quiet")
        return out

    def serve(self, directory, shards, *build):
        """The manifest, the merged file and the parts."""
        parts = self.build_parts(directory, shards, *build)
        self.crivo("merge", *parts, "-o", "merged", "-f", "--quiet")
        return self.manifest_of(parts), "merged", parts

    def answers(self, path, *options):
        return self.crivo("query", path, "asked", *options).out


class Answers(Manifests, GeneratedKeys):
    KIND, COUNT = "ints", 1_700_000
    PARTITIONS = 4  # that structures of so many keys have; with more shards, their keys are loose

    def setUp(self):
        super().setUp()
        keys = (self.dir / "keys").read_bytes().splitlines()
        self.write_keys(keys[:: len(keys) // ASKED] + urls(ASKED), "asked")

    def check(self, directory, shards, build, loose=False):
        """Where the parts have loose keys, the manifest has all that is built of them."""
        served, merged, parts = self.serve(directory, shards, *build)
        expected = self.answers(merged)
        self.assertTrue(self.answers(served) == expected, "other answers")
        if shards == 3:
            self.assertTrue(self.answers(served, "--open", "copy") == expected, "other answers of a copy")
        whole, small = ((self.dir / name).stat().st_size for name in (merged, served))
        # The signatures of bumped keys, of which compact has 2 in 100, stand there once more.
        self.assertLess(small, (1.03 * whole if loose else whole / 3) + 8192 * shards)
        info, of_whole = self.info(served), self.info(merged)
        for field in ("kind", "keys", "build_id", "seed", "hash", "algorithm", "metadata"):
            self.assertEqual(info.get(field), of_whole.get(field), field)
        self.assertEqual(info["parameters"]["parts"], shards)
        self.assertEqual(info["bytes"], small + sum((self.dir / part).stat().st_size for part in parts))

    def test_little_memory(self):
        """What bumped keys take goes to temporary files."""
        self.crivo("partition", "keys", "--shards", "2", "-o", "dealt", "--quiet")
        parts = self.build_parts("dealt", 2, "mphf", "--signature", "16")
        summaries = [
            self.crivo("manifest", *parts, "-o", f"served{memory}", "--memory", memory, "--json").json()
            for memory in ("8M", "1G")
        ]
        self.assertGreater(summaries[0]["temp_bytes"], 0)
        self.assertTrue((self.dir / "served8M").read_bytes() == (self.dir / "served1G").read_bytes())

    def test_every_structure(self):
        self.crivo("partition", "keys", "--shards", "8", "-o", "dealt", "--quiet")
        for build in BUILDS if LONG else BUILDS[:: 5 if SANITIZED else 3]:
            for shards in SHARDS:
                with self.subTest(build, shards=shards):
                    self.check("dealt", shards, build, loose=shards > self.PARTITIONS)
            self.crivo("verify", "served", "--quiet")
            if build[0] == "mphf":
                self.crivo("verify", "served", "--keys", "keys", "--quiet")

    def test_split_block_bloom(self):
        self.crivo("partition", "keys", "--shards", "8", "--hash", "xxh64", "-o", "dealt", "--quiet")
        for shards in SHARDS[-1:]:
            self.check("dealt", shards, ("filter", "--type", "split-block-bloom"))

    def test_served_where_nothing_is_written(self):
        """In a folder that is read-only, opened in each way, by another name of the folder, and moved."""
        self.crivo("partition", "keys", "--shards", "3", "-o", "dealt", "--quiet")
        (self.dir / "folder" / "below").mkdir(parents=True)
        parts = self.build_parts("dealt", 3, "mphf", "--signature", "8", out="folder/below/part")
        self.crivo("merge", *parts, "-o", "merged", "--quiet")
        expected = self.answers("merged")
        self.manifest_of(parts, "folder/served")
        for folder, _, files in os.walk(self.dir / "folder", topdown=False):
            for name in files:
                os.chmod(os.path.join(folder, name), 0o444)
            os.chmod(folder, 0o555)
        for mode in ("mapped", "preload", "copy"):
            self.assertTrue(self.answers("folder/served", "--open", mode) == expected, mode)
        self.crivo("verify", "folder/served", "--quiet")
        os.symlink("folder", self.dir / "other")
        self.assertTrue(self.answers("other/served") == expected)
        os.chmod(self.dir / "folder", 0o755)
        os.rename(self.dir / "folder", self.dir / "moved")
        self.assertTrue(self.answers("moved/served") == expected)
        self.assertTrue(self.answers(self.dir / "moved" / "served") == expected)
        for folder, _, _ in os.walk(self.dir / "moved"):
            os.chmod(folder, 0o755)
        # A link in a part's place is followed out of the folder, to that very part and no other.
        part, elsewhere = self.dir / "moved" / "below" / pathlib.Path(parts[0]).name, self.dir / "elsewhere"
        part.rename(elsewhere)
        part.symlink_to(elsewhere)
        self.assertTrue(self.answers("moved/served") == expected)
        part.unlink()
        part.symlink_to(self.dir / "moved" / "below" / pathlib.Path(parts[1]).name)
        self.crivo("query", "moved/served", "--key", "k", code=4)

    def test_compressed_map(self):
        keys = (self.dir / "keys").read_bytes().splitlines()[: 100_000 if SANITIZED else 400_000]
        self.write("table", b"".join(b"%s\t%d\n" % (key, (i & -i).bit_length()) for i, key in enumerate(keys)))
        self.crivo("partition", "table", "--values", "--shards", "3", "-o", "dealt", "--quiet")
        for shards in SHARDS[-1:]:
            self.check("dealt", shards, ("map", "--values", "--compress"), loose=True)

    def test_bench(self):
        self.crivo("partition", "keys", "--shards", "2", "-o", "dealt", "--quiet")
        parts = self.build_parts("dealt", 2, "mphf")
        self.crivo("bench", self.manifest_of(parts), "--keys", "asked", "--open", "mapped")


class SmallSets(Manifests):
    def test_sizes(self):
        for count in (0, 1, 1000, 1025, 30_000) if LONG else (0, 1025):
            keys = self.write_keys(urls(count), f"keys{count}")
            self.write_keys(urls(count + 50), "asked")
            self.crivo("partition", keys, "--shards", "2", "-o", f"dealt{count}", "--quiet")
            for build in (*BUILDS[:: 3 if SANITIZED else 1], ("mphf", "--signature", "32")):
                with self.subTest(build, count=count):
                    served, merged, _ = self.serve(f"dealt{count}", 2, *build)
                    self.assertEqual(self.answers(served), self.answers(merged))
                    self.crivo("verify", served, "--quiet")


class Refusals(Manifests):
    def setUp(self):
        super().setUp()
        self.keys = urls(30_000)
        self.write_keys(self.keys, "keys")
        self.crivo("partition", "keys", "--shards", "3", "-o", "dealt", "--quiet")
        self.parts = self.build_parts("dealt", 3, "filter")
        self.manifest_of(self.parts)

    def refused(self, *args, said, code):
        before = self.listing()
        self.assertIn(said, self.crivo(*args, code=code).err.decode())
        self.assertEqual(self.listing(), before)

    def not_opened(self, said):
        for args in (("info",), ("verify",)):
            self.refused(*args, "served", said=said, code=4)
        self.refused("query", "served", "--key", "k", said=said, code=4)
        self.refused("query", "served", "--key", "k", "--open", "copy", said=said, code=4)

    def test_parts_that_do_not_belong(self):
        a, b, c = self.parts
        for parts, said in (
            ((a, c), "of 3 shards, the parts of these are missing: 1"),
            ((a, b, b), f"{b}: is shard 1, as is {b}"),
            ((a, b, "served"), "served: not a part"),
        ):
            self.refused("manifest", *parts, "-o", "new", said=said, code=2)
        (self.dir / "folder").mkdir()
        self.refused("manifest", *self.parts, "-o", "folder/new", said="part-0: is not below the manifest's folder", code=2)
        shutil.copy(self.dir / c, self.dir / "odd\\name")
        self.refused("manifest", a, b, "odd\\name", "-o", "new", said="by a name that every system has", code=2)
        self.refused("manifest", *self.parts, "-o", "served", said="exists", code=2)

    def test_missing(self):
        os.remove(self.dir / self.parts[1])
        self.not_opened("part-1: is missing, which the manifest served leads to")

    def test_swapped(self):
        a, b = (self.dir / part for part in self.parts[:2])
        other = a.read_bytes()
        shutil.copy(b, a)
        self.not_opened("part-0: is not the part that the manifest served was made of")
        b.write_bytes(other)
        self.not_opened("part-0: is not the part")

    def test_foreign_and_stale(self):
        self.write_keys(self.keys[1:] + [b"other"], "changed")
        self.crivo("partition", "changed", "--shards", "3", "-o", "new", "--quiet")
        self.build_parts("new", 3, "filter", out="new-part")
        shutil.copy(self.dir / "new-part-1", self.dir / self.parts[1])
        self.not_opened("part-1: belongs to a different build than the manifest served")
        self.crivo("build", "filter", "keys", "-o", self.parts[1], "-f", "--quiet")
        self.not_opened("part-1: is not a part")
        (self.dir / self.parts[1]).write_bytes(b"")
        self.not_opened("part-1: not a Crivo file")

    def test_damaged(self):
        """Whatever byte of the manifest or a part is changed, verify finds it, and no answer comes of a crash."""
        self.write_keys(self.keys[:500], "asked")
        for build in (("filter",), ("mphf", "--signature", "8", "--algorithm", "tiny"), ("map",)):
            served, _, parts = self.serve("dealt", 3, *build)
            for case in self.damaged(".", [served, *parts], round(40 * DAMAGE), 1):
                self.crivo("verify", served, code=4)
                self.crivo("query", served, "asked", code=(0, 4))
                self.crivo("query", served, "asked", "--open", "copy", code=4)

    def test_names_lead_nowhere_else(self):
        """A manifest whose names were changed, checksums made right, is refused."""
        data = (self.dir / "served").read_bytes()
        for name in (b"/art-0", b"../t-0", b"a//b-0", b"./rt-0", b"part-1", b"a\\rt-0", b"part\0."):
            with self.subTest(name):
                (self.dir / "served").write_bytes(golden.Damaged(data.replace(b"part-0", name)).reseal(0).seal().data)
                self.crivo("info", "served", code=4)

    def test_is_not_a_filter_to_change(self):
        parts = self.build_parts("dealt", 3, "filter", "--type", "bloom", out="bloom")
        served = self.manifest_of(parts)
        self.refused("filter", "add", served, "keys", said="a manifest cannot be changed; merge its parts", code=2)
        merged = "one"
        self.crivo("merge", *parts, "-o", merged, "--quiet")
        self.crivo("filter", "union", served, merged, "-o", "both", "--quiet")
        self.assertEqual(self.query("both", self.keys[:100]), self.query(merged, self.keys[:100]))

    def test_a_full_disk(self):
        self.crivo("manifest", *self.parts, "-o", "full", code=5, file_limit=600)
        self.assertNotIn("full", self.listing())


class Stores(Manifests):
    """A store's parts, whatever backend they are for, are read as they are."""

    def table_of(self, keys, records, shards=8):
        self.write("table", pairs(keys, records))
        self.crivo("partition", "table", "--records", "--allow-empty", "--shards", str(shards), "-o", "dealt", "-f", "--quiet")

    def check(self, shards, *options, keys):
        served, merged, parts = self.serve_store(shards, *options)
        for mode in ("mapped", "copy"):
            self.assertTrue(self.answers(served, "--open", mode) == self.answers(merged), mode)
        self.assertTrue(self.crivo("dump", served).out == self.crivo("dump", merged).out, "another dump")
        self.crivo("verify", served, "--keys", "table", "--allow-empty", "--quiet")
        for key in keys:
            self.assertEqual(self.crivo("get", served, key).out, self.crivo("get", merged, key).out)
        self.crivo("get", served, "no such key", code=1)
        info, of_whole = self.info(served), self.info(merged)
        for field in ("kind", "keys", "build_id", "seed", "hash", "algorithm", "codec", "signature_bits"):
            self.assertEqual(info.get(field), of_whole.get(field), field)
        self.assertEqual((info["backend"], info["parameters"]["parts"]), ("parts", shards))
        self.assertEqual(info["bytes"], sum((self.dir / name).stat().st_size for name in (served, *parts)))
        return served, merged, parts

    def serve_store(self, shards, *options):
        parts = self.build_parts("dealt", shards, "store", *options)
        shutil.rmtree(self.dir / "merged", ignore_errors=True)
        self.crivo("merge", *parts, "-o", "merged", "--quiet")
        return self.manifest_of(parts), "merged", parts

    def test_codecs(self):
        """Short records, long ones (which slots refer to), empty ones, and an empty key."""
        count = 1500 if SANITIZED else 6000
        keys = [b"", *urls(count)]
        records = [b'{"n":%d,"lang":"pl"}' % i if i % 50 else b"%d" % i * (i % 2000) for i in range(count + 1)]
        self.table_of(keys, records)
        self.write_keys(keys + urls(count, salt=1), "asked")
        builds = (
            ("--backend", "lmdb", "--codec", "zstd"),
            ("--backend", "flat", "--codec", "tokens12", "--algorithm", "tiny"),
            ("--backend", "lmdb", "--codec", "tokens16", "--algorithm", "compact", "--signature", "8"),
            ("--backend", "flat", "--codec", "none"),
            ("--backend", "flat", "--codec", "zstd", "--block", "512"),
        )
        for options in builds[:: 2 if SANITIZED else 1]:
            with self.subTest(options):
                self.check(3, *options, keys=(b"", keys[50], keys[99]))

    def test_partitions(self):
        """Parts that each have ranks, and bumped keys of one part that have ranks of another, or behind all."""
        count = 5000 if SANITIZED else 420_000
        keys = [b"%d" % (i * 7919) for i in range(count)]
        self.table_of(keys, [b"%d" % (i % 1000) for i in range(count)])
        self.write_keys(keys[::40] + [b"x" + key for key in keys[::40]], "asked")
        builds = (("--codec", "none", "--backend", "flat"), ("--codec", "zstd", "--block", "4K"))
        for options in builds if LONG else builds[:1]:
            with self.subTest(options):
                _, _, parts = self.check(2, *options, "--algorithm", "tiny", keys=keys[:2])
                expected = (self.dir / "served").read_bytes()
                self.crivo("manifest", *parts, "-o", "served", "-f", "--memory", "16M", "--quiet")
                self.assertTrue((self.dir / "served").read_bytes() == expected, "other bytes in little memory")

    def test_sizes(self):
        for count in (0, 1500) if SANITIZED else (0, 1, 2, 1500):
            keys = urls(count)
            self.table_of(keys, [b"x" * i for i in range(count)], 2)
            self.write_keys(urls(count + 20), "asked")
            for codec in ("none", "zstd"):
                with self.subTest(codec, count=count):
                    self.check(2, "--backend", "flat", "--codec", codec, keys=keys[:1])

    def test_refusals(self):
        keys = urls(900)
        self.table_of(keys, [b"record"] * 900)
        served, _, parts = self.serve_store(3, "--codec", "none")
        self.write_keys(keys[:3], "asked")
        before = self.listing()
        for args, said in (
            (("store", "set", served, "table"), "a manifest cannot be changed; merge its parts first"),
            (("store", "remove", served, "asked"), "a manifest cannot be changed; merge its parts first"),
            (("build", "store", "table", "-o", served, "-f"), "is a file, not a directory"),
            (("manifest", *parts[:2], "-o", "new"), "of 3 shards, the parts of these are missing: 2"),
            (("manifest", *parts, parts[0], "-o", "new"), "is shard 0, as is"),
            (("get", parts[0], "key"), "a part of a build in shards; merge the parts first"),
        ):
            self.assertIn(said, self.crivo(*args, code=2).err.decode())
        other = self.build_parts("dealt", 3, "store", "--codec", "zstd", out="other")
        self.assertIn(b"a different build", self.crivo("manifest", *parts[:2], other[2], "-o", "new", code=2).err)
        self.assertEqual(self.listing(), sorted([*before, *other]))
        shutil.copy(self.dir / parts[1], self.dir / "kept")
        shutil.copy(self.dir / other[1], self.dir / parts[1])
        self.assertIn(b"part-1: belongs to a different build", self.crivo("query", served, "asked", code=4).err)
        shutil.copy(self.dir / parts[0], self.dir / parts[1])
        self.assertIn(b"part-1: is not the part", self.crivo("dump", served, code=4).err)
        os.remove(self.dir / parts[1])
        self.assertIn(b"part-1: is missing", self.crivo("get", served, "key", code=4).err)

    def test_damaged(self):
        """Whatever byte of the manifest or a part is changed, verify finds it, and no answer is wrong."""
        keys = urls(700)
        self.table_of(keys, [b"record %d" % i for i in range(700)], 2)
        self.write_keys(keys, "asked")
        for options in (("--codec", "none"), ("--codec", "zstd", "--block", "512", "--backend", "flat")):
            served, _, parts = self.serve_store(2, *options)
            right = self.answers(served).split(b"\n")
            for case in self.damaged(".", [served, *parts], round(50 * DAMAGE), 2):
                self.crivo("verify", served, code=4)
                self.crivo("query", served, "asked", "--open", "copy", code=4)
                said = self.crivo("query", served, "asked", code=(0, 1, 4)).out.split(b"\n")[:-1]
                wrong = [row for row, own in zip(said, right) if row not in (own, own.split(b"\t")[0] + b"\t-")]
                self.assertEqual(wrong, [], case)


if __name__ == "__main__":
    unittest.main()
