# SPDX-License-Identifier: Apache-2.0
"""What libcrivo.so shows, against what was recorded of it: `tools/package/abi` says how to record it anew."""

import os
import pathlib
import re
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = os.environ["CRIVO_SHARED"]


def lines(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, timeout=300, check=True).stdout.decode().splitlines()


class AbiTest(unittest.TestCase):
    def test_nothing_that_programs_use_has_changed(self):
        compared = subprocess.run(
            [SOURCE / "tools" / "package" / "abi", "check", LIBRARY], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=500, check=False,
        )
        self.assertEqual(compared.returncode, 0, compared.stdout.decode())

    def test_soname(self):
        dynamic = lines("readelf", "-d", LIBRARY)
        self.assertTrue(any("SONAME" in line and "[libcrivo.so.1]" in line for line in dynamic), dynamic)

    def test_shows_nothing_else(self):
        """Every symbol is one of crivo.h, or of namespace crivo but none of its rooms."""
        rooms = {path.name for path in (SOURCE / "src").iterdir()} | {"mphf", "filter", "map", "stream"}
        for line in lines("nm", "-DC", "--defined-only", "--without-symbol-versions", LIBRARY):
            name = line.split(maxsplit=2)[-1]
            if name in ("CRIVO_1",):
                continue
            with self.subTest(symbol=name):
                self.assertRegex(name, r"^(crivo_\w+|((typeinfo|typeinfo name|vtable|guard variable) for )?crivo::.*)$")
                inside = re.match(r"^crivo::(\w+)::", name)
                self.assertFalse(inside and inside.group(1) in rooms, name)

    def test_c_calls_are_all_there(self):
        header = (SOURCE / "include" / "crivo.h").read_text()
        declared = set(re.findall(r"^CRIVO_API [^(]*?\b(crivo_\w+)\(", header, re.MULTILINE))
        shown = {line.split()[-1] for line in lines("nm", "-D", "--defined-only", "--without-symbol-versions", LIBRARY)}
        self.assertEqual(declared, {name for name in shown if name.startswith("crivo_")})

    def test_calls_of_headers_are_shown(self):
        """A function that a header declares, and has no body there, is marked for the shared library."""
        seen = 0
        for header in sorted((SOURCE / "include" / "crivo").glob("*.hpp")):
            code = re.sub(r"//.*|^\s*#.*", "", header.read_text(), flags=re.MULTILINE)
            for declared in re.findall(r"^\w[^;{}()=]* [&*]?\w+\((?:[^;{}]|\{\})*\)[^;{}]*;", code, re.MULTILINE):
                if not declared.startswith(("inline", "template", "constexpr")):
                    seen += 1
                    self.assertTrue(declared.startswith("CRIVO_API "), f"{header}: {declared}")
        self.assertGreater(seen, 35)
