# SPDX-License-Identifier: Apache-2.0
"""Whatever call fails, and wherever the program is killed: the output is the old one or the new one, whole;
exit 5 means that nothing was replaced; nothing is left that the next command does not clear away.

Each class of tests is one command, each test one class of calls, over an old output and as a first one.
$CRIVO_FAULTS_ALL set: every kind of fault at every call (else the commonest, at every call but of memory and of mappings)."""

import errno
import os
import re
import shutil
import signal
import subprocess
import unittest

import minisign
from harness import PACKERS, CrivoTest, files_of, in_use, lines, pairs, records_of, urls
from injection import KILL_AFTER, KILL_BEFORE, SHORT, Injector, fail, fail_on, same_number_each_time

ALL = bool(os.environ.get("CRIVO_FAULTS_ALL"))
PLAIN_ALLOCATIONS = 12  # of those after the options are parsed, for a command and a kind of fault

# Faults for each class of calls: those of every run, and those of a run over all.
FAULTS = {
    "write": (
        [fail(errno.ENOSPC), SHORT, KILL_BEFORE],
        [fail_on(errno.ENOSPC), fail(errno.EIO), fail(errno.EDQUOT), fail(errno.EINTR), KILL_AFTER],
    ),
    "sync": ([fail(errno.EIO), KILL_AFTER], [fail_on(errno.EIO), fail(errno.ENOSPC), KILL_BEFORE]),
    "name": ([fail(errno.EIO), KILL_BEFORE, KILL_AFTER], [fail(errno.ENOSPC), fail(errno.EACCES)]),
    "open": ([fail(errno.EMFILE), KILL_AFTER], [fail_on(errno.ENFILE), fail(errno.EACCES), KILL_BEFORE]),
    "map": ([fail(errno.ENOMEM)], [fail_on(errno.ENOMEM), KILL_BEFORE, KILL_AFTER]),
    "allocate": ([fail(errno.ENOMEM), fail_on(errno.ENOMEM)], [KILL_BEFORE]),
    "lock": ([fail(errno.ENOLCK), fail(errno.EINTR), KILL_AFTER], [KILL_BEFORE]),
    "thread": ([fail(errno.EAGAIN)], [fail_on(errno.EAGAIN), KILL_BEFORE, KILL_AFTER]),
}


# OpenSSL 3.5 ends the program where a thread's first call of it finds no memory, which is as if it were killed.
ABORTED_BY_OPENSSL = b"OpenSSL internal error: assertion failed: data != NULL"
NO_SUMMARY = b"crivo: warning: the output is written, but its summary is not: out of memory\n"


def timeless(out):
    """JSON without the seconds that a dry run tells, which it measures."""
    return re.sub(rb'"seconds_estimate":[^,}]+', b"", out)

class Command:
    """A command that makes or changes work/out, its `output`; `work` holds nothing else that is not `given`, and `temp`
    nothing at all."""

    output = "out"
    given = ()
    kind = None  # of what is built
    options = ()
    reports = ("-q",)
    stdin = b""
    named_too = False  # also in the least run, as on a file system without unnamed files
    over_old = (True, False)  # also as a first output
    survives_short = True  # a write in part is carried on with
    stays_unlisted = frozenset()  # where a directory cannot be listed

    def setUp(self):
        super().setUp()
        for name in ("work", "temp"):
            (self.dir / name).mkdir()
        self.injector = Injector(
            self.program, self.dir, self.dir / "counter", {"TMPDIR": str(self.dir / "temp")}
        )
        self.write_inputs()
        self.make_old()
        self.old = self.contents("old")
        self.restore(True)
        self.crivo(*self.command(True), stdin=self.stdin)
        os.rename(self.dir / "work" / self.output, self.dir / "new")
        self.new = self.contents("new")
        self.assertNotEqual(self.old, self.new)
        for name in ("old", "new"):
            self.check_sound(name)
        self.injected = 0

    # What each command says of itself ----------------------------------------------------------------

    def write_inputs(self):
        self.write_keys(urls(60), "small")
        self.write_keys(urls(400, salt=1), "large")

    def make_old(self):
        self.crivo("build", self.kind, "small", *self.options, "-q", "-o", "old")

    def check_sound(self, name):
        self.crivo("verify", name)

    def contents(self, name=None):
        """What an output holds, by file, or None where there is none."""
        path = self.dir / (name or f"work/{self.output}")
        return files_of(path) if path.exists() else None

    def command(self, over_old):
        """The command that is put to the test: from the old output, or none, to the new one."""
        force = ("--force",) if over_old else ()
        return (*("build", self.kind, "large", "-o", "work/out", "--threads", "2"), *self.options, *self.reports, *force)

    def next_command(self):
        """A command on the same output that must succeed, whatever the one before came to."""
        return self.command((self.dir / "work" / self.output).exists())

    # The trial ---------------------------------------------------------------------------------------

    def restore(self, with_old):
        """Nothing in the directories but the old output, if wanted."""
        out = self.dir / "work" / self.output
        if self.contents() == (self.old if with_old else None):
            return
        if out.is_dir():
            shutil.rmtree(out)
        else:
            out.unlink(missing_ok=True)
        if with_old and (self.dir / "old").is_dir():
            shutil.copytree(self.dir / "old", out)
        elif with_old:
            shutil.copy(self.dir / "old", out)

    def leftovers(self):
        """What is there beside the output, or in it beside what is in use."""
        found = in_use(self.contents(), self.old, self.new, None)
        known = (self.output, *self.given)
        others = [name for name in self.listing("work") if name not in known] + self.listing("temp")
        return others + sorted(found[1] if found else ())

    def run_once(self, *args, **how):
        return self.injector.run(*args, stdin=self.stdin, **how)

    def inject(self, calls, at, fault, over_old, **how):
        """One run; true if there was a call number `at`."""
        self.restore(over_old)
        result, seen = self.run_once(self.command(over_old), calls, at, fault, **how)
        if seen < at:
            self.assertEqual(result.code, 0, str(result))
            return False
        self.injected += 1
        what = f"{calls} call {at} of {seen} so far, {fault}:\n{result}"
        got = self.contents()
        before = self.old if over_old else None
        aborted = ABORTED_BY_OPENSSL in result.err
        killed = fault.kills or aborted
        if killed:
            by = signal.SIGABRT if aborted else signal.SIGKILL
            self.assertIn(result.code, (-by, 128 + by), what)
            self.assertIsNotNone(in_use(got, before, self.new), f"torn output: {what}")
        else:
            self.assertIn(result.code, (0, 5), what)
            if result.code == 5:
                self.assertIsNotNone(in_use(got, before), f"exit 5, and the output was changed: {what}")
                self.assert_one_error_line(result)
            else:
                self.assertIsNotNone(in_use(got, self.new), f"exit 0, and the output is not the new one: {what}")
            self.check_survival(calls, fault, result, what)
        left = self.leftovers()
        # A name that could not be removed stays; and a store's old generation, where its directory could not be written
        # out, as it may be what is there after a loss of power, or not be listed. The next command removes both.
        kept = result.code == 0 and over_old and set(left) <= self.old.keys()
        cannot_list = calls == "allocate" or (calls == "open" and fault.action == "fail-on")
        kept = kept or (cannot_list and set(left) <= self.stays_unlisted)
        if left and not kept and not killed and calls != "name":
            self.fail(f"left behind: {left}: {what}")
        if left or (killed and (ALL or self.named_too or calls == "name")):
            after, _ = self.run_once(self.next_command(), calls, 0, fault, **how)
            self.assertEqual(after.code, 0, f"the next command: {after}\nafter {what}")
            self.assertEqual(self.leftovers(), [], f"after the next command, after {what}")
        return True

    def check_survival(self, calls, fault, result, what):
        """Of what the program can carry on with it makes no error."""
        harmless = (
            calls == "thread"
            or fault.error == errno.EINTR
            or (fault == SHORT and self.survives_short)
        )
        if harmless:
            self.assertEqual(result.code, 0, what)

    def each_call(self, calls, fault, over_old, step=lambda at: 1, begin=1, **how):
        at = begin
        with self.subTest(calls=calls, fault=str(fault), over_old=over_old):
            while self.inject(calls, at, fault, over_old, **how):
                at += step(at)

    def each_fault(self, calls, **how):
        plain, more = FAULTS[calls]
        for over_old in self.over_old:
            for fault in plain + more if ALL else plain:
                self.each_call(calls, fault, over_old, **how)
                if ALL or self.named_too:  # as on a file system without unnamed files
                    self.each_call(calls, fault, over_old, named=True, **how)
        self.tell(calls)

    def tell(self, calls):
        print(f"{self.id().split('.')[-2]}: {calls}: {self.injected} faults")

    def test_write(self):
        self.each_fault("write")

    def test_sync(self):
        self.each_fault("sync")

    def test_name(self):
        self.each_fault("name")

    def test_open(self):
        self.each_fault("open")

    def test_map(self):
        """Of a filter's mappings, which are hundreds, the first each and then ever fewer."""
        self.each_fault("map", step=lambda at: 1 if ALL else 1 + at // 10)

    def test_lock(self):
        self.each_fault("lock")

    def test_thread(self):
        self.each_fault("thread")

    def test_allocate(self):
        """No memory. What the parsing of options takes is the same for every command: one of them fails
        there at every call, the others later."""
        over_old = self.over_old[0]
        command = self.command(over_old)
        refused = (*command[:3], "no such file", *command[3:])
        _, parsing = self.run_once(refused, "allocate", 0, fail(errno.ENOMEM))
        self.restore(over_old)
        _, whole = self.run_once(command, "allocate", 0, fail(errno.ENOMEM))
        self.assertGreater(whole, parsing)
        begin = parsing * 9 // 10
        stride = 1 if ALL else max(1, (whole - begin) // PLAIN_ALLOCATIONS)
        plain, more = FAULTS["allocate"]
        for fault in plain + more if ALL else plain:
            self.each_call("allocate", fault, over_old, step=lambda at: stride, begin=begin)
        self.tell("allocate")

    def test_repeated_process_numbers(self):
        """Killed at every name given or taken away, again and again as the same process number."""
        prefix = same_number_each_time()
        if prefix is None:
            self.skipTest("no PID namespaces here")
        for over_old in self.over_old:
            for named in (False, True):
                for fault in (KILL_BEFORE, KILL_AFTER) if ALL else (KILL_AFTER,):
                    self.each_call("name", fault, over_old, prefix=prefix, named=named)
        self.tell("name, the same process number")


class Mphf(Command, CrivoTest):
    kind = "mphf"

    def test_allocate_parsing(self):
        """No memory for the options: at every call in a run over all, else at some."""
        for fault in (fail(errno.ENOMEM), fail_on(errno.ENOMEM)):
            self.each_call("allocate", fault, False, step=lambda at: 1 if ALL else 1 + at // 4)
        self.tell("allocate, from the first on")


class Piped(Command, CrivoTest):
    """Keys from a pipe, which are kept in a temporary file."""

    kind = "mphf"
    stdin = lines(urls(400, salt=1))
    named_too = True
    test_lock = test_sync = test_thread = test_map = test_repeated_process_numbers = None

    def command(self, over_old):
        return ("build", self.kind, "-", "-o", "work/out", *self.reports, *(("--force",) if over_old else ()))


class Repeats(Command, CrivoTest):
    """Equal keys that are left out, which are looked at once more: in the file, or in what was kept of a pipe."""

    kind = "mphf"
    options = ("--duplicates", "ignore")
    test_write = test_sync = test_name = test_lock = test_thread = test_map = test_repeated_process_numbers = None

    def write_inputs(self):
        super().write_inputs()
        self.write_keys([*urls(400, salt=1), *urls(3, salt=1)], "large")


class PipedRepeats(Repeats, CrivoTest):
    stdin = lines([*urls(400, salt=1), *urls(3, salt=1)])

    def command(self, over_old):
        return ("build", self.kind, "-", "-o", "work/out", *self.options, "-q", *(("--force",) if over_old else ()))


class Packed(Command, CrivoTest):
    """Compressed keys: the libraries that read them get no memory either."""

    kind = "mphf"
    test_write = test_sync = test_name = test_lock = test_thread = test_map = test_repeated_process_numbers = None

    def write_inputs(self):
        super().write_inputs()
        for salt, (name, pack) in enumerate(PACKERS.items()):
            self.write(name, pack(lines(urls(100, salt=10 + salt))))

    def command(self, over_old):
        force = ("--force",) if over_old else ()
        return ("build", self.kind, *PACKERS, "-o", "work/out", "--threads", "2", *self.reports, *force)


class Spilled(Command, CrivoTest):
    """More keys than the memory that the build may take: their hashes and signatures go to temporary files."""

    COUNT = 600_000 if ALL else 300_000
    kind = "mphf"
    options = ("--memory", "10M", "--signature", "32")
    over_old = (True,)
    test_sync = test_name = test_lock = test_repeated_process_numbers = None

    def write_inputs(self):
        self.write_keys(urls(60), "small")
        self.write_keys([b"%d" % i for i in range(self.COUNT)], "large")
        told = self.crivo("build", self.kind, "large", "-o", "out", "--threads", "2", *self.options, "--json")
        self.assertGreater(told.json()["temp_bytes"], self.COUNT * 17)
        os.unlink(self.dir / "out")


class Filter(Command, CrivoTest):
    kind = "filter"


class PrefixFilter(Command, CrivoTest):
    """With what stands before each delimiter of a key, which is a key, too."""

    kind = "filter"
    options = ("--prefixes", "/")


class HashedDictionary(Command, CrivoTest):
    """Keys that are hashed once they are written."""

    kind = "dictionary"
    options = ("--hashed",)


class Report(Command, CrivoTest):
    """A build that says what it does: no thread for the progress line is no failure."""

    kind = "filter"
    reports = ("--json", "--progress", "always")
    test_write = test_sync = test_name = test_open = test_map = test_lock = test_allocate = None
    test_repeated_process_numbers = None


class Summary(Command, CrivoTest):
    """A build that says what it did: no memory for the summary of what is published is a warning."""

    kind = "filter"
    reports = ("--json",)
    test_write = test_sync = test_name = test_open = test_map = test_lock = test_thread = None
    test_repeated_process_numbers = None

    def check_survival(self, calls, fault, result, what):
        super().check_survival(calls, fault, result, what)
        if result.code == 0 and result.err:
            self.assertEqual((result.out, result.err), (b"", NO_SUMMARY), what)
        elif result.code == 0:
            self.assertEqual(result.json()["keys"], 400, what)


class Map(Command, CrivoTest):
    kind = "map"


class Sort(Command, CrivoTest):
    """Sorted keys, some of which go to a temporary file."""

    options = ("--memory", "1K")  # of which each thread has 64 KiB

    def write_inputs(self):
        self.write_keys(urls(60), "small")
        self.write_keys(urls(6_000), "large")

    def make_old(self):
        self.crivo("sort", "small", "-q", "-o", "old")

    def check_sound(self, name):
        keys = (self.dir / name).read_bytes().splitlines()
        self.assertEqual(keys, sorted(keys))

    def command(self, over_old):
        force = ("--force",) if over_old else ()
        return ("sort", "large", "-o", "work/out", "--threads", "2", *self.options, *self.reports, *force)


class Sign(Command, CrivoTest):
    """A signature, by a key with a password, beside its file."""

    output = "file.crv.minisig"
    given = ("file.crv",)
    key = minisign.Key(1)

    def write_inputs(self):
        self.write_keys(urls(60), "small")
        self.crivo("build", "filter", "small", "-o", "work/file.crv", "-q")
        self.write("key", self.key.secret_file(b"hush"))
        self.write("key.pub", self.key.public_file)
        self.write("password", b"hush\n")

    def make_old(self):
        self.crivo("sign", "work/file.crv", "--secret-key", "key", "--password-file", "password", "-q")
        os.rename(self.dir / "work" / self.output, self.dir / "old")

    def check_sound(self, name):
        shutil.copy(self.dir / "work/file.crv", self.dir / "file.crv")
        shutil.copy(self.dir / name, self.dir / self.output)
        self.crivo("verify", "file.crv", "--public-key", "key.pub")

    def command(self, over_old):
        force = ("--force",) if over_old else ()
        return ("sign", "work/file.crv", "--secret-key", "key", "--password-file", "password", "--sequence", "2",
                "--threads", "2", *self.reports, *force)  # fmt: skip


class State(Command, CrivoTest):
    """The sequences that `verify` keeps."""

    output = "state"
    given = ("file.crv", "file.crv.minisig")
    key = minisign.Key(1)
    test_map = test_repeated_process_numbers = None

    def write_inputs(self):
        self.write_keys(urls(60), "small")
        self.crivo("build", "filter", "small", "-o", "work/file.crv", "-q")
        self.write("key", self.key.secret_file())
        self.write("key.pub", self.key.public_file)

    def sign(self, sequence):
        self.crivo("sign", "work/file.crv", "--secret-key", "key", "--sequence", sequence, "--force", "-q")

    def make_old(self):
        self.sign(1)
        self.crivo(*self.command(False))
        os.rename(self.dir / "work/state", self.dir / "old")
        self.sign(2)

    def check_sound(self, name):
        self.assertRegex((self.dir / name).read_bytes(), rb"\Aknown sequences 1\n[12]\tfile\.crv\n\Z")

    def command(self, over_old):
        return ("verify", "work/file.crv", "--public-key", "key.pub", "--state", "work/state", *self.reports)


class Fetch(Command, CrivoTest):
    """A set of files over another: the link leads to one of them, whole."""

    output = "here"
    stays_unlisted = {"set-new"}  # to list a directory takes memory and a file
    key = minisign.Key(1)
    test_map = test_thread = test_repeated_process_numbers = None

    def write_inputs(self):
        self.write("key", self.key.secret_file())
        self.write("key.pub", self.key.public_file)
        self.write("same", b"in both sets\n")

    def publish(self, name):
        self.crivo("publish", name, "same", "-o", "site", "--secret-key", "key", "-q")

    def make_old(self):
        self.write("file", b"old\n")
        self.publish("file")
        self.crivo(*self.command(False))
        os.rename(self.dir / "work/here", self.dir / "old")
        self.write("file", b"new\n" * 1000)
        self.publish("file")

    def restore(self, with_old):
        out = self.dir / "work/here"
        shutil.rmtree(out, ignore_errors=True)
        if with_old:
            shutil.copytree(self.dir / "old", out, symlinks=True)

    def contents(self, name=None):
        path = self.dir / (name or "work/here")
        return files_of(path / "current") if (path / "current").exists() else None

    def leftovers(self):
        """The old set stays for who has it open."""
        here = self.listing("work/here") if (self.dir / "work/here").exists() else []
        return [name for name in here if name not in ("current", "set-1", "set-2")] + self.listing("temp")

    def check_sound(self, name):
        listed = subprocess.run(["sha256sum", "--check", "--quiet", "contents"], cwd=self.dir / name / "current", check=False)
        self.assertEqual(listed.returncode, 0)

    def command(self, over_old):
        return ("fetch", "site", "-o", "work/here", "--public-key", "key.pub", *self.reports)


class Publish(Command, CrivoTest):
    """A set over another: readers get one of them, whole."""

    output = "site"
    key = minisign.Key(1)
    test_map = test_thread = test_repeated_process_numbers = None

    def write_inputs(self):
        self.write("key", self.key.secret_file())
        self.write("key.pub", self.key.public_file)
        self.write("same", b"in both sets\n")
        self.write("file", b"old\n")

    def make_old(self):
        self.crivo(*self.command(False))
        os.rename(self.dir / "work/site", self.dir / "old")
        self.write("file", b"new\n" * 1000)

    def restore(self, with_old):
        out = self.dir / "work/site"
        shutil.rmtree(out, ignore_errors=True)
        if with_old:
            shutil.copytree(self.dir / "old", out)

    def contents(self, name=None):
        """What a reader fetches, without its list, which has the number of the set."""
        path = self.dir / (name or "work/site")
        if not (path / "current.minisig").exists():
            return None
        here = self.dir / "fetched"
        shutil.rmtree(here, ignore_errors=True)
        self.crivo("fetch", path, "-o", here, "--public-key", "key.pub", "-q")
        return {name: data for name, data in files_of(here / "current").items() if not name.startswith("contents")}

    def leftovers(self):
        """Files of a set that did not come to be stay for the next one."""
        return self.listing("temp")

    def check_sound(self, name):
        self.assertIsNotNone(self.contents(name))

    def command(self, over_old):
        return ("publish", "file", "same", "-o", "work/site", "--secret-key", "key", *self.reports)


class Store(Command, CrivoTest):
    kind = "store"
    survives_short = False  # LMDB takes a short write for a full disk

    def write_inputs(self):
        for name, keys in (("small", urls(60)), ("large", urls(400, salt=1))):
            self.write(name, pairs(keys, records_of(keys)))


class Update(Command):
    """Updates of a store, which are appended to their log: of the files only what they answer is the old or the new."""

    kind = "store"
    over_old = (True,)
    verb = None

    def write_inputs(self):
        keys = urls(60)
        self.write("small", pairs(keys, records_of(keys)))
        self.write("changed", pairs(keys[:40], [b"changed %d" % i + b"x" * 300 for i in range(40)]))
        self.write_keys(keys[20:], "gone")
        self.write("more", pairs(keys[:1], [b"more"]))

    def contents(self, name="work/out"):
        """The records, in the order of their keys; it is sound to the last."""
        if not (self.dir / name).exists():
            return None
        return {"": b"".join(sorted(self.crivo("dump", name).out.splitlines(keepends=True)))}

    def restore(self, with_old):
        shutil.rmtree(self.dir / "work/out", ignore_errors=True)
        shutil.copytree(self.dir / "old", self.dir / "work/out")

    def leftovers(self):
        others = [name for name in self.listing("work") if name != "out"] + self.listing("temp")
        names = self.listing("work/out")
        return others + [name for name in names if not re.fullmatch(self.parts, name)]

    parts = r"index\.crv|data-[0-9a-f]{16}\.(mdb|crv)|updates-[0-9a-f]{16}\.log"

    def test_a_disk_that_stays_full(self):
        """Then a commit that its slot cannot name cannot be taken back either: it stands."""
        self.each_call("write", fail_on(errno.ENOSPC), True)

    def command(self, over_old):
        """In so little memory that some of what is known of the keys goes to the log before the rest."""
        return ("store", self.verb, "work/out", {"set": "changed", "remove": "gone"}[self.verb], "-q", "--memory", "4K")

    def next_command(self):
        return ("store", "set", "work/out", "more", "-q")


class SetRecords(Update, CrivoTest):
    """The first update, which makes the file of updates."""

    verb = "set"


class RemoveRecords(Update, CrivoTest):
    """One more, of an ordered store."""

    verb = "remove"
    options = ("--backend", "flat", "--ordered")

    def make_old(self):
        super().make_old()
        self.crivo("store", "set", "old", "changed", "-q")


class CompactStore(Update, CrivoTest):
    """The updates go, and the records are the same."""

    survives_short = False  # LMDB takes a short write for a full disk
    stdin = b"key\trecord\n"  # of the next command

    def make_old(self):
        super().make_old()
        self.crivo("store", "set", "old", "changed", "-q")
        self.crivo("store", "remove", "old", "gone", "-q")

    def contents(self, name="work/out"):
        held = super().contents(name)
        if held is not None:
            held["changed"] = b"%d" % self.info(name).get("changed_records", 0)
        return held

    def command(self, over_old):
        return ("store", "compact", "work/out", "-q", "--threads", "2")

    def next_command(self):
        """An update has no temporary file: what is left of one is for a command that has, as a build from a pipe."""
        if not self.listing("temp"):
            return super().next_command()
        return ("build", "store", "-", "-o", "work/out", "--force", "-q", "--threads", "2")


class Edit(Command):
    """A change of a counting Bloom filter, which stays where it is."""

    kind = "filter"
    options = ("--type", "counting-bloom", "--capacity", "1000")
    over_old = (True,)
    verb = None

    def write_inputs(self):
        keys = urls(300)
        self.write_keys(keys, "small")
        self.write_keys(urls(40, salt=1) if self.verb == "add" else keys[:40], "large")
        self.write_keys(urls(40, salt=2), "more")

    def command(self, over_old):
        return ("filter", self.verb, "work/out", "large", "-q", "--threads", "2")

    def next_command(self):
        return ("filter", "add", "work/out", "more", "-q")


class Add(Edit, CrivoTest):
    verb = "add"


class Remove(Edit, CrivoTest):
    verb = "remove"


class EditSummary(Summary, CrivoTest):
    """The same of a change of a filter."""

    options = Add.options

    def command(self, over_old):
        return ("filter", "add", "work/out", "large", "--json", "--threads", "2")

    def check_survival(self, calls, fault, result, what):
        if result.code == 0 and not result.err:
            self.assertEqual(result.json()["given"], 400, what)
        else:
            super().check_survival(calls, fault, result, what)


class Deltas(Command):
    """Changes of an exact set; its files are in both directories."""

    given = ("base.crv", "1.crv", "2.crv", "3.crv")

    def write_inputs(self):
        universe = urls(400)
        self.write_keys(universe, "universe")

        def make(out, number, *command):
            self.write_keys(universe[number::10], "members")
            self.crivo(*command, "--members", "members", "--universe", "universe", "-o", out, "-q")

        make("base.crv", 0, "build", "exact")
        before = "base.crv"
        for number in (1, 2, 3):
            make(f"{number}.crv", number, "diff", before)
            self.crivo("apply", before, f"{number}.crv", "-q", *(("-o", "chain.crv") if number == 1 else ()))
            before = "chain.crv"
        for name in self.given:
            shutil.copy(self.dir / name, self.dir / "work")


class Apply(Deltas, CrivoTest):
    """Over an old chain, the chain is lengthened in place."""

    def make_old(self):
        self.crivo("apply", "base.crv", "1.crv", "-o", "old", "-q")

    def command(self, over_old):
        if over_old:
            return ("apply", "work/out", "work/2.crv", "work/3.crv", *self.reports)
        return ("apply", "work/base.crv", *(f"work/{i}.crv" for i in (1, 2, 3)), "-o", "work/out", *self.reports)

    def next_command(self):
        return (*self.command(False), "--force")


class Squash(Deltas, CrivoTest):
    def make_old(self):
        self.crivo("squash", "1.crv", "2.crv", "-o", "old", "-q")

    def command(self, over_old):
        force = ("--force",) if over_old else ()
        return ("squash", *(f"work/{i}.crv" for i in (1, 2, 3)), "-o", "work/out", *self.reports, *force)


class Additions(Deltas):
    """Of keys that a filter gains."""

    def write_inputs(self):
        self.write_keys(urls(100), "keys")
        self.crivo("build", "filter", "keys", "-o", "base.crv", "-q")
        before = "base.crv"
        for number in (1, 2, 3):
            self.write_keys(urls(100 + 50 * number), "keys")
            self.crivo("diff", before, "--added", "keys", "-o", f"{number}.crv", "-q")
            self.crivo("apply", before, f"{number}.crv", "-q", *(("-o", "chain.crv") if number == 1 else ()))
            before = "chain.crv"
        for name in self.given:
            shutil.copy(self.dir / name, self.dir / "work")


class ApplyToFilter(Additions, Apply, CrivoTest):
    pass


class SquashOfFilter(Additions, Squash, CrivoTest):
    pass


class AddToFilter(Additions, CrivoTest):
    """The delta of a filter."""

    def make_old(self):
        self.crivo("diff", "base.crv", "--added", "keys", "--fpr", "0.1", "-o", "old", "-q")

    def command(self, over_old):
        force = ("--force",) if over_old else ()
        return ("diff", "work/base.crv", "--added", "keys", "-o", "work/out", *self.reports, *force)


class AddRows(Command, CrivoTest):
    """A layer beside a chain, which is changed in place: the layer is there for who reads the new chain, and goes with what
    was to be that."""

    family, ending = "rows", "rows"
    over_old = (True,)

    @property
    def given(self):
        return ("base", f"old.1.{self.ending}")

    def write_inputs(self):
        for number, name in enumerate(("base", "first", "second", "third")):
            self.write(f"{name}.tsv", lines(self.line(key, name.encode(), i) for i, key in enumerate(urls(100, salt=number))))
        self.crivo("build", self.family, "base.tsv", "-o", "base", "-q")

    @staticmethod
    def line(key, name, number):
        return b"%s\t%s\t%d" % (key, name, number)

    def make_old(self):
        self.crivo(self.family, "add", "base", "first.tsv", "-o", "old", "-q")
        for name in self.given:
            shutil.copy(self.dir / name, self.dir / "work")

    def layers(self):
        return sorted(path.name for path in (self.dir / "work").glob(f"out.*.{self.ending}"))

    def check_sound(self, name):
        for layer in self.layers():  # of the new chain, which was written there
            shutil.copy(self.dir / "work" / layer, self.dir)
        super().check_sound(name)

    def restore(self, with_old):
        for layer in self.layers():
            (self.dir / "work" / layer).unlink()
        super().restore(with_old)

    def leftovers(self):
        named = (self.dir / "work" / self.output).read_bytes()
        return [name for name in super().leftovers() if name.encode() not in named]

    def command(self, over_old):
        return (self.family, "add", "work/out", "second.tsv", "--threads", "2", *self.reports)

    def next_command(self):
        return self.command(True) if self.contents() == self.old else (self.family, "add", "work/out", "third.tsv", "-q")


class AddGroups(AddRows, CrivoTest):
    family, ending = "filterset", "groups"

    @staticmethod
    def line(key, name, number):
        return name + b"\t" + key


class GroupShards(Command):
    """A step of a filter set's build in shards."""

    def write_inputs(self):
        for number, (name, count) in enumerate((("small", 60), ("large", 400))):
            self.write(f"{name}.tsv", lines(b"group %d\t%s" % (i % 9, key) for i, key in enumerate(urls(count, salt=number))))
            self.deal(name, f"dealt-{name}")
            for shard in range(2):
                self.crivo("build", "filterset", f"dealt-{name}", "--shard", f"{shard}/2", "-o", f"{name}-{shard}", "-q")

    def deal(self, name, directory, *options):
        self.crivo("partition", f"{name}.tsv", "--filterset", "--shards", "2", "-o", directory, "-q", *options)


class DealtGroups(GroupShards, CrivoTest):
    """The keys of a task, in a directory that others use too, and that is there before they are."""

    over_old = (False,)

    def make_old(self):
        self.deal("small", "old", "--part", "0/2")

    def check_sound(self, name):
        self.crivo("verify", f"{name}/keys-0-of-2.crv")

    def contents(self, name=None):
        found = super().contents(name) or {}
        return {file: found[file] for file in found if file.startswith("keys-")} or None

    def leftovers(self):
        inside = self.listing("work/out") if (self.dir / "work" / "out").exists() else []
        return super().leftovers() + [name for name in inside if not name.startswith("keys-")]

    def command(self, over_old):
        force = ("--force",) if over_old else ()
        return ("partition", "large.tsv", "--filterset", "--shards", "2", "--part", "0/2", "-o", "work/out", "--threads", "2", "-q", *force)


class FinishedGroups(GroupShards, CrivoTest):
    output, given = "dealt/totals.crv", ("dealt",)

    def make_old(self):
        shutil.copy(self.dir / "dealt-small" / "totals.crv", self.dir / "old")
        self.deal("large", "work/dealt")

    def leftovers(self):
        return super().leftovers() + [name for name in self.listing("work/dealt") if name not in ("keys-0-of-1.crv", "totals.crv")]

    def command(self, over_old):
        return ("partition", "--finish", "work/dealt", "--threads", "2", "-q")


class PartOfGroups(GroupShards, CrivoTest):
    def make_old(self):
        shutil.copy(self.dir / "small-0", self.dir / "old")

    def command(self, over_old):
        force = ("--force",) if over_old else ()
        return ("build", "filterset", "dealt-large", "--shard", "0/2", "-o", "work/out", "--threads", "2", "-q", *force)


class MergedGroups(GroupShards, CrivoTest):
    def make_old(self):
        self.crivo("merge", "small-0", "small-1", "-o", "old", "-q")

    def command(self, over_old):
        return ("merge", "large-0", "large-1", "-o", "work/out", "--threads", "2", "-q", *(("--force",) if over_old else ()))


class Union(Command, CrivoTest):
    kind = "filter"
    options = ("--type", "bloom", "--bits", "12", "--capacity", "1000", "--seed", "1")

    def write_inputs(self):
        super().write_inputs()
        for name, keys in (("a", urls(50)), ("b", urls(50, salt=1))):
            self.write_keys(keys, "keys")
            self.crivo("build", "filter", "keys", "-o", name, *self.options)

    def command(self, over_old):
        return ("filter", "union", "a", "b", "-o", "work/out", "-q", *(("--force",) if over_old else ()))


class WithoutProc(CrivoTest):
    """Where /proc is not mounted, as in many a chroot and minimal container, all is as elsewhere but copies of
    LMDB environments."""

    def setUp(self):
        super().setUp()
        (self.dir / "temp").mkdir()
        self.injector = Injector(self.program, self.dir, self.dir / "counter", {"TMPDIR": str(self.dir / "temp")})
        self.keys = urls(60)
        self.write_keys(self.keys, "keys")
        self.write("pairs", pairs(self.keys, records_of(self.keys)))
        self.write("changed", pairs(self.keys[:9], records_of(self.keys[:9], salt=1)))

    def here(self, *command, code=0, stdin=b""):
        result, _ = self.injector.run(command, "", 0, fail(0), no_proc=True, stdin=stdin)
        self.assertEqual(result.code, code, str(result))
        return result

    def test_every_kind(self):
        bloom = ("--type", "bloom", "--bits", "12", "--capacity", "1000", "--seed", "1")
        for out, kind, options in (
            ("mphf", "mphf", ()), ("map", "map", ()), ("filter", "filter", bloom), ("store", "store", ()),
            ("flat", "store", ("--backend", "flat")),
        ):
            with self.subTest(out):
                build = ("build", kind, "pairs" if kind == "store" else "keys", *options, "-q", "-o")
                self.crivo(*build, "elsewhere-" + out)
                self.here(*build, out)
                self.here(*build, out, "--force")
                self.assertEqual(files_of(self.dir / out), files_of(self.dir / ("elsewhere-" + out)))
                self.here("verify", out)
                self.assertEqual(self.here("query", out, "keys").out, self.crivo("query", out, "keys").out)
        self.here("filter", "add", "filter", "changed", "-q")
        self.here("filter", "union", "filter", "-", "-o", "union", "-q", stdin=(self.dir / "filter").read_bytes())
        self.assertEqual(sorted(os.listdir(self.dir / "temp")), [])
        self.assertFalse([name for name in os.listdir(self.dir) if name.startswith(".")])

    def test_updates(self):
        self.here("build", "store", "pairs", "-q", "-o", "store")
        for command in (("set", "store", "changed"), ("set", "store", "changed"), ("remove", "store", "keys")):
            self.here("store", *command, "-q")
            dump = self.here("dump", "store").out
            self.assertEqual(dump, self.crivo("dump", "store").out)
            self.here("verify", "store")
        self.assertEqual(dump, b"")

    def test_a_copy_of_an_environment_names_what_it_needs(self):
        self.here("build", "store", "pairs", "-q", "-o", "store")
        result = self.here("query", "store", "keys", "--open", "copy", code=5)
        self.assertIn(b"/proc", result.err)
        self.here("build", "map", "keys", "-q", "-o", "map")
        self.here("query", "map", "keys", "--open", "copy")


class Answers(CrivoTest):
    """What only answers, as JSON: the whole answer, or one line that says why there is none."""

    def setUp(self):
        super().setUp()
        keys = urls(30)
        self.build("filter", keys, "--type", "bloom", out="filter")
        self.build("map", keys, "--signature", "8", out="map")
        self.build("store", keys, out="store")
        self.write_keys(keys[:3] + [b"absent \xff"], "asked")
        self.injector = Injector(self.program, self.dir, self.dir / "counter", {})

    def test_allocate(self):
        injected = 0
        for command in (
            ("info", "filter"),
            ("query", "map", "asked"),
            ("get", "store", "asked"),
            ("filter", "diff", "asked", "filter"),
            ("filter", "advise", "--keys", "1000", "--fpr", "0.01"),
            ("verify", "map"),
            ("build", "mphf", "asked", "-o", "none", "--dry-run"),
        ):
            command += ("--json",)
            _, parsing = self.injector.run((*command, "--none"), "allocate", 0, fail(errno.ENOMEM))
            whole, calls = self.injector.run(command, "allocate", 0, fail(errno.ENOMEM))
            self.assertIn(whole.code, (0, 1), str(whole))
            begin = min(parsing, calls) * 9 // 10
            for fault in (fail(errno.ENOMEM), fail_on(errno.ENOMEM)):
                with self.subTest(command=command, fault=str(fault)):
                    for at in range(begin, calls + 1, 1 if ALL else max(1, (calls - begin) // PLAIN_ALLOCATIONS)):
                        result, _ = self.injector.run(command, "allocate", at, fault)
                        injected += 1
                        if result.code == whole.code:
                            self.assertEqual(timeless(result.out), timeless(whole.out), str(result))
                        else:
                            self.assertEqual(result.code, 5, str(result))
                            self.assert_one_error_line(result)
        print(f"Answers: allocate: {injected} faults")


class OutOfMemory(CrivoTest):
    """Where nothing can be thrown, there is one line and the exit code all the same."""

    def setUp(self):
        super().setUp()
        self.injector = Injector(self.program, self.dir, self.dir / "counter", {})

    def assert_told(self, result):
        self.assertIn(result.code, (0, 5), str(result))
        if result.code == 5:
            self.assert_one_error_line(result)

    def test_before_main(self):
        version = self.crivo("version").out
        _, calls = self.injector.run(("version",), "allocate", 0, fail(errno.ENOMEM))
        _, all_calls = self.injector.run_from_start(("version",), "allocate", 0, fail(errno.ENOMEM))
        early = all_calls - calls
        self.assertGreater(early, 0)
        for at in range(1, early + 2, 1 if ALL else max(1, early // PLAIN_ALLOCATIONS)):
            for fault in (fail(errno.ENOMEM), fail_on(errno.ENOMEM)):
                with self.subTest(at=at, fault=str(fault)):
                    result, _ = self.injector.run_from_start(("version",), "allocate", at, fault)
                    self.assert_told(result)
                    self.assertEqual(result.code == 0, result.out == version, str(result))

    def test_directories(self):
        """Of a partition, which are listed: by a task, and by the one that finishes them."""
        self.write_keys(urls(60), "keys")
        for task in ("0/2", "1/2"):
            self.crivo("partition", "keys", "--shards", "2", "--part", task, "-o", "dealt", "-q")
        for command in (("partition", "--finish", "dealt", "-q"), ("partition", "keys", "--shards", "2", "--part", "0/2", "-o", "dealt", "-q")):
            _, parsing = self.injector.run((*command, "--none"), "allocate", 0, fail(errno.ENOMEM))
            _, calls = self.injector.run(command, "allocate", 0, fail(errno.ENOMEM))
            for fault in (fail(errno.ENOMEM), fail_on(errno.ENOMEM)):
                for at in range(parsing, calls + 1, 1 if ALL else 3):
                    with self.subTest(command=command, at=at, fault=str(fault)):
                        self.assert_told(self.injector.run(command, "allocate", at, fault)[0])


if __name__ == "__main__":
    unittest.main()
