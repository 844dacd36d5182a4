# SPDX-License-Identifier: Apache-2.0
"""What leaves the library is crivo::Error (library_user.cpp knows nothing else): no memory, no threads, no
descriptors, no mapping, at every call. And lookups allocate nothing.

$CRIVO_FAULTS_ALL set: every allocation and mapping fails in turn, else some of them do."""

import errno
import os
import unittest

from harness import BIN, CrivoTest, pairs, records_of, urls
from injection import Injector, fail, fail_on

USER = os.path.join(BIN, "library_user")
ALL = bool(os.environ.get("CRIVO_FAULTS_ALL"))
PLAIN_ALLOCATIONS = 10  # for an operation and a kind of fault

FAULTS = {
    "allocate": [fail(errno.ENOMEM), fail_on(errno.ENOMEM)],
    "map": [fail(errno.ENOMEM), fail_on(errno.ENOMEM)],
    "open": [fail(errno.EMFILE), fail_on(errno.EMFILE)],
    "thread": [fail(errno.EAGAIN), fail_on(errno.EAGAIN)],
}


class Library(CrivoTest):
    def setUp(self):
        super().setUp()
        keys = urls(300)
        self.write_keys(keys, "keys")
        self.write_keys(urls(40, salt=1), "more")
        self.write("pairs", pairs(keys, records_of(keys)))
        for kind in ("mphf", "filter", "map"):
            self.crivo("build", kind, "keys", "-o", kind)
        self.crivo("build", "filter", "keys", "-o", "bloom", "--type", "bloom", "--capacity", "100000")
        self.crivo("build", "store", "pairs", "-o", "store")
        (self.dir / "temp").mkdir()
        self.injector = Injector(USER, self.dir, self.dir / "counter", {"TMPDIR": str(self.dir / "temp")})
        self.injected = 0

    def try_all(self, *operation):
        for calls, faults in FAULTS.items():
            result, whole = self.injector.run(operation, calls, 0, faults[0])
            self.assertEqual(result.code, 0, str(result))
            step = max(1, whole // PLAIN_ALLOCATIONS) if calls in ("allocate", "map") and not ALL else 1
            for fault in faults:
                with self.subTest(operation=operation[0], calls=calls, fault=str(fault)):
                    for at in range(1, whole + 1, step):
                        result, _ = self.injector.run(operation, calls, at, fault)
                        self.injected += 1
                        self.assertIn(result.code, (0, 5), f"call {at} of {whole}: {result}")
                        self.assertLessEqual(result.err.count(b"\n"), 1, str(result))

    def tearDown(self):
        print(f"{self.id().split('.', 1)[-1]}: {self.injected} faults")
        super().tearDown()

    def test_lookups(self):
        for operation in (("ranks", "mphf"), ("members", "filter"), ("values", "map"), ("records", "store")):
            self.try_all(*operation)
        self.try_all("names")

    def test_builds(self):
        for kind in ("mphf", "filter", "map"):
            self.try_all(f"build-{kind}", "keys", "out")
        self.try_all("build-store", "pairs", "out.store")

    def test_edits(self):
        self.try_all("add", "bloom", "more")
        self.try_all("unite", "bloom", "out")

    def test_checks(self):
        for path, keys in (("mphf", "keys"), ("filter", "keys"), ("map", "keys"), ("store", "pairs")):
            self.try_all("inspect", path)
            self.try_all("verify", path, keys)


if __name__ == "__main__":
    unittest.main()
