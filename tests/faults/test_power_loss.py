# SPDX-License-Identifier: Apache-2.0
"""Whatever a loss of power leaves, an output is the old one or the new one, whole, and the new one once its command has
ended; and the same command can be given again.

Every call of a command that changes files is recorded (recorder.c). At each barrier, which is where something is made
durable or a command ends, disk.py says what may be on the disk where the power is lost before it. $CRIVO_LONG=1: many
states at each barrier, and file systems without unnamed files; else few."""

import hashlib
import os
import random
import shutil
import struct
import subprocess
import unittest

import disk
from harness import BIN, ENVIRONMENT, LONG, CrivoTest, Result, in_use, lines, pairs, records_of, urls, zstandard
from starter import Starter

RECORDER = os.path.join(BIN, "recorder.so")
DRAWS = 40 if LONG else 2  # at a barrier, beside the extremes
REPEATS = 10**6 if LONG else 2  # of a command, after a loss of power
BARRIERS = (disk.SYNCED, disk.ALL_SYNCED, disk.WRITTEN_THROUGH)
PART_BYTES = 4 << 20  # of the least part of an input that a build can go on from
SKIPPED_FRAME = struct.pack("<II", 0x184D2A50, PART_BYTES)  # of zstd; so many bytes follow


def fingerprint(tree):
    if isinstance(tree, bytes):
        return hashlib.blake2b(tree).digest()
    return tuple(sorted((name, fingerprint(below)) for name, below in tree.items()))


def at(tree, *names):
    """What stands there, by file, as files_of() has it; None where there is nothing."""
    for name in names:
        if not isinstance(tree, dict) or name not in tree:
            return None
        tree = tree[name]
    return tree if isinstance(tree, dict) else {"": tree}


class PowerLoss(CrivoTest):
    """Commands that run in `disk` and make or change `out` there; what they read stands beside it and outlasts all."""

    table = []

    @classmethod
    def tearDownClass(cls):
        for name, barriers, states in cls.table:
            print(f"power loss: {name}: {barriers} barriers, {states} states")
        super().tearDownClass()

    def setUp(self):
        super().setUp()
        self.root = self.dir / "disk"
        self.root.mkdir()
        self.repeats = REPEATS
        for name, keys in (("small", urls(60)), ("large", urls(400, salt=1)), ("more", urls(40, salt=2))):
            self.write_keys(keys, name)
            self.write(f"{name}.tsv", pairs(keys, records_of(keys)))
        self.write("changed.tsv", pairs(urls(40), [b"changed %d" % i + b"x" * 300 for i in range(40)]))
        self.write_keys(urls(60)[20:], "gone")
        self.write_keys(urls(60)[::7], "few")

    def do(self, *command, directory=None):
        said = Starter.run(self.program, command, ENVIRONMENT, directory or self.root, b"", 120)
        result = Result(command, *said)
        self.assertEqual(result.code, 0, str(result))
        return result

    def record(self, command, named):
        """Runs a command; what it does to the disk."""
        record = self.dir / "record"
        record.write_bytes(b"")
        env = {**ENVIRONMENT, "LD_PRELOAD": RECORDER, "CRIVO_RECORD": str(record)}
        if named:
            env["CRIVO_RECORD_NAMED"] = "1"
        run = subprocess.run(
            [self.program, *command], cwd=self.root, env=env, capture_output=True, timeout=120, check=False
        )
        self.assertEqual(run.returncode, 0, f"{command}: {run.stderr}")
        return list(disk.read_record(record))

    # The trial ---------------------------------------------------------------------------------------

    def lose_power(self, *commands, look, check, named=False, unheard=()):
        """Runs the commands, and tells check(tree, wanted) of what each loss of power may leave, and of what look()
        found before and after the command that is under way then. As if what is of the types `unheard` were never made
        durable."""
        model = disk.Disk(self.root)
        seen = [look()]
        records = []
        for command in commands:
            records.append(self.record(command, named))
            seen.append(look())
        last = disk.read_tree(self.root)
        draw = random.Random(self.id())
        barriers = states = 0

        def lose(wanted):
            nonlocal barriers, states
            barriers += 1
            for tree in {fingerprint(tree): tree for tree in model.trees(draw, DRAWS)}.values():
                states += 1
                with self.subTest(commands=commands, barrier=barriers):
                    check(tree, wanted)

        for number, record in enumerate(records):
            for event in record:
                if event[0] in BARRIERS:
                    lose(seen[number : number + 2])
                    if isinstance(model.nodes.get(event[1]), unheard):
                        continue
                model.apply(event)
            lose([seen[number + 1]])
        self.assert_all_was_recorded(model, last)
        type(self).table.append((self.id().split(".test_")[-1], barriers, states))

    def assert_all_was_recorded(self, model, last):
        """What the record comes to is what is there; only LMDB's table of readers is written through a mapping."""
        mapped = {name for name in model.mapped_names() if not name.endswith("-lock")}
        self.assertEqual(mapped, set(), "mapped to be written to")

        def without_locks(tree):
            if isinstance(tree, bytes):
                return tree
            return {name: without_locks(below) for name, below in tree.items() if not name.endswith("-lock")}

        self.assertEqual(fingerprint(without_locks(model.tree(disk.ALL))), fingerprint(without_locks(last)))

    def after(self, tree):
        """A directory that holds what is left."""
        state = self.dir / "state"
        shutil.rmtree(state, ignore_errors=True)
        disk.write_tree(tree, state)
        return state

    def out(self):
        return at(disk.read_tree(self.root), "out")

    # Outputs of the same bytes each time ---------------------------------------------------------------

    def lose_whole(self, *commands, **how):
        """Of files and directories that are replaced as a whole; the last command is given again."""
        again = [word for word in commands[-1] if word != "--force"]
        edits = again[:2] in (["filter", "add"], ["filter", "remove"]) or again[:2] == ["apply", "out"]

        def check(tree, wanted):
            self.assertIsNotNone(in_use(at(tree, "out"), *wanted), f"torn, lost or not there yet: {tree.keys()}")
            if self.repeats and len(tree) != len(tree.keys() & {"out", *inputs}):
                self.repeats -= 1
                state = self.after(tree)
                self.do(*again, *(["--force"] if "out" in tree and not edits else []), directory=state)
                self.assertEqual(disk.read_tree(state).keys(), {"out", *inputs}, "left behind")

        inputs = set(os.listdir(self.root)) - {"out"}
        self.lose_power(*commands, look=self.out, check=check, **how)

    def lose_build(self, kind, *options):
        """First as the first output, then over another."""
        ending = ".tsv" if kind == "store" else ""
        first = ("build", kind, f"../small{ending}", "-o", "out", "-q", *options)
        second = ("build", kind, f"../large{ending}", "-o", "out", "-q", *options, "--force")
        for named in (False, True) if LONG else (False,):
            self.lose_whole(first, second, named=named)
            shutil.rmtree(self.root)
            self.root.mkdir()

    def test_mphf(self):
        for algorithm in ("fast", "compact", "tiny", "bdz") if LONG else ("fast",):
            self.lose_build("mphf", "--algorithm", algorithm)

    def test_filter(self):
        for kind in ("fuse", "ribbon", "bloom", "cuckoo") if LONG else ("fuse",):
            self.lose_build("filter", "--type", kind)

    def test_map(self):
        self.lose_build("map")

    def test_lmdb_store(self):
        self.lose_build("store", "--backend", "lmdb")

    def test_flat_store(self):
        self.lose_build("store", "--backend", "flat")

    def test_dictionary(self):
        self.lose_build("dictionary")

    @staticmethod
    def of_two_inputs(*command, members="few"):
        return (*command, "--members", f"../{members}", "--universe", "../small", "-q")

    def test_exact_set(self):
        build = ("build", "exact", "-o", "out")
        self.lose_whole(self.of_two_inputs(*build), self.of_two_inputs(*build, "--force", members="gone"))

    def test_an_output_is_synced_once(self):
        """And its directory once: a small build waits for the disk for most of its time."""
        for kind, options in (("mphf", ()), ("filter", ()), ("map", ()), ("mphf", ("--force",))):
            with self.subTest(kind=kind, options=options):
                model = disk.Disk(self.root)
                synced = []
                for event in self.record(("build", kind, "../small", "-o", f"out-{kind}", "-q", *options), False):
                    if event[0] == disk.SYNCED:
                        synced.append(type(model.nodes[event[1]]))
                    self.assertNotEqual(event[0], disk.ALL_SYNCED)
                    model.apply(event)
                self.assertEqual(synced, [disk.File, disk.Folder])

    def test_of_a_program_that_makes_nothing_durable(self):
        """Of which the trial says that it loses outputs."""
        for unheard in (disk.File, disk.Folder):
            lost = []

            def check(tree, wanted, lost=lost):
                if in_use(at(tree, "out"), *wanted) is None:
                    lost.append(tree)

            first = ("build", "mphf", "../small", "-o", "out", "-q")
            second = ("build", "mphf", "../large", "-o", "out", "-q", "--force")
            self.lose_power(first, second, look=self.out, check=check, unheard=unheard)
            self.assertNotEqual(lost, [], unheard)
            self.table.pop()  # no trial of Crivo
            os.unlink(self.root / "out")

    # Changes, and steps of sharded builds --------------------------------------------------------------

    def test_edited_filter(self):
        self.do("build", "filter", "../small", "--type", "counting-bloom", "--capacity", "1000", "-o", "out", "-q")
        self.lose_whole(("filter", "add", "out", "../more", "-q"), ("filter", "remove", "out", "../small", "-q"))

    def test_united_filters(self):
        bloom = ("--type", "bloom", "--bits", "12", "--capacity", "1000", "-q")
        for name in ("small", "large"):
            self.do("build", "filter", f"../{name}", "-o", name, *bloom)
        union = ("filter", "union", "small", "large", "-o", "out", "-q")
        intersection = ("filter", "intersect", "small", "large", "-o", "out", "-q", "--force")
        self.lose_whole(union, intersection)

    def test_deltas(self):
        """Made, joined, and applied: to a set, and to the chain that this makes."""
        self.do(*self.of_two_inputs("build", "exact", "-o", "base"))
        diff = ("diff", "base", "-o", "out")
        self.lose_whole(
            self.of_two_inputs(*diff, members="small"), self.of_two_inputs(*diff, "--force", members="gone")
        )
        (self.root / "out").rename(self.root / "one")
        self.do("apply", "base", "one", "-o", "chain", "-q")
        self.do(*self.of_two_inputs("diff", "chain", "-o", "two"))
        self.lose_whole(("squash", "one", "two", "-o", "out", "-q"))
        (self.root / "out").unlink()
        self.lose_whole(("apply", "base", "one", "-o", "out", "-q"), ("apply", "out", "two", "-q"))

    def test_dedup(self):
        """The filter has seen nothing that is not written."""

        def look(tree):
            return at(tree, "out"), at(tree, "seen")

        def check(tree, wanted):
            out, seen = look(tree)
            self.assertTrue(any(out == state[0] for state in wanted), "output torn, lost or not there yet")
            self.assertTrue(any(seen == state[1] for state in wanted), "filter torn, lost or not there yet")
            if seen == wanted[-1][1]:
                self.assertTrue(out == wanted[-1][0], "seen, and not written")
            elif self.repeats:
                self.repeats -= 1
                state = self.after(tree)
                self.do(*(first if seen is None else second), *(["--force"] if out else []), directory=state)
                self.assertEqual(disk.read_tree(state).keys(), {"out", "seen"}, "left behind")
                self.assertTrue(look(disk.read_tree(state)) == wanted[-1], "another output or filter")

        for options in ((), ("--grow",)):
            dedup = ("dedup", "--seen", "seen", "-o", "out", "-q", *options, "../small")
            first, second = (*dedup, "--capacity", "300" if options else "700"), (*dedup, "../large", "../more")
            for named in (False, True) if LONG else (False,):
                self.repeats = REPEATS
                self.lose_power(
                    first, (*second, "--force"), look=lambda: look(disk.read_tree(self.root)), check=check, named=named
                )
                shutil.rmtree(self.root)
                self.root.mkdir()

    def deal(self, kind="mphf", keys=("../large",), shards=2):
        """A partition of keys, and the parts of each shard, in one directory."""
        self.do("partition", *keys, "--shards", str(shards), "-o", "keys", "-q")
        return [("build", kind, "keys", "--shard", f"{i}/{shards}", "-o", f"part-{i}", "-q") for i in range(shards)]

    def test_part(self):
        part = self.deal()[0]
        self.lose_whole((*part[:-2], "out", "-q"))

    def test_merge(self):
        for part in self.deal():
            self.do(*part)
        self.lose_whole(("merge", "part-0", "part-1", "-o", "out", "-q"))

    def test_filter_set_in_shards(self):
        pairs = ("../large.tsv", "--filterset")
        parts = self.deal("filterset", pairs)
        for part in parts:
            self.do(*part)
        self.lose_whole((*parts[0][:-2], "out", "-q"))
        (self.root / "out").unlink()
        self.lose_whole(("merge", "part-0", "part-1", "-o", "out", "-q"))
        (self.root / "out").unlink()
        self.lose_partition(("partition", *pairs, "--shards", "2", "-o", "out", "-q"))

    def test_manifest(self):
        for part in self.deal():
            self.do(*part)
        self.lose_whole(("manifest", "part-0", "part-1", "-o", "out", "-q"))

    def lose_partition(self, *commands):
        """Of its files each is there whole or not at all; and it can be made again."""
        final = []

        def check(tree, wanted):
            got = at(tree, "out") or {}
            self.assertTrue((wanted[0] or {}).items() <= got.items(), f"lost: only {got.keys()} are there")
            if len(wanted) > 1 and self.repeats:
                self.repeats -= 1
                state = self.after(tree)
                for command in commands:
                    self.do(*command, directory=state)
                got = at(disk.read_tree(state), "out")
                self.assertEqual(got.keys(), final[0].keys())
            for name in got.keys() & final[0].keys():
                self.assertTrue(got[name] == final[0][name], f"{name} is another")

        def look():
            final[:] = [self.out()]
            return self.out()

        self.lose_power(*commands, look=look, check=check)

    def test_partition(self):
        self.lose_partition(("partition", "../large", "--shards", "2", "-o", "out", "-q"))

    def test_partition_of_records(self):
        self.lose_partition(("partition", "../large.tsv", "--records", "--shards", "2", "-o", "out", "-q"))

    def test_partition_in_parts(self):
        deal = ("partition", "../large", "../more", "--shards", "2", "-o", "out", "-q")
        self.lose_partition((*deal, "--part", "0/2"), (*deal, "--part", "1/2"), ("partition", "--finish", "out", "-q"))

    # Updates of a store, which are appended to their log ------------------------------------------------

    def answers_in(self, directory):
        return sorted(self.do("dump", "out", directory=directory).out.splitlines())

    def lose_answers(self, *commands):
        def check(tree, wanted):
            state = self.after(tree)
            self.assertIn(self.answers_in(state), wanted)
            if LONG:
                self.do("verify", "out", directory=state)
                self.do(*self.REMOVE, directory=state)

        self.lose_power(*commands, look=lambda: self.answers_in(self.root), check=check)

    SET = ("store", "set", "out", "../changed.tsv", "-q", "--memory", "4K")  # so that it is spilled
    REMOVE = ("store", "remove", "out", "../gone", "-q")

    def test_updates(self):
        self.do("build", "store", "../small.tsv", "-o", "out", "-q")
        self.lose_answers(self.SET, self.REMOVE)

    def test_compacted_store(self):
        self.do("build", "store", "../small.tsv", "-o", "out", "-q", "--backend", "flat", "--ordered")
        self.do(*self.SET)
        self.lose_answers(("store", "compact", "out", "-q"), self.REMOVE)

    def test_store_built_over_updates(self):
        self.do("build", "store", "../small.tsv", "-o", "out", "-q")
        self.do(*self.SET)
        self.lose_answers(("build", "store", "../large.tsv", "-o", "out", "-q", "--force"))

    # Builds that go on where another was interrupted ----------------------------------------------------

    def test_resumed(self):
        """Interrupted anywhere, and anywhere in what goes on from there; what is left goes on or begins anew."""
        for name, keys in (("first", urls(60)), ("second", urls(60, salt=3)), ("third", urls(60, salt=4))):
            path = self.dir / self.write(f"{name}.zst", zstandard(lines(keys)) + SKIPPED_FRAME)
            os.truncate(path, path.stat().st_size + PART_BYTES)
        build = ("build", "mphf", *(f"../{name}.zst" for name in ("first", "second", "third")), "-o", "out", "-q")
        resume = ("--resume", "go", "--memory", "10M")

        def check(tree, wanted):
            self.assertIsNotNone(in_use(at(tree, "out"), *wanted), "torn, lost or not there yet")
            if not self.repeats:
                return
            self.repeats -= 1
            state = self.after(tree)
            self.do(*build, *resume, *(["--force"] if "out" in tree else []), directory=state)
            self.assertTrue(disk.read_tree(state) == {"out": wanted[-1][""]}, "another output, or something beside it")

        self.repeats *= 10
        self.lose_power((*build, *resume), look=self.out, check=check)


if __name__ == "__main__":
    unittest.main()
