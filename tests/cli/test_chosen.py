# SPDX-License-Identifier: Apache-2.0
"""Keys that are chosen by their hashes: what is built of them keeps to its memory, or is refused with what helps."""

import os
import subprocess
import unittest

from harness import BIN, CRIVO, ENVIRONMENT, LONG, SANITIZED, CrivoTest, lines, urls

# Each with the hash that it is built over.
BUILDS = (
    *([name, "xxh3", "mphf", "--algorithm", name] for name in ("fast", "compact", "tiny", "bdz")),
    ["signed", "xxh3", "mphf", "--signature", "8"],
    *(
        [name, "xxh64" if name == "split-block-bloom" else "xxh3", "filter", "--type", name]
        for name in (
            "ribbon", "fuse", "split-block-bloom", "bloom", "counting-bloom", "cuckoo", "hash-compaction",
        )
    ),
    ["map", "xxh3", "map"],
    ["map-fuse", "xxh3", "map", "--algorithm", "fuse"],
    ["mwhc", "xxh3", "map", "--algorithm", "mwhc2"],
)  # fmt: skip
FEWEST = 2**16  # the most that may be spread in any way
BYTES = ("--fixed", "8")
EVEN = b": the keys' hashes lie closer together than by chance: the keys were chosen by their hashes, or are a part of a set " \
       b"in the order of its hashes; "  # fmt: skip
RANDOM = EVEN + b"hash them under a random seed (--seed random)\n"
LARGER = b"the keys' hashes lie closer together than by chance, and would make the file far larger than of other keys; " \
         b"hash them under a random seed (--seed random)\n"  # fmt: skip
NONE = EVEN + b"this key hash has no other seed: choose another\n"


def chosen_keys(hash_name, count, spread="low", first=0):
    """`count` keys of 8 bytes whose hashes begin 0, 1, 2, ... (tests/cli/chosen_keys.cpp)."""
    command = [os.path.join(BIN, "chosen_keys"), hash_name, spread, str(first), str(count)]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def in_hex(keys, record=""):
    """A line for each key of 8 bytes."""
    return "".join(keys[i : i + 8].hex() + record + "\n" for i in range(0, len(keys), 8)).encode()


class Chosen(CrivoTest):
    COUNT = FEWEST + 1

    def setUp(self):
        super().setUp()
        for name in ("xxh3", "xxh64"):
            self.write(name, chosen_keys(name, self.COUNT))

    def test_every_build_refuses_them(self):
        for name, keys, *build in BUILDS if LONG else BUILDS[::3]:
            with self.subTest(name=name):
                error = self.crivo("build", *build, keys, "-o", "x", *BYTES, code=3).err
                self.assertEqual(error, b"crivo: " + keys.encode() + (RANDOM if keys == "xxh3" else NONE))
        self.assertEqual(self.listing(), ["xxh3", "xxh64"])

    def test_a_store_does(self):
        self.write("records", in_hex((self.dir / "xxh3").read_bytes(), "\tr"))
        error = self.crivo("build", "store", "records", "-o", "x", "--hex", code=3).err
        self.assertTrue(error.endswith(RANDOM), error)

    def test_no_file_grows_far_beyond_its_size(self):
        """Where keys lie close together in each of many cells, as no bound on cells can tell."""
        self.write("cells", chosen_keys("xxh3", self.COUNT, "cells6"))
        for build in (["mphf"], ["filter"], ["map"]):
            error = self.crivo("build", *build, "cells", "-o", "x", *BYTES, code=3).err
            self.assertEqual(error, b"crivo: " + LARGER)

    def test_whatever_the_memory_the_threads_and_the_input(self):
        keys = (self.dir / "xxh3").read_bytes()
        for options in (("--memory", "16M"), ("--threads", 1), ("--threads", 4), ("--duplicates", "ignore")):
            self.assertTrue(self.crivo("build", "map", "xxh3", "-o", "x", *BYTES, *options, code=3).err.endswith(RANDOM))
            self.assertTrue(
                self.crivo("build", "map", "-", "-o", "x", *BYTES, *options, code=3, stdin=keys).err.endswith(RANDOM)
            )

    def test_a_random_seed_builds_them(self):
        self.crivo("build", "mphf", "xxh3", "-o", "x", *BYTES, "--seed", "random")
        self.crivo("verify", "x", *BYTES, "--keys", "xxh3")

    def test_few_are_built(self):
        keys = (self.dir / "xxh3").read_bytes()[: 8 * FEWEST]
        for kind in ("mphf", "filter", "map"):
            self.crivo("build", kind, "-", "-o", kind, *BYTES, stdin=keys)
            self.crivo("verify", kind, *BYTES, "--keys", "-", stdin=keys)

    def test_shards_refuse_them(self):
        for count in (1, 2):
            self.write("half", chosen_keys("xxh3", self.COUNT))
            files = ["xxh3"] if count == 1 else ["half", "xxh3"]
            options = () if count == 1 else ("--duplicates", "ignore")
            error = self.crivo("partition", *files, *BYTES, "--shards", 2, "-o", f"d{count}", *options, code=3).err
            self.assertTrue(error.endswith(RANDOM), error)
        self.crivo("partition", "xxh3", *BYTES, "--shards", 2, "-o", "keyed", "--seed", "random:5", "-q")
        self.crivo("build", "mphf", "keyed", "--shard", "0/2", "-o", "part", "-q")

    def test_a_part_in_the_order_of_hashes_is_dealt_out(self):
        """As files are that were made of a dump: each part's hashes lie together, and those of all do not."""
        for part in range(2):
            self.write(f"k{part}", chosen_keys("xxh3", 2**17, "spaced", part * 2**17))
        self.crivo("partition", "k0", "k1", *BYTES, "--shards", 2, "-o", "d", "--part", "0/2", "-q")
        self.assertTrue(self.crivo("build", "mphf", "k0", "-o", "x", *BYTES, code=3).err.endswith(RANDOM))


@unittest.skipUnless(LONG and not SANITIZED, "5 million keys")
class Memory(CrivoTest):
    """Under a budget of 64 MiB each command takes at most 128, whether it is done or refused."""

    COUNT = 5_000_000
    MOST = 128 * 2**20

    def peak(self, *args, code):
        """The most memory of one run, which ends with one of the codes; and how it ended."""
        command = [CRIVO, *map(str, args), "--memory", "64M", "--quiet"]
        with subprocess.Popen(command, cwd=self.dir, env=ENVIRONMENT, stderr=subprocess.PIPE) as process:
            error = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertIn(process.returncode, code, error)
        if process.returncode == 3:
            self.assertRegex(error, rb"\(--seed random\)\n$|this key hash has no other seed: choose another\n$")
        self.assertLess(usage.ru_maxrss * 1024, self.MOST, args)
        return process.returncode

    def write_chosen(self, name, hash_name, spread, how="cat"):
        """Not by way of this process, whose size each that it starts begins with."""
        command = f"{BIN}/chosen_keys {hash_name} {spread} 0 {self.COUNT} | {how} > {name}"
        subprocess.run(command, shell=True, cwd=self.dir, check=True)

    def test_builds(self):
        for spread in ("low", "cells13"):
            for hash_name in ("xxh3", "xxh64"):
                self.write_chosen(f"{hash_name}-{spread}", hash_name, spread)
            for name, hash_name, *build in BUILDS:
                if name in ("bdz", "mwhc", "hash-compaction"):  # which take the whole set, and say so
                    continue
                with self.subTest(name=name, spread=spread):
                    code = (3,) if spread == "low" else (0, 3)
                    self.peak("build", *build, f"{hash_name}-{spread}", "-o", "x", "-f", *BYTES, code=code)

    def test_a_store(self):
        for spread in ("low", "cells13"):
            self.write_chosen("records", "xxh3", spread, r"od -An -v -tx1 -w8 | tr -d ' ' | sed 's/$/\tr/'")
            self.peak("build", "store", "records", "-o", "x", "-f", "--hex", code=(3,) if spread == "low" else (0, 3))

    def test_shards(self):
        for spread in ("low", "cells13"):
            self.write_chosen("keys", "xxh3", spread)
            code = self.peak("partition", "keys", *BYTES, "--shards", 4, "-o", spread, code=(3,) if spread == "low" else (0, 3))
            for shard in range(4) if code == 0 else ():
                for build in (["mphf"], ["filter"], ["filter", "--type", "fuse"], ["map"]):
                    self.peak("build", *build, spread, "--shard", f"{shard}/4", "-o", "part", "-f", code=(0, 3))


class Lookalikes(CrivoTest):
    """Keys that have the first half of a member's hash."""

    COUNT = 1000

    def of_lookalikes(self, build, hash_name, *options):
        """How many of as many as there are members are not told from them."""
        self.write("members", lines(urls(self.COUNT)))
        self.crivo("build", *build, "members", "-o", "x", "-fq", "--fpr" if build[0] == "filter" else "--signature",
                   "1/256" if build[0] == "filter" else 8, *options)  # fmt: skip
        command = [os.path.join(BIN, "chosen_keys"), hash_name, "like"]
        keys = subprocess.run(command, input=lines(urls(self.COUNT)), stdout=subprocess.PIPE, check=True).stdout
        return self.crivo("query", "x", "-", "--hex", "--present", stdin=in_hex(keys)).out.count(b"\n")

    def test_a_structure_lies_for_them_or_not(self):
        """As tools/doc/promises.md has it."""
        for build, hash_name, lies in (
            (("filter", "--type", "ribbon"), "xxh3", True),
            (("filter", "--type", "fuse"), "xxh3", True),
            (("filter", "--type", "cuckoo"), "xxh3", True),
            (("filter", "--type", "hash-compaction"), "xxh3", True),
            (("filter", "--type", "split-block-bloom"), "xxh64", True),
            (("filter", "--type", "bloom"), "xxh3", False),
            (("filter", "--type", "counting-bloom"), "xxh3", False),
            (("mphf",), "xxh3", False),
            (("map",), "xxh3", True),
        ):
            with self.subTest(build=build):
                found = self.of_lookalikes(build, hash_name)
                if lies:
                    self.assertEqual(found, self.COUNT)
                else:
                    self.assertLess(found, 30)
                if hash_name == "xxh3":
                    found = self.of_lookalikes(build, hash_name, "--seed", "random")
                    self.assertLess(found, 30)


if __name__ == "__main__":
    unittest.main()
