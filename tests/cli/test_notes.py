# SPDX-License-Identifier: Apache-2.0
"""--note: names and values of whoever builds a file, which the file keeps."""

from harness import KINDS, CrivoTest, lines

NOTES = ("--note", "source=dump of 2026-11", "--note", "made by=Zé = José", "--note", "empty=")
KEPT = {"source": "dump of 2026-11", "made by": "Zé = José", "empty": ""}


class Notes(CrivoTest):
    def notes(self, path):
        return {name: value for name, value in self.info(path)["metadata"].items() if not name.startswith("crivo.")}

    def setUp(self):
        super().setUp()
        self.write("keys", lines(b"key %d\t%d" % (i, i) for i in range(500)))

    def refused(self, problem, *args):
        self.assertIn(problem.encode(), self.crivo(*args, code=2).err)

    def test_every_kind_keeps_them(self):
        for kind in KINDS:
            values = ("--values",) if kind == "map" else ()
            self.crivo("build", kind, "keys", *values, "-o", f"plain.{kind}")
            self.crivo("build", kind, "keys", *values, "-o", f"noted.{kind}", *NOTES)
            self.assertEqual(self.notes(f"plain.{kind}"), {})
            self.assertEqual(self.notes(f"noted.{kind}"), KEPT)
            plain, noted = self.info(f"plain.{kind}"), self.info(f"noted.{kind}")
            self.assertEqual(plain["build_id"], noted["build_id"])
            self.assertNotEqual(plain["digest"], noted["digest"])
            self.crivo("verify", f"noted.{kind}")
            self.assertIn('"made by" = "Zé = José"'.encode(), self.crivo("info", f"noted.{kind}").out)

    def test_a_merged_file_has_those_of_the_merge(self):
        for kind in ("filter", "store"):
            records = ("--records",) if kind == "store" else ()
            self.crivo("partition", "keys", *records, "--shards", "2", "-o", f"{kind}.d")
            for i in range(2):
                self.crivo("build", kind, f"{kind}.d", "--shard", f"{i}/2", "-o", f"{kind}.{i}")
            parts = (f"{kind}.0", f"{kind}.1")
            self.crivo("merge", *parts, "-o", f"{kind}.merged", *NOTES)
            self.crivo("manifest", *parts, "-o", f"{kind}.manifest", *NOTES)
            self.crivo("build", kind, "keys", "-o", f"{kind}.whole", *NOTES)
            self.assertEqual(self.info(f"{kind}.merged")["digest"], self.info(f"{kind}.whole")["digest"])
            self.assertEqual(self.notes(f"{kind}.manifest"), KEPT)
            self.refused("only a whole file has some", "build", kind, f"{kind}.d", "--shard", "0/2", "-o", "part", *NOTES)

    def test_what_is_no_note(self):
        for note, problem in (
            ("novalue", "has no =; use KEY=VALUE"),
            ("=value", "a name is empty"),
            ("crivo.type=mine", "names that begin with crivo. are crivo's"),
            (b"latin=\xe9", "is not UTF-8"),
        ):
            self.refused(problem, "build", "mphf", "keys", "-o", "out", "--note", note)
        large = [word for i in range(9) for word in ("--note", f"{i}=" + "x" * 120_000)]  # one argument has at most 131,072
        self.refused("they take more than 983040 bytes", "build", "mphf", "keys", "-o", "out", *large)
        self.refused('"a" is given twice', "build", "mphf", "keys", "-o", "out", "--note", "a=1", "--note", "a=2")
        self.assertEqual(self.listing(), ["keys"])
