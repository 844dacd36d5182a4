# SPDX-License-Identifier: Apache-2.0
"""crivo filter: files that are changed, united and compared, whatever happens meanwhile."""

import fcntl
import math
import os
import pathlib
import signal
import subprocess
import termios
import time

from harness import CRIVO, ENVIRONMENT, CrivoTest, lines, pairs, records_of, urls


class FilterTest(CrivoTest):
    def make(self, keys, *options, out="f"):
        return self.build("filter", keys, *options, "--force", out=out)

    def bytes_of(self, path):
        return (self.dir / path).read_bytes()

    def section_of(self, path):
        """The filter itself: the header of a changed one has no build id."""
        section = self.info(path)["sections"][0]
        return self.bytes_of(path)[section["offset"] : section["offset"] + section["bytes"]]

    def parameters(self, path):
        return self.info(path)["parameters"]


class Seeds(FilterTest):
    """The numbers of the seed's slides, at the same ratio of bits to keys."""

    def test_eight_bits_a_key(self):
        keys = self.write_keys(urls(100_000))
        for hashes, rate in ((1, 0.1175), (2, 0.0489), (6, 0.0216)):
            options = ("--type", "bloom", "--bits", 8, "--hashes", hashes, "--json", "--force")
            built = self.crivo("build", "filter", keys, "-o", "f", *options).json()
            self.assertEqual(built["parameters"]["cells"], 800_000)
            self.assertEqual(built["parameters"]["hashes"], hashes)
            self.assertAlmostEqual(built["fpr"], rate, delta=0.01 * rate)
            probes = 2 ** math.ceil(math.log2(1000 / built["fpr"]))
            sigma = math.sqrt(built["fpr"] / probes)
            self.assertAlmostEqual(built["measured_fpr"], built["fpr"], delta=4 * sigma)
        best = self.crivo("build", "filter", keys, "-o", "f", "--type", "bloom", "--bits", 8, "--force", "--json")
        self.assertEqual(best.json()["parameters"]["hashes"], 6)

    def test_rates_are_told(self):
        keys = self.write_keys(urls(2_000))
        told = self.crivo("build", "filter", keys, "-o", "f", "--type", "bloom", "--fpr", "0.01").err
        for words in (b"by design", b"asked: at most 1 %", b"measured: ", b"hashes 7", b"fill 0."):
            self.assertIn(words, told)
        shown = self.crivo("info", "f").out
        for words in (b"hashes              7\n", b"capacity            2000\n", b"fpr at capacity     0.0"):
            self.assertIn(words, shown)

    def test_counting_costs_four_times(self):
        keys = urls(20_000)
        plain, counting = (
            self.info(self.make(keys, "--type", kind))["sections"][0]["bytes"] for kind in ("bloom", "counting-bloom")
        )
        self.assertAlmostEqual(counting / plain, 4, delta=0.05)


class Edits(FilterTest):
    def test_bloom_grows(self):
        old, new = urls(1_000), urls(1_000, salt=1)
        self.make(old, "--type", "bloom", "--capacity", 2_000, "--fpr", "0.001")
        added = self.crivo("filter", "add", "f", self.write_keys(new), "--json").json()
        self.assertEqual((added["given"], added["keys_before"], added["over_capacity"]), (1_000, 1_000, False))
        self.assertAlmostEqual(added["keys"], 2_000, delta=3)
        self.assertEqual(added["digest"], self.info("f")["digest"])
        self.assertLessEqual(added["fpr"], added["asked_fpr"])
        self.assert_answers("filter", "f", old + new)
        before = self.bytes_of("f")
        self.crivo("filter", "add", "f", "keys.txt", "--quiet")
        self.assertEqual(self.bytes_of("f"), before, "adding again changed it")

    def test_more_than_it_was_sized_for(self):
        self.make(urls(100), "--type", "bloom", "--fpr", "0.01")
        more = self.write_keys(urls(1_000, salt=1))
        result = self.run_crivo("filter", "add", "f", more, "--overfill")
        self.assertEqual(result.code, 0)
        self.assertIn(b"warning: f: ", result.err)
        self.assertIn(b"more than its capacity of 100: false positives are now ", result.err)
        self.assertIn(b"asked: at most 1 %", result.err)
        again = self.crivo("filter", "add", "f", more, "--json", "--quiet")
        self.assertTrue(again.json()["over_capacity"])
        self.assertEqual(again.err, b"")
        self.assert_answers("filter", "f", urls(100) + urls(1_000, salt=1))

    def test_far_more_than_it_was_sized_for(self):
        """Refused above twice the rate that the filter was built for."""
        for kind in ("bloom", "counting-bloom"):
            for size in (("--fpr", "0.01"), ("--bits", 10 if kind == "bloom" else 40)):
                with self.subTest(kind=kind, size=size):
                    self.make(urls(1_000), "--type", kind, "--force", *size)
                    parameters = self.parameters("f")
                    built = self.info("f").get("asked_fpr", parameters["fpr_at_capacity"])
                    before = self.bytes_of("f")
                    self.crivo("filter", "add", "f", self.write_keys(urls(5_000, salt=2), "many"), code=2)
                    result = self.crivo("filter", "add", "f", "many", "--json", code=2)
                    self.assertEqual(result.out, b"")
                    self.assertIn(b" keys would exceed its capacity of 1000: ", result.err)
                    self.assertRegex(result.err, rb"would rise to 0\.\d+, more than 2 times the 0\.0")
                    self.assertIn(b"--overfill", result.err)
                    self.assertEqual(self.bytes_of("f"), before)
                    # A little more than its room is let in, with a warning, up to the stated rate.
                    for salt in range(3, 30):
                        added = self.run_crivo("filter", "add", "f", self.write_keys(urls(50, salt), "few"))
                        if added.code == 2:
                            break
                        self.assertIn(b"warning", added.err)
                        self.assertLessEqual(self.info("f")["fpr"], 2 * built)
                    self.assertEqual(added.code, 2)
                    self.assertGreater(self.info("f")["fpr"], 1.5 * built)
                    # Forced, and then what changes nothing is let in.
                    added = self.crivo("filter", "add", "f", "many", "--overfill", "--json", "-q").json()
                    self.assertGreater(added["fpr"], 2 * built)
                    self.crivo("filter", "add", "f", "many", "-q")
        self.make(urls(2), "--type", "bloom", "--force")
        self.crivo("filter", "add", "f", self.write_keys(urls(10_000), "many"), code=2)

    def test_a_full_filter_says_what_it_holds(self):
        self.make(urls(1_000), "--type", "cuckoo")
        error = self.crivo("filter", "add", "f", self.write_keys(urls(1_000, salt=1)), code=5).err
        self.assertIn(b"f: full: it holds 1000 keys and has no room for 1000 more; nothing was added; ", error)

    def test_a_seed_that_the_format_does_not_have(self):
        args = ("build", "filter", self.write_keys([b"a"]), "-o", "f", "--type", "split-block-bloom", "--seed", "random")
        said = b"a split-block-bloom filter cannot have a random seed: Parquet fixes how its keys are hashed"
        self.assertIn(said, self.crivo(*args, code=2).err)

    def test_a_capacity_below_the_number_of_keys(self):
        keys = self.write_keys(urls(1_000))
        for kind in ("bloom", "cuckoo"):
            for capacity, warned in ((500, True), (1000, False)):
                args = ("build", "filter", keys, "-o", "f", "-f", "--type", kind, "--capacity", capacity)
                said = b"warning: --capacity: 500 is less than the 1000 keys"
                self.assertEqual(said in self.crivo(*args).err, warned)

    def test_counting(self):
        old, new = urls(1_000), urls(500, salt=1)
        self.make(old, "--type", "counting-bloom", "--capacity", 2_000, "--fpr", "0.0001")
        first = self.section_of("f")
        self.write_keys(new)
        for _ in range(3):
            self.crivo("filter", "add", "f", "keys.txt")
        counts = self.crivo("filter", "count", "f", "-", stdin=lines([new[0], old[0], b"none"]))
        self.assertEqual(counts.out, new[0] + b"\t3\n" + old[0] + b"\t1\nnone\t0\n")
        answers = self.crivo("filter", "count", "f", "--json", stdin=lines([old[0]])).json()
        self.assertEqual(answers["answers"], [{"key": old[0].decode(), "answer": 1}])
        self.assertEqual(self.info("f")["keys"], 2_500)
        for _ in range(3):
            self.crivo("filter", "remove", "f", "keys.txt")
        self.assertEqual(self.section_of("f"), first)
        self.crivo("filter", "remove", "f", self.write_keys(old[:400]))
        self.assert_answers("filter", "f", old[400:])
        self.assertEqual(set(self.query("f", old[:400])), {b"-"})

    def test_saturated_counters_are_told(self):
        self.make(urls(50), "--type", "counting-bloom", "--counter-bits", 2)
        self.write_keys(urls(10))
        for _ in range(4):
            self.crivo("filter", "add", "f", "keys.txt", "--quiet")
        self.assertGreater(self.parameters("f")["saturated_counters"], 0)
        self.assertEqual(self.parameters("f")["counter_bits"], 2)
        self.assertIn(b"saturated counters", self.crivo("info", "f").out)
        for _ in range(5):
            self.crivo("filter", "remove", "f", "keys.txt", "--quiet")
        self.assertEqual(set(self.query("f", urls(50))), {b"maybe"})

    def test_keys_from_standard_input(self):
        """As query and count: with - or without KEYS."""
        self.make(urls(10), "--type", "cuckoo", "--capacity", 1000, "--bits", 16)
        for args in ((), ("-",)):
            self.crivo("filter", "add", "f", *args, stdin=lines(urls(5, salt=1)))
            self.assert_answers("filter", "f", urls(5, salt=1))
            self.crivo("filter", "remove", "f", *args, stdin=lines(urls(5, salt=1)))
            self.assertEqual(set(self.query("f", urls(5, salt=1))), {b"-"})

    def test_filters_from_standard_input(self):
        """Where a filter is only read, - is standard input, also from a pipe."""
        keys = urls(100)
        sizes = ("--capacity", 1000, "--fpr", "0.0001", "--force")
        self.make(keys, "--type", "counting-bloom", *sizes)
        asked = self.write_keys([keys[0], b"none"], "asked")
        out = self.crivo("filter", "count", "-", asked, stdin=self.bytes_of("f")).out
        self.assertEqual(out, keys[0] + b"\t1\nnone\t0\n")
        self.assertEqual(self.crivo("filter", "diff", asked, "-", stdin=self.bytes_of("f")).out, b"none\n")
        with open(self.dir / "f", "rb") as file:
            self.assertEqual(self.crivo("filter", "diff", asked, "-", stdin=file).out, b"none\n")
        self.make(keys, "--type", "bloom", *sizes)
        for operation in ("union", "intersect"):
            self.crivo("filter", operation, "f", "-", "-o", operation, stdin=self.bytes_of("f"))
            self.assert_answers("filter", operation, keys)
        self.crivo("filter", "diff", asked, "-", stdin=self.bytes_of("f")[:-1], code=4)

    def test_refused_whole(self):
        keys = urls(300)
        self.make(keys, "--type", "counting-bloom", "--fpr", "0.0001")
        before = self.bytes_of("f")

        def refused(operation, data, code, *words):
            path = self.write("change", data)
            result = self.crivo("filter", operation, "f", path, code=code)
            for word in words:
                self.assertIn(word, result.err)
            self.assertEqual(self.bytes_of("f"), before)

        refused("remove", lines(keys[:5] + [b"foreign"] + keys[5:]), 3, b"change:6: ", b'"foreign"', b"nothing")
        refused("remove", lines(keys[:2] + keys[:1]), 3, b"change:3: duplicate key")
        refused("add", b"new\n\n", 3, b"change:2: the key is empty")
        self.crivo("filter", "remove", "f", "-", stdin=b"foreign\n", code=3)
        self.crivo("filter", "add", "f", "missing", code=5)
        self.crivo("filter", "add", "missing", "change", code=5)
        self.crivo("filter", "add", "change", "change", code=4)
        self.assertEqual(self.bytes_of("f"), before)
        kept = self.crivo("filter", "add", "f", "-", "--duplicates", "ignore", "--json", stdin=b"a\nb\na\n")
        self.assertEqual((kept.json()["given"], kept.json()["duplicates"]), (2, 1))

    def test_types_that_cannot(self):
        keys = self.write_keys(urls(100))
        self.make(urls(100), "--type", "ribbon")
        for operation in ("add", "remove"):
            self.assertIn(b"counting-bloom", self.crivo("filter", operation, "f", keys, code=2).err)
        self.assertIn(b"counting-bloom", self.crivo("filter", "count", "f", keys, code=2).err)
        self.crivo("filter", "union", "f", "f", "-o", "u", code=2)
        self.make(urls(100), "--type", "bloom")
        self.crivo("filter", "remove", "f", keys, code=2)
        self.crivo("build", "mphf", keys, "-o", "m")
        self.crivo("filter", "add", "m", keys, code=2)
        self.crivo("filter", code=2)

    def test_damage_is_not_vouched_for(self):
        self.make(urls(1_000), "--type", "bloom")
        data = bytearray(self.bytes_of("f"))
        data[400] ^= 1
        self.write("f", bytes(data))
        self.assertIn(b"checksum", self.crivo("filter", "add", "f", "f.in", code=4).err)
        self.assertEqual(self.bytes_of("f"), data)

    def test_formats(self):
        keys = urls(50)
        self.make(keys, "--type", "counting-bloom", "--fpr", "0.0001")
        null = self.write("null", b"".join(key + b"\0" for key in keys))
        crlf = self.write("crlf", b"".join(key + b"\r\n" for key in keys))
        self.crivo("filter", "add", "f", null, "--null")
        self.crivo("filter", "add", "f", crlf, "--crlf")
        out = self.crivo("filter", "count", "f", null, "--null").out
        self.assertEqual(out, b"".join(key + b"\t3\n" for key in keys))
        out = self.crivo("filter", "count", "f", "-", "--null-output", stdin=lines([keys[0], b"absent"])).out
        self.assertEqual(out, keys[0] + b"\0" + b"13\0absent\0" + b"0\0")
        self.crivo("filter", "add", "f", "-", "--fixed", 8, stdin=bytes(16) + b"12345678", code=3)
        self.crivo("filter", "add", "f", "-", "--fixed", 8, stdin=bytes(8) + b"12345678")
        self.assertEqual(self.info("f")["keys"], 152)


class Crashes(FilterTest):
    def begin(self, *args):
        return subprocess.Popen(
            [CRIVO, *args], cwd=self.dir, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def test_killed(self):
        (self.dir / "work").mkdir()
        self.write_keys(urls(100_000, salt=1), "large")
        self.make(urls(100_000), "--type", "counting-bloom", "--capacity", 200_000, out="old")
        old = self.bytes_of("old")
        self.write("work/f", old)
        begin = time.monotonic()
        self.crivo("filter", "add", "work/f", "large")
        whole = time.monotonic() - begin
        new = self.bytes_of("work/f")
        self.assertNotEqual(new, old)
        cut = 0
        for i in range(14):
            self.write("work/f", old)
            process = self.begin("filter", "add", "work/f", "large")
            time.sleep(whole * (0.1 + 0.07 * i))
            process.send_signal(signal.SIGTERM if i % 3 == 0 else signal.SIGKILL)
            cut += process.wait(60) < 0
            self.assertTrue(self.bytes_of("work/f") in (old, new), f"torn in run {i}")
            for name in set(self.listing("work")) - {"f"}:
                self.assertTrue(name.startswith(".") and name.endswith(".tmp"), name)
        self.assertGreater(cut, 0, "no edit was cut short")
        # What a killed edit left does not hinder the next one.
        self.write("work/f", old)
        self.crivo("filter", "add", "work/f", "large")
        self.assertEqual(self.bytes_of("work/f"), new)

    def test_full_disk(self):
        self.make(urls(20_000), "--type", "counting-bloom", "--capacity", 40_000)
        before = self.bytes_of("f")
        more = self.write_keys(urls(20_000, salt=1))
        self.crivo("filter", "add", "f", more, code=5, file_limit=50_000)
        self.assertEqual(self.bytes_of("f"), before)
        self.assertEqual(self.listing(), ["f", "f.in", "keys.txt"])

    def test_edits_at_one_time(self):
        parts = [urls(2_000, salt=i) for i in range(4)]
        self.make(parts[0], "--type", "counting-bloom", "--capacity", 8_000)
        for i, part in enumerate(parts[1:]):
            self.write_keys(part, f"part{i}")
        runs = [self.begin("filter", "add", "f", f"part{i}") for i in range(3)]
        self.assertEqual([run.wait(60) for run in runs], [0, 0, 0])
        self.assertEqual(self.info("f")["keys"], 8_000)
        self.assert_answers("filter", "f", sum(parts, []))


class SlowInput(FilterTest):
    """An edit takes the filter's lock when it has read its keys, and not before."""

    MADE = ("--type", "counting-bloom", "--capacity", 1_000)

    def begin(self, *args, stdin=subprocess.DEVNULL):
        process = subprocess.Popen([CRIVO, *args], cwd=self.dir, env=ENVIRONMENT, stdin=stdin, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def half_fed(self, *args):
        """An edit that has read some keys of a pipe, and waits for more."""
        process = self.begin(*args, stdin=subprocess.PIPE)
        self.addCleanup(process.stdin.close)
        process.stdin.write(lines(urls(20, salt=1)))
        process.stdin.flush()
        self.wait_until(lambda: fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)) == bytes(4))
        return process

    def test_others_do_not_wait_for_it(self):
        self.make(urls(100), *self.MADE)
        removed = self.write_keys(urls(50), "removed")
        added = self.write_keys(urls(30, salt=2), "added")
        slow = self.half_fed("filter", "add", "f", "-")
        self.crivo("filter", "add", "f", added)
        self.crivo("filter", "remove", "f", removed)
        self.crivo("build", "filter", added, "-o", "f", "--force", *self.MADE)
        slow.stdin.write(lines(urls(30, salt=3)))
        slow.stdin.close()
        self.assertEqual((slow.wait(60), self.info("f")["keys"]), (0, 80), slow.stderr.read())
        self.assert_answers("filter", "f", urls(30, salt=2) + urls(20, salt=1) + urls(30, salt=3))

    def test_another_hash_function_meanwhile(self):
        self.make(urls(100), *self.MADE)
        slow = self.half_fed("filter", "add", "f", "-")
        self.make(urls(100), *self.MADE, "--seed", 7)
        before = self.bytes_of("f")
        slow.stdin.close()
        self.assertEqual(slow.wait(60), 5)
        self.assertEqual(
            slow.stderr.read(),
            b"crivo: f: was replaced by a filter with another seed or key hash while keys were read from a pipe; "
            b"nothing was changed; try again\n",
        )
        self.assertEqual(self.bytes_of("f"), before)
        self.assertEqual(self.listing(), ["f", "f.in"])

    def test_files_are_hashed_again(self):
        keys = urls(100)
        self.make(keys, *self.MADE)
        self.make(keys, *self.MADE, "--seed", 7, out="other")
        more = self.write_keys(urls(50, salt=1), "more")
        with open(self.dir / "f", "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            adding = self.begin("filter", "add", "f", more, "-q")
            has_it_open = []  # at each look: for its lock, once it is so for long

            def waits():
                opened = {os.path.realpath(fd) for fd in pathlib.Path(f"/proc/{adding.pid}/fd").iterdir()}
                has_it_open.append(os.path.realpath(self.dir / "f") in opened)
                return len(has_it_open) > 5 and all(has_it_open[-5:])

            self.wait_until(waits)
            os.rename(self.dir / "other", self.dir / "f")
        self.assertEqual((adding.wait(60), self.info("f")["keys"]), (0, 150), adding.stderr.read())
        self.assert_answers("filter", "f", keys + urls(50, salt=1))


class Algebra(FilterTest):
    OPTIONS = ("--type", "bloom", "--capacity", 10_000, "--fpr", "0.01")

    def test_union_and_intersection(self):
        keys = urls(10_000)
        self.make(keys[:6_000], *self.OPTIONS, out="a")
        self.make(keys[4_000:], *self.OPTIONS, out="b")
        united = self.crivo("filter", "union", "a", "b", "-o", "u", "--json").json()
        self.assert_answers("filter", "u", keys)
        for name, truth in (("union", 10_000), ("intersection", 2_000)):
            estimate = united[name]
            self.assertLessEqual(abs(estimate["keys"] - truth), 4 * estimate["sigma"])
            self.assertLess(estimate["sigma"], 100)
        self.assertTrue(united["parameters"]["keys_estimated"])
        self.assertEqual(united["keys"], round(united["union"]["keys"]))
        self.assertTrue(self.parameters("u")["keys_estimated"])
        self.assertIn(b"keys estimated", self.crivo("info", "u").out)
        self.crivo("verify", "u", "--keys", self.write_keys(keys))

        result = self.crivo("filter", "intersect", "b", "a", "-o", "x")
        self.assertEqual(result.out, b"")
        self.assertIn(b" in the intersection", result.err)
        self.assert_answers("filter", "x", keys[4_000:6_000])
        self.assertEqual(set(self.query("x", urls(1_000, salt=1))), {b"-"})
        # One filter of all the keys has the same cells.
        self.make(keys, *self.OPTIONS, out="whole")
        self.assertEqual(self.info("whole")["fpr"], united["fpr"])

    def test_what_does_not_fit(self):
        keys = urls(100)
        self.make(keys, *self.OPTIONS, out="a")
        for options, word in (
            (("--capacity", 20_000, "--fpr", "0.01"), b"cells"),
            (("--capacity", 10_000, "--fpr", "0.01", "--seed", 5), b"seed"),
        ):
            self.make(keys, "--type", "bloom", *options, out="b")
            result = self.crivo("filter", "union", "a", "b", "-o", "u", code=2)
            self.assertIn(word, result.err)
            self.assertTrue(result.err.startswith(b"crivo: b: "), str(result))
        self.make(keys, "--type", "ribbon", out="b")
        self.crivo("filter", "intersect", "a", "b", "-o", "u", code=2)
        self.crivo("filter", "union", "a", "-o", "u", code=2)
        self.assertNotIn("u", self.listing())
        self.crivo("filter", "union", "a", "a", "-o", "a", code=2)
        self.crivo("filter", "union", "a", "a", "-o", "a", "--force")
        self.assert_answers("filter", "a", keys)


class Diff(FilterTest):
    def test_splits_the_keys(self):
        mine, theirs = urls(5_000), urls(5_000)[2_000:]
        self.write_keys(mine)
        for kind in ("ribbon", "bloom", "counting-bloom"):
            path = self.make(theirs, "--type", kind, "--fpr", "0.01")
            lacking = self.crivo("filter", "diff", "keys.txt", path)
            maybe = self.crivo("filter", "diff", "--maybe", "keys.txt", path)
            answers = self.query(path, mine)
            self.assertEqual(lacking.out, lines(k for k, a in zip(mine, answers) if a == b"-"))
            self.assertEqual(maybe.out, lines(k for k, a in zip(mine, answers) if a == b"maybe"))
            self.assertIn(b"of 5000 keys printed", lacking.err)
            told = self.crivo("filter", "diff", "keys.txt", path, "--json").json()
            self.assertEqual([row["key"].encode() for row in told["printed"]], lacking.out.split(b"\n")[:-1])
            self.assertEqual(told["maybe"] + told["absent"], 5_000)
            # 2000 keys are lacking in truth; the rest of those is what errors to expect are told.
            wrong = 2_000 - told["absent"]
            self.assertLessEqual(abs(wrong - told["expected_false_positives"]), 4 * told["sigma"] + 1)

    def test_join(self):
        keys = urls(1_000)
        records = records_of(keys)
        path = self.make(keys[:300], "--type", "bloom", "--fpr", "0.0001")
        wanted = pairs(keys[:300], records[:300])
        got = self.crivo("filter", "diff", "--records", "--maybe", "-", path, stdin=pairs(keys, records)).out
        self.assertEqual(got, wanted)
        null = b"".join(k + b"\0" + r + b"\0" for k, r in zip(keys, records))
        got = self.crivo("filter", "diff", "--records", "--maybe", "--null", "-", path, stdin=null).out
        self.assertEqual(got, null[: len(wanted)])
        rows = self.crivo("filter", "diff", "--records", "--maybe", "--json", "-", path, stdin=pairs(keys, records))
        self.assertEqual(rows.json()["printed"][7], {"key": keys[7].decode(), "record": records[7].decode()})
        self.crivo("filter", "diff", "--records", "-", path, stdin=b"no tab\n", code=3)
        self.crivo("filter", "diff", "--records", "--fixed", 8, "-", path, code=2)

    def test_framings(self):
        keys = [b"%08d" % i for i in range(100)]
        path = self.make(keys[:50], "--fpr", "0.00001")
        fixed = self.crivo("filter", "diff", "--fixed", 8, "-", path, stdin=b"".join(keys)).out
        self.assertEqual(fixed, b"".join(keys[50:]))
        null = self.crivo("filter", "diff", "--null", "-", path, stdin=b"\0".join(keys)).out
        self.assertEqual(null, b"".join(key + b"\0" for key in keys[50:]))
        self.assertEqual(self.crivo("filter", "diff", "-", path, stdin=b"").out, b"")
        odd = self.crivo("filter", "diff", "--json", "-", path, stdin=b"\xff\n").json()
        self.assertEqual(odd["printed"], [{"key_hex": "ff"}])
        quiet = self.crivo("filter", "diff", "--quiet", "-", path, stdin=b"x\n")
        self.assertEqual((quiet.out, quiet.err), (b"x\n", b""))

    def test_errors(self):
        keys = self.write_keys(urls(10))
        self.crivo("filter", "diff", keys, "missing", code=5)
        self.crivo("filter", "diff", keys, keys, code=4)
        self.crivo("build", "mphf", keys, "-o", "m")
        self.crivo("filter", "diff", keys, "m", code=2)
        self.make(urls(10))
        self.crivo("filter", "diff", "missing", "f", code=5)
