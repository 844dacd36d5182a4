# SPDX-License-Identifier: Apache-2.0
"""Damaged files: refused, or answered without a crash; `verify` finds every change.

$CRIVO_DAMAGE scales the number of places (1 by default; 7 gives 200 truncations and 2,000 changed bytes a file).
"""

import os
import random
import shutil
import subprocess
import threading

from harness import CRIVO, ENVIRONMENT, CrivoTest, data_file, in_parallel, lines, urls

SCALE = float(os.environ.get("CRIVO_DAMAGE", "1"))
TRUNCATIONS = int(30 * SCALE)
FLIPS = int(290 * SCALE)
# Where format 1 has the major version, a u16 (formats/crivo-1.md).
MAJOR_VERSION_AT = 8


class Damage(CrivoTest):
    """Each test damages one file of a sound output, one copy a thread."""

    def prepare(self, kind, count, *options, part=None):
        """Builds, and makes ready to damage the output (or its file `part`)."""
        self.keys = urls(count)
        self.kind = kind
        self.output = self.build_rows(options) if kind == "rows" else self.build(kind, self.keys, *options)
        self.part = next((self.dir / self.output).glob(part)).name if part else None
        self.sound = (self.dir / self.output / (self.part or "")).read_bytes()
        asked = random.Random(2).sample(self.keys, 8) + urls(4, salt=3)
        self.asked = lines(asked)
        self.write("asked", self.asked)

    def build_rows(self, options):
        """Of rows in three files, some of which have several keys each; with `chain`, behind another layer."""
        for name in ("a", "b", "c"):
            self.write(name, name.encode() * 1000)
        rows = [b"%s\t%s\t%d" % (key, b"abc"[i % 3 : i % 3 + 1], j) for i, key in enumerate(self.keys) for j in (i, 2 * i)[: 1 + i % 2]]
        if "--many" not in options:
            rows = [b"%s\t%s\t%d" % (key, b"abc"[i % 3 : i % 3 + 1], i) for i, key in enumerate(self.keys)]
        self.write("rows.tsv", lines(rows))
        chained = "chain" in options
        self.crivo("build", "rows", "rows.tsv", "-o", "rows", *(option for option in options if option != "chain"))
        if chained:
            self.write("d", b"d")
            self.write("more.tsv", b"more\td\t1\n")
            self.crivo("rows", "add", "rows", "more.tsv", "--remove", "b", "-o", "chain")
        return "chain" if chained else "rows"

    def copy(self):
        """The name of this thread's copy of the output."""
        name = f"copy-{threading.get_ident()}"
        if self.part and not (self.dir / name).exists():
            shutil.copytree(self.dir / self.output, self.dir / name)
        return name

    def put(self, data):
        name = self.copy()
        (self.dir / name / self.part if self.part else self.dir / name).write_bytes(data)
        return name

    def check(self, data, what, query_codes=(0, 4), verify_codes=(4,)):
        name = self.put(data)
        query = self.run_crivo("query", name, "asked")
        verify = self.run_crivo("verify", name)
        info = self.run_crivo("info", name)
        for result, codes in ((query, query_codes), (verify, verify_codes), (info, (0, 4))):
            if result.code not in codes:
                return f"{what}: {result}"
            if result.code == 4:
                self.assert_one_error_line(result)
        return None

    def check_all(self, cases):
        problems = [problem for problem in in_parallel(lambda case: self.check(*case), cases) if problem]
        self.assertEqual(problems[:3], [], f"{len(problems)} of {len(cases)}")

    def truncations(self):
        size = len(self.sound)
        places = {size * i // TRUNCATIONS for i in range(TRUNCATIONS)} | {1, 7, 8, 63, 64, size - 1, size - 64}
        return [
            (self.sound[:place], f"truncated at {place} of {size}", (4,)) for place in sorted(places)
        ]

    def flips(self):
        """Bytes changed all over the file, and more of them in its head and its tail."""
        rng = random.Random(4)
        size = len(self.sound)
        places = [rng.randrange(size) for _ in range(FLIPS * 3 // 5)]
        places += [rng.randrange(min(size, 512)) for _ in range(FLIPS // 5)]
        places += [size - 1 - rng.randrange(min(size, 128)) for _ in range(FLIPS // 5)]
        cases = []
        for place in places:
            data = bytearray(self.sound)
            data[place] ^= 1 << rng.randrange(8) if rng.random() < 0.7 else rng.randrange(1, 256)
            cases.append((data, f"byte {place} of {size} changed"))
        return cases

    def damage(self, kind, count, *options, part=None):
        self.prepare(kind, count, *options, part=part)
        self.check_all(self.truncations())
        self.check_all(self.flips())
        self.check_all(
            [
                (self.sound + b"\0", "a byte appended", (0, 4)),
                (self.sound + b"\0" * 4096, "a page appended", (0, 4)),
                (b"\0" * len(self.sound), "all zero", (4,)),
            ]
        )

    def test_small_mphf(self):
        self.damage("mphf", 300, "--signature", "16")

    def test_mphf(self):
        self.damage("mphf", 30_000)

    def test_small_filter(self):
        self.damage("filter", 300)

    def test_filter(self):
        self.damage("filter", 30_000)

    def test_small_map(self):
        self.damage("map", 300, "--signature", "8")

    def test_map(self):
        self.damage("map", 30_000)

    def test_fuse_map(self):
        self.damage("map", 30_000, "--algorithm", "fuse")

    def test_rows(self):
        self.damage("rows", 300, "--check-files")

    def test_rows_of_keys_in_several(self):
        self.damage("rows", 3_000, "--many")

    def test_chain_of_rows(self):
        self.damage("rows", 300, "chain")

    def test_index_of_a_store(self):
        self.damage("store", 3_000, part="index.crv")

    def test_environment_of_a_store(self):
        self.damage("store", 3_000, part="data-*.mdb")

    def test_slots_of_a_flat_store(self):
        self.damage("store", 1_000, "--backend", "flat", part="index.crv")

    def test_index_of_an_ordered_store(self):
        self.damage("store", 1_000, "--backend", "flat", "--ordered", part="index.crv")

    def test_records_of_an_ordered_store(self):
        self.damage("store", 1_000, "--backend", "flat", "--ordered", part="data-*.crv")

    def test_records_of_a_flat_store(self):
        self.damage("store", 1_000, "--backend", "flat", part="data-*.crv")


class Silence(CrivoTest):
    """What an answer rests on is checked: damage is exit 4, not "-"."""

    def damaged_everywhere(self, path, file, asked):
        """Of each page in turn a bit is flipped: the answers, or the error, of all keys."""
        sound = (self.dir / file).read_bytes()
        answers = self.crivo("query", path, asked).out
        refused = 0
        for at in range(5000, len(sound) - 20000, 4096 * 3 + 11):
            data = bytearray(sound)
            data[at] ^= 4
            (self.dir / file).write_bytes(data)
            result = self.run_crivo("query", path, asked)
            if result.code == 4:
                self.assertIn(b"damaged: ", result.err)
                self.assert_one_error_line(result)
                refused += 1
            else:
                self.assertEqual((result.code, result.out), (0, answers), at)
            self.assertIn(self.run_crivo("query", path, asked, "--open", "unchecked").code, (0, 4))
        (self.dir / file).write_bytes(sound)
        self.assertGreater(refused, 0)

    def test_dictionary(self):
        keys = urls(15_000)
        path = self.build("dictionary", keys)
        self.damaged_everywhere(path, path, self.write("asked", lines(keys)))

    def test_map(self):
        keys = urls(15_000)
        for options in (("--signature", "8"), ("--algorithm", "fuse")):
            with self.subTest(options):
                path = self.build("map", keys, "--value-bits", "40", "--force", *options)
                self.damaged_everywhere(path, path, self.write("asked", lines(keys)))

    def test_exact(self):
        keys = urls(560_000)
        self.write("universe", lines(keys))
        self.write("members", lines(keys[::2]))
        self.crivo("build", "exact", "--members", "members", "--universe", "universe", "-o", "set", "--quiet")
        self.damaged_everywhere("set", "set", self.write("asked", lines(keys[::40])))

    def test_store(self):
        keys = urls(20_000)
        self.write("records", b"".join(key + b"\tthe record of " + key + b"\n" for key in keys))
        for options in (("--ordered",), ()):
            with self.subTest(options):
                self.crivo("build", "store", "records", "-o", "store", "--backend", "flat", "--force", "--quiet", *options)
                self.damaged_everywhere("store", "store/index.crv", self.write("asked", lines(keys)))


class CutShort(CrivoTest):
    """A file is cut short under a query that has it open: exit 4, and no signal."""

    def test_under_a_query(self):
        keys = urls(20_000)
        for kind, options, problem in (("map", ("--value-bits", "40"), b"the bytes that tell the value of"),
                                       ("filter", ("--fpr", "1e-9"), b"a page of a mapped file cannot be read")):
            with self.subTest(kind):
                path = self.build(kind, keys, *options)
                with subprocess.Popen([CRIVO, "query", path, "-"], cwd=self.dir, env=ENVIRONMENT, stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE) as query:
                    query.stdin.write(keys[0] + b"\n")
                    query.stdin.flush()
                    self.assertTrue(query.stdout.readline().startswith(keys[0]))
                    os.truncate(self.dir / path, (self.dir / path).stat().st_size // 2)
                    _, err = query.communicate(lines(keys))
                self.assertEqual(query.returncode, 4, err)
                self.assertIn(problem, err)


class NoFileOfOurs(CrivoTest):
    def refused(self, path, code=4):
        for args in (("query", path, "--key", "a"), ("info", path), ("verify", path)):
            with self.subTest(args=args):
                result = self.crivo(*args, code=code)
                self.assertIn(path.encode(), result.err)
                self.assertEqual(result.out, b"")

    def test_fifo_is_not_waited_for(self):
        os.mkfifo(self.dir / "fifo")
        self.refused("fifo")

    def test_foreign_files(self):
        self.refused(self.write("empty", b""))
        self.refused(self.write("text", b"dear reader,\n" * 100))
        self.refused(self.write("short", b"x"))
        self.refused(self.write("rubbish", random.Random(1).randbytes(5000)))

    def test_directory_that_is_no_store(self):
        (self.dir / "sub").mkdir()
        self.refused("sub", code=(4, 5))

    def test_version_of_the_future(self):
        for kind in ("mphf", "filter", "store"):
            path = self.build(kind, urls(100))
            file = self.dir / path / "index.crv" if kind == "store" else self.dir / path
            data = bytearray(file.read_bytes())
            self.assertEqual(data[MAJOR_VERSION_AT : MAJOR_VERSION_AT + 2], b"\x00\x00")
            data[MAJOR_VERSION_AT] = 2
            file.write_bytes(data)
            self.assertIn(b"version", self.crivo("query", path, "--key", "a", code=4).err)
            self.assertIn(b"version", self.crivo("verify", path, code=4).err)

    def test_text_mode_transfer_shows(self):
        path = self.build("mphf", urls(500))
        data = (self.dir / path).read_bytes()
        self.refused(self.write("unix2dos", data.replace(b"\n", b"\r\n")))
        self.refused(self.write("dos2unix", data.replace(b"\r\n", b"\n")))
        self.refused(self.write("seven-bit", bytes(byte & 0x7F for byte in data)))


class TornStore(CrivoTest):
    """A store whose index and environment do not belong together."""

    def setUp(self):
        super().setUp()
        self.build("store", urls(500), out="a")
        self.build("store", urls(500, salt=1), out="b")
        self.build("store", urls(500), "--seed", "1", out="c")

    def refused(self, code=4):
        key = urls(1)[0]
        self.crivo("get", "a", key, code=code)
        self.crivo("query", "a", "--key", key, code=code)
        self.crivo("verify", "a", code=code)

    def test_environment_of_another_store(self):
        for other in ("b", "c"):
            shutil.copy(data_file(self.dir / other), data_file(self.dir / "a"))
            self.refused()

    def test_index_of_another_store(self):
        shutil.copy(self.dir / "b" / "index.crv", self.dir / "a" / "index.crv")
        self.refused()

    def test_environment_missing(self):
        data = data_file(self.dir / "a")
        os.remove(data)
        self.refused(code=(4, 5))
        self.assertNotIn(data.name, self.listing("a"), "reading must not create it")

    def test_index_missing(self):
        os.remove(self.dir / "a" / "index.crv")
        self.refused(code=(4, 5))

    def test_read_only_store(self):
        """Reading needs no right to write, and leaves nothing behind."""
        before = self.listing("a")
        for name in before:
            os.chmod(self.dir / "a" / name, 0o444)
        os.chmod(self.dir / "a", 0o555)
        self.addCleanup(os.chmod, self.dir / "a", 0o755)
        self.crivo("get", "a", urls(1)[0])
        self.crivo("verify", "a")
        self.assertEqual(self.listing("a"), before)
