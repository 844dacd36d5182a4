# SPDX-License-Identifier: Apache-2.0
"""`crivo store set` and `remove`, `crivo dump`, backends and codecs, as scripts use them."""

import json
import os
import pathlib
import re
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "formats"))
import reader  # noqa: E402
from harness import CRIVO, ENVIRONMENT, SANITIZED, CrivoTest, files_of, lines, pairs, records_of, urls


BACKENDS = ((), ("--backend", "flat"), ("--backend", "flat", "--ordered"))


class StoreCommands(CrivoTest):
    KEYS = urls(300)

    def setUp(self):
        super().setUp()
        self.records = records_of(self.KEYS)
        self.build("store", self.KEYS, out="s")

    def of_each_backend(self):
        """Builds the store with each."""
        for options in BACKENDS:
            with self.subTest(options=options):
                self.build("store", self.KEYS, *options, "--force", out="s")
                yield

    def test_set_and_remove(self):
        self.records[5] = b"another"
        self.records[6] = b""
        changed = pairs(self.KEYS[5:7], self.records[5:7])
        self.assertEqual(self.crivo("store", "set", "s", "--json", stdin=changed).json()["given"], 2)
        self.assertEqual(self.query("s", self.KEYS), self.records)
        gone = self.write("gone", lines([self.KEYS[7], b"never there"]))
        done = self.crivo("store", "remove", "s", gone, "--json").json()
        self.assertEqual((done["given"], done["absent"], done["records"]), (2, 1, len(self.KEYS) - 1))
        self.crivo("get", "s", self.KEYS[7], code=1)
        self.crivo("verify", "s")
        info = self.info("s")
        self.assertEqual((info["changed_records"], info["removed_records"]), (2, 1))
        del self.KEYS[7], self.records[7]
        self.crivo("verify", "s", "--keys", self.write("now", pairs(self.KEYS, self.records)))

    def test_new_keys(self):
        """Are added, counted, dumped, verified, removed and set again, and built in by a compaction."""
        for _ in self.of_each_backend():
            given = self.write("given", pairs([b"new", self.KEYS[0], self.KEYS[1], b"newer"], [b"1", b"2", self.records[1], b"3"]))
            done = self.crivo("store", "set", "s", given, "--json").json()
            self.assertEqual([done[name] for name in ("given", "added", "replaced", "unchanged", "records")],
                             [4, 2, 1, 1, len(self.KEYS) + 2])
            keys, records = [b"new", b"newer", *self.KEYS], [b"1", b"3", b"2", *self.records[1:]]
            said = self.crivo("store", "set", "s", "--only-new", code=3, stdin=pairs([b"other", b"new"], [b"1", b"2"])).err
            self.assertIn(b'(standard input):2: the key "new" is in the store already', said)
            for _ in range(2):  # as updates, and compacted
                self.assertEqual(self.query("s", keys), records)
                self.assertEqual(sorted(self.crivo("dump", "s").out.splitlines()), sorted(pairs(keys, records).splitlines()))
                self.crivo("verify", "s", "--keys", self.write("now", pairs(keys, records)))
                self.crivo("get", "s", "other", code=1)
                self.crivo("store", "compact", "s")
            self.crivo("store", "remove", "s", "-q", stdin=b"new\n")
            self.crivo("get", "s", "new", code=1)
            self.crivo("store", "set", "s", "-q", stdin=pairs([b"new"], [b"again"]))
            self.assertEqual(self.crivo("get", "s", "new").out, b"again")

    def test_of_a_key_that_comes_again_the_last_record(self):
        self.crivo("store", "set", "s", "-q", stdin=pairs([self.KEYS[0]] * 2, [b"1", b"2"]))
        self.assertEqual(self.crivo("get", "s", self.KEYS[0]).out, b"2")

    def test_all_or_none(self):
        before = files_of(self.dir / "s")
        given = self.write("given", pairs([self.KEYS[0], b"new"], [b"1", b"2"]))
        error = self.crivo("store", "set", "s", given, "--only-existing", code=3).err
        self.assertIn(b"given:2: ", error)
        self.assertIn(b'"new"', error)
        self.crivo("store", "set", "s", self.write("bad", pairs([self.KEYS[0]], [b"1"]) + b"no tab\n"), code=3)
        self.assertEqual(self.query("s", self.KEYS), self.records)
        after = files_of(self.dir / "s")
        self.assertEqual({name: after[name] for name in before}, before)

    def test_ordered(self):
        """Keys that were added stand in their places: in a dump, a prefix, a range, a bound."""
        self.build("store", [b"b", b"bc", b"d"], "--backend", "flat", "--ordered", out="o")
        self.crivo("store", "set", "o", "-q", stdin=pairs([b"c", b"a", b"bb", b"d", b"e"], [b"1", b"2", b"3", b"4", b"5"]))
        self.crivo("store", "remove", "o", "-q", stdin=b"bc\ne\n")
        keys = lambda *asked: [line.split(b"\t")[0] for line in self.crivo("dump", "o", *asked).out.splitlines()]  # noqa: E731
        for _ in range(2):
            self.assertEqual(keys(), [b"a", b"b", b"bb", b"c", b"d"])
            self.assertEqual(keys("--prefix", "b"), [b"b", b"bb"])
            self.assertEqual(keys("--range", "bb", "d"), [b"bb", b"c"])
            self.assertEqual(keys("--lower-bound", "c"), [b"c", b"d"])
            self.assertEqual(self.crivo("get", "o", "d").out, b"4")
            self.crivo("verify", "o")
            self.crivo("store", "compact", "o", "-q")

    def test_dry_run(self):
        before = files_of(self.dir / "s")
        given = self.write("given", pairs([b"new", self.KEYS[0], self.KEYS[1]], [b"1", b"2", self.records[1]]))
        done = self.crivo("store", "set", "s", given, "--dry-run", "--compact", "--json").json()
        self.assertEqual([done[name] for name in ("added", "replaced", "unchanged", "records", "dry_run", "compacted")],
                         [1, 1, 1, len(self.KEYS) + 1, True, False])
        self.assertIn(b"would be done: 1 record removed", self.crivo("store", "remove", "s", "--dry-run", stdin=self.KEYS[0]).err)
        self.assertEqual(files_of(self.dir / "s"), before)

    def test_within_memory(self):
        """What is known of the keys goes to the log, of one commit; the last of equal keys counts, wherever it was."""
        keys = [b"%d" % (i % 40_000) for i in range(100_000)]
        records = [b"%d" % (i // 3) for i in range(100_000)]
        given = self.write("given", pairs(keys + self.KEYS, records + self.records))
        done = self.crivo("store", "set", "s", given, "--memory", "8M", "--json").json()
        self.assertEqual([done[name] for name in ("added", "unchanged", "records")], [40_000, len(self.KEYS), 40_000 + len(self.KEYS)])
        last = dict(zip(keys, records))
        asked = [b"%d" % i for i in range(0, 40_000, 7)]
        self.assertEqual(self.query("s", [*asked, *self.KEYS]), [*(last[key] for key in asked), *self.records])
        self.crivo("verify", "s")
        self.assertEqual(reader.open(self.dir / "s").records.commit, 1)
        self.assertIn(b"the updates take", self.crivo("store", "set", "s", stdin=pairs(self.KEYS[:1], [b"x"])).err)

    def test_refused(self):
        self.crivo("store", "set", "none", code=5)
        self.crivo("store", code=2)

    def test_signed(self):
        """Is refused, or loses its signature; a store with updates gets none."""
        self.build("store", self.KEYS, "--backend", "flat", out="f")
        self.write("f/index.crv.minisig", b"signed")
        before = files_of(self.dir / "f")
        change = pairs(self.KEYS[:1], [b"another"])
        self.assertIn(b"(--drop-signature)", self.crivo("store", "set", "f", code=2, stdin=change).err)
        self.crivo("store", "set", "f", "--drop-signature", "--dry-run", "-q", stdin=change)
        self.crivo("store", "set", "f", "--drop-signature", code=3, stdin=b"no tab\n")
        self.assertEqual(files_of(self.dir / "f"), before)
        self.crivo("store", "set", "f", "--drop-signature", "-q", stdin=change)
        self.assertFalse((self.dir / "f/index.crv.minisig").exists())
        self.assertEqual(self.crivo("get", "f", self.KEYS[0]).out, b"another")

    def test_empty_log(self):
        """As a writer leaves it that is killed before its first commit: a compaction takes it away."""
        self.crivo("store", "set", "s", "-q", stdin=pairs(self.KEYS[:1], [b"another"]))
        (log,) = (self.dir / "s").glob("updates-*.log")
        whole = log.read_bytes()
        log.write_bytes(whole[:512] + bytes(4096 - 512) + whole[4096 : 4096 + int.from_bytes(whole[4104:4112], "little")])
        self.assertEqual(self.query("s", self.KEYS), self.records)
        self.crivo("verify", "s")
        self.assertFalse(self.crivo("store", "compact", "s", "--json").json()["compacted"])
        self.assertFalse(log.exists())

    def test_dump_builds_the_same(self):
        for options in ((), ("--backend", "flat"), ("--codec", "zstd", "--block", "1K")):
            with self.subTest(options=options):
                self.build("store", self.KEYS, *options, out="s", *("--force",))
                dumped = self.crivo("dump", "s").out
                self.assertEqual(sorted(dumped.splitlines()), sorted(pairs(self.KEYS, self.records).splitlines()))
                self.crivo("build", "store", "-", "-o", "t", "-q", "-f", *options, stdin=dumped)
                self.assertEqual(files_of(self.dir / "t"), files_of(self.dir / "s"))

    def test_dump_of_updates(self):
        self.crivo("store", "set", "s", "-q", stdin=pairs(self.KEYS[:1], [b"another"]))
        self.crivo("store", "remove", "s", "-q", stdin=lines(self.KEYS[1:2]))
        wanted = pairs(self.KEYS[:1] + self.KEYS[2:], [b"another"] + self.records[2:])
        self.assertEqual(sorted(self.crivo("dump", "s").out.splitlines()), sorted(wanted.splitlines()))

    def test_dump_of_any_bytes(self):
        odd = b"k\te\ny\0re\ncord\0"
        self.crivo("build", "store", "-", "--null", "-o", "odd", stdin=odd)
        self.assertIn(b"--null-output", self.crivo("dump", "odd", code=2).err)
        self.assertEqual(self.crivo("dump", "odd", "--null-output").out, odd)
        self.assertEqual(json.loads(self.crivo("dump", "odd", "--json").out), {"key": "k\te\ny", "record": "re\ncord"})

    def test_get_a_list(self):
        asked = lines([self.KEYS[3], b"absent", self.KEYS[4]])
        self.assertEqual(self.crivo("get", "s", "-", stdin=asked, code=1).out, lines(self.records[3:5]))
        rows = self.crivo("get", "s", "-", "--json", stdin=asked, code=1).json_lines()
        self.assertEqual([row["found"] for row in rows], [True, False, True])
        listed = b"\0".join([self.KEYS[3], self.KEYS[4]]) + b"\0"
        answers = self.crivo("get", "s", "-", "--null", stdin=listed).out
        self.assertEqual(answers, lines(self.records[3:5]))

    def test_repeated_keys(self):
        given = self.write("given", b"a\t1\nb\t2\na\t3\nc\t4\na\t1\n")
        self.crivo("build", "store", given, "-o", "r", code=3)
        for policy, wanted in (("ignore", b"1"), ("last", b"1"), ("all", b"1\n3\n1")):
            for threads in (1, 3):
                self.crivo("build", "store", given, "-o", "r", "-f", "-q", "--duplicates", policy, "--threads", threads)
                self.assertEqual(self.crivo("get", "r", "a").out, wanted)
                self.assertEqual(self.crivo("get", "r", "b").out, b"2")
        self.write("given", b"a\t1\na\t2\n")
        self.crivo("build", "store", given, "-o", "r", "-f", "-q", "--duplicates", "last")
        self.assertEqual(self.crivo("get", "r", "a").out, b"2")


class Compaction(CrivoTest):
    KEYS = urls(300)

    def setUp(self):
        super().setUp()
        self.records = [b"another " + record for record in records_of(self.KEYS)]
        self.changed = self.write("changed", pairs(self.KEYS, self.records))

    def test_is_a_build_of_the_present_records(self):
        for options in (*BACKENDS, ("--codec", "zstd", "--block", "1K"), ("--seed", "7"), ("--note", "of=pages")):
            with self.subTest(options=options):
                self.build("store", self.KEYS, *options, "--force", out="s")
                self.crivo("store", "set", "s", self.changed, "-q")
                self.crivo("store", "remove", "s", "-q", stdin=lines(self.KEYS[:2]))
                done = self.crivo("store", "compact", "s", "--json", "--threads", "2").json()
                self.assertEqual((done["compacted"], done["records"]), (True, len(self.KEYS) - 2))
                self.assertEqual(done["bytes"], sum(map(len, files_of(self.dir / "s").values())))
                self.assertLess(done["bytes"], done["bytes_before"])
                given = pairs(self.KEYS[2:], self.records[2:])
                self.crivo("build", "store", "-", "-o", "t", "-q", "-f", *options, stdin=given)
                self.assertEqual(files_of(self.dir / "s"), files_of(self.dir / "t"))
                self.assertIn(b"no updates", self.crivo("store", "compact", "s").err)

    def test_all_removed_and_the_empty_key(self):
        self.crivo("build", "store", "-", "--allow-empty", "-o", "s", stdin=b"\tempty\nk\tv\n")
        self.crivo("store", "remove", "s", "-q", stdin=b"k\n")
        self.crivo("store", "compact", "s", "-q")
        self.assertEqual(self.crivo("dump", "s").out, b"\tempty\n")
        self.crivo("store", "remove", "s", "--allow-empty", "-q", stdin=b"\n")
        self.assertEqual(self.crivo("store", "compact", "s", "--json").json()["records"], 0)
        self.assertEqual(self.crivo("dump", "s").out, b"")

    def test_of_set_above_a_quarter(self):
        self.build("store", self.KEYS, out="s")
        few = self.crivo("store", "set", "s", self.changed, "--compact", "--json").json()
        self.assertEqual((few["given"], few["compacted"]), (len(self.KEYS), True))
        self.assertEqual(self.query("s", self.KEYS), self.records)
        self.assertFalse(list((self.dir / "s").glob("updates-*")))
        self.build("store", urls(20000), out="large")
        first = pairs(urls(20000)[:1], [b"another"])
        self.assertFalse(self.crivo("store", "set", "large", "--compact", "--json", stdin=first).json()["compacted"])
        self.assertTrue(list((self.dir / "large").glob("updates-*.log")))

    def test_turnovers_take_half_as_much_again(self):
        self.build("store", self.KEYS * 1, out="s")
        fresh = sum(map(len, files_of(self.dir / "s").values()))
        for turnover in range(10):
            records = [b"%d " % turnover + record for record in records_of(self.KEYS)]
            self.crivo("store", "set", "s", "--compact", "-q", stdin=pairs(self.KEYS, records))
            taken = sum(map(len, files_of(self.dir / "s").values()))
            self.assertLessEqual(taken, 1.5 * fresh)
        self.assertEqual(self.query("s", self.KEYS), records)

    def test_refused(self):
        self.crivo("store", "compact", "none", code=5)

    def test_that_it_fails_is_no_failure_of_set(self):
        self.build("store", self.KEYS, "--codec", "none", out="s")
        (data,) = (self.dir / "s").glob("data-*.mdb")
        content = bytearray(data.read_bytes())
        content[content.index(self.KEYS[200])] ^= 1
        data.write_bytes(content)
        result = self.crivo("store", "set", "s", "--compact", stdin=pairs(self.KEYS[:1], [b"x" * 100_000]))
        self.assertIn(b"not compacted", result.err)
        self.assertEqual(self.crivo("get", "s", self.KEYS[0]).out, b"x" * 100_000)


class UpdatedStores(CrivoTest):
    KEYS = urls(50)
    OPTIONS = ()

    def setUp(self):
        super().setUp()
        self.build("store", self.KEYS, *self.OPTIONS, out="s")
        self.records = records_of(self.KEYS)
        self.records[3] = b"another"
        self.write("change", pairs(self.KEYS[3:4], [b"another"]))
        self.crivo("store", "set", "s", "change", "-q")
        (self.updates,) = (self.dir / "s").glob("updates-*.log")

    READERS = (
        ("info", "s"),
        ("verify", "s"),
        ("dump", "s"),
        ("query", "s", "--key", KEYS[3]),
        ("query", "s", "--key", KEYS[3], "--open", "copy"),
    )

    def test_damaged_front(self):
        """One slot is enough; without both, and in a log that is cut short, there is no last commit."""
        whole = self.updates.read_bytes()
        slots = [0, 512]
        for damage, sound in (([slots[0]], True), ([slots[1]], True), (slots, False)):
            with self.subTest(damage=damage):
                data = bytearray(whole)
                for at in damage:
                    data[at + 41] ^= 1
                self.updates.write_bytes(data)
                for args in (*self.READERS, ("store", "set", "s", "change")):
                    ran = self.crivo(*args, code=0 if sound and args[0] not in ("verify", "dump") else 4)
                    if args[0] == "query":
                        self.assertEqual(b"another" in ran.out, sound)
        self.updates.write_bytes(whole[:-1])
        for args in (*self.READERS, ("store", "set", "s", "change")):
            self.assertIn(b"it ends before its last commit does", self.crivo(*args, code=4).err)
        self.crivo("build", "store", "s.in", "-o", "s", "-f", "-q", *self.OPTIONS)
        self.crivo("verify", "s")

    def test_verify_sees_every_byte_of_the_front(self):
        whole = self.updates.read_bytes()
        for at in (*range(0, 72, 5), 100, 511, *range(512, 584, 5), 584, 4095):
            data = bytearray(whole)
            data[at] ^= 4
            self.updates.write_bytes(data)
            self.crivo("verify", "s", code=4)
        self.updates.write_bytes(whole)
        self.crivo("verify", "s")

    def test_damaged_slot_and_damaged_commit(self):
        """The record of the commit before is not given for it, and the next change does not cut it off."""
        data = bytearray(self.updates.read_bytes())
        data[512 + 41] ^= 1
        data[-1] ^= 1
        self.updates.write_bytes(data)
        for args in (*self.READERS, ("store", "set", "s", "change")):
            self.assertIn(b"the bytes behind the last commit", self.crivo(*args, code=4).err)
        self.assertEqual(self.updates.read_bytes(), data)

    def test_example_of_the_specification(self):
        """The bytes of formats/store.md, "Updates", "Example"."""
        page = (pathlib.Path(reader.__file__).parent / "store.md").read_text(encoding="utf-8")
        listed = bytearray()
        for at, row in re.findall(r"^    ([0-9a-f]{4})  ((?:[0-9a-f]{2} ?)+)", page.split("## Updates\n")[1], re.M):
            listed += bytes(int(at, 16) - len(listed)) + bytes.fromhex(row)
        self.write("two.in", b"a\tone\nb\ttwo\n")
        self.crivo("build", "store", "two.in", "-o", "two", "--codec", "none", "--seed", "0", "-q")
        self.crivo("store", "set", "two", "-q", stdin=b"a\tx\nc\ty\n")
        self.crivo("store", "remove", "two", "-q", stdin=b"b\n")
        (log,) = (self.dir / "two").glob("updates-*.log")
        self.assertEqual(listed.hex(" "), log.read_bytes().hex(" "))

    def test_another_reader(self):
        """reader.py, which knows the specification alone, reads records that were changed, and not those that were removed."""
        self.write_keys(self.KEYS[5:9], "gone")
        self.crivo("store", "remove", "s", "gone", "-q")
        read = reader.open(self.dir / "s")
        read.verify()
        for key, record in zip(self.KEYS, self.records):
            self.assertEqual(read.lookup(key), None if key in self.KEYS[5:9] else record)

    def test_readers_need_permission_to_read_alone(self):
        how = self.as_nobody()
        for name in (".", "s"):
            os.chmod(self.dir / name, 0o755)
        for file in (self.dir / "s").iterdir():
            os.chmod(file, 0o444)
        for args in self.READERS:
            ran = subprocess.run([CRIVO, *args], **how)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            if args[0] == "query":
                self.assertIn(b"another", ran.stdout)
        if "user" in how:
            ran = subprocess.run([CRIVO, "store", "set", "s", "change"], **how)
            self.assertEqual(ran.returncode, 5, ran.stderr)

    def test_within_a_limit_of_address_space(self):
        if SANITIZED:
            self.skipTest("a sanitizer has an address space of its own")
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))  # noqa: E731
        for args in (*self.READERS, ("store", "set", "s", "change"), *self.READERS):
            ran = subprocess.run(
                [CRIVO, *args], cwd=self.dir, env=ENVIRONMENT, capture_output=True, check=False, preexec_fn=limit
            )
            self.assertEqual(ran.returncode, 0, ran.stderr)
