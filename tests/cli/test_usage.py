"""The command line itself: usage errors, refusals, where output goes."""

import json
import os

from harness import KINDS, CrivoTest, files_of, urls

COMMANDS = ("build", "query", "get", "info", "verify", "bench", "gen")


class CommandLine(CrivoTest):
    def setUp(self):
        super().setUp()
        self.keys = urls(50)
        self.write_keys(self.keys, "k")

    def test_help(self):
        self.assertIn(b"build", self.crivo("--help").out)
        for command in COMMANDS:
            result = self.crivo(command, "--help")
            self.assertIn(command.encode(), result.out)
            self.assertEqual(result.err, b"")
        for kind in KINDS:
            self.assertIn(b"--force", self.crivo("build", kind, "--help").out)

    def test_version(self):
        self.assertRegex(self.crivo("--version").out, rb"\d+\.\d+")

    def test_wrong_usage(self):
        mphf = self.build("mphf", self.keys)
        for args in (
            (),
            ("sieve",),
            ("build",),
            ("build", "sieve", "k", "-o", "x"),
            ("build", "mphf", "k"),
            ("build", "mphf", "-o", "x"),
            ("build", "mphf", "k", "-o", "x", "--sieve"),
            ("build", "mphf", "k", "-o", "x", "--algorithm", "sieve"),
            ("build", "mphf", "k", "-o", "x", "--effort", "1"),
            ("build", "mphf", "k", "-o", "x", "--effort", "-1"),
            ("build", "mphf", "k", "-o", "x", "--algorithm", "compact", "--effort", "3"),
            ("build", "mphf", "k", "-o", "x", "--dry-run", "--algorithm", "compact", "--effort", "3"),
            ("build", "mphf", "k", "-o", "x", "--signature", "7"),
            ("build", "mphf", "k", "-o", "x", "--signature", "64"),
            ("build", "mphf", "k", "-o", "x", "--threads", "-1"),
            ("build", "mphf", "k", "-o", "x", "--threads", "two"),
            ("build", "mphf", "k", "-o", "x", "--seed", "sieve"),
            ("build", "mphf", "k", "-o", "x", "--fixed", "0"),
            ("build", "mphf", "k", "-o", "x", "--fixed", "8", "--null"),
            ("build", "mphf", "k", "-o", "x", "--progress", "sometimes"),
            ("build", "filter", "k", "-o", "x", "--type", "sieve"),
            ("build", "filter", "k", "-o", "x", "--bits", "0"),
            ("build", "filter", "k", "-o", "x", "--bits", "33"),
            ("build", "filter", "k", "-o", "x", "--fpr", "0"),
            ("build", "filter", "k", "-o", "x", "--fpr", "1.5"),
            ("build", "filter", "k", "-o", "x", "--fpr", "few"),
            ("build", "map", "k", "-o", "x", "--algorithm", "sieve"),
            ("build", "map", "k", "-o", "x", "--value-bits", "0"),
            ("build", "map", "k", "-o", "x", "--value-bits", "65"),
            ("build", "map", "k", "-o", "x", "--signature", "9"),
            ("build", "map", "k", "-o", "x", "--arity", "3"),
            ("build", "map", "k", "-o", "x", "--algorithm", "fuse", "--arity", "5"),
            ("build", "map", "k", "-o", "x", "--algorithm", "fuse", "--compress"),
            ("build", "map", "k", "-o", "x", "--values", "--fixed", "8"),
            ("build", "map", "k", "-o", "x", "--values", "--fixed", "8", "--dry-run"),
            ("verify", mphf, "--keys", "k", "--values"),
            ("query",),
            ("query", mphf, "k", "--sieve"),
            ("get", mphf),
            ("info",),
            ("verify",),
            ("bench", mphf),
            ("gen", "urls"),
            ("gen", "sieves", "-n", "5"),
            ("gen", "urls", "-n", "-5"),
            ("gen", "urls", "-n", "many"),
        ):
            with self.subTest(args=args):
                result = self.crivo(*args, code=2)
                self.assertEqual(result.out, b"")
        self.assertEqual(self.listing(), ["k", mphf, f"{mphf}.in"])

    def test_existing_output_is_refused(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                path = self.build(kind, self.keys)
                before = files_of(self.dir / path)
                self.write("other", b"a\tb\n")
                error = self.crivo("build", kind, "other", "-o", path, code=2).err
                self.assertIn(path.encode(), error)
                self.assertIn(b"--force", error)
                self.assertEqual(files_of(self.dir / path), before)
                self.crivo("build", kind, "other", "-o", path, "--force")
                self.assertNotEqual(files_of(self.dir / path), before)
                self.crivo("verify", path)

    def test_force_does_not_replace_what_is_no_output(self):
        """A directory that holds something else is never removed."""
        (self.dir / "home").mkdir()
        self.write("home/letter", b"dear")
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.write("other", b"a\tb\n")
                self.crivo("build", kind, "other", "-o", "home", "--force", code=(2, 5))
                self.assertEqual((self.dir / "home/letter").read_bytes(), b"dear")

    def test_missing_files(self):
        mphf = self.build("mphf", self.keys)
        for args in (
            ("build", "mphf", "none", "-o", "x"),
            ("build", "mphf", "k", "none", "-o", "x"),
            ("build", "mphf", "k", "-o", "none/x"),
            ("build", "store", "k", "-o", "none/x"),
            ("query", "none", "k"),
            ("query", mphf, "none"),
            ("get", "none", "key"),
            ("info", "none"),
            ("verify", "none"),
            ("verify", mphf, "--keys", "none"),
            ("bench", "none", "--keys", "k"),
            ("bench", mphf, "--keys", "none"),
        ):
            with self.subTest(args=args):
                self.assertIn(b"none", self.crivo(*args, code=5).err)
        self.assertEqual(self.listing(), ["k", mphf, f"{mphf}.in"])

    def test_keys_from_a_directory(self):
        (self.dir / "sub").mkdir()
        self.assertIn(b"sub", self.crivo("build", "mphf", "sub", "-o", "x", code=5).err)

    def test_a_closed_or_full_output(self):
        filter_path = self.build("filter", self.keys)
        with open("/dev/full", "wb") as full:
            self.crivo("query", filter_path, "k", stdout=full, code=5)
            self.crivo("gen", "words", "-n", "1000", stdout=full, code=5)


class Output(CrivoTest):
    """Standard output is data only."""

    def setUp(self):
        super().setUp()
        self.keys = urls(200)

    def test_build_prints_no_data(self):
        for kind in KINDS:
            for options in ((), ("--progress", "always"), ("--quiet",)):
                path = self.build(kind, self.keys, "--force")
                result = self.crivo("build", kind, f"{path}.in", "-o", path, "--force", *options)
                self.assertEqual(result.out, b"", str(result))

    def test_quiet(self):
        for kind in KINDS:
            path = self.build(kind, self.keys)
            for args in (
                ("build", kind, f"{path}.in", "-o", path, "--force"),
                ("query", path, "--key", "a"),
                ("verify", path),
            ):
                self.assertEqual(self.crivo(*args, "--quiet").err, b"")
        self.assertNotEqual(self.crivo("info", "none", "--quiet", code=5).err, b"")

    def test_progress_never(self):
        path = self.build("mphf", self.keys)
        result = self.crivo("verify", path, "--progress", "never", "--quiet")
        self.assertEqual(result.err, b"")

    def test_json_is_one_object(self):
        self.write_keys(self.keys, "k")
        for kind in KINDS:
            path = self.build(kind, self.keys)
            for args in (
                ("build", kind, f"{path}.in", "-o", path, "--force"),
                ("build", kind, f"{path}.in", "-o", path, "--force", "--progress", "always"),
                ("info", path),
                ("verify", path),
                ("bench", path, "--keys", "k"),
            ):
                with self.subTest(args=args):
                    out = self.crivo(*args, "--json").out
                    self.assertIsInstance(json.loads(out), dict)

    def test_dry_run_leaves_nothing(self):
        for kind in KINDS:
            path = self.build(kind, self.keys)
            before, listing = files_of(self.dir / path), self.listing()
            for options in ((), ("--json",)):
                result = self.crivo("build", kind, f"{path}.in", "-o", "dry", "--dry-run", *options)
                self.assertEqual(self.listing(), listing)
            self.assertIsInstance(json.loads(result.out), dict)
            self.crivo("build", kind, f"{path}.in", "-o", path, "--dry-run", "--force")
            self.assertEqual(files_of(self.dir / path), before)

    def test_temporary_directory_is_left_empty(self):
        (self.dir / "tmp").mkdir()
        for kind in KINDS:
            self.build(kind, self.keys, "--temp-dir", "tmp")
            self.assertEqual(self.listing("tmp"), [])

    def test_output_may_be_read_by_others(self):
        """The mode of a new file obeys the umask, as the output of any program."""
        old = os.umask(0o022)
        self.addCleanup(os.umask, old)
        for kind in KINDS:
            path = self.dir / self.build(kind, self.keys)
            if path.is_dir():
                self.assertEqual(path.stat().st_mode & 0o777, 0o755)
                path = path / "index.crv"
            self.assertEqual(path.stat().st_mode & 0o777, 0o644)
