# SPDX-License-Identifier: Apache-2.0
"""Every call of a binding with what no caller should give it: it is refused, or taken as it was; nothing ends the program. What
comes of it stands in tools/doc/borders.md, which CRIVO_WRITE_BORDERS=1 writes."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "borders"), str(HERE.parents[0] / "cli")]
import make_calls  # noqa: E402  pylint: disable=wrong-import-position
import minisign  # noqa: E402  pylint: disable=wrong-import-position
import page  # noqa: E402  pylint: disable=wrong-import-position

HEADER = HERE.parents[1] / "include" / "crivo.h"
BORDER_CALLS = pathlib.Path(os.environ["CRIVO"]).resolve().parent / "border_calls"
#: The first cases of each call, which are right but for where they are made.
RIGHT = ("after fork", "on another thread", "beside signals")


def rows_of(said):
    """Of lines with tabs between."""
    rows = []
    for line in said.decode("utf-8", "replace").split("\n"):
        call, parameter, what, outcome = (line.split("\t") + [""] * 4)[:4]
        if call.startswith("crivo_") and what:
            rows.append((call, parameter, what, outcome.split(":")[0]))
    return rows


class Borders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="crivo-test-")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def test_c(self):
        (self.dir / "lines").write_bytes(b"a\nb\n")
        key = minisign.Key(1)
        (self.dir / "key").write_bytes(key.secret_file())
        (self.dir / "key.pub").write_bytes(b"untrusted comment: a key\n" + key.line.encode() + b"\n")
        made = subprocess.run([BORDER_CALLS, self.dir], cwd=self.dir, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=550, check=False)
        self.assertEqual((made.returncode, made.stderr[-3000:]), (0, b""), made.stdout[-300:])
        rows = rows_of(made.stdout)
        header = make_calls.Header(HEADER.read_text(encoding="utf-8"))
        self.assertEqual({row[0] for row in rows}, {name for name, _, parameters in header.calls if parameters and name not in make_calls.NOT_TRIED})
        for row in rows:
            with self.subTest(row):
                self.assertIn(row[3], ("taken", "mismatch", "usage", "bad input", "corrupt", "system", "cancelled"))
                self.assertTrue(row[3] == "taken" or row[2] not in RIGHT)
        structures = {(call, name): make_calls.plain(kind) for call, _, parameters in header.calls for kind, name in parameters}
        calls, members = page.of_structures(rows, lambda call, name: structures[call, name])
        page.check(self, "the calls of crivo.h", calls)
        page.check(self, "the structures of crivo.h", members)


if __name__ == "__main__":
    unittest.main()
