# SPDX-License-Identifier: Apache-2.0
"""`crivo dedup`: lines and paragraphs that were not seen before."""

import random
import signal
import subprocess
import threading
import time

from harness import CRIVO, ENVIRONMENT, CrivoTest, gzipped, lines, zstandard


def first_of_equal(texts):
    return list(dict.fromkeys(texts))


def made(count, distinct, seed=1):
    """Lines of which some are there more than once; also empty ones, NUL and what is not UTF-8."""
    chance = random.Random(seed)
    odd = [b"", b"\0", b"\xff\xfe", b"a\tb", b"\r", b"x" * 70_000]
    return odd + [b"line %d" % chance.randrange(distinct) for _ in range(count)] + odd


class Dedup(CrivoTest):
    def dedup(self, *args, stdin=b"", code=0):
        return self.crivo("dedup", *args, stdin=stdin, code=code).out

    def test_keeps_what_was_not_seen(self):
        texts = made(5000, 2000)
        options = ("--seen", "seen.crv", "--capacity", "10k")
        expected = lines(first_of_equal(texts))
        self.assertEqual(self.dedup(*options, stdin=lines(texts)), expected)
        self.assertEqual(self.dedup(*options, stdin=lines(texts)), b"")
        self.assertEqual(self.dedup("--seen", "seen.crv", stdin=b"new\n" + texts[10] + b"\nnew"), b"new\n")
        info = self.info("seen.crv")
        self.assertEqual((info["kind"], info["type"]), ("filter", "cuckoo"))
        self.assertEqual(info["keys"], len(first_of_equal(texts)) + 1)
        self.assertLessEqual(info["fpr"], 1e-6)
        self.crivo("verify", "seen.crv", "--keys", "-", "--allow-empty", stdin=expected)
        self.assertEqual(self.query("seen.crv", [b"new", b"other"]), [b"maybe", b"-"])

    def test_files_are_one_input(self):
        self.write("a", b"1\n2\n1")
        self.write("b", gzipped(b"2\n3\n"))
        self.write("c", zstandard(b"3\n4\n1\n"))
        options = ("--seen", "seen.crv", "--capacity", "10")
        self.assertEqual(self.dedup("a", "b", "c", *options), b"1\n2\n3\n4\n")
        self.assertEqual(self.dedup("b", "c", "-", *options, stdin=b"4\n5\n"), b"5\n")
        self.assertEqual(self.dedup("a", "b", "c", "--exact"), b"1\n2\n3\n4\n")

    def test_same_bytes_for_any_threads_and_memory(self):
        texts = lines(made(20_000, 9000))
        found = set()
        for threads, memory, grow in (("1", "64M", False), ("3", "1G", False), ("2", "64M", True)):
            options = ["--seen", f"seen-{threads}.crv", "--capacity", "20k", "--threads", threads, "--memory", memory]
            out = self.dedup(*options, *(["--grow"] if grow else []), stdin=texts)
            found.add((out, (self.dir / f"seen-{threads}.crv").read_bytes()))
        self.assertEqual(len(found), 1)
        exact = {self.dedup("--exact", "--threads", t, "--memory", m, stdin=texts) for t in "13" for m in ("64M", "1G")}
        self.assertEqual(exact, {found.pop()[0]})

    def test_paragraphs(self):
        text = b"\n\none\ntwo\n\n\none\n\none\ntwo\n\r\n\nthree"
        expected = b"one\ntwo\n\none\n\nthree\n\n"
        options = ("--seen", "seen.crv", "--capacity", "10", "--paragraphs")
        self.assertEqual(self.dedup(*options, stdin=text), expected)
        self.assertEqual(self.dedup("--exact", "--paragraphs", stdin=text), expected)
        self.crivo("dedup", "--seen", "seen.crv", stdin=text, code=2)  # of lines
        # A paragraph does not go on in the next file.
        self.write("a", b"one\ntwo")
        self.write("b", b"three\n\none\ntwo\n")
        self.assertEqual(self.dedup("a", "b", "--exact", "--paragraphs"), b"one\ntwo\n\nthree\n\n")

    def test_paragraphs_across_chunks(self):
        chance = random.Random(7)
        texts = [b"\n".join(b"%d" % chance.randrange(10**9) * chance.randrange(1, 900) for _ in range(chance.randrange(1, 9)))
                 for _ in range(1500)]
        texts += texts[:100]
        out = self.dedup("--seen", "seen.crv", "--capacity", "2k", "--paragraphs", stdin=b"\n\n".join(texts))
        self.assertEqual(out, b"".join(text + b"\n\n" for text in first_of_equal(texts)))

    def test_full_filter_writes_nothing(self):
        self.dedup("--seen", "seen.crv", "--capacity", "1000", stdin=lines([b"%d" % i for i in range(900)]))
        before = (self.dir / "seen.crv").read_bytes()
        more = lines([b"%d" % i for i in range(20_000)] * 2)
        for output in ((), ("-o", "out")):
            result = self.crivo("dedup", "--seen", "seen.crv", *output, stdin=more, code=3)
            self.assertEqual(result.out, b"")
            self.assertFalse((self.dir / "out").exists())
            said = result.err.decode()
            self.assertIn("nothing was written or added", said)
            self.assertRegex(said, r"full: it has room for \d+ lines and needs room for about \d+; ")
            needed = int(said.split("room for about ")[1].split(";")[0])
            self.assertTrue(20_000 <= needed <= 22_000, said)
        self.assertEqual((self.dir / "seen.crv").read_bytes(), before)
        self.assertEqual(self.dedup("--seen", "other.crv", "--capacity", str(needed), stdin=more).count(b"\n"), 20_000)

    def test_grows(self):
        texts = [b"text %d" % i for i in range(50_000)]
        options = ("--seen", "seen.crv", "--capacity", "1000", "--grow", "--fpr", "0.001")
        kept = self.dedup(*options, "-o", "kept", "--json", stdin=lines(texts))
        summary = self.crivo("dedup", *options, "-o", "none", "--json", stdin=lines(texts)).json()
        kept = (self.dir / "kept").read_bytes().splitlines()
        self.assertGreater(len(kept), len(texts) * (1 - 0.002) - 20)
        self.assertEqual((summary["kept"], summary["seen"]), (0, len(kept)))
        info = self.info("seen.crv")
        self.assertEqual(info["parameters"]["layers"], 7)  # 1, 1, 2, 4 ... thousand, each a little more
        self.assertLess(info["fpr"], 0.002)
        self.assertEqual(summary["fpr"], info["fpr"])
        self.crivo("verify", "seen.crv", "--keys", "-", stdin=lines(texts))
        # It errs as often as it says, or less.
        absent = lines([b"absent %d" % i for i in range(100_000)])
        wrong = self.crivo("query", "seen.crv", "-", "--present", stdin=absent).out.count(b"\n")
        self.assertLess(wrong, 100_000 * info["fpr"] * 1.3 + 20)
        self.crivo("filter", "add", "seen.crv", "-", stdin=b"key\n", code=2)

    def test_false_drops_are_as_rare_as_stated(self):
        texts = [b"%d" % i for i in range(200_000)]
        kept = self.dedup("--seen", "seen.crv", "--capacity", "200k", "--fpr", "0.01", stdin=lines(texts))
        dropped = len(texts) - kept.count(b"\n")
        # The rate rises from 0 to that of the full filter: half of it on the whole.
        self.assertTrue(700 < dropped < 1200, dropped)

    def test_parts_are_independent(self):
        texts = made(5000, 2000)
        kept = []
        for part in range(3):
            options = ("--seen", f"seen-{part}.crv", "--capacity", "2k", "--part", f"{part}/3")
            own = self.dedup(*options, stdin=lines(texts))
            self.assertEqual(self.dedup(*options, stdin=lines(texts)), b"")
            kept.append(own.split(b"\n")[:-1])
        self.assertEqual(sorted(sum(kept, [])), sorted(first_of_equal(texts)))
        self.assertTrue(all(600 < len(own) < 800 for own in kept))
        places = {text: i for i, text in enumerate(first_of_equal(texts))}
        self.assertTrue(all(own == sorted(own, key=places.get) for own in kept))
        self.crivo("dedup", "--seen", "seen-0.crv", "--part", "1/3", code=2)
        self.crivo("dedup", "--seen", "seen-0.crv", code=2)

    def test_first_runs_take_turns(self):
        """The second waits for the first, and drops what that wrote; nothing but the filter stays."""
        options = ("dedup", "--seen", "seen.crv", "--capacity", "10k")
        how = {"cwd": self.dir, "env": ENVIRONMENT, "stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen([CRIVO, *options], **how) as first, subprocess.Popen([CRIVO, *options], **how) as second:
            self.wait_until(lambda: any(name.endswith("0000000000000000.tmp") for name in self.listing()))
            outs = {}

            def feed(run, name, texts):
                outs[name] = run.communicate(lines(texts))[0]

            threads = [threading.Thread(target=feed, args=(first, "first", [b"a", b"b"])), threading.Thread(target=feed, args=(second, "second", [b"b", b"c"]))]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual((first.returncode, second.returncode), (0, 0))
        self.assertEqual(sorted(outs["first"].split() + outs["second"].split()), [b"a", b"b", b"c"])
        self.assertEqual(self.listing(), ["seen.crv"])
        self.assertEqual(self.info("seen.crv")["keys"], 3)

    def test_killed_run_leaves_the_filter(self):
        options = ["--seen", "seen.crv", "--capacity", "1M", "--grow"]
        self.dedup(*options, stdin=b"one\n")
        before = (self.dir / "seen.crv").read_bytes()
        run = subprocess.Popen([CRIVO, "dedup", *options], cwd=self.dir, env=ENVIRONMENT,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        run.stdin.write(b"one\ntwo\n")
        run.stdin.flush()
        self.assertEqual(run.stdout.readline(), b"two\n")  # with --grow lines come as they are read
        run.send_signal(signal.SIGKILL)
        run.communicate()
        time.sleep(0)
        self.assertEqual((self.dir / "seen.crv").read_bytes(), before)
        self.assertEqual(self.dedup(*options, stdin=b"one\ntwo\n"), b"two\n")

    def test_what_is_refused(self):
        self.write("in", b"1\n")
        bloom = self.build("filter", [b"1"], "--type", "bloom")
        self.dedup("in", "--seen", "seen.crv", "--capacity", "10", "--fpr", "0.01")
        for wrong in (
            ("in",),
            ("in", "--seen", "new.crv"),
            ("in", "--seen", "in", "--capacity", "10"),
            ("in", "--seen", bloom),
            ("in", "--seen", "seen.crv", "--capacity", "11"),
            ("in", "--seen", "seen.crv", "--fpr", "0.02"),
            ("in", "--seen", "seen.crv", "--exact"),
            ("in", "--exact", "--capacity", "10"),
            ("in", "--exact", "--part", "0/2"),
            ("in", "--seen", "seen.crv", "-o", "seen.crv", "--force"),
            ("in", "--seen", "seen.crv", "--json"),
            ("in", "--exact", "-o", "in"),
        ):
            with self.subTest(wrong):
                self.crivo("dedup", *wrong, code=2)
        self.crivo("dedup", "missing", "--seen", "seen.crv", code=5)
        self.crivo("dedup", "in", "--seen", "new.crv", "--capacity", "1G", "--memory", "64M", code=5)
        self.assertFalse((self.dir / "new.crv").exists())
        damaged = bytearray((self.dir / "seen.crv").read_bytes())
        damaged[260] ^= 1
        self.write("seen.crv", bytes(damaged))
        self.crivo("dedup", "in", "--seen", "seen.crv", code=4)
