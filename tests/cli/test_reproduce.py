# SPDX-License-Identifier: Apache-2.0
"""`crivo reproduce`: files built again from what they record."""

import fcntl
import json
import os
import shlex
import subprocess
import tempfile

from harness import CRIVO, ENVIRONMENT, CrivoTest, data_file, files_of, lines, pairs, records_of, urls

# Another build of the program, by another compiler or for another processor, perhaps behind an emulator.
OTHER = shlex.split(os.environ.get("CRIVO_OTHER", CRIVO))
KEYS = urls(3000)
PAIRS = [b"%s\t%d" % (key, i * i % 97) for i, key in enumerate(KEYS)]
SIGNED = [b"%s\t%s%d.5" % (key, b"-" if i % 3 else b"", i % 40) for i, key in enumerate(KEYS)]
INPUTS = {
    "keys": lines(KEYS),
    "again": lines(KEYS + KEYS[:50]),
    "pairs": lines(PAIRS),
    "signed": lines(SIGNED),
    "records": pairs(KEYS, records_of(KEYS)),
    "groups": lines(b"group%d\t%s" % (i % 5, key) for i, key in enumerate(KEYS)),
    "members": lines(KEYS[5::9]),
    "group-members": lines(b"group%d\t%s" % (i % 5, key) for i, key in enumerate(KEYS) if i % 9 == 5),
}
# Kind, inputs and options of the build, and what else is said of the input to reproduce it.
CASES = (
    ("mphf", "keys", "", ""),
    ("mphf", "keys", "--algorithm compact --effort 2 --signature 16 --note made=here", ""),
    ("mphf", "keys", "--algorithm tiny --seed random", ""),
    ("mphf", "keys", "--signature 16 --hash aes --seed random", ""),
    ("mphf", "keys", "--algorithm mwhc3 --hash zobrist --unbiased --seed 7", ""),
    ("mphf", "again", "--duplicates ignore", ""),
    ("filter", "keys", "--fpr 0.003", ""),
    ("filter", "keys", "--type fuse --arity 3 --bits 9 --seed random", ""),
    ("filter", "keys", "--type bloom --hashes 5 --capacity 9000", ""),
    ("filter", "again", "--type counting-bloom --duplicates count --counter-bits 6", ""),
    ("filter", "keys", "--type cuckoo --semi-sorted", ""),
    ("filter", "keys", "--type split-block-bloom", ""),
    ("filter", "keys", "--type hash-compaction", ""),
    ("filter", "keys", "--no-tree", ""),
    ("map", "keys", "", ""),
    ("map", "keys", "--algorithm mwhc2 --value-bits 20", ""),
    ("map", "pairs", "--values --compress --signature 8", ""),
    ("map", "signed", "--values --value-type decimal --scale 1 --algorithm fuse --arity 3", ""),
    ("dictionary", "signed", "--values --value-type decimal --scale 1", ""),
    ("store", "records", "", ""),
    ("store", "records", "--codec zstd --block 1024 --signature 32", ""),
    ("store", "records", "--backend flat --codec tokens16 --seed random", ""),
    ("store", "records", "--backend lmdb --hash aes --seed random", ""),
    ("store", "records", "--backend flat --codec zstd", ""),
    ("exact", "members keys", "--fpr 0.01 --covers log=1:20", ""),
    ("exact", "group-members groups", "--group 1", "--group 1"),
    ("dictionary", "keys", "--block-keys 32 --token-bits 10", ""),
)


def inputs_of(kind, names):
    """Arguments that name the inputs."""
    if kind != "exact":
        return [names]
    members, universe = names.split()
    return ["--members", members, "--universe", universe]


class ReproduceTest(CrivoTest):
    def setUp(self):
        super().setUp()
        for name, data in INPUTS.items():
            self.write(name, data)

    def test_every_kind_is_the_same(self):
        for number, (kind, names, options, about_input) in enumerate(CASES):
            with self.subTest(kind, options=options):
                out, inputs = f"file-{number}", inputs_of(kind, names)
                self.crivo("build", kind, *inputs, *options.split(), "-o", out, "--quiet")
                before, listed = files_of(self.dir / out), self.listing()
                command = [*OTHER, "reproduce", out, *inputs, *about_input.split(), "--json", "--threads", "1"]
                result = json.loads(subprocess.run(command, cwd=self.dir, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True).stdout)
                self.assertTrue(result["same"], result)
                self.assertEqual((result["kind"], result["build_id"]), (kind, self.info(out)["build_id"]))
                self.assertEqual(len(result["compared"]), 2 if kind == "store" else 1)
                self.assertEqual((files_of(self.dir / out), self.listing()), (before, listed))

    def test_other_keys(self):
        self.write("fewer", lines(KEYS[1:]))
        self.write("others", lines([b"another", *KEYS[1:]]))
        for kind, options in (("mphf", ()), ("filter", ("--type", "hash-compaction")), ("dictionary", ())):
            path = self.build(kind, KEYS, *options)
            told = self.crivo("reproduce", path, "fewer", code=1).err
            self.assertIn(b"other keys: the input has 2999 distinct keys, not 3000", told)
            self.assertIn(b"other keys: the input has as many", self.crivo("reproduce", path, "others", code=1).err)
        self.crivo("build", "map", "pairs", "--values", "-o", "map.crv")
        self.write("changed", lines([KEYS[0] + b"\t96", *PAIRS[1:]]))
        self.assertIn(b"other keys", self.crivo("reproduce", "map.crv", "changed", code=1).err)
        self.crivo("build", "exact", "--members", "members", "--universe", "keys", "-o", "set.crv")
        told = self.crivo("reproduce", "set.crv", "--members", "members", "--universe", "fewer", code=1).err
        self.assertIn(b"other keys", told)

    def test_first_chunk_that_differs(self):
        path = self.dir / self.build("filter", KEYS, "--fpr", "1e-9")
        section = self.info(path)["sections"][0]
        data = bytearray(path.read_bytes())
        data[section["offset"] + 300] ^= 1
        path.write_bytes(data)
        result = self.crivo("reproduce", path, "keys", "--json", code=1).json()
        self.assertFalse(result["same"])
        where = {"file": str(path), "section": "ribbon", "chunk": 0, "byte": section["offset"] + 300}
        self.assertEqual(result["difference"], where)
        text = self.crivo("reproduce", path, "keys", code=1).err.decode()
        self.assertIn(f"differs from byte {where['byte']} on (section ribbon, chunk 0)", text)

    def test_records_that_differ(self):
        self.crivo("build", "store", "records", "-o", "store", "--codec", "none")
        changed = INPUTS["records"].replace(records_of(KEYS)[7], b"#" * len(records_of(KEYS)[7]), 1)
        self.write("changed", changed)
        result = self.crivo("reproduce", "store", "changed", "--json", code=1).json()
        self.assertEqual(result["difference"]["file"], os.path.join("store", data_file(self.dir / "store").name))

    def test_versions_of_libraries(self):
        made = {}
        for backend, codec in (("lmdb", "none"), ("flat", "none"), ("flat", "zstd"), ("lmdb", "zstd")):
            out = f"{backend}-{codec}"
            self.crivo("build", "store", "records", "-o", out, "--backend", backend, "--codec", codec)
            metadata = self.info(out)["metadata"]
            made[out] = sorted(name for name in metadata if name.startswith("crivo.with."))
            for name in made[out]:
                self.assertRegex(metadata[name], r"^\d+\.\d+\.\d+$")
        lmdb, zstd = "crivo.with.lmdb", "crivo.with.zstd"
        wanted = {"lmdb-none": [lmdb], "flat-none": [], "flat-zstd": [zstd], "lmdb-zstd": [lmdb, zstd]}
        self.assertEqual(made, wanted)

    def test_updates_are_not_compared(self):
        self.crivo("build", "store", "records", "-o", "store")
        self.write("new", KEYS[3] + b"\tanother record\n")
        self.crivo("store", "set", "store", "new")
        result = self.crivo("reproduce", "store", "records")
        self.assertIn(b"its updates are not compared", result.err)

    def test_nothing_stays_in_the_temporary_directory(self):
        self.crivo("build", "store", "records", "-o", "store")
        with tempfile.TemporaryDirectory() as temporary:
            self.crivo("reproduce", "store", "records", "--temp-dir", temporary)
            self.crivo("reproduce", "store", "keys", "--temp-dir", temporary, code=3)
            self.assertEqual(os.listdir(temporary), [])

    def test_what_a_killed_process_left_is_removed(self):
        self.crivo("build", "store", "records", "-o", "store")
        with tempfile.TemporaryDirectory() as temporary:
            left, in_use, other = (os.path.join(temporary, name) for name in (
                "crivo-reproduce-killed", "crivo-reproduce-in-use", "of-others"))
            for path in (left, in_use, other):
                os.makedirs(os.path.join(path, "store"))
            in_use_fd = os.open(in_use, os.O_RDONLY)
            try:
                fcntl.flock(in_use_fd, fcntl.LOCK_EX)
                self.crivo("reproduce", "store", "records", "--temp-dir", temporary)
            finally:
                os.close(in_use_fd)
            self.assertEqual(sorted(os.listdir(temporary)), ["crivo-reproduce-in-use", "of-others"])

    def test_what_no_build_wrote(self):
        for name in ("one", "two"):
            self.write(name, lines(KEYS[:100] if name == "one" else KEYS[100:]))
            self.crivo("build", "filter", name, "-o", f"{name}.crv", "--type", "bloom", "--capacity", "9000")
        self.crivo("filter", "union", "one.crv", "two.crv", "-o", "both.crv")
        self.assertIn(b"no build makes it again", self.crivo("reproduce", "both.crv", "keys", code=2).err)
        self.crivo("build", "store", "records", "-o", "store")
        self.assertIn(b"name its directory", self.crivo("reproduce", "store/index.crv", "records", code=2).err)
        self.crivo("partition", "keys", "--shards", "2", "-o", "dealt")
        for shard in ("0/2", "1/2"):
            self.crivo("build", "mphf", "dealt", "--shard", shard, "-o", f"part-{shard[0]}.crv")
        self.crivo("manifest", "part-0.crv", "part-1.crv", "-o", "manifest.crv")
        self.assertIn(b"is a manifest", self.crivo("reproduce", "manifest.crv", "keys", code=2).err)
        self.crivo("reproduce", "part-0.crv", "keys", code=2)
        self.crivo("merge", "part-0.crv", "part-1.crv", "-o", "merged.crv")
        self.crivo("reproduce", "merged.crv", "keys")
        self.crivo("reproduce", "merged.crv", code=2)
