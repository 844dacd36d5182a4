# SPDX-License-Identifier: Apache-2.0
"""crivo-bench: Crivo and its peers in one table."""

import contextlib
import csv
import fcntl
import importlib.machinery
import importlib.util
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import termios
import xml.etree.ElementTree

from harness import BIN, CRIVO, CrivoTest

PEER = os.path.join(BIN, "sorted_peer.so")
BUILT = ("bits_per_key", "build_cpu_ns", "build_wall_ns")
LOOPS = ("lookup_ns", "dependent_ns", "absent_ns")
SVG = "{http://www.w3.org/2000/svg}"


class BenchTest(CrivoTest):
    program = os.path.join(BIN, "crivo-bench")

    def methods(self, *args):
        """The methods of a run by name, from its JSON; and its table."""
        out = self.crivo(*args, "--repeat", 1, "--json", "r.json", "--quiet").out.decode()
        report = json.loads((self.dir / "r.json").read_text())
        return {method["name"]: method for method in report["methods"]}, out


class Methods(BenchTest):
    def test_every_method_of_every_kind_of_keys(self):
        listed = [line.split("\t") for line in self.crivo("--list").out.decode().splitlines()]
        self.assertEqual({library for _, library in listed}, {"Crivo", "CMPH", "marisa"})
        for name in ("Crivo fast", "Crivo compact", "CHD", "BDZ", "BMZ", "CHM", "BRZ", "FCH", "marisa-trie"):
            self.assertIn(name, [name for name, _ in listed])
        for kind in ("ints", "words", "urls"):
            with self.subTest(kind):
                found, table = self.methods(kind, "-n", 1000)
                self.assertEqual([[name, found[name]["library"]] for name in found], listed)
                self.assertTrue({"Crivo fast hashed", "Crivo compact hashed"} <= set(found))
                for name, method in found.items():
                    if kind != "ints" and name.endswith(" hashed"):
                        self.assertEqual(method["failure"], "texts are no hashes")
                        continue
                    self.assertNotIn("failure", method)
                    for field in BUILT + LOOPS:
                        self.assertGreater(method[field], 0, f"{name}: {field}")
                    self.assertEqual(method["library"] == "Crivo", "batch_ns" in method)
                    self.assertIn(f"\n{name} ", table)
                    self.assertIn(f" {method['bits_per_key']:.3f} ", table)

    def test_report(self):
        found, table = self.methods(
            "words", "-n", 20000, "--lookups", 5000, "--methods", "crivo*,CHD", "--threads", 2, "--builds", 2
        )
        report = json.loads((self.dir / "r.json").read_text())
        expected = {"schema": 1, "keys": 20000, "kind": "words", "seed": 0, "lookups": 5000}
        expected |= {"threads": 2, "builds": 2, "repeat": 1}
        self.assertEqual({name: report[name] for name in expected}, expected)
        self.assertTrue(3 < report["key_bytes"] < 12)
        self.assertGreater(found["Crivo fast"]["peak_bytes_per_key"], 1)
        self.assertGreater(found["Crivo fast"]["build_from_hashes_cpu_ns"], 0)
        self.assertLess(found["Crivo compact"]["bits_per_key"], found["CHD"]["bits_per_key"])
        self.assertTrue(table.startswith("20,000 words of "), table)

    def test_ratios(self):
        found, table = self.methods("-n", 2000, "--methods", "CHD,BDZ", "--baseline", "CHD")
        rows = {line.split()[0]: line.split("|")[1].split() for line in table.splitlines() if line[:3] in ("CHD", "BDZ")}
        self.assertEqual(set(rows["CHD"]), {"1.00", "-"})
        for column, field in ((0, "bits_per_key"), (1, "build_cpu_ns"), (3, "lookup_ns"), (4, "dependent_ns")):
            ratio = found["BDZ"][field] / found["CHD"][field]
            self.assertAlmostEqual(float(rows["BDZ"][column]), ratio, places=2)

    def test_forms_of_the_table(self):
        run = ("-n", 1000, "--methods", "CHD,BDZ", "--baseline", "CHD", "--repeat", 1, "--quiet", "--table")
        heading, _, *rows = [line for line in self.crivo(*run, "markdown").out.decode().splitlines() if line[:1] == "|"]
        columns = heading.count("|")
        self.assertEqual([row.count("|") for row in rows], [columns] * 2)
        self.assertIn("| lookup ns: one |", heading)
        names, *lines = csv.reader(self.crivo(*run, "csv").out.decode().splitlines())
        self.assertEqual([line[0] for line in lines], ["CHD", "BDZ"])
        self.assertEqual([len(line) for line in lines], [len(names)] * 2)
        self.assertEqual(lines[0][names.index("ratio: bits")], "1.00")

    def test_fits_the_terminal(self):
        run = [self.program, "-n", "1000", "--methods", "CHD,BDZ", "--baseline", "CHD", "--repeat", "1", "--quiet"]
        for columns, tables in ((70, 3), (1000, 1)):
            with self.subTest(columns):
                terminal, theirs = os.openpty()
                fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 40, columns, 0, 0))
                subprocess.run(run, cwd=self.dir, stdout=theirs, check=True)
                os.close(theirs)
                told = b""
                with contextlib.suppress(OSError):  # as a terminal ends
                    while some := os.read(terminal, 1 << 16):
                        told += some
                os.close(terminal)
                lines = told.decode().splitlines()[1:]
                self.assertEqual(sum(line.startswith("method ") for line in lines), tables)
                self.assertLessEqual(max(map(len, lines)), columns)

    def test_builds_are_warmed_up_and_rotated(self):
        said = self.crivo("-n", 1000, "--methods", "CHD,BDZ,BMZ", "--repeat", 1, "--builds", 3).err.decode().splitlines()
        names = ["CHD", "BDZ", "BMZ"]
        builds = [f"crivo-bench: build {names[(i + round) % 3]}" for round in range(3) for i in range(3)]
        self.assertEqual(said[1:11], ["crivo-bench: warm up"] + builds)

    def test_progress(self):
        result = self.crivo("-n", 1000, "--methods", "BDZ", "--repeat", 2)
        self.assertIn(b"crivo-bench: build BDZ\n", result.err)
        self.assertIn(b"crivo-bench: lookups, round 2 of 2\n", result.err)


class Filters(BenchTest):
    ROCKSDB = ["RocksDB Ribbon in a table", "RocksDB Bloom in a table"]

    def filters(self, *args):
        return self.methods("--kind", "filter", "--lookups", 50000, *args)

    def test_every_type_at_its_rate(self):
        types = [type for type in self.filter_types() if type != "range"]  # asked for numbers and ranges, as no peer is
        for kind, fpr in (("ints", 0.01), ("words", 1 / 256)):
            with self.subTest(kind):
                found, table = self.filters(kind, "-n", 20000, "--fpr", fpr)
                for type in types:
                    self.assertIn(f"Crivo {type}", found)
                    self.assertIn(f"Crivo {type} hashed", found)
                for name, method in found.items():
                    if kind == "words" and name.endswith(" hashed"):
                        self.assertEqual(method["failure"], "texts are no hashes")
                        continue
                    self.assertNotIn("failure", method)
                    for field in BUILT + LOOPS:
                        self.assertGreater(method[field], 0, f"{name}: {field}")
                    crivo = method["library"] == "Crivo"
                    self.assertEqual([crivo, crivo], [field in method for field in ("batch_ns", "absent_batch_ns")])
                    # Over 50,000 keys; RocksDB's Bloom filter is a little above what was asked.
                    sigma = math.sqrt(fpr / 50000)
                    self.assertLess(method["fpr"], fpr * 1.1 + 4 * sigma, name)
                    overhead = method["bits_per_key"] / math.log2(1 / method["fpr"])
                    self.assertAlmostEqual(method["overhead"], overhead, places=6)
                    self.assertRegex(table, f"(?m)^{name} .* {overhead:.3f} ")

    def test_absent_packages_leave_rows_out(self):
        listed = [line.split("\t")[0] for line in self.crivo("--kind", "filter", "--list").out.decode().splitlines()]
        self.assertIn([name for name in listed if name.startswith("RocksDB")], (self.ROCKSDB, []))

    def filter_types(self):
        """Those that `crivo build filter` has, from its message about one that there is not."""
        self.write("keys", b"a\n")
        command = (CRIVO, "build", "filter", "keys", "-o", "f.crv", "--type", "nonesuch")
        said = subprocess.run(command, cwd=self.dir, capture_output=True, text=True, check=False).stderr
        names = re.search(r'"nonesuch" is not (.*) or (\S+) ', said)
        return names[1].split(", ") + [names[2]]

    def test_a_peer_and_its_faults(self):
        found, table = self.filters("-n", 20000, "--peer", PEER, "--methods", "sorted_peer", "--fpr", 0.3)
        failures = {name: method["failure"] for name, method in found.items() if "failure" in method}
        expected = {
            "forgets": "wrong: a key of the set is not in the filter",
            "says 2": "wrong: neither 0 nor 1",
            "other absent batch": "wrong: the batch lookup finds other answers",
        }
        self.assertEqual(failures, expected)
        self.assertNotIn("fpr", found["sorted array"])  # none of the absent keys is in it
        self.assertNotIn("overhead", found["sorted array"])
        self.assertGreater(found["sorted array"]["absent_batch_ns"], 0)
        quarter = found["a quarter"]
        self.assertAlmostEqual(quarter["fpr"], 0.25, delta=0.01)
        self.assertAlmostEqual(quarter["overhead"], 3 / math.log2(1 / quarter["fpr"]), places=6)
        self.assertRegex(table, f"(?m)^a quarter +3.000 +{100 * quarter['fpr']:.1f} +{quarter['overhead']:.3f} ")
        self.assertIn("; rate at most 30.0 %; ", table)
        report = json.loads((self.dir / "r.json").read_text())
        self.assertEqual((report["structure"], report["fpr"], report["lookups"]), ("filter", 0.3, 20000))

        found, _ = self.filters("-n", 2000, "--peer", PEER, "--methods", "a quarter", "--fpr", 0.1)
        self.assertEqual(found["a quarter"]["failure"], "no rate below a quarter")

    def test_plots(self):
        self.filters("-n", 5000, "--peer", PEER, "--methods", "Crivo,a quarter", "--fpr", 0.3, "--svg", "plot")
        root = xml.etree.ElementTree.parse(self.dir / "plot-lookup.svg").getroot()
        self.assertIn("space above log2(1 / rate), %", [text.text for text in root.iter(SVG + "text")])


class Maps(BenchTest):
    ROWS = {"Crivo ribbon", "Crivo fuse", "Crivo fuse 3-wise", "Crivo MPHF + array", "CHM + array", "marisa-trie + array"}

    def test_every_method(self):
        for kind in ("ints", "urls"):
            for bits in (1, 24, 63):
                with self.subTest(f"{kind}, {bits} bits"):
                    found, table = self.methods(kind, "-n", 3000, "--kind", "map", "--value-bits", bits)
                    self.assertLessEqual(self.ROWS, set(found))
                    for name, method in found.items():
                        self.assertNotIn("failure", method)
                        self.assertAlmostEqual(method["overhead"], method["bits_per_key"] / bits, places=6)
                        for field in BUILT + LOOPS:
                            self.assertGreater(method[field], 0, f"{name}: {field}")
                    self.assertIn(f"; values of {bits} bits; ", table)

    def test_a_peer_and_its_fault(self):
        found, _ = self.methods("words", "-n", 2000, "--kind", "map", "--peer", PEER, "--methods", "sorted_peer")
        self.assertEqual(found["even values"]["failure"], "wrong: a key has another key's value")
        self.assertTrue(all(found["sorted array"][field] > 0 for field in BUILT + LOOPS + ("batch_ns",)))


class Peers(BenchTest):
    def test_joins_the_table(self):
        for kind in ("ints", "urls"):
            with self.subTest(kind):
                found, table = self.methods(kind, "-n", 20000, "--peer", PEER, "--methods", "sorted array,Crivo fast")
                peer = found["sorted array"]
                self.assertEqual(list(found), ["Crivo fast", "sorted array"])
                self.assertTrue(all(peer[field] > 0 for field in BUILT + LOOPS + ("batch_ns",)))
                report = json.loads((self.dir / "r.json").read_text())
                self.assertAlmostEqual(peer["bits_per_key"], 8 * (16 + report["key_bytes"]), places=6)
                # It has all of it in memory at the end, page by page.
                self.assertGreater(peer["peak_bytes_per_key"], 0.9 * peer["bits_per_key"] / 8)
                self.assertIn("\nsorted array ", table)

    def test_faults_are_rows(self):
        found, table = self.methods("-n", 2000, "--peer", PEER, "--methods", "sorted_peer")
        expected = {
            "builds nothing": "not today",
            "crashes": "crashed: SIGABRT",
            "one rank": "wrong: two keys have one rank",
            "ranks beyond": "wrong: a rank beyond the number of keys",
            "other batch": "wrong: the batch lookup finds other answers",
        }
        failures = {name: method["failure"] for name, method in found.items() if "failure" in method}
        self.assertEqual(failures, expected)
        for name, why in expected.items():
            self.assertRegex(table, f"(?m)^{name} +{why}$")
        self.assertTrue(all(found["sorted array"][field] > 0 for field in BUILT + LOOPS))
        self.assertEqual(found["present only"]["absent_failure"], "crashed: SIGABRT")
        self.assertNotIn("absent_ns", found["present only"])
        self.assertGreater(found["present only"]["dependent_ns"], 0)
        self.assertRegex(table, "(?m)^present only .* fails$")

    def test_what_is_no_peer_is_named(self):
        self.write("text.so", b"not a library\n")
        for name in ("text.so", "nothing.so", "/lib/x86_64-linux-gnu/libc.so.6"):
            with self.subTest(name):
                error = self.crivo("--peer", name, code=3).err.decode()
                self.assertTrue(error.startswith(f"crivo-bench: {name}: not a peer: "), error)
        error = self.crivo("--kind", "map", "--peer", "/lib/x86_64-linux-gnu/libc.so.6", code=3).err
        self.assertIn(b"it exports neither crivo_bench_methods, ", error)

    def test_a_peer_without_the_kind_is_left_out(self):
        peer = os.path.join(BIN, "filter_peer.so")
        found, _ = self.methods("-n", 2000, "--kind", "filter", "--lookups", 2000, "--peer", peer, "--methods", "Crivo fuse,always")
        self.assertEqual(list(found), ["Crivo fuse", "always"])
        found, _ = self.methods("-n", 2000, "--peer", peer, "--peer", PEER, "--methods", "Crivo fast,sorted array")
        self.assertEqual(list(found), ["Crivo fast", "sorted array"])

    def test_one_name_twice(self):
        shutil.copy(PEER, self.dir / "again.so")
        error = self.crivo("--peer", PEER, "--peer", "again.so", code=3).err
        self.assertEqual(error, b"crivo-bench: again: there is another method named 'sorted array'\n")


def script_of(name):
    path = os.path.join(os.path.dirname(__file__), "..", "..", "tools", "bench", name)
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class Today(BenchTest):
    """tools/bench/today, on what its runs print."""

    def test_verdicts(self):
        script = script_of("today")
        self.assertEqual(script.verdict((0.5, 0.9, 1.04)), "much smaller, quicker to build")
        self.assertEqual(script.verdict((1.0, 1.6, 1.2)), "**much slower to build, slower to ask**")
        self.assertEqual(script.verdict((0.9, 1.0, 1.1)), "smaller; **slower to ask**")
        self.assertEqual(script.verdict((1.0, 1.0, 0.96)), "level")

    def test_the_table(self):
        script = script_of("today")
        found = {"methods": [{"name": "Crivo fast", "bits_per_key": 1.8, "build_cpu_ns": 60.0, "lookup_ns": 9.0},
                             {"name": "PHast+ S=10", "bits_per_key": 2.2, "build_cpu_ns": 61.0, "lookup_ns": 8.0}]}
        self.write("mphf.json", json.dumps(found).encode())
        self.write("words.txt", b"| 3 keys | bytes a key | build s | hit |\n|---|---:|---:|---:|\n| crivo, 64 | 2.5 | 0.3 | 200 |\n"
                                b"| marisa-trie | 2.8 | 0.6 | 400 |\n")
        self.write("about.txt", b"of a machine\n")
        script.ROWS = [row for row in script.ROWS if row[1] in ("mphf", "words") and row[2][0] != "Crivo compact"]
        script.figures.FIGURES = self.dir / "F.md"
        script.figures.FIGURES.write_text("a\n<!-- today -->\n<!-- end of today -->\nb\n<!-- commands of today -->\n"
                                          "<!-- end of commands of today -->\nc\n")
        for _ in range(2):
            script.write(self.dir)
            text = script.figures.FIGURES.read_text()
            self.assertIn("fast : PHast+ | 1.80 : 2.20 bits | 60.0 : 61.0 ns | 9.00 : 8.00 ns | smaller; **slower to ask** |\n", text)
            self.assertIn("blocks of 64 : marisa-trie | 2.50 : 2.80 bytes | 0.30 : 0.60 s | 200 : 400 ns | smaller, much quicker to build, "
                          "much quicker to ask |\n", text)
            self.assertEqual((text[:2], text[-2:], text.count("of a machine"), text.count("crivo-bench urls -n 1000 ")), ("a\n", "c\n", 1, 1))


class Figures(BenchTest):
    """tools/bench/make_figures, on a run of its own form."""

    def script(self):
        return script_of("make_figures")

    def test_its_runs_have_a_place_each(self):
        script = self.script()
        text = script.FIGURES.read_text()
        for name in script.RUNS:
            self.assertEqual(text.count(f"<!-- {name} -->\n"), 1, name)
            self.assertLess(text.index(f"<!-- {name} -->\n"), text.index(f"<!-- end of {name} -->\n"))

    def test_a_table_is_put_in_its_place(self):
        script = self.script()
        run = {"keys": "ints", "n": 2000, "methods": "CHD,BDZ", "baseline": "CHD", "peers": [], "builds": 1, "repeat": 1}
        script.RUNS = {"few": run | {"lookups": 2000, "plots": True}}
        script.BENCH, script.FIGURES, script.PLOTS = pathlib.Path(self.program), self.dir / "F.md", self.dir
        script.FIGURES.write_text("a\n<!-- few -->\nold\n<!-- end of few -->\nb\n")
        (self.dir / "work").mkdir()
        script.measure("few", script.RUNS["few"], self.dir / "work")
        self.assertTrue(script.is_measured("few", self.dir / "work"))
        script.write(self.dir / "work")
        text = script.FIGURES.read_text()
        found = {method["name"]: method for method in json.loads((self.dir / "work" / "few.json").read_text())["methods"]}
        ratio = found["BDZ"]["lookup_ns"] / found["CHD"]["lookup_ns"]
        self.assertRegex(text, rf"(?s)^a\n<!-- few -->\n.*\n\| BDZ \|.* \({ratio:.2f}\) \|.*<!-- end of few -->\nb\n$")
        self.assertNotIn("old", text)
        self.assertIn("    crivo-bench ints -n 2000 --methods CHD,BDZ --baseline CHD ", text)
        self.assertTrue((self.dir / "few-lookup.svg").exists())

    def test_a_batch_is_held_against_an_older_build(self):
        script = self.script()
        script.BENCH, script.FIGURES = pathlib.Path(self.program), self.dir / "F.md"
        run = {"keys": "ints", "n": 2000, "methods": "CHD,Crivo fast", "baseline": "CHD", "peers": [], "builds": 1}
        script.RUNS = {"few": run | {"repeat": 1, "lookups": 2000, "before": "Crivo fast"}}
        script.FIGURES.write_text("<!-- few -->\n<!-- end of few -->\n")
        script.measure("few", script.RUNS["few"], self.dir, script.BENCH)
        script.write(self.dir)
        result = json.loads((self.dir / "few.json").read_text())
        (batch,) = [method["batch_ns"] for method in result["methods"] if method["name"] == "Crivo fast"]
        ratio = batch / result["before"]["lookup_ns"]
        self.assertIn(f" with Crivo fast of commit {script.commit()}, ", script.FIGURES.read_text())
        self.assertIn(f"; the batch is {ratio:.2f} of that.\n", script.FIGURES.read_text())


class Usage(BenchTest):
    def test_refused(self):
        for args in (
            ("--methods", "nonesuch"),
            ("--methods", "BDZ", "--baseline", "CHD"),
            ("numbers",),
            ("-n", "0"),
            ("--repeat", "0"),
            ("--kind", "store"),
            ("--fpr", "1"),
            ("--value-bits", "64"),
            ("--nonesuch",),
        ):
            with self.subTest(args):
                self.crivo(*args, code=2)
        self.assertIn(b"'nonesuch'", self.crivo("--methods", "BDZ,nonesuch", code=2).err)

    def test_impossible_outputs_come_before_the_work(self):
        for option in ("--json", "--svg"):
            error = self.crivo("-n", 1000, "--methods", "BDZ", option, "no/where", code=5).err
            self.assertTrue(error.startswith(b"crivo-bench: no/where"), error)

    def test_help(self):
        out = self.crivo("--help").out
        self.assertIn(b"Examples:", out)
        self.assertIn(b"--baseline", out)


class Plots(BenchTest):
    def test_labels_are_apart(self):
        args = ("-n", 1000, "--peer", PEER, "--methods", "Crivo,CMPH,marisa,sorted array", "--svg", "plot")
        found, _ = self.methods(*args)
        for name in ("plot-lookup.svg", "plot-build.svg"):
            with self.subTest(name):
                root = xml.etree.ElementTree.parse(self.dir / name).getroot()
                self.assertEqual(root.tag, SVG + "svg")
                said = " ".join(text.text or "" for text in root.iter(SVG + "text"))
                date = json.loads((self.dir / "r.json").read_text())["date"]
                for what in ("Lower left is better. ", " 1 thread; ", date):
                    self.assertIn(what, said)
                labels = [text for text in root.iter(SVG + "text") if text.get("class") == "label"]
                self.assertEqual([label.text for label in labels], list(found))
                boxes = [self.box(label) for label in labels]
                width, height = float(root.get("width")), float(root.get("height"))
                for i, (left, top, right, bottom) in enumerate(boxes):
                    self.assertTrue(0 <= left and right <= width and 0 <= top and bottom <= height)
                    for other in boxes[:i]:
                        apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
                        self.assertTrue(apart, labels[i].text)
                legend_and_points = list(root.iter(SVG + "circle"))
                libraries = {method["library"] for method in found.values()}
                self.assertEqual(len(legend_and_points), len(found) + len(libraries))

    @staticmethod
    def box(label):
        x, y, width = float(label.get("x")), float(label.get("y")), 6.5 * len(label.text)
        left = {"start": x, "middle": x - width / 2, "end": x - width}[label.get("text-anchor")]
        return left, y - 10, left + width, y + 2

