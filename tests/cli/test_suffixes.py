# SPDX-License-Identifier: Apache-2.0
"""`query --suffixes`: a host is asked for with the domains above it."""

from harness import CrivoTest, lines

DOMAINS = [b"bad.example", b"ads.shop.example", b"tracker"]
# Each host with the longest of its suffixes that is in DOMAINS.
HOSTS = {
    b"bad.example": b"bad.example",
    b"www.bad.example": b"bad.example",
    b"a.b.ads.shop.example": b"ads.shop.example",
    b"x.tracker": b"tracker",
    b"example": None,
    b"shop.example": None,
    b"notbad.example": None,  # no border of a label
    b"bad.example.": None,  # ends with a delimiter: nothing stands behind it
    b"bad.example.org": None,
    b"..tracker": b"tracker",
    b"": None,
}


class SuffixTest(CrivoTest):
    def assert_found(self, path, answers, absent):
        """`answers` has the answer for each of DOMAINS."""
        found = [absent if suffix is None else answers[suffix] for suffix in HOSTS.values()]
        self.assertEqual(self.query(path, list(HOSTS), "--suffixes", "."), found)
        rows = self.crivo("query", path, "-", "--suffixes", ".", "--json", stdin=lines(HOSTS)).json_lines()
        self.assertEqual([row["key"].encode() for row in rows], list(HOSTS))
        self.assertEqual([row["found"] for row in rows], [suffix is not None for suffix in HOSTS.values()])
        suffixes = [row.get("suffix") for row in rows]
        self.assertEqual([text if text is None else text.encode() for text in suffixes], list(HOSTS.values()))

    def test_kinds(self):
        ids = {domain: b"%d" % i for i, domain in enumerate(sorted(DOMAINS))}
        built = {
            "filter": (("--bits", "32"), dict.fromkeys(DOMAINS, b"maybe")),
            "map": (("--signature", "32"), {domain: b"%d" % i for i, domain in enumerate(DOMAINS)}),
            "store": ((), {domain: b"record of " + domain for domain in DOMAINS}),
            "dictionary": ((), ids),
        }
        self.write("pairs", b"".join(b"%s\trecord of %s\n" % (domain, domain) for domain in DOMAINS))
        self.write("domains", lines(DOMAINS))
        for kind, (options, answers) in built.items():
            with self.subTest(kind=kind):
                self.crivo("build", kind, "pairs" if kind == "store" else "domains", "-o", f"a.{kind}", *options)
                self.assert_found(f"a.{kind}", answers, b"-")

    def test_exact_sets(self):
        universe = {host[i:] for host in HOSTS for i in range(len(host)) if i == 0 or host[i - 1 : i] == b"."}
        self.write("universe", lines(sorted(universe - {b""})))
        self.write("domains", lines(DOMAINS))
        self.crivo("build", "exact", "--members", "domains", "--universe", "universe", "-o", "plain.crv")
        self.assert_found("plain.crv", dict.fromkeys(DOMAINS, b"member"), b"other")
        # In groups each suffix is asked for in the group of its key.
        self.write("in-groups", b"".join(b"%s\t%s\n" % (name, key) for name in (b"one", b"two.net") for key in sorted(universe) if key))
        self.write("in-one", b"".join(b"one\t%s\n" % domain for domain in DOMAINS))
        made = ("--members", "in-one", "--universe", "in-groups", "--group", "1", "-o", "grouped.crv")
        self.crivo("build", "exact", *made)
        for group, member in ((b"one", b"member"), (b"two.net", b"other"), (b"three", b"outside")):
            rest = b"outside" if group == b"three" else b"other"
            asked = [b"%s\t%s" % (group, host) for host in HOSTS if host]
            expected = [rest if suffix is None else member for host, suffix in HOSTS.items() if host]
            self.assertEqual(self.query("grouped.crv", asked, "--suffixes", "."), expected)
        line = self.crivo("query", "grouped.crv", "-k", "one\\tx.tracker", "-k", "one\tx.tracker", "--suffixes", ".", "--json")
        self.assertEqual([row.get("suffix") for row in line.json_lines()][1], "tracker")

    def test_many_at_once(self):
        """More than a batch, in the order of the input, of which some are printed."""
        self.write("domains", lines(b"d%d.example" % i for i in range(0, 5000, 2)))
        self.crivo("build", "filter", "domains", "-o", "f.crv", "--bits", "32")
        hosts = [b"www.x.d%d.example" % i for i in range(5000)]
        present = self.crivo("query", "f.crv", "-", "--suffixes", ".", "--present", stdin=lines(hosts)).out
        self.assertEqual(present, b"".join(b"%s\tmaybe\n" % host for host in hosts[::2]))

    def test_refused(self):
        self.write("domains", lines(DOMAINS))
        self.crivo("build", "mphf", "domains", "-o", "m.crv")
        refused = self.crivo("query", "m.crv", "-k", "x", "--suffixes", ".", code=2).err
        self.assertIn(b"m.crv: finds any suffix, since it has no signatures", refused)
        self.crivo("build", "filter", "domains", "-o", "f.crv")
        many = self.crivo("query", "f.crv", "-", "--suffixes", ".", stdin=b"a\nb\n" + b"." * 10000 + b"\nc\n", code=3)
        self.assertIn(b"(standard input):3: a key of 10000 bytes has too many labels: its suffixes have over 16 MiB together", many.err)
        self.assertEqual(many.out, b"a\t-\nb\t-\n")
        self.crivo("query", "m.crv", "-k", "x", "--suffixes", "", code=2)
        self.crivo("query", "m.crv", "-k", "x", "--suffixes", "..", code=2)
