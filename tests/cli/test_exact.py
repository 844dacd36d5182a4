# SPDX-License-Identifier: Apache-2.0
"""Exact sets: built, asked and verified by the program."""

from harness import CrivoTest, gzipped, lines, urls


def of_groups(keys):
    """Lines group TAB key, of seven groups."""
    return [b"group%d\t%s" % (i % 7, key) for i, key in enumerate(keys)]


class ExactTest(CrivoTest):
    def setUp(self):
        super().setUp()
        self.keys = urls(7000)
        self.members = self.keys[3::50]
        self.write("universe", lines(self.keys))
        self.write("members", lines(self.members))

    def build_exact(self, *options, members="members", universe="universe", out="set.crv", **run_options):
        self.crivo(
            "build", "exact", "--members", members, "--universe", universe, "-o", out, *options, **run_options
        )
        return self.dir / out

    def assert_exact(self, path, keys, members):
        members = set(members)
        self.assertEqual(self.query(path, keys), [b"member" if key in members else b"other" for key in keys])

    def test_answers_every_key_of_the_universe(self):
        path = self.build_exact()
        self.assert_exact(path, self.keys, self.members)
        info = self.info(path)
        self.assertEqual((info["kind"], info["keys"]), ("exact", len(self.members)))
        self.assertEqual(info["parameters"]["universe"], len(self.keys))
        rows = self.crivo("query", path, "members", "--json").json_lines()
        self.assertEqual({(row["found"], row["answer"]) for row in rows}, {(True, "member")})
        present = self.crivo("query", path, "universe", "--present").out
        self.assertEqual(present, b"".join(b"%s\tmember\n" % key for key in self.members))
        self.crivo("verify", path, "--keys", "members", "--universe", "universe")
        self.crivo("verify", path, "--keys", "universe", code=1)
        self.write("fewer", lines(self.members[:-1]))
        self.crivo("verify", path, "--keys", "fewer", code=1)
        bench = self.crivo("bench", path, "--keys", "members", "--absent", "universe", "--json").json()
        self.assertEqual(bench["keys"], len(self.members))

    def test_groups(self):
        pairs = of_groups(self.keys)
        members = [pair for i, pair in enumerate(pairs) if i % 7 == 0 or (i % 7 > 1 and i % 50 == 3)]
        self.write("pairs", lines(pairs))
        self.write("revoked", lines(members))
        path = self.build_exact("--group", "1", members="revoked", universe="pairs")
        self.assert_exact(path, pairs, members)
        self.assertEqual(self.query(path, [b"none\tkey", b"no TAB"]), [b"outside"] * 2)
        self.crivo("verify", path, "--keys", "revoked", "--universe", "pairs", "--group", "1")
        first = path.read_bytes()
        # The same from other columns, in another order, from pipes, with less memory.
        turned = [b",".join(reversed(pair.split(b"\t"))) for pair in reversed(pairs)]
        self.write("turned", lines(turned))
        self.write("revoked-turned", lines(b",".join(reversed(pair.split(b"\t"))) for pair in members))
        self.build_exact("--group", "2", "--csv", members="revoked-turned", universe="turned", out="other.crv")
        self.assertEqual((self.dir / "other.crv").read_bytes(), first)
        self.build_exact("--group", "1", "--threads", "1", "--memory", "10M", "-f", members="revoked", universe="-",
                         stdin=gzipped(lines(pairs)))
        self.assertEqual(path.read_bytes(), first)
        slashed = [pair.replace(b"\t", b"|", 1) for pair in pairs]
        self.write("slashed", lines(slashed))
        self.write("revoked-slashed", lines(pair.replace(b"\t", b"|", 1) for pair in members))
        self.build_exact("--group-delimiter", "|", "-f", members="revoked-slashed", universe="slashed")
        self.assertEqual(path.read_bytes(), first)
        asked = self.crivo("query", path, "slashed", "--group-delimiter", "|", "--present").out
        self.assertEqual(asked.count(b"\tmember\n"), len(members))
        self.crivo("query", path, "slashed", "--group-delimiter", "||", code=2)

    def test_keys_that_are_called_as_groups(self):
        """One pair of the same two texts is a member, the other is none, and so is each text in itself."""
        pairs = {(i, j): b"%s\t%s" % (a, b) for i, a in enumerate(self.keys[:30]) for j, b in enumerate(self.keys[:30])}
        members = [pair for (i, j), pair in pairs.items() if i <= j]
        self.write("pairs", lines(pairs.values()))
        self.write("revoked", lines(members))
        path = self.build_exact("--group", "1", members="revoked", universe="pairs")
        self.assert_exact(path, list(pairs.values()), members)

    def test_forms_of_keys(self):
        for name, options, join in (("null", ("--null",), lambda keys: b"".join(key + b"\0" for key in keys)),
                                    ("fixed", ("--fixed", "8"), lambda keys: b"".join(key[:8] for key in keys))):
            with self.subTest(name):
                keys = [b"%08d" % i for i in range(3000)]
                self.write("all", join(keys))
                self.write("some", join(keys[:100]))
                path = self.build_exact(*options, "-f", members="some", universe="all")
                self.assert_exact(path, keys, keys[:100])

    def test_keys_outside(self):
        path = self.build_exact("--fpr", "0.001")
        info = self.info(path)
        self.assertLessEqual(info["fpr"], 0.001)
        outside = urls(3000, salt=9)
        self.assertLess(self.query(path, outside).count(b"member"), 20)
        self.assert_exact(path, self.keys, self.members)

    def test_filter_that_refuses_some_keys(self):
        others = [key for key in self.keys if key not in set(self.members)]
        self.write("others", lines(others))
        said = self.crivo("build", "filter", "members", "--not", "others", "-o", "set.crv", "--fpr", "0.001")
        self.assertNotIn(b"not in the universe", said.err)
        path = self.dir / "set.crv"
        self.assertEqual(self.info(path)["kind"], "exact")
        self.assert_exact(path, self.keys, self.members)
        self.assertLess(self.query(path, urls(3000, salt=9)).count(b"member"), 20)
        self.build_exact("--fpr", "0.001", out="same.crv")
        self.assertEqual((self.dir / "same.crv").read_bytes(), path.read_bytes())
        self.write("mixed", lines([*others[:50], *self.members[:3]]))
        said = self.crivo("build", "filter", "members", "--not", "mixed", "-o", "set.crv", "-f").err
        self.assertIn(b'warning: --not: 3 keys of mixed are in KEYS, too; what both have is "member"\n', said)
        self.crivo("build", "filter", "members", "--not", "others", "-o", "x", "--type", "bloom", code=2)
        self.crivo("build", "filter", "-", "--not", "others", "-o", "x", stdin=b"key\n", code=2)

    def test_epochs(self):
        path = self.build_exact("--covers", "log=10:20,other=5:5")
        for at, answer in (("log=10", b"member"), ("log=20", b"member"), ("log=21", b"outside")):
            said = self.crivo("query", path, "--at", at, "members").out.split(b"\n")[0]
            self.assertEqual(said.split(b"\t")[-1], answer)
        self.crivo("query", path, "--at", "log", "members", code=2)
        error = self.crivo("query", path, "--at", "lgo=10", "members", code=2).err
        self.assertIn(b'--at: "lgo" is no epoch of the set, which covers log=10:20, other=5:5\n', error)
        self.crivo("build", "exact", "--members", "members", "--universe", "universe", "-o", "x", "--covers", "a=2:1", code=2)

    def test_members_that_the_universe_lacks(self):
        self.write("more", lines([*self.members, b"elsewhere"]))
        said = self.crivo("build", "exact", "--members", "more", "--universe", "universe", "-o", "x.crv")
        self.assertIn(b"more: 1 member is not in the universe", said.err)
        self.assertEqual(self.query(self.dir / "x.crv", [b"elsewhere"]), [b"member"])
        self.crivo("build", "exact", "--members", "more", "--universe", "universe", "-o", "y.crv", "--strict", code=3)
        self.assertFalse((self.dir / "y.crv").exists())

    def test_refused(self):
        self.write("twice", lines([self.keys[0], self.keys[0]]))
        error = self.crivo("build", "exact", "--members", "twice", "--universe", "universe", "-o", "x", code=3).err
        self.assertIn(b"twice:2: ", error)
        self.crivo("build", "exact", "--members", "members", "-o", "x", code=2)
        self.write("bad", b"group\tkey\nno tab\n")
        error = self.crivo("build", "exact", "--members", "bad", "--universe", "bad", "--group", "1", "-o", "x", code=3).err
        self.assertIn(b"bad:2: ", error)
        self.crivo("build", "exact", "--members", "members", "--universe", "universe", "-o", "universe", "-f", code=2)

    def test_estimate(self):
        path = self.build_exact()
        estimate = self.crivo(
            "build", "exact", "--members", "members", "--universe", "universe", "-o", "x", "--dry-run", "--json"
        ).json()
        self.assertEqual(estimate["keys"], len(self.members))
        self.assertAlmostEqual(estimate["output_bytes"], path.stat().st_size, delta=4500)


