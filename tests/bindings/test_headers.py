# SPDX-License-Identifier: Apache-2.0
"""The public headers: what they include, alone, and with a compiler that is not set to C++20."""

import os
import pathlib
import re
import subprocess
import unittest

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"


def included(header):
    """The headers of the library that one includes, itself among them."""
    found, ahead = set(), {header}
    while ahead:
        path = ahead.pop()
        found.add(path)
        ahead |= {INCLUDE / name for name in re.findall(r'^#include "(crivo/.*)"$', path.read_text(), re.MULTILINE)} - found
    return found


class HeadersTest(unittest.TestCase):
    def test_all_include_the_one_that_asks_for_it(self):
        headers = sorted(INCLUDE.rglob("*.hpp"))
        self.assertGreater(len(headers), 30)
        for header in headers:
            with self.subTest(header=header.name):
                self.assertIn(INCLUDE / "crivo" / "detail" / "export.hpp", included(header))

    def test_those_of_readers_include_none_of_builders(self):
        for header in sorted(INCLUDE.rglob("*.hpp")):
            if header.parent.name != "build":
                with self.subTest(header=header.name):
                    self.assertEqual([path.name for path in included(header) if path.parent.name == "build"], [])

    @unittest.skipUnless(os.environ.get("CRIVO_LONG"), "takes a second a header")
    def test_each_compiles_alone(self):
        for header in sorted(INCLUDE.rglob("*.hpp")):
            with self.subTest(header=header.name):
                compiled = subprocess.run(
                    ["c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-I", INCLUDE, "-include", header, "-x", "c++", "/dev/null"],
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False,
                )
                self.assertEqual((compiled.returncode, compiled.stdout.decode()), (0, ""))

    def test_first_error_of_cpp17(self):
        compiled = subprocess.run(
            ["c++", "-std=c++17", "-fsyntax-only", "-I", INCLUDE, "-x", "c++", "-"], input=b"#include <crivo/mphf.hpp>\n",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False,
        )
        errors = [line for line in compiled.stdout.decode().splitlines() if "error:" in line]
        self.assertTrue(errors and "need C++20" in errors[0], errors[:3])


if __name__ == "__main__":
    unittest.main()
