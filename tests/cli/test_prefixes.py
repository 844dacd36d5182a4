# SPDX-License-Identifier: Apache-2.0
"""`build filter --prefixes`: a query tells whether anything lies under a prefix."""

from harness import CrivoTest, lines

PATHS = [b"/usr/lib/x/a.so", b"/usr/lib/x/b.so", b"/usr/share", b"/", b"etc/", b"plain", b"a//b"]
# What is asked, and whether it is a path or something lies under it.
ASKED = {
    b"/usr": True,
    b"/usr/": True,
    b"/usr/lib": True,
    b"/usr/lib/x/": True,
    b"/usr/lib/x/a.so": True,
    b"/usr/lib/x/a": False,
    b"/usr/l": False,
    b"/usr/share": True,
    b"/usr/share/": True,
    b"/": True,
    b"etc": True,
    b"etc/": True,
    b"et": False,
    b"plain": True,
    b"plai": False,
    b"a": True,
    b"a/": True,
    b"a//": True,
    b"a//b": True,
    b"a/b": False,
    b"": False,
}
SMALL = ("--fpr", "1/1000000000")


class PrefixTest(CrivoTest):
    def setUp(self):
        super().setUp()
        self.write("paths", lines(PATHS))

    def test_answers(self):
        expected = [b"maybe" if found else b"-" for found in ASKED.values()]
        for type in ("ribbon", "fuse", "bloom", "cuckoo"):
            with self.subTest(type):
                less = SMALL if type == "ribbon" else ("--fpr", "1e-6")
                self.crivo("build", "filter", "paths", "-o", "f.crv", "-f", "--prefixes", "/", "--type", type, *less)
                self.assertEqual(self.query("f.crv", list(ASKED)), expected)
        self.assertEqual(self.crivo("query", "f.crv", "-k", "/usr/lib/", "--raw").out, b"/usr/lib/\t-\n")
        self.crivo("verify", "f.crv", "--keys", "paths")

    def test_distinct_prefixes_are_kept(self):
        self.crivo("build", "filter", "paths", "-o", "f.crv", "--prefixes", "/", *SMALL)
        prefixes = {path[:at] for path in PATHS for at in range(1, len(path)) if path[at : at + 1] == b"/"}
        self.assertEqual(self.info("f.crv")["keys"], len(prefixes | set(PATHS)))
        # The same bytes as of a filter whose keys they are, but for what the file says of itself; in any order and way.
        summaries = []
        for name, order in (("a", PATHS), ("b", PATHS[::-1] + PATHS[:2])):
            self.write(name, lines(order))
            for threads in (1, 3):
                self.crivo("build", "filter", name, "-o", "x", "-f", "--prefixes", "/", *SMALL, "--threads", threads)
                summaries.append((self.dir / "x").read_bytes())
        self.assertEqual(len(set(summaries)), 1)
        self.crivo("reproduce", "x", "a")

    def test_shards(self):
        paths = [b"/%d/%d/%d" % (i % 7, i % 300, i) for i in range(20_000)]
        self.write("many", lines(paths))
        self.crivo("build", "filter", "many", "-o", "whole", "--prefixes", "/", "--quiet")
        self.crivo("build", "filter", "many", "-o", "resumed", "--prefixes", "/", "--quiet", "--resume", "go", "--memory", "16M")
        self.assertEqual((self.dir / "whole").read_bytes(), (self.dir / "resumed").read_bytes())
        for part in range(2):
            self.crivo("partition", "many", "--part", f"{part}/2", "--shards", 2, "--prefixes", "/", "-o", "dealt", "--quiet")
        self.crivo("partition", "--finish", "dealt", "--quiet")
        for shard in range(2):
            self.crivo("build", "filter", "dealt", "--shard", f"{shard}/2", "-o", f"p{shard}", "--prefixes", "/", "--quiet")
        self.crivo("merge", "p0", "p1", "-o", "merged", "--quiet")
        self.assertEqual((self.dir / "whole").read_bytes(), (self.dir / "merged").read_bytes())
        self.crivo("build", "filter", "dealt", "--shard", "0/2", "-o", "x", code=2)
        self.crivo("manifest", "p0", "p1", "-o", "served", "--quiet")
        asked = [b"/3/", b"/3/5/", b"/8/"]
        self.assertEqual(self.query("served", asked), self.query("whole", asked))

    def test_changes(self):
        """What is added has its prefixes, too; none can be taken away; those at other delimiters are no set together."""
        self.write("more", lines([b"/var/log/a"]))
        asked = [b"/var/", b"/var/log", b"/var/log/a", b"/var/l", b"/usr/"]
        maybe = [b"maybe", b"maybe", b"maybe", b"-", b"maybe"]
        for type in ("bloom", "cuckoo"):
            options = ("--type", type, "--capacity", 1000, "--fpr", "1e-6", "--quiet", "-f")
            self.crivo("build", "filter", "paths", "-o", f"{type}.crv", "--prefixes", "/", *options)
            self.crivo("filter", "add", f"{type}.crv", "more", "--quiet")
            self.assertEqual(self.query(f"{type}.crv", asked), maybe)
        self.assertIn(b"prefixes", self.crivo("filter", "remove", "cuckoo.crv", "more", code=2).err)
        options = ("--type", "bloom", "--capacity", 1000, "--fpr", "1e-6", "--quiet")
        self.crivo("build", "filter", "paths", "-o", "plain.crv", *options)
        self.crivo("build", "filter", "more", "-o", "more.crv", "--prefixes", "/", *options)
        self.assertIn(b"prefixes", self.crivo("filter", "union", "more.crv", "plain.crv", "-o", "x", code=2).err)
        self.crivo("filter", "union", "more.crv", "bloom.crv", "-o", "all.crv", "--quiet")
        self.assertEqual(self.query("all.crv", asked), maybe)
        self.crivo("build", "filter", "paths", "-o", "base.crv", "--prefixes", "/", *SMALL, "--quiet")
        self.crivo("diff", "base.crv", "--added", "more", "-o", "delta.crv", "--quiet")
        self.crivo("apply", "base.crv", "delta.crv", "-o", "chain.crv", "--quiet")
        self.assertEqual(self.query("chain.crv", asked), maybe)

    def test_refusals(self):
        build = ("build", "filter", "paths", "-o", "x")
        self.write("slashes", b"a/b\n" + b"/" * 10000 + b"\n")
        many = self.crivo("build", "filter", "slashes", "-o", "x", "--prefixes", "/", code=3).err
        self.assertIn(b"slashes:2: the key has too many prefixes: they have over 16 MiB together", many)
        self.assertIn(b"not one character", self.crivo(*build, "--prefixes", "ab", code=2).err)
        self.assertIn(b"prefixes", self.crivo(*build, "--prefixes", "/", "--type", "range", code=2).err)
        counting = ("--type", "counting-bloom", "--duplicates", "count")
        self.assertIn(b"count", self.crivo(*build, "--prefixes", "/", *counting, code=2).err)
