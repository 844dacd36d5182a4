# SPDX-License-Identifier: Apache-2.0
"""--passes and --again: an input that is read several times, for a part of the keys each time."""

from harness import CrivoTest, files_of, gzipped, lines, pairs, urls


class Passes(CrivoTest):
    def setUp(self):
        super().setUp()
        self.keys = urls(40_000)
        self.write_keys(self.keys, "k")
        self.write("k.gz", gzipped(lines(self.keys)))
        self.write("pairs", pairs(self.keys, [b"%d" % (i * i) for i in range(len(self.keys))]))

    def counting(self, command):
        """A command that also notes that it was run."""
        return f"echo >> runs; {command}"

    def runs(self):
        return (self.dir / "runs").read_bytes().count(b"\n")

    def test_the_same_bytes(self):
        for kind, file, options in (
            ("mphf", "k", ()),
            ("mphf", "k", ("--algorithm", "compact", "--signature", "16")),
            ("mphf", "k", ("--algorithm", "tiny")),
            ("mphf", "k", ("--algorithm", "bdz")),
            ("filter", "k", ("--fpr", "0.01")),
            ("filter", "k", ("--type", "fuse")),
            ("filter", "k", ("--type", "cuckoo")),
            ("map", "pairs", ("--values", "--signature", "8")),
        ):
            with self.subTest(kind=kind, options=options):
                self.crivo("build", kind, file, "-o", "whole", "-f", *options)
                for more in (
                    (file, "--passes", "2"),
                    (file, "--passes", "7", "--memory", "12M", "--threads", "1"),
                    ("--again", f"cat {file}", "--passes", "3"),
                    ("--again", f"cat {file}"),
                ):
                    self.crivo("build", kind, *more, "-o", "in-passes", *options, "--force")
                    self.assertEqual(files_of(self.dir / "in-passes"), files_of(self.dir / "whole"), more)

    def test_more_passes_than_partitions(self):
        for count in (0, 1, 2, 50):
            self.write_keys(self.keys[:count], "few")
            more = ("--allow-empty-set",) if count == 0 else ()
            self.crivo("build", "mphf", "few", "-o", "whole", "--force", *more)
            self.crivo("build", "mphf", "few", "-o", "x", "--passes", "4096", "--force", *more)
            self.assertEqual(files_of(self.dir / "x"), files_of(self.dir / "whole"))

    def test_a_command_runs_once_a_pass(self):
        command = self.counting("zcat k.gz")
        for passes in (1, 2, 5):
            (self.dir / "runs").unlink(missing_ok=True)
            self.crivo("build", "filter", "--again", command, "--passes", str(passes), "-o", "x", "--force")
            self.assertEqual(self.runs(), passes)

    def test_temporary_files_are_smaller(self):
        keys = [b"%d" % i for i in range(3_000_000)]
        self.write_keys(keys, "many")
        sizes = {}
        for passes in (1, 4):
            options = ("--memory", "16M", "--passes", str(passes))
            made = self.crivo("build", "mphf", "many", "-o", f"x{passes}", "--json", *options).json()
            sizes[passes] = made["temp_bytes"]
            planned = self.crivo("build", "mphf", "many", "-o", "y", "--dry-run", "--json", *options).json()
            self.assertLess(abs(planned["temp_bytes"] - sizes[passes]), 0.5 * sizes[passes])
        self.assertEqual(files_of(self.dir / "x1"), files_of(self.dir / "x4"))
        self.assertGreater(sizes[1], 16 * len(keys) * 0.9)
        self.assertLess(sizes[4], sizes[1] / 3)

    def test_other_keys_at_another_reading(self):
        for change in ("tail -n +2 k", "cat k; echo more", "sed 's/wiki/wika/' k"):
            command = self.counting(f"if [ $(wc -l < runs) -lt 3 ]; then cat k; else {change}; fi")
            (self.dir / "runs").unlink(missing_ok=True)
            result = self.crivo("build", "mphf", "--again", command, "--passes", "4", "-o", "x", code=3)
            self.assertIn(b"has other keys than when it was read first (", result.err)
            self.assertNotIn("x", self.listing())
        # The same keys in another order are the same.
        command = self.counting("if [ $(wc -l < runs) -lt 2 ]; then cat k; else tac k; fi")
        (self.dir / "runs").unlink()
        self.crivo("build", "mphf", "--again", command, "--passes", "2", "-o", "x")
        self.crivo("build", "mphf", "k", "-o", "whole")
        self.assertEqual(files_of(self.dir / "x"), files_of(self.dir / "whole"))

    def test_a_command_that_fails(self):
        for command, problem in (
            ("cat k; exit 7", b"(output of cat k; exit 7): the command failed with status 7"),
            ("cat k; kill -9 $$", b"the command was ended by signal 9"),
            ("sleep 0.01; (exit 127)", b"the command failed with status 127"),
            (self.counting("cat k; test $(wc -l < runs) -lt 2"), b"the command failed with status 1"),
        ):
            result = self.crivo("build", "mphf", "--again", command, "--passes", "2", "-o", "x", code=3)
            self.assertIn(problem, result.err)
            self.assertNotIn("x", self.listing())

    def test_a_bad_line_ends_the_command(self):
        long = "head -c 3000000 /dev/zero | tr '\\0' k"
        result = self.crivo("build", "mphf", "--again", f"cat k; {long}; yes", "-o", "x", code=3)
        self.assertIn(b":40001: the key is longer than the limit of", result.err)

    def test_equal_keys(self):
        self.write_keys(self.keys + self.keys[7:9], "twice")
        for source in (("twice",), ("--again", "cat twice")):
            for passes in ("1", "3"):
                result = self.crivo("build", "mphf", *source, "--passes", passes, "-o", "x", code=3)
                self.assertRegex(result.err, rb":40001: duplicate key .*first on line 8;")
                self.crivo("build", "mphf", *source, "--passes", passes, "-o", "x", "--duplicates", "ignore")
                self.crivo("build", "mphf", "k", "-o", "whole", "--force")
                self.assertEqual(files_of(self.dir / "x"), files_of(self.dir / "whole"))
                (self.dir / "x").unlink()

    def test_what_is_refused(self):
        for arguments, problem in (
            (("mphf", "k", "--again", "cat k"), b"--again cannot be used with files, --from or --shard"),
            (("mphf", "--again", "cat k", "--shard", "0/2"), b"--again cannot be used with files, --from or --shard"),
            (("mphf", "k", "--passes", "0"), b"--passes"),
            (("mphf", "k", "--passes", "4097"), b"--passes"),
            (("mphf", "k", "--passes", "2", "--algorithm", "mwhc3"), b"where the order of its keys counts"),
            (("map", "k", "--passes", "2"), b"where the order of its keys counts"),
            (("mphf", "k", "--passes", "2", "--resume", "d"), b"a build in passes cannot be resumed"),
            (("filter", "k", "--passes", "2", "--not", "k"), b"only MPHFs, filters and maps are built in passes"),
            (("dictionary", "k", "--passes", "2"), b"--passes"),
        ):
            result = self.crivo("build", *arguments, "-o", "x", code=2)
            self.assertIn(problem, result.err, arguments)
        result = self.crivo("build", "mphf", "-", "--passes", "2", "-o", "x", stdin=lines(self.keys), code=2)
        self.assertIn(b"(standard input): cannot be read again", result.err)
        self.assertNotIn("x", self.listing())
