# SPDX-License-Identifier: Apache-2.0
"""tools/examples/exchanged-filters.md: its commands, in order and at a small size, and what they are said to do."""

import os
import pathlib
import re
import subprocess

from harness import CRIVO, ENVIRONMENT, CrivoTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "tools/examples/exchanged-filters.md").read_text(encoding="utf-8")
# 2,000 keys a node in place of 100,000.
SMALL = (("-n 100000 --skip ${i}00000", "-n 2000 --skip ${i}0000"), ("capacity 400000", "capacity 8000"),
         ("-n 100000 --skip 900000", "-n 2000 --skip 900000"), ("head -n 5000", "head -n 100"))


class ExchangedFilters(CrivoTest):
    def bash(self, command, code=0):
        path = os.pathsep.join([os.path.dirname(CRIVO), os.environ["PATH"]])
        ran = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command], cwd=self.dir, capture_output=True, text=True,
                             env={**ENVIRONMENT, "PATH": path}, timeout=60, check=False)
        self.assertEqual(ran.returncode, code, f"{command}\n{ran.stdout}{ran.stderr}")
        return ran.stdout.splitlines()

    def test_the_page(self):
        (self.dir / "tools").symlink_to(ROOT / "tools")
        for full, small in SMALL:
            self.assertIn(full, PAGE)
        said = {}
        for command in re.findall(r"(?m)^    (\S.*)$", PAGE):
            for full, small in SMALL:
                command = command.replace(full, small)
            said[command.split()[0], len(said)] = self.bash(command)
        way = next(lines for (program, _), lines in said.items() if program.endswith("route"))
        self.assertEqual((way[0], way[-1]), ("at node0", "found at node3"))
        self.assertLess({"at west", "at root", "down to east", "down to node3"}, set(way))
        keys = {name: set((self.dir / f"{name}.txt").read_text().splitlines())
                for name in ("mine", "maybe", "common", "missing", "node1")}
        self.assertEqual(keys["common"], keys["mine"] & keys["node1"])
        self.assertEqual(len(keys["common"]), 100)
        self.assertLessEqual(keys["common"], keys["maybe"])
        self.assertLess(len(keys["maybe"]), 200)
        self.assertEqual(keys["missing"], keys["mine"] - keys["maybe"])
        # Wherever it is and wherever the request begins.
        for node in (0, 3):
            key = (self.dir / f"node{node}.txt").read_text().splitlines()[7]
            for begin in (f"node{node}", "node2"):
                self.assertEqual(self.bash(f"tools/examples/route '{key}' {begin}")[-1], f"found at node{node}")
        self.assertEqual(self.bash("tools/examples/route no-such-key node1", code=1)[-1], "nowhere")
