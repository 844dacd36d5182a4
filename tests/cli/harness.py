# SPDX-License-Identifier: Apache-2.0
"""Runs the crivo program (the file that $CRIVO names) as a user would, and checks what holds for every run.

Each test works in an empty directory of its own, which is also the program's working directory, so error
messages name files as the test does.
"""

import bz2
import concurrent.futures
import contextlib
import gzip
import json
import lzma
import os
import pathlib
import random
import resource
import shutil
import subprocess
import tempfile
import time
import unittest

import starter

CRIVO = os.path.abspath(os.environ["CRIVO"])
BIN = os.path.dirname(CRIVO)  # where everything else that was built lies, too
# A sanitized program starts and works many times as slowly, and finds what it finds in less of the same.
SANITIZED = os.environ.get("CRIVO_SLOWER", "1") != "1"
# With the greater sizes and all choices of `tools/test --full`; every day the least of them run.
LONG = os.environ.get("CRIVO_LONG") == "1"
KINDS = ("mphf", "filter", "map", "store")
# A sanitizer's own exit code, which no answer of the program can be mistaken for.
SANITIZER_EXIT = 99


def _environment():
    env = dict(os.environ, LC_ALL="C")
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
        env[name] = f"{env.get(name, '')}:exitcode={SANITIZER_EXIT}"
    env["ASAN_OPTIONS"] += ":detect_leaks=0"
    return env


ENVIRONMENT = _environment()
# The search takes as long as all else that a short run does. What was allocated by an empty stack is no leak to it.
WITH_LEAKS = {"ASAN_OPTIONS": ENVIRONMENT["ASAN_OPTIONS"] + ":detect_leaks=1:malloc_context_size=8"}


class Result:
    def __init__(self, args, code, out, err):
        self.args, self.code, self.out, self.err = args, code, out, err

    def __str__(self):
        command = " ".join(["crivo", *map(str, self.args)])
        return f"$ {command}\nexit {self.code}\nstdout: {self.out[:2000]}\nstderr: {self.err[:2000]}"

    def json(self):
        return json.loads(self.out)

    def json_lines(self):
        """An object a line, as `query` and `get` print them."""
        return [json.loads(line) for line in self.out.splitlines()]


def urls(count, salt=0):
    """`count` distinct URL-like keys, many of a host; another salt gives others."""
    rng = random.Random(salt)
    return [
        b"https://www.host-%d-%d.example/%s/%x" % (salt, i // 17, rng.choice(WORDS), i)
        for i in range(count)
    ]


WORDS = [b"a", b"index", b"wiki/Sieve", b"archive/2019/05", b"search?q=crivo&lang=pt", b"~user/cgi-bin"]


def lines(keys):
    return b"".join(key + b"\n" for key in keys)


def records_of(keys, salt=0):
    """A record for each key: JSON-like, of varied length."""
    rng = random.Random(salt)
    return [
        b'{"id":%d,"title":"%s","n":%d}' % (i, rng.choice(WORDS) * rng.randrange(6), rng.randrange(10**9))
        for i, _ in enumerate(keys)
    ]


def pairs(keys, records):
    return b"".join(k + b"\t" + r + b"\n" for k, r in zip(keys, records, strict=True))


def gzipped(data):
    return gzip.compress(data, mtime=0)


def zstandard(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


def xz(data):
    return lzma.compress(data)


def bzip2(data):
    return bz2.compress(data)


# Every way of compressing that is read.
PACKERS = {"gzip": gzipped, "zstd": zstandard, "xz": xz, "bzip2": bzip2}


def files_of(path):
    """The bytes that make up an output: of the file, or of all that a store holds, by name."""
    path = pathlib.Path(path)
    if path.is_dir():
        return {file.name: file.read_bytes() for file in path.iterdir()}
    return {"": path.read_bytes()}


def in_use(got, *wanted):
    """Which of the `wanted` outputs files_of() an output are, and the names of what else is there: of a store whose
    build was killed, a file of another generation. Nothing if they are none of them."""
    for files in wanted:
        if files is None or got is None:
            if files is got:
                return files, set()
        elif files.items() <= got.items():
            return files, got.keys() - files.keys()
    return None


def data_file(store):
    """The one file of a store beside its index."""
    (data,) = (file for file in pathlib.Path(store).iterdir() if file.name.startswith("data-"))
    return data


class CrivoTest(unittest.TestCase):
    maxDiff = 2000
    program = CRIVO
    searched = set()  # for leaks: what runs, by command and outcome

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="crivo-test-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    # Files -------------------------------------------------------------------------------------------

    def write(self, name, data):
        """Writes a file of the test directory; returns its name."""
        (self.dir / name).write_bytes(data)
        return name

    def write_keys(self, keys, name="keys.txt"):
        return self.write(name, lines(keys))

    def listing(self, sub="."):
        return sorted(os.listdir(self.dir / sub))

    # Running -----------------------------------------------------------------------------------------

    def leaks_of(self, args, code):
        """Variables of a run: the first in a module of each command with each outcome is searched for leaks."""
        run = args[: 2 if args[:1] and args[0] in ("build", "filter", "store") else 1], code
        first = SANITIZED and run not in self.searched
        self.searched.add(run)
        return WITH_LEAKS if first else {}

    def run_crivo(self, *args, stdin=b"", file_limit=None, stdout=subprocess.PIPE, timeout=120, env=None, code=None):
        """One run; only a crash or a sanitizer's report fails it. `stdin`: bytes (a pipe) or a file; `env`:
        variables that differ, with which the program is started from its beginning, as it is under a limit; `code`:
        the exit that is expected, if one is."""

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

        words = [arg if isinstance(arg, bytes) else str(arg) for arg in args]
        variables = {**ENVIRONMENT, **self.leaks_of(args, code)}
        plain = env is None and file_limit is None and stdout is subprocess.PIPE
        if plain and starter.takes(stdin):
            result = Result(args, *starter.Starter.run(self.program, words, variables, self.dir, stdin, timeout))
        else:
            feed = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
            process = subprocess.run(
                [self.program, *words],
                **feed,
                stdout=stdout,
                stderr=subprocess.PIPE,
                cwd=self.dir,
                env={**variables, **(env or {})},
                timeout=timeout,
                check=False,
                preexec_fn=limit if file_limit is not None else None,
                restore_signals=file_limit is None,  # under a limit SIGXFSZ stays ignored: writes fail
            )
            result = Result(args, process.returncode, process.stdout or b"", process.stderr)
        if result.code < 0 or result.code == SANITIZER_EXIT or b"Sanitizer" in result.err:
            self.fail(f"crashed:\n{result}")
        if b"runtime error:" in result.err:
            self.fail(f"undefined behaviour:\n{result}")
        return result

    def as_nobody(self):
        """Options of subprocess.run() for a user without rights of his own."""
        os.chmod(self.dir, 0o777)
        how = {"cwd": self.dir, "env": ENVIRONMENT, "capture_output": True, "check": False}
        if os.geteuid() == 0:
            how |= {"user": 65534, "group": 65534, "extra_groups": []}
            with contextlib.suppress(OSError):
                if subprocess.run([CRIVO, "--version"], **how).returncode == 0:
                    return how
            self.skipTest("nobody cannot run the program here")
        return how

    def crivo(self, *args, code=0, **options):
        """One run that must end with exit `code` (or one of a tuple), and report an error as one line."""
        result = self.run_crivo(*args, code=code, **options)
        self.assertIn(result.code, code if isinstance(code, tuple) else (code,), str(result))
        if result.code >= 2:
            self.assert_one_error_line(result)
        return result

    def wait_until(self, done):
        for _ in range(6_000):
            if done():
                return
            time.sleep(0.01)
        self.fail("it does not come to that")

    def assert_one_error_line(self, result):
        if "--json" in result.args and os.path.basename(self.program) == "crivo":
            self.assertEqual(json.loads(result.err)["exit_code"], result.code, str(result))
            self.assertEqual(result.err.count(b"\n"), 1, str(result))
            return
        name = os.path.basename(self.program).encode()
        self.assertTrue(result.err.startswith(name + b": "), str(result))
        self.assertEqual(result.err.count(b"\n"), 1, str(result))
        self.assertTrue(result.err.endswith(b"\n"), str(result))

    def build(self, kind, keys, *options, out=None, **run_options):
        """Builds from a file of `keys` (for a store: with records_of(keys)); returns the output's name."""
        out = out or f"out.{kind}"
        data = pairs(keys, records_of(keys)) if kind == "store" else lines(keys)
        self.crivo("build", kind, self.write(f"{out}.in", data), "-o", out, *options, **run_options)
        return out

    def damaged(self, directory, names, cases, seed):
        """Of the files one at a time is cut or has a bit changed, and is whole again after each turn."""
        rng = random.Random(seed)
        whole = {name: (self.dir / directory / name).read_bytes() for name in names}
        for case in range(cases):
            name = names[case % len(names)]
            data = bytearray(whole[name])
            if case % 7 == 0:
                del data[rng.randrange(len(data)) :]
            else:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            (self.dir / directory / name).write_bytes(data)
            yield case
            (self.dir / directory / name).write_bytes(whole[name])

    # Answers -----------------------------------------------------------------------------------------

    def query(self, path, keys, *options, **run_options):
        """The answers for `keys`, in their order."""
        out = self.crivo("query", path, "-", *options, stdin=lines(keys), **run_options).out
        rows = out.split(b"\n")
        self.assertEqual(rows.pop(), b"", "the last line has no end")
        self.assertEqual(len(rows), len(keys))
        answers = []
        for key, row in zip(keys, rows):
            self.assertEqual(row[: len(key) + 1], key + b"\t")
            answers.append(row[len(key) + 1 :])
        return answers

    def info(self, path):
        result = self.crivo("info", path, "--json")
        return result.json()

    def assert_bijection(self, path, keys):
        """Every rank of [0, n) is given to one key."""
        ranks = self.query(path, keys)
        self.assertTrue(all(rank.isdigit() for rank in ranks))
        self.assertEqual(sorted(map(int, ranks)), list(range(len(keys))))

    def assert_answers(self, kind, path, keys, records=None):
        """Every key is answered rightly, by `query` over all of them; `records` are a map's values too."""
        if kind == "mphf":
            self.assert_bijection(path, keys)
        elif kind == "filter":
            self.assertEqual(set(self.query(path, keys)) - {b"maybe"}, set())
        elif kind == "map":
            self.assertEqual(self.query(path, keys), records or [b"%d" % line for line in range(len(keys))])
        else:
            self.assertEqual(self.query(path, keys), records or records_of(keys))


class GeneratedKeys(CrivoTest):
    """Tests of the same `keys`, which `crivo gen KIND -n COUNT` makes once for all of them."""

    KIND, COUNT = "urls", 0

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="crivo-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        with open(cls.shared / "keys", "wb") as file:
            subprocess.run([CRIVO, "gen", cls.KIND, "-n", str(cls.COUNT)], stdout=file, env=ENVIRONMENT, check=True)

    def setUp(self):
        super().setUp()
        os.link(self.shared / "keys", self.dir / "keys")


class InShards(CrivoTest):
    """Builds of a kind from one input, whole and in shards. FLAG is that of crivo partition."""

    KIND, FLAG, INPUT = "", "", ""

    def whole(self, *options, inputs=None):
        self.crivo("build", self.KIND, *(inputs or [self.INPUT]), "-o", "whole", "-f", "--quiet", *options)
        return (self.dir / "whole").read_bytes()

    def merged(self, shards, *options, of="dealt"):
        names = ["part-%d" % shard for shard in range(shards)]
        in_parallel(
            lambda shard: self.crivo(
                "build", self.KIND, of, "--shard", "%d/%d" % (shard, shards), "-o", names[shard], "-f", "--quiet", *options
            ),
            range(shards),
        )
        self.crivo("merge", *reversed(names), "-o", "merged", "-f", "--quiet")
        return (self.dir / "merged").read_bytes()

    def deal_out(self, *options, tasks=1, of="dealt", inputs=None):
        common = ["partition", *(inputs or [self.INPUT]), self.FLAG, "--shards", "4", "-o", of, "--quiet", *options]
        if tasks == 1:
            self.crivo(*common)
            return
        for task in reversed(range(tasks)):
            self.crivo(*common, "--part", "%d/%d" % (task, tasks))
        self.crivo("partition", "--finish", of, "--quiet")


def in_parallel(function, items, threads=2):
    """[function(item) for items], on two threads: the time goes into starting programs. More are for those that wait."""
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, items))
