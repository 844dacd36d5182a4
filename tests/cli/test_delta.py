# SPDX-License-Identifier: Apache-2.0
"""Deltas of exact sets and of filters: made, joined, applied, refused, and asked as chains."""

import random

from harness import LONG, CrivoTest, lines


class DeltaTest(CrivoTest):
    def diff(self, path, members, universe, out, *options, **run_options):
        self.write("members", lines(members))
        self.write("universe", lines(universe))
        return self.crivo(
            "diff", path, "--members", "members", "--universe", "universe", "-o", out, *options, **run_options
        )

    def build(self, members, universe, *options, out="set.crv"):
        self.write("members", lines(members))
        self.write("universe", lines(universe))
        self.crivo("build", "exact", "--members", "members", "--universe", "universe", "-o", out, *options)

    def assert_exact(self, path, universe, members):
        members = set(members)
        self.assertEqual(self.query(path, universe), [b"member" if key in members else b"other" for key in universe])

    @staticmethod
    def grow(rng, universe, members, grouped):
        """The next universe and members: some keys come and go."""
        size = rng.choice((0, 5, 300))
        group = [b"group%d\t" % rng.randrange(12) if grouped else b"" for _ in range(size)]
        universe = universe + [name + b"new%d" % rng.randrange(1 << 60) for name in group]
        members = set(members)
        members -= set(rng.sample(sorted(members), min(len(members), rng.choice((0, 1, 20)))))
        return universe, sorted(members | set(rng.sample(universe, min(len(universe), rng.choice((0, 1, 40))))))

    def random_chain(self, seed):
        rng = random.Random(seed)
        grouped = seed % 2 == 1
        options = ("--group", "1") if grouped else ()
        count = rng.choice((1, 40, 3000))
        universe = [b"group%d\tkey%d" % (i % 7, i) if grouped else b"key%d" % i for i in range(count)]
        members = sorted(rng.sample(universe, rng.randrange(count + 1)))
        self.build(members, universe, *options, "-f")
        path, deltas = "set.crv", []
        for step in range(4):
            universe, members = self.grow(rng, universe, members, grouped)
            delta = f"{seed}-{step}.crv"
            self.diff(path, members, universe, delta, *options)
            deltas.append(delta)
            self.crivo("apply", path, delta, *(() if step else ("-o", "chain.crv", "-f")))
            path = "chain.crv"
            self.assert_exact(path, universe, members)
        first = rng.randrange(3)
        last = rng.randrange(first + 2, 5)
        self.crivo("squash", *deltas[first:last], "-o", f"{seed}-squashed.crv")
        self.crivo(
            "apply", "set.crv", *deltas[:first], f"{seed}-squashed.crv", *deltas[last:], "-o", "joined.crv", "-f"
        )
        self.assert_exact("joined.crv", universe, members)
        self.assertEqual(self.info("joined.crv")["state"], self.info("chain.crv")["state"])

    def test_random_chains_answer_every_key(self):
        for seed in range(1000 if LONG else 6):
            with self.subTest(seed=seed):
                self.random_chain(seed)

    def test_chain_is_described_and_verified(self):
        universe = [b"key%d" % i for i in range(5000)]
        self.build(universe[::50], universe)
        self.diff("set.crv", universe[::40], universe, "one.crv")
        said = self.crivo("apply", "set.crv", "one.crv", "-o", "chain.crv").err
        self.assertIn(b"chain.crv: 1 delta, ", said)
        info = self.info("chain.crv")
        self.assertEqual((info["kind"], info["keys"]), ("chain", 125))
        self.assertEqual(info["parameters"]["deltas"], 1)
        self.assertEqual(info["parameters"]["flips"], 125 + 100 - 2 * 25)
        self.assertTrue(info["parameters"]["rebase"])
        self.assertEqual(self.info("one.crv")["state_before"], self.info("set.crv")["digest"])
        self.write("members", lines(universe[::40]))
        self.crivo("verify", "chain.crv", "--keys", "members", "--universe", "universe")
        self.write("members", lines(universe[::50]))
        self.crivo("verify", "chain.crv", "--keys", "members", "--universe", "universe", code=1)
        self.crivo("query", "one.crv", "members", code=2)
        damaged = bytearray((self.dir / "one.crv").read_bytes())
        damaged[300] ^= 1
        (self.dir / "one.crv").write_bytes(damaged)
        self.crivo("verify", "chain.crv", code=4)
        self.crivo("query", "chain.crv", "members", code=4)
        (self.dir / "one.crv").unlink()
        self.assertIn("one.crv", self.crivo("query", "chain.crv", "members", code=4).err.decode())

    def test_what_does_not_follow_is_refused_and_changes_nothing(self):
        universe = [b"key%d" % i for i in range(3000)]
        self.build(universe[::50], universe)
        self.build(universe[::30], universe, out="other.crv")
        self.diff("set.crv", universe[::40], universe, "one.crv")
        self.diff("set.crv", universe[::41], universe, "rival.crv")
        self.crivo("apply", "set.crv", "one.crv", "-o", "chain.crv")
        self.diff("chain.crv", universe[::42], universe, "two.crv")
        before = (self.dir / "chain.crv").read_bytes()
        for options, word in (
            (("other.crv", "one.crv", "-o", "new.crv"), "another base"),
            (("set.crv", "two.crv", "-o", "new.crv"), "out of order"),
            (("chain.crv", "one.crv"), "out of order"),
            (("set.crv", "rival.crv", "two.crv", "-o", "new.crv"), "does not follow"),
        ):
            with self.subTest(word):
                error = self.crivo("apply", *options, code=4).err.decode()
                self.assertIn(word, error)
                self.assertIn(options[0] if options[0] != "chain.crv" else "set.crv", error)
        self.crivo("squash", "one.crv", "one.crv", "-o", "new.crv", code=4)
        self.crivo("squash", "one.crv", "-o", "new.crv", code=2)
        self.crivo("apply", "set.crv", "one.crv", code=2)
        self.crivo("apply", "set.crv", "one.crv", "-o", "chain.crv", code=2)
        self.crivo("apply", "one.crv", "two.crv", "-o", "new.crv", code=2)
        self.crivo("diff", "one.crv", "--members", "members", "--universe", "universe", "-o", "new.crv", code=2)
        self.assertFalse((self.dir / "new.crv").exists())
        self.assertEqual((self.dir / "chain.crv").read_bytes(), before)
        self.crivo("apply", "chain.crv", "two.crv")
        self.assert_exact("chain.crv", universe, universe[::42])

    def test_same_bytes_from_any_order_threads_and_pipes(self):
        universe = [b"group%d\tkey%d" % (i % 5, i) for i in range(4000)]
        self.build(universe[::9], universe, "--group", "1")
        self.diff("set.crv", universe[::8], universe, "one.crv", "--group", "1")
        first = (self.dir / "one.crv").read_bytes()
        self.diff("set.crv", universe[::8][::-1], universe[::-1], "one.crv", "--group", "1", "-f", "--threads", "1")
        self.assertEqual((self.dir / "one.crv").read_bytes(), first)
        self.crivo("diff", "set.crv", "--members", "members", "--universe", "-", "-o", "one.crv", "--group", "1", "-f",
                   stdin=lines(universe))
        self.assertEqual((self.dir / "one.crv").read_bytes(), first)

    def test_coverage_and_missing_members(self):
        universe = [b"key%d" % i for i in range(500)]
        self.build(universe[::5], universe, "--covers", "log=0:10")
        self.diff("set.crv", universe[::7], universe, "one.crv", "--covers", "log=11:20")
        self.crivo("apply", "set.crv", "one.crv", "-o", "chain.crv")
        for number, answer in ((15, b"member"), (21, b"outside")):
            self.assertEqual(
                self.crivo("query", "chain.crv", "--key", "key7", "--at", f"log={number}").out, b"key7\t" + answer + b"\n"
            )
        outside = [*universe[::7], b"stranger"]
        self.diff("chain.crv", outside, universe, "two.crv", "--strict", code=3)
        self.assertIn("1 member is not", self.diff("chain.crv", outside, universe, "two.crv").err.decode())
        self.crivo("apply", "chain.crv", "two.crv")
        self.assert_exact("chain.crv", [*universe, b"stranger"], outside)


class FilterDeltaTest(CrivoTest):
    def setUp(self):
        super().setUp()
        self.keys = [b"key%d" % i for i in range(6000)]
        self.others = [b"other%d" % i for i in range(20000)]
        self.write("keys", lines(self.keys[:1000]))
        self.crivo("build", "filter", "keys", "-o", "base.crv", "--fpr", "0.01")

    def add(self, path, count, out, *options, **run_options):
        self.write("added", lines(self.keys[:count]))
        return self.crivo("diff", path, "--added", "added", "-o", out, *options, **run_options)

    def chain(self):
        self.add("base.crv", 3000, "one.crv")
        self.crivo("apply", "base.crv", "one.crv", "-o", "chain.crv")
        self.add("chain.crv", 6000, "two.crv", "--fpr", "1/4096")
        return self.crivo("apply", "chain.crv", "two.crv", "--json").json()

    def test_chain_is_asked_and_described(self):
        applied = self.chain()
        self.assertEqual(set(self.query("chain.crv", self.keys)), {b"maybe"})
        wrong = self.query("chain.crv", self.others).count(b"maybe")
        info = self.info("chain.crv")
        self.assertEqual((info["kind"], info["algorithm"], info["fpr"]), ("chain", "layers", applied["fpr"]))
        self.assertLess(info["fpr"], 0.01 * 1.5 + 1 / 4096)
        self.assertLess(wrong, 1.3 * 20000 * info["fpr"])
        base, one, two = info["layers"]
        self.assertEqual(base, {"keys": 1000, "bytes": self.info("base.crv")["bytes"], "fpr": self.info("base.crv")["fpr"]})
        self.assertEqual(one["keys"] + two["keys"] + 1000, info["keys"])
        self.assertGreater(one["keys"], 1950)  # what the base holds is left out
        self.assertLessEqual(one["fpr"], 0.005)
        self.assertLessEqual(two["fpr"], 1 / 4096)
        self.assertEqual((info["parameters"]["deltas"], info["parameters"]["rebase"]), (2, True))
        self.assertEqual(self.info("two.crv")["layers"], [two])
        self.assertIn("a new base serves better", self.crivo("apply", "base.crv", "one.crv", "-o", "new.crv").err.decode())
        self.crivo("verify", "chain.crv", "--keys", "added")
        self.write("added", lines(self.others))
        self.crivo("verify", "chain.crv", "--keys", "added", code=1)
        self.crivo("bench", "chain.crv", "--keys", "keys", "--json")

    def test_damage_is_found(self):
        self.chain()
        self.crivo("squash", "one.crv", "two.crv", "-o", "joined.crv")
        self.crivo("apply", "base.crv", "joined.crv", "-o", "other.crv")
        self.assertEqual(self.query("other.crv", self.others), self.query("chain.crv", self.others))
        self.assertEqual(self.info("other.crv")["state"], self.info("chain.crv")["state"])
        sound = (self.dir / "joined.crv").read_bytes()
        for at in range(0, len(sound), len(sound) // 40):
            damaged = bytearray(sound)
            damaged[at] ^= 4
            (self.dir / "joined.crv").write_bytes(damaged)
            self.crivo("verify", "other.crv", code=4)
            self.crivo("apply", "base.crv", "joined.crv", "-o", "new.crv", code=4)
            self.assertIn(self.run_crivo("query", "other.crv", "keys").code, (0, 4))
        self.assertFalse((self.dir / "new.crv").exists())

    def test_what_does_not_fit_is_refused(self):
        self.chain()
        self.write("universe", lines(self.keys))
        self.crivo("build", "exact", "--members", "keys", "--universe", "universe", "-o", "set.crv")
        self.crivo("apply", "set.crv", "one.crv", "-o", "new.crv", code=4)
        self.crivo("apply", "chain.crv", "one.crv", code=4)
        self.crivo("diff", "set.crv", "--added", "keys", "-o", "new.crv", code=2)
        self.crivo("diff", "chain.crv", "--members", "keys", "--universe", "universe", "-o", "new.crv", code=2)
        self.add("base.crv", 5, "new.crv", "--strict", code=2)
        self.add("base.crv", 5, "new.crv", "--fpr", "0", code=2)
        self.add("one.crv", 5, "new.crv", code=2)
        self.write("added", b"a\na\n")
        self.crivo("diff", "base.crv", "--added", "added", "-o", "new.crv", code=3)
        self.assertFalse((self.dir / "new.crv").exists())
        self.crivo("filter", "add", "chain.crv", "keys", code=2)
        self.crivo("query", "one.crv", "keys", code=2)

    def test_same_bytes_from_any_order_threads_and_pipes(self):
        self.add("base.crv", 6000, "one.crv")
        first = (self.dir / "one.crv").read_bytes()
        self.write("added", lines(self.keys[::-1]))
        self.crivo("diff", "base.crv", "--added", "added", "-o", "one.crv", "-f", "--threads", "1", "--memory", "16M")
        self.assertEqual((self.dir / "one.crv").read_bytes(), first)
        self.crivo("diff", "base.crv", "--added", "-", "-o", "one.crv", "-f", stdin=lines(self.keys))
        self.assertEqual((self.dir / "one.crv").read_bytes(), first)

    def test_every_type_can_be_a_base(self):
        self.crivo("build", "filter", "keys", "-o", "other.crv", "--type", "split-block-bloom")
        self.assertIn("another hash", self.add("other.crv", 5, "one.crv", code=2).err.decode())
        for kind in ("fuse", "bloom", "counting-bloom", "cuckoo", "hash-compaction"):
            with self.subTest(kind):
                self.crivo("build", "filter", "keys", "-o", "base.crv", "--type", kind, "-f")
                self.add("base.crv", 3000, "one.crv", "-f")
                self.crivo("apply", "base.crv", "one.crv", "-o", "chain.crv", "-f")
                self.assertEqual(set(self.query("chain.crv", self.keys[:3000])), {b"maybe"})
                self.assertLess(self.query("chain.crv", self.others).count(b"maybe"), 230)
