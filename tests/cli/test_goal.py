# SPDX-License-Identifier: Apache-2.0
"""crivo build store --goal: what the codec auto looks for."""

import unittest

from harness import CrivoTest, urls

BALANCED_IS = {"tokens12", "tokens16"}


class Goal(CrivoTest):
    def setUp(self):
        super().setUp()
        record = b'\t{"status":"active","owner":"somebody@example.org","bytes":%d}\n'
        self.write("records", b"".join(key + record % i for i, key in enumerate(urls(5000))))

    def build(self, *options, code=0):
        return self.crivo("build", "store", "records", *options, "-o", "s", "--force", code=code)

    def metadata(self):
        return self.crivo("info", "s", "--json").json()["metadata"]

    def test_the_summary_shows_what_each_would_give(self):
        for goal, name in (("size", "record_bytes"), ("speed", "hit_nanoseconds")):
            built = self.build("--goal", goal, "--json").json()
            figures = {each["codec"]: each[name] for each in built["candidates"]}
            self.assertLessEqual({"none", "tokens12"}, figures.keys())
            self.assertLessEqual(figures[built["codec"]], 1.05 * min(figures.values()))
        told = self.build().err
        self.assertRegex(told, rb"tried codec none: [0-9.]+ bytes a record, a hit takes [0-9]+ ns\n")
        self.assertNotIn("candidates", self.build("--codec", "zstd", "--json").json())

    def test_only_another_goal_than_the_default_is_recorded(self):
        self.build("--goal", "balanced")
        self.assertNotIn("crivo.goal", self.metadata())
        self.assertIn(self.crivo("info", "s", "--json").json()["codec"], BALANCED_IS)
        digest = self.crivo("info", "s", "--json").json()["digest"]
        self.build()
        self.assertEqual(self.crivo("info", "s", "--json").json()["digest"], digest)
        self.build("--goal", "speed")
        self.assertEqual(self.metadata()["crivo.goal"], "speed")

    def test_what_has_no_meaning_is_refused(self):
        self.assertIn(b"--goal", self.build("--codec", "none", "--goal", "size", code=2).err)
        self.build("--goal", "small", code=2)
        self.assertIn(b"--goal: smallest needs the backend flat", self.build("--goal", "smallest", code=2).err)


if __name__ == "__main__":
    unittest.main()
