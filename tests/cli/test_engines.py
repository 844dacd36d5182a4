# SPDX-License-Identifier: Apache-2.0
"""The pages of tools/examples on engines that shuffle keys: what they show is run, and gives the files of one build."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import minisign
import web
from harness import CRIVO, ENVIRONMENT, CrivoTest, files_of, lines, pairs, urls

ROOT = pathlib.Path(__file__).resolve().parents[2]
DUCKDB = ROOT / "build" / "duckdb" / "node_modules"
HYPARQUET = ROOT / "build" / "hyparquet" / "node_modules"
DEBIAN_PYTHON = "/usr/bin/python3"
RUN_SQL = b"""
const { DuckDBInstance } = require("@duckdb/node-api");
const fs = require("fs");
(async () => {
  const db = await (await DuckDBInstance.create(":memory:")).connect();
  let rows = [];
  for (const statement of JSON.parse(fs.readFileSync("statements.json")))
    rows = (await db.runAndReadAll(statement)).getRowObjectsJson();
  fs.writeFileSync("rows.json", JSON.stringify(rows));
})();
"""


def blocks(page):
    """The text of each block by its language."""
    text = (ROOT / "tools" / "examples" / page).read_text(encoding="utf-8")
    return dict(re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))


def debian_python_has(module):
    if not os.path.exists(DEBIAN_PYTHON):
        return False
    return subprocess.run([DEBIAN_PYTHON, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


class Engines(CrivoTest):
    def run_block(self, *command, **environment):
        env = {**ENVIRONMENT, **environment, "PATH": f"{os.path.dirname(CRIVO)}:{ENVIRONMENT['PATH']}"}
        result = subprocess.run(command, cwd=self.dir, env=env, capture_output=True, timeout=300, check=False)
        self.assertEqual(result.returncode, 0, result.stderr.decode()[-3000:])

    @unittest.skipUnless(debian_python_has("distributed, dask.bag"), "there is no Dask: tools/setup slurm gets it")
    def test_dask(self):
        keys = urls(3000)
        (self.dir / "keys").mkdir()
        for i in range(3):
            (self.dir / "keys" / f"{i}.txt").write_bytes(lines(keys[i * 900 : i * 900 + 1200]))
        page = blocks("dask.md")
        self.write("deal.py", page["python"].encode())
        self.run_block(DEBIAN_PYTHON, "deal.py", PYTHONPATH=str(ROOT / "formats"))
        self.run_block("bash", "-ec", page["bash"])
        expected = self.write("expected", lines(keys))
        self.crivo("build", "mphf", expected, "--signature", "8", "-o", "whole", "--quiet")
        self.assertEqual(files_of(self.dir / "keys.crv"), files_of(self.dir / "whole"))

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    @unittest.skipUnless(DUCKDB.exists(), "there is no DuckDB: tools/setup slurm gets it from npm")
    def test_duckdb(self):
        keys = urls(2000)
        (self.dir / "rows").mkdir()
        for version in range(2):
            chosen = keys[version * 500 : version * 500 + 1500]
            rows = [b"%s\t%d\trecord %d \"of\" %s" % (key, version, version, key[-5:]) for key in chosen]
            (self.dir / "rows" / f"{version}.tsv").write_bytes(lines(rows))
        page = blocks("duckdb.md")
        self.write("shuffle.js", page["javascript"].encode())
        self.run_block("node", "shuffle.js", NODE_PATH=str(DUCKDB))
        self.run_block("bash", "-ec", page["bash"], FORMATS=str(ROOT / "formats"))
        records = [b"record %d \"of\" %s" % (i >= 500, key[-5:]) for i, key in enumerate(keys)]
        expected = self.write("expected", pairs(keys, records))
        self.crivo("build", "store", expected, "-o", "whole", "--quiet")
        self.assertEqual(files_of(self.dir / "records"), files_of(self.dir / "whole"))

    def sql(self, *statements):
        """The rows of the last statement, as DuckDB reads them."""
        self.write("run.js", RUN_SQL)
        self.write("statements.json", json.dumps(statements).encode())
        self.run_block("node", "run.js", NODE_PATH=str(DUCKDB))
        return json.loads((self.dir / "rows.json").read_bytes())

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    @unittest.skipUnless(DUCKDB.exists(), "there is no DuckDB: tools/setup slurm gets it from npm")
    def test_rows_of_parquet(self):
        names = ["table/a.parquet", "table/it's.parquet", "table/x;--\n.parquet"]
        (self.dir / "table").mkdir()
        quoted = [name.replace("'", "''") for name in names]
        self.sql(*(
            f"COPY (SELECT 'key ' || (range * 3 + {i}) AS id, range AS n FROM range(5000)) TO '{name}' (FORMAT parquet, ROW_GROUP_SIZE 2048)"
            for i, name in enumerate(quoted)
        ))
        page = blocks("rows.md")
        self.write("ids.js", page["javascript"].encode())
        self.run_block("node", "ids.js", NODE_PATH=str(DUCKDB))
        self.run_block("bash", "-ec", page["bash"])
        self.assertEqual((self.dir / "place.tsv").read_bytes(), b"key 7\ttable/it's.parquet\t0\t2\n")
        self.assertEqual({row["id"] for row in self.sql((self.dir / "fetch.sql").read_text())}, {"key 7", "key 9"})
        keys = [f"key {i}" for i in range(0, 15_000, 1_001)]
        for line in self.crivo("query", "ids.crv", "--json", *(f"--key={key}" for key in keys)).json_lines():
            file, group, row = line["answer"].rsplit("\t", 2)
            number = int(line["key"].split()[1])
            self.assertEqual((file, int(group), int(row)), (names[number % 3], number // 3 // 2048, number // 3))
        sql = self.crivo("query", "ids.crv", "--sql", *(f"--key={key}" for key in keys)).out.decode()
        self.assertEqual({row["id"] for row in self.sql(sql)}, set(keys))
        self.assertEqual(self.sql(self.crivo("query", "ids.crv", "--sql", "--key", "none").out.decode()), [])

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    @unittest.skipUnless(DUCKDB.exists() and HYPARQUET.exists(), "there is no DuckDB or hyparquet: tools/setup slurm gets them from npm")
    @unittest.skipUnless(web.NGINX, "nginx is not installed")
    def test_rows_served(self):
        """An index of DuckDB's own scan; a lookup through a web server is at most 2 ranges, once it is open, and then the page."""
        site = self.dir
        (site / "table").mkdir()
        self.sql(*(
            f"COPY (SELECT 'key ' || (range * 20 + {i}) AS id, range AS n FROM range(10000)) TO 'table/{i}.parquet' (FORMAT parquet)"
            for i in range(20)
        ))
        key = minisign.Key()
        self.write("table.key", key.secret_file(b"secret"))
        self.write("table.password", b"secret\n")
        self.write("table.pub", key.public_file)
        page = blocks("rows-served.md")
        self.write("scan.js", page["javascript"].encode())
        self.write("page.mjs", page["js"].encode())
        (self.dir / "node_modules").symlink_to(HYPARQUET)
        self.run_block("bash", "-ec", page["bash"], NODE_PATH=str(DUCKDB))
        self.assertEqual({row["id"] for row in self.sql((self.dir / "fetch.sql").read_text())}, {"key 7"})
        work = self.dir / "work"
        work.mkdir()
        with web.nginx(site, work) as (url, log):
            self.run_block("bash", "-ec", page["sh"], SITE=url)
            self.assertEqual((self.dir / "place.tsv").read_bytes(), b"key 7\ttable/7.parquet\t0\n")
            requests = [line.split(" ", 4) for line in log.read_text().splitlines()]
            self.crivo("info", f"{url}/ids.crv", "--public-key", "table.pub")
            info = [line.split(" ", 4) for line in log.read_text().splitlines()][len(requests) :]
        of = {name: [row for row in requests if row[3] == name] for name in ("/ids.crv", "/ids.crv.minisig", "/table/7.parquet")}
        self.assertEqual(sum(len(rows) for rows in of.values()), len(requests), requests)
        self.assertEqual(len(of["/ids.crv.minisig"]), 1)
        self.assertTrue(all(row[1] == "206" for row in of["/ids.crv"]), requests)
        self.assertLessEqual(len(of["/ids.crv"]), sum(row[3] == "/ids.crv" for row in info) + 2, (requests, info))
        self.assertLessEqual(len(of["/table/7.parquet"]), 4)
        whole = (self.dir / "ids.crv").read_bytes()
        for at in range(1_000, len(whole), len(whole) // 7):
            self.write("ids.crv", whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
            with web.nginx(site, work) as (url, _):
                told = self.crivo("query", f"{url}/ids.crv", "--key", "key 7", "--public-key", "table.pub", code=(0, 4))
                self.assertIn(told.out, (b"", b"key 7\ttable/7.parquet\t0\n"))

    def test_rows_of_a_table_that_changes(self):
        """An engine rewrites two files between build and query: no answer leads to another row."""
        (self.dir / "table").mkdir()
        self.sql(*(f"COPY (SELECT 'key ' || (range * 3 + {i}) AS id FROM range(1000)) TO 'table/{i}.parquet' (FORMAT parquet)" for i in range(3)))

        def place(to, *files):
            self.sql(f"COPY (SELECT id, filename, file_row_number FROM read_parquet({list(files)}, filename = true, file_row_number = true)) "
                     f"TO '{to}' (DELIMITER '\t', HEADER false)")

        place("ids.tsv", *(f"table/{i}.parquet" for i in range(3)))
        self.crivo("build", "rows", "ids.tsv", "--check-files", "-o", "ids.crv", "--quiet")
        self.sql("COPY (SELECT id FROM read_parquet(['table/0.parquet', 'table/1.parquet']) ORDER BY id) TO 'table/01.parquet' (FORMAT parquet)",
                 "COPY (SELECT 'new ' || range AS id FROM range(10)) TO 'table/2.parquet' (FORMAT parquet)")
        keys = [f"key {i}" for i in range(0, 3_000, 7)]
        asked = [f"--key={key}" for key in keys]
        self.assertIn(b"table/2.parquet: was rewritten", self.crivo("query", "ids.crv", "--key", "key 2", "--check-files", code=1).err)
        place("new.tsv", "table/01.parquet", "table/2.parquet")
        removed = [word for i in range(3) for word in ("--remove", f"table/{i}.parquet")]
        self.crivo("rows", "add", "ids.crv", "new.tsv", *removed, "-o", "ids.chain", "--quiet")
        sql = self.crivo("query", "ids.chain", "--sql", "--check-files", *asked, "--key=new 3").out.decode()
        fetched = {row["id"] for row in self.sql(sql)}
        self.assertEqual(fetched & {*keys, "new 3"}, {key for key in keys if int(key.split()[1]) % 3 != 2} | {"new 3"})
        self.crivo("verify", "ids.chain", "--tables", "--keys", "new.tsv")

    def test_values_and_records_of_ones_own(self):
        """formats/write_keys.py by itself, with tasks of several keys, of one and of none."""
        keys = urls(700)
        for option, kind, others in (
            ("--values", "map", [b"%d" % (i * i % 1000) for i in range(700)]),
            ("--records", "store", [b"x" * (i % 200) for i in range(700)]),
        ):
            with self.subTest(kind):
                (self.dir / kind).mkdir()
                table = pairs(keys, others)
                whole = self.write(f"{kind}.tsv", table)
                rows = table.splitlines(keepends=True)
                for task, some in enumerate((rows[:400], [], rows[400:401], rows[401:])):
                    self.write("task", b"".join(some))
                    self.run_block(sys.executable, str(ROOT / "formats" / "write_keys.py"), "task", kind, str(task), "4", option)
                    self.crivo("verify", f"{kind}/keys-{task}-of-4.crv")
                self.crivo("partition", "--finish", kind, "--quiet")
                values = ("--values",) if kind == "map" else ()
                for shard in range(2):
                    self.crivo("build", kind, kind, *values, "--shard", f"{shard}/2", "-o", f"{kind}{shard}", "--quiet")
                self.crivo("merge", f"{kind}0", f"{kind}1", "-o", f"{kind}.merged", "--quiet")
                self.crivo("build", kind, whole, *values, "-o", f"{kind}.whole", "--quiet")
                self.assertEqual(files_of(self.dir / f"{kind}.merged"), files_of(self.dir / f"{kind}.whole"))

    def test_pages_are_short(self):
        for page in ("dask.md", "duckdb.md", "filtersets.md", "rows.md", "rows-served.md"):
            text = (ROOT / "tools" / "examples" / page).read_text(encoding="utf-8")
            self.assertLessEqual(len(text.splitlines()), 60, page)
