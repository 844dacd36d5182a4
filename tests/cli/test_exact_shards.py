# SPDX-License-Identifier: Apache-2.0
"""Exact sets and deltas that are built in shards: the bytes of one machine's."""

from harness import CrivoTest, lines


class ExactShards(CrivoTest):
    def setUp(self):
        super().setUp()
        groups = [b"few", b"most", b"half", b"none", b"all", b"tiny"]
        pairs, members = [], []
        for i in range(30_000):
            group = groups[i % 6] if i % 6 != 5 or i < 60 else b"few"
            pairs.append(b"%s\tkey%d" % (group, i))
            if {b"few": i % 70 == 0, b"most": i % 9 != 1, b"half": i % 4 == 2, b"all": True, b"tiny": i % 12 == 5}.get(group):
                members.append(pairs[-1])
        self.pairs = [*pairs, *pairs[:100]]  # some come twice
        self.members = [*members, b"few\tnowhere", b"elsewhere\tkey"]
        self.write("universe", lines(self.pairs))
        self.write("members", lines(self.members))
        # The next state: keys come, and members come and go.
        self.later = [*self.pairs, *(b"%s\tnew%d" % (b"late" if i % 3 else b"few", i) for i in range(3000))]
        self.next = [*self.members[:-300], *self.later[-40:], b"most\tkey1"]
        self.write("later", lines(self.later))
        self.write("next", lines(self.next))

    def partition(self, members, universe, *options, shards, tasks=1, out="dealt"):
        for task in range(tasks):
            part = ("--part", f"{task}/{tasks}") if tasks > 1 else ()
            self.crivo("partition", "--members", members, "--universe", universe, "--shards", shards, "-o", out, *part,
                       *options)
        if tasks > 1:
            self.crivo("partition", "--finish", out)

    def merged(self, command, *options, shards, out="merged"):
        parts = [f"part{shard}" for shard in range(shards)]
        for shard, part in enumerate(parts):
            self.crivo(*command, "--shard", f"{shard}/{shards}", "-o", part, "-f", *options)
            self.crivo("verify", part)
        said = self.crivo("merge", *reversed(parts), "-o", out, "-f")
        return (self.dir / out).read_bytes(), said.err

    def expect_same(self, *options, grouped):
        group = ("--group", "1") if grouped else ()
        inputs = ("--members", "members", "--universe", "universe", *group)
        self.crivo("build", "exact", *inputs, "-o", "whole", "-f", *options)
        self.crivo("diff", "whole", "--members", "next", "--universe", "later", *group, "-o", "delta", "-f")
        whole, delta = ((self.dir / name).read_bytes() for name in ("whole", "delta"))
        for shards, tasks in ((1, 1), (2, 3), (7, 2)):
            with self.subTest(options=options, grouped=grouped, shards=shards):
                name = f"dealt{shards}-{grouped}"
                self.partition("members", "universe", *group, shards=shards, tasks=tasks, out=name)
                made, said = self.merged(("build", "exact", name), *options, shards=shards)
                self.assertEqual(made, whole)
                self.assertIn(b"not in the universe", said)
                self.partition("next", "later", *group, shards=shards, tasks=tasks, out="later-" + name)
                made, _ = self.merged(("diff", "whole", "later-" + name), shards=shards)
                self.assertEqual(made, delta)

    def test_groups(self):
        self.expect_same(grouped=True)

    def test_groups_with_a_rate_outside(self):
        self.expect_same("--fpr", "0.01", "--covers", "log=1:5", grouped=True)

    def test_no_groups(self):
        self.expect_same(grouped=False)

    def test_refused(self):
        self.partition("members", "universe", "--group", "1", shards=2)
        self.crivo("build", "exact", "dealt", "--shard", "0/2", "-o", "one")
        self.crivo("build", "exact", "dealt", "--shard", "0/2", "-o", "one")  # the same part again
        refusals = (
            (b"are missing: 1", "merge", "one", "-o", "out"),
            (b"whose parts are merged", "manifest", "one", "-o", "out"),
            (b"--members FILE and --universe FILE are required", "build", "exact", "dealt", "-o", "out"),
            (b"use --members and --universe together", "partition", "--members", "members", "--shards", "2", "-o", "other"),
            (b"does not hold members and their universe", "build", "exact", "dealt/members", "--shard", "0/1", "-o", "out"),
            (b"already exists", "build", "exact", "dealt", "--fpr", "0.1", "--shard", "0/2", "-o", "one"),
        )
        self.crivo("build", "exact", "dealt", "--shard", "1/2", "-o", "two")
        for words, *arguments in refusals:
            if words == b"whose parts are merged":
                arguments.insert(2, "two")
            self.assertIn(words, self.crivo(*arguments, code=2).err)
        self.crivo("build", "exact", "dealt", "--shard", "0/2", "-o", "strict0", "--strict")
        self.crivo("build", "exact", "dealt", "--shard", "1/2", "-o", "strict1", "--strict")
        self.crivo("merge", "strict0", "strict1", "-o", "out", code=3)
        self.partition("members", "universe", "--group", "1", "--seed", "8", shards=1, out="seeded")
        self.crivo("merge", "one", "two", "-o", "set.crv")
        said = self.crivo("diff", "set.crv", "seeded", "--shard", "0/1", "-o", "out", code=2).err
        self.assertIn(b"partition them with the seed", said)
        self.write("members", lines([*self.members, self.members[0]]))
        self.crivo("partition", "--members", "members", "--universe", "universe", "--group", "1", "--shards", "1", "-o",
                   "twice", code=3)
