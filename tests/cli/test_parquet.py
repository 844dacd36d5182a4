# SPDX-License-Identifier: Apache-2.0
"""Bloom filters of Parquet files: written into copies that others prune by, and those of others asked; filters in Puffin files."""

import itertools
import json
import pathlib
import random
import shutil
import struct
import subprocess
import unittest

import parquet
from harness import ENVIRONMENT, CrivoTest, lines, urls
from parquet import BYTE_ARRAY, DOUBLE, FIXED, INT32, INT64
from test_engines import DUCKDB, RUN_SQL
from test_split_block import bits_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
HYPARQUET = ROOT / "build" / "hyparquet" / "node_modules"
RATE = 0.01


def holds(blocks, value):
    block, words = bits_of(value, len(blocks) // 32)
    return all(word & bits for word, bits in zip(struct.unpack_from("<8I", blocks, 32 * block), words))


class Parquet(CrivoTest):
    def export(self, path, *columns, out="copy.parquet", code=0, more=()):
        named = itertools.chain.from_iterable(("--column", column) for column in columns)
        return self.crivo("export", "parquet-bloom", path, *named, "-o", out, "--force", *more, code=code)

    def check_filters(self, columns, groups):
        """The copy is the file but for its footer, which differs by filters that hold the values at the rate."""
        old, new = (self.dir / "t.parquet").read_bytes(), (self.dir / "copy.parquet").read_bytes()
        body = len(old) - 8 - struct.unpack("<I", old[-8:-4])[0]
        self.assertEqual(new[:body], old[:body])
        plain, changed = parquet.footer(old), parquet.footer(new)
        for g, group in enumerate(changed[4]):
            for c, chunk in enumerate(group[1]):
                chunk[3].pop(14, None), chunk[3].pop(15, None)
                self.assertEqual(chunk, plain[4][g][1][c])
        self.assertEqual(changed, plain)
        draw = random.Random(1)
        for g, group in enumerate(groups):
            for c, (name, kind, width, _) in enumerate(columns):
                found = parquet.filter_of(new, g, c)
                if kind == DOUBLE:
                    self.assertIsNone(found)
                    continue
                header, blocks = found
                self.assertEqual(header, {1: len(blocks), 2: {1: {}}, 3: {1: {}}, 4: {1: {}}})
                self.assertEqual((len(blocks) // 32).bit_count(), 1)
                values = {value for value in group[c] if value is not None}
                for value in values:
                    self.assertTrue(holds(blocks, value), (name, value))
                passed = sum(holds(blocks, draw.randbytes(width or 30)) for _ in range(2000))
                self.assertLessEqual(passed, 45, (name, len(values), len(blocks)))
                self.assertLessEqual(len(blocks), max(32, 6 * len(values)), name)  # folded: of values that repeat

    def test_every_form_of_page(self):
        keys = urls(700)
        numbers = [struct.pack("<q", (-1) ** i * i**5) for i in range(700)]
        small = [struct.pack("<i", i % 5 - 2) for i in range(700)]
        ids = [struct.pack(">QQ", i * i, i) for i in range(700)]
        repeated = [b"value %d" % (i % 9) for i in range(700)]
        with_nulls = [None if i % 3 == 0 else key for i, key in enumerate(keys)]
        for codec, version in itertools.product(("none", "snappy", "gzip"), (1, 2)):
            how = {"codec": codec, "version": version}
            columns = [("url", BYTE_ARRAY, 0, how), ("n", INT64, 0, how), ("small", INT32, 0, {**how, "dictionary": True}),
                       ("id", FIXED, 16, how), ("word", BYTE_ARRAY, 0, how), ("maybe", BYTE_ARRAY, 0, {**how, "optional": True}),
                       ("named", BYTE_ARRAY, 0, {**how, "optional": True, "dictionary": True}), ("d", DOUBLE, 0, how)]  # fmt: skip
            all_of = [keys, numbers, small, ids, repeated, with_nulls, with_nulls, numbers]
            groups = [[values[:500] for values in all_of], [values[500:] for values in all_of], [[] for _ in all_of]]
            self.write("t.parquet", parquet.write(columns, groups))
            with self.subTest(codec=codec, version=version):
                self.export("t.parquet", *(name for name, kind, _, _ in columns if kind != DOUBLE))
                self.check_filters(columns, groups)
        self.assertEqual(self.query("copy.parquet", [keys[3], keys[600], b"none of them"], "--group", "url"), [b"0", b"1", b"-"])
        self.assertEqual(self.query("copy.parquet", [b"%d" % -(3**5), b"%d" % 600**5, b"17"], "--group", "n"), [b"0", b"1", b"-"])
        self.assertEqual(self.crivo("query", "copy.parquet", "--group", "small", "--key", "-2").out, b"-2\t0\n-2\t1\n")
        told = json.loads(self.crivo("info", "copy.parquet", "--json").out)
        self.assertEqual((told["kind"], told["format"], told["groups"]), ("filterset", "parquet", 3))
        self.assertEqual(told["columns"], "url,n,small,id,word,maybe,named")
        self.crivo("verify", "copy.parquet", "--quiet")

    def test_what_is_refused_by_name(self):
        keys, how = urls(50), {}
        for columns, column, problem in [
            ([("d", DOUBLE, 0, how)], "d", b"is of type DOUBLE"), ([("a", BYTE_ARRAY, 0, how)], "b", b"has no column 'b'; it has: a"),
            ([("m", BYTE_ARRAY, 0, {"decimal": True})], "m", b"or a DECIMAL"),
            ([("a", BYTE_ARRAY, 0, {"codec": "brotli"})], "a", b"is compressed by BROTLI"),
            ([("a", BYTE_ARRAY, 0, {"encoding": parquet.DELTA_BYTE_ARRAY})], "a", b"has values in DELTA_BYTE_ARRAY"),
        ]:  # fmt: skip
            values = [key[-8:] for key in keys]
            self.write("t.parquet", parquet.write(columns, [[values]]))
            error = self.export("t.parquet", column, code=2).err
            self.assertIn(problem, error)
            self.assertNotIn("copy.parquet", self.listing())
        self.write("t.parquet", parquet.write([("a", BYTE_ARRAY, 0, {})], [[keys]]))
        self.assertIn(b"has no Bloom filters", self.crivo("query", "t.parquet", "--key", "x", code=2).err)
        self.assertIn(b"--column", self.crivo("export", "parquet-bloom", "t.parquet", "-o", "copy.parquet", code=2).err)
        self.export("t.parquet", "a", code=2, more=("--fpr", "1e-9"))
        self.export("t.parquet", "a", out="t.parquet", code=2)
        whole = (self.dir / "t.parquet").read_bytes()
        self.write("t.parquet", whole[:-4] + b"PARE")
        self.assertIn(b"encrypted", self.export("t.parquet", "a", code=2).err)
        self.write("text", b"no file of Parquet's")
        self.export("text", "a", code=4)

    def test_damage_is_an_error_or_changes_nothing(self):
        """Of 300 damaged files none makes a filter that lacks a value, and none ends the program."""
        keys = urls(300)
        columns = [("url", BYTE_ARRAY, 0, {"codec": "snappy"}), ("word", BYTE_ARRAY, 0, {"codec": "gzip", "dictionary": True, "optional": True})]
        words = [None if i % 4 == 0 else b"word %d" % (i % 20) for i in range(300)]
        whole = parquet.write(columns, [[keys, words]])
        draw = random.Random(4)
        for i in range(300):
            data = bytearray(whole)
            if i % 5 == 0:
                del data[draw.randrange(len(data)) :]
                data += whole[-8:] if i % 2 else b""
            else:
                at = draw.randrange(len(data)) if i % 2 else draw.randrange(len(data) - 400, len(data))
                data[at] ^= 1 << draw.randrange(8)
            self.write("t.parquet", bytes(data))
            result = self.export("t.parquet", "url", "word", code=(0, 2, 4))
            if result.code == 0:
                copy = (self.dir / "copy.parquet").read_bytes()
                meta = parquet.footer(copy)[4]
                if meta and len(meta[0][1]) == 2 and meta[0][1][0][3][5] == len(keys):
                    blocks = parquet.filter_of(copy, 0, 0)[1]
                    self.assertTrue(all(holds(blocks, key) for key in keys), i)
                self.crivo("query", "copy.parquet", "--group", "url", "--key", "x", code=(0, 2, 4))


    def test_values_that_a_page_lacks_are_damage(self):
        """The filter would not have them, and their rows would be missing from answers."""
        keys = urls(50)
        for how in ({}, {"dictionary": True}, {"version": 2}, {"version": 2, "optional": True}):
            for lost in (0, 1):
                self.write("t.parquet", parquet.write([("a", BYTE_ARRAY, 0, {**how, "lost": lost})], [[keys]]))
                error = self.export("t.parquet", "a", code=4 * lost).err
                self.assertEqual(b"of another number of values" in error, lost == 1, (how, error))


class Puffin(CrivoTest):
    def test_filters_are_read_back(self):
        for i, name in enumerate(["a.crv", 'b "q".crv']):
            keys = self.write_keys(urls(500, salt=i))
            self.crivo("build", "filter", keys, "--fpr", "1e-6", "-o", name, "--quiet")
        self.crivo("export", "puffin", "a.crv", 'b "q".crv', "--field", "3", "--field", "7", "-o", "f.puffin")
        data = (self.dir / "f.puffin").read_bytes()
        # As the specification has it.
        size, flags = struct.unpack("<II", data[-12:-4])
        self.assertEqual((data[:4], data[-4:], data[-16 - size : -12 - size], flags), (b"PFA1",) * 3 + (0,))
        footer = json.loads(data[-12 - size : -12])
        self.assertEqual(footer["properties"], {"created-by": "crivo"})
        for blob, name in zip(footer["blobs"], ["a.crv", 'b "q".crv']):
            self.assertEqual({name: blob[name] for name in ("type", "fields", "snapshot-id", "sequence-number")},
                             {"type": "crivo-filter-provisional", "fields": [3, 7], "snapshot-id": -1, "sequence-number": -1})  # fmt: skip
            self.assertEqual((blob["properties"]["name"], blob["properties"]["keys"]), (name, "500"))
            self.assertEqual(data[blob["offset"] : blob["offset"] + blob["length"]], (self.dir / name).read_bytes())
        asked = [urls(3)[2], urls(3, salt=1)[2], b"none"]
        self.assertEqual(self.query("f.puffin", asked), [b"a.crv", b'b "q".crv', b"-"])
        self.assertEqual(self.query("f.puffin", asked, "--group", "a.crv"), [b"maybe", b"-", b"-"])
        self.crivo("query", "f.puffin", "--group", "c", "--key", "x", code=2)
        told = json.loads(self.crivo("info", "f.puffin", "--json").out)
        self.assertEqual((told["format"], told["blobs"], told["groups"], told["keys"]), ("puffin", 2, 2, 1000))
        self.crivo("verify", "f.puffin", "--quiet")
        # Blobs of others are passed over; what is compressed is not read.
        body = data[: -16 - size]
        for change, code in [({"type": "apache-datasketches-theta-v1"}, 0), ({"compression-codec": "zstd"}, 2), ({"offset": 1 << 62}, 4),
                             ({"length": -1}, 4), ({"offset": 0}, 4), ({"type": None}, 4)]:  # fmt: skip
            blob = {name: value for name, value in {**footer["blobs"][0], **change}.items() if value is not None}
            other = json.dumps({"blobs": [blob, footer["blobs"][1]]}, indent=1).encode()
            self.write("g.puffin", body + b"PFA1" + other + struct.pack("<II", len(other), 0) + b"PFA1")
            answer = self.crivo("query", "g.puffin", "--key", asked[0], "--key", asked[1], code=code).out
            if code == 0:
                self.assertEqual(answer, asked[0] + b"\t-\n" + asked[1] + b'\tb "q".crv\n')
        self.write("g.puffin", data[:-8] + b"\1\0\0\0PFA1")
        self.assertIn(b"compressed", self.crivo("info", "g.puffin", code=2).err)
        draw = random.Random(5)
        for i in range(100):
            changed = bytearray(data)
            changed[len(data) - 1 - draw.randrange(size + 16)] = draw.randrange(256)
            self.write("g.puffin", bytes(changed))
            self.crivo("query", "g.puffin", "--key", "x", code=(0, 2, 4))

    def test_what_is_refused(self):
        self.crivo("build", "mphf", self.write_keys(urls(9)), "-o", "m.crv", "--quiet")
        self.assertIn(b"is not a filter", self.crivo("export", "puffin", "m.crv", "-o", "f.puffin", code=2).err)
        self.crivo("build", "filter", "keys.txt", "-o", "a.crv", "--quiet")
        self.crivo("export", "puffin", "a.crv", "a.crv", "-o", "f.puffin", code=2)
        self.crivo("export", "puffin", "a.crv", "--column", "x", "-o", "f.puffin", code=2)
        self.assertNotIn("f.puffin", self.listing())


@unittest.skipUnless(shutil.which("node"), "node is not installed")
class ParquetEngines(CrivoTest):
    def node(self, script, modules, *args):
        self.write("script.js", script)
        made = subprocess.run(["node", "script.js", *args], cwd=self.dir, env={**ENVIRONMENT, "NODE_PATH": str(modules)},
                              capture_output=True, timeout=300, check=False)  # fmt: skip
        self.assertEqual(made.returncode, 0, made.stderr.decode()[-3000:])
        return made.stdout

    def sql(self, *statements):
        self.write("statements.json", json.dumps(statements).encode())
        self.node(RUN_SQL, DUCKDB)
        return json.loads((self.dir / "rows.json").read_bytes())

    TABLE = """CREATE TABLE t AS SELECT i * 7919 % 1000003 AS id, 'https://' || i * 31 % 5003 || '.example/' || i AS url,
      'k' || i * i % 997 || '-' || i // 4096 AS k, CASE WHEN i % 10 = 0 THEN NULL ELSE CAST(i % 17 AS INTEGER) END AS small, {'a': 'x' || i} AS s,
      ['u' || i, NULL] AS l
      FROM range(16384) r(i)"""

    @unittest.skipUnless(DUCKDB.exists(), "there is no DuckDB: tools/setup slurm gets it from npm")
    def test_duckdb_prunes_by_ours_and_ours_are_asked_of_duckdb(self):
        probes = ["https://0.example/0", "https://3100.example/100", "https://1.example/none", "it''s; none"]
        for codec in ("uncompressed", "snappy", "zstd", "gzip"):
            self.sql(self.TABLE, f"COPY t TO '{codec}.parquet' (COMPRESSION {codec}, ROW_GROUP_SIZE 4096)")
            self.crivo("export", "parquet-bloom", f"{codec}.parquet", "--column", "url", "--column", "id", "-o", f"{codec}-copy.parquet", "--quiet")
            copy = f"'{codec}-copy.parquet'"
            said = self.sql(*[f"CREATE TABLE p{i} AS SELECT {i} AS probe, * FROM parquet_bloom_probe({copy}, 'url', '{probe}')"
                              for i, probe in enumerate(probes)], " UNION ALL ".join(f"FROM p{i}" for i in range(4)))  # fmt: skip
            kept = {(row["probe"], int(row["row_group_id"])) for row in said if not row["bloom_filter_excludes"]}
            self.assertEqual({pair for pair in kept if pair[0] < 2}, {(0, 0), (1, 0)})
            self.assertLessEqual(len(kept), 3)  # of 8 at most one by chance
            # Every row is found by a scan that passes over row groups, by text and by number.
            count = self.sql(self.TABLE, f"CREATE TABLE c AS FROM {copy}",
                             f"SELECT (SELECT count(*) FROM (FROM t EXCEPT FROM c)) AS lost, (SELECT count(*) FROM {copy}) AS n, "
                             f"(SELECT id FROM {copy} WHERE url = 'https://3100.example/100') AS id, "
                             f"(SELECT url FROM {copy} WHERE id = {16383 * 7919 % 1000003}) AS url")[0]  # fmt: skip
            self.assertEqual((int(count["lost"]), int(count["n"]), int(count["id"])), (0, 16384, 791900))
            self.assertEqual(count["url"], f"https://{16383 * 31 % 5003}.example/16383")
        # Columns within columns.
        self.crivo("export", "parquet-bloom", "snappy.parquet", "--column", "s.a", "--column", "l.list.element", "-o", "nested.parquet", "--quiet")
        self.assertEqual(self.query("nested.parquet", [b"x8000", b"x"], "--group", "s.a"), [b"1", b"-"])
        self.assertEqual(self.query("nested.parquet", [b"u16000", b"u"], "--group", "l.list.element"), [b"3", b"-"])
        # DuckDB's own filters, of columns that it writes by a dictionary.
        told = json.loads(self.crivo("info", "zstd.parquet", "--json").out)
        self.assertEqual(told["columns"], "k,small")
        for i in (3, 777, 5003, 16382):
            word = b"k%d-%d" % (i * i % 997, i // 4096)
            self.assertIn(b"%s\t%d\n" % (word, i // 4096), self.crivo("query", "zstd.parquet", "--group", "k", "--key", word).out)
        absent = [b"absent %d" % i for i in range(500)]
        self.assertLessEqual(len(self.crivo("query", "zstd.parquet", "-", "--group", "k", "--present", stdin=lines(absent)).out.split(b"\n")), 60)
        self.assertIn(b"--group", self.crivo("query", "zstd.parquet", "--key", "x", code=2).err)

    @unittest.skipUnless(HYPARQUET.exists(), "there is no hyparquet: tools/setup slurm gets it from npm")
    def test_hyparquet_prunes_by_ours(self):
        keys = urls(400)
        numbers = [struct.pack("<q", i * i) for i in range(400)]
        columns = [("url", BYTE_ARRAY, 0, {"codec": "snappy"}), ("n", INT64, 0, {})]
        self.write("t.parquet", parquet.write(columns, [[keys[at : at + 100], numbers[at : at + 100]] for at in range(0, 400, 100)]))
        self.crivo("export", "parquet-bloom", "t.parquet", "--column", "url", "--column", "n", "-o", "copy.parquet", "--quiet")
        script = b"""
        (async () => {
          const { parquetMetadataAsync, parquetReadObjects } = await import(process.argv[2]);
          const bytes = require("fs").readFileSync("copy.parquet");
          const whole = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
          const metadata = await parquetMetadataAsync(whole);
          const said = [];
          for (const filter of [{ url: { $eq: process.argv[3] } }, { n: { $eq: 100n } }, { url: { $eq: "none" } }]) {
            const read = [];
            const file = { byteLength: whole.byteLength, slice: (a, b) => (read.push([a, b]), whole.slice(a, b)) };
            const rows = await parquetReadObjects({ file, metadata, filter, useBloomFilters: true });
            const groups = metadata.row_groups.flatMap(({ columns }, i) => {
              const { data_page_offset, total_compressed_size } = columns[0].meta_data;
              const begin = Number(data_page_offset), end = begin + Number(total_compressed_size);
              return read.some(([a, b]) => a < end && b > begin) ? [i] : [];
            });
            said.push([rows.length, groups]);
          }
          console.log(JSON.stringify(said));
        })();
        """
        module = HYPARQUET / "hyparquet" / "src" / "index.js"
        said = json.loads(self.node(script, HYPARQUET, str(module), keys[250].decode()))
        self.assertEqual(said, [[1, [2]], [1, [0]], [0, []]])


if __name__ == "__main__":
    unittest.main()
