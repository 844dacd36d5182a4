# SPDX-License-Identifier: Apache-2.0
"""`query --rules psl`: the rule of a public-suffix list for a host, as publicsuffix.org defines it."""

import ctypes
import ctypes.util
import os
import unittest

from harness import CrivoTest, lines, urls

LIST = "/usr/share/publicsuffix/public_suffix_list.dat"
RULES = [b"com", b"uk", b"co.uk", b"ck", b"*.ck", b"!www.ck", b"*.compute.example.com", b"example.com"]
# Each host with its rule, public suffix and registrable domain.
HOSTS = {
    b"com": (b"com", b"com", b""),
    b"a.com": (b"com", b"com", b"a.com"),
    b"x.y.a.com": (b"com", b"com", b"a.com"),
    b"shop.co.uk": (b"co.uk", b"co.uk", b"shop.co.uk"),
    b"a.shop.uk": (b"uk", b"uk", b"shop.uk"),
    b"ck": (b"ck", b"ck", b""),
    b"b.ck": (b"*.ck", b"b.ck", b""),
    b"a.b.ck": (b"*.ck", b"b.ck", b"a.b.ck"),
    b"www.ck": (b"!www.ck", b"ck", b"www.ck"),
    b"a.www.ck": (b"!www.ck", b"ck", b"www.ck"),
    b"compute.example.com": (b"example.com", b"example.com", b"compute.example.com"),
    b"eu.compute.example.com": (b"*.compute.example.com", b"eu.compute.example.com", b""),
    b"a.b.eu.compute.example.com": (b"*.compute.example.com", b"eu.compute.example.com", b"b.eu.compute.example.com"),
    b"org": None,
    b"a.org": None,
    b"": None,
    b"a." * 126 + b"com": None,  # longer than a host's name
    b"." * 5000: None,
}


def rules_of_list():
    """Lines of the list that are rules, without those that are not ASCII."""
    with open(LIST, "rb") as file:
        stripped = [line.split()[0] for line in file if line.strip() and not line.startswith(b"//")]
    return [rule for rule in stripped if rule.isascii()]


class RulesTest(CrivoTest):
    def test_kinds(self):
        self.write("rules", lines(RULES))
        self.write("pairs", b"".join(b"%s\trule %s\n" % (rule, rule) for rule in RULES))
        rank = {rule: b"%d" % i for i, rule in enumerate(sorted(RULES))}
        built = {
            "map": (("--signature", "32"), {rule: b"%d" % i for i, rule in enumerate(RULES)}),
            "dictionary": ((), rank),
            "filter": (("--bits", "32"), dict.fromkeys(RULES, b"maybe")),
            "store": ((), {rule: b"rule " + rule for rule in RULES}),
        }
        for kind, (options, answers) in built.items():
            with self.subTest(kind):
                self.crivo("build", kind, "pairs" if kind == "store" else "rules", "-o", f"a.{kind}", *options)
                expected = [answers[found[0]] if found else b"-" for found in HOSTS.values()]
                self.assertEqual(self.query(f"a.{kind}", list(HOSTS), "--rules", "psl"), expected)
                rows = self.crivo("query", f"a.{kind}", "-", "--rules", "psl", "--json", stdin=lines(HOSTS)).json_lines()
                said = [tuple(row[name].encode() for name in ("rule", "suffix", "domain")) if row["found"] else None for row in rows]
                self.assertEqual(said, list(HOSTS.values()))

    def test_refusals(self):
        self.write("rules", lines(RULES))
        self.crivo("build", "mphf", "rules", "-o", "m.crv")
        self.assertIn(b"finds any rule", self.crivo("query", "m.crv", "-k", "a.com", "--rules", "psl", code=2).err)
        self.crivo("query", "m.crv", "-k", "a.com", "--rules", "other", code=2)
        self.crivo("query", "m.crv", "-k", "a.com", "--rules", "psl", "--suffixes", ".", code=2)

    def test_as_libpsl(self):
        """Every rule of the list, hosts under and above it, and hosts of URLs."""
        name = ctypes.util.find_library("psl")
        if name is None or not os.path.exists(LIST):
            raise unittest.SkipTest("libpsl5 and publicsuffix are not installed")
        psl = ctypes.CDLL(name)
        psl.psl_load_file.restype = ctypes.c_void_p
        for function in (psl.psl_unregistrable_domain, psl.psl_registrable_domain):
            function.restype = ctypes.c_char_p
            function.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
        loaded = psl.psl_load_file(LIST.encode())
        rules = rules_of_list()
        listed = set(rules)
        self.write("rules", lines(sorted(listed)))
        self.crivo("build", "dictionary", "rules", "-o", "d.crv")
        hosts = {url.split(b"/")[2] for url in urls(2000)}
        for rule in rules:
            plain = rule.lstrip(b"!*").lstrip(b".")
            hosts.update({plain, b"a." + plain, b"c.b.a." + plain, b"www." + plain})
        # libpsl takes the parent of a wildcard for a suffix, too, which the list's definition does not.
        hosts = sorted(host for host in hosts if b"xn--" not in host and b"*." + host not in listed)
        rows = self.crivo("query", "d.crv", "-", "--rules", "psl", "--json", stdin=lines(hosts)).json_lines()
        told = 0
        for host, row in zip(hosts, rows, strict=True):
            if not row["found"]:
                continue  # libpsl takes the last label then
            told += 1
            expected = [function(loaded, host) or b"" for function in (psl.psl_unregistrable_domain, psl.psl_registrable_domain)]
            self.assertEqual([row["suffix"].encode(), row["domain"].encode()], expected, host)
        self.assertGreater(told, 2 * len(rules))
