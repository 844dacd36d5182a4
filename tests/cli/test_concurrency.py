# SPDX-License-Identifier: Apache-2.0
"""8 processes at a time add to one filter, build it anew and query it: whatever they see, and what is there in
the end, comes of some serial order of the calls. $CRIVO_LONG set: for a minute."""

import concurrent.futures
import itertools
import os
import random
import threading
import time
from dataclasses import dataclass

from harness import SANITIZED, CrivoTest, lines, urls

SECONDS = 60 if os.environ.get("CRIVO_LONG") else 0
PROCESSES = 8
CALLS = 15 if SANITIZED else 40  # of each process, at least


@dataclass(frozen=True)
class Call:
    """A call that was done between two moments; `key` is in the filter because of it alone."""

    key: bytes
    start: float
    end: float


class Concurrency(CrivoTest):
    BASE = urls(50)
    OPTIONS = ("--type", "bloom", "--capacity", "20000", "--fpr", "0.0000001", "-q")

    def setUp(self):
        super().setUp()
        (self.dir / "work").mkdir()
        self.numbers = itertools.count()
        self.lock = threading.Lock()
        self.begun = {"build": [], "add": []}  # the keys of all calls that were begun
        self.builds, self.adds = [], []  # the Calls that were done
        self.views = []  # (start, end, keys that were there)

    def call(self, operation, *options):
        """Runs `operation` with a key of its own."""
        key = b"%s-%d" % (operation.encode(), next(self.numbers))
        with self.lock:
            self.begun[operation].append(key)
        self.write(key.decode(), lines((self.BASE if operation == "build" else []) + [key]))
        start = time.monotonic()
        if operation == "build":
            self.crivo("build", "filter", key.decode(), "-o", "work/f", *self.OPTIONS, *options)
        else:
            self.crivo("filter", "add", "work/f", key.decode(), "-q")
        return Call(key, start, time.monotonic())

    def build(self, *options):
        self.builds.append(self.call("build", *options))

    def add(self):
        self.adds.append(self.call("add"))

    def view(self):
        """Asks for every key of the calls so far; once more, if what it finds is a build that was started after it."""
        while True:
            start = time.monotonic()  # what was done before it is among the keys
            with self.lock:
                builds = len(self.begun["build"])
                keys = self.begun["build"] + self.begun["add"]
            answers = self.query("work/f", self.BASE + keys)
            end = time.monotonic()
            self.assertEqual(set(answers[: len(self.BASE)]), {b"maybe"})
            found = [answer == b"maybe" for answer in answers[len(self.BASE) :]]
            with self.lock:
                if any(found[:builds]) or len(self.begun["build"]) == builds:
                    break
        self.views.append((start, end, {key for key, there in zip(keys, found, strict=True) if there}))

    def work(self, seed, deadline):
        rng = random.Random(seed)
        done = 0
        while done < CALLS or time.monotonic() < deadline:
            done += 1
            rng.choices((self.add, lambda: self.build("--force"), self.view), (5, 2, 3))[0]()

    def assert_serial(self, start, end, seen):
        """What was seen between two moments follows from the calls in an order that keeps those apart which
        did not overlap."""
        last = [build for build in self.builds if build.key in seen]
        self.assertEqual(len(last), 1, "not one build's keys")
        last = last[0]
        self.assertLess(last.start, end)
        lost = [build for build in self.builds if last.end < build.start and build.end < start]
        self.assertEqual(lost, [], f"builds after {last}")
        outlived = [add for add in self.adds if add.key in seen and not (last.start < add.end and add.start < end)]
        self.assertEqual(outlived, [], f"adds before {last}, or to come")
        lost = [add for add in self.adds if add.key not in seen and last.end < add.start and add.end < start]
        self.assertEqual(lost, [], f"adds after {last}")

    def test_serial(self):
        self.build()
        deadline = time.monotonic() + SECONDS
        with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
            for done in [pool.submit(self.work, seed, deadline) for seed in range(PROCESSES)]:
                done.result()
        self.view()
        for view in self.views:
            self.assert_serial(*view)
        seen = self.views[-1][2]
        self.assertEqual(self.info("work/f")["keys"], len(self.BASE) + len(seen))
        self.crivo("verify", "work/f")
        self.assertEqual(self.listing("work"), ["f"])
        print(f"{len(self.builds)} builds, {len(self.adds)} adds, {len(self.views)} views")

    def test_stores(self):
        """Builds of one store follow one another: the last that was started is there, or one that overlapped."""
        records = {b"%d" % i: b"%d\tby %d\n" % (0, i) for i in range(24)}
        for name, text in records.items():
            self.write(name.decode(), text)

        def build(name):
            start = time.monotonic()
            self.crivo("build", "store", name.decode(), "-o", "work/s", "--force", "-q")
            return Call(b"by " + name, start, time.monotonic())

        with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
            calls = list(pool.map(build, records))
        answer = self.crivo("get", "work/s", "0").out.strip()
        last = next(call for call in calls if call.key == answer)
        self.assertFalse([call for call in calls if call.start > last.end])
        self.crivo("verify", "work/s")
        self.assertEqual(self.listing("work"), ["s"])
