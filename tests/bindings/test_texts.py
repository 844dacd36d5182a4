# SPDX-License-Identifier: Apache-2.0
"""What the library says names no option of the program: it says what would help, and tools/program has the words for it."""

import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|(\"(?:\\.|[^\"\\\n])*\")|'(?:\\.|[^'\\\n])+'", re.DOTALL)


def sources(*folders):
    return [path for folder in folders for path in (SOURCE / folder).rglob("*") if path.suffix in (".cpp", ".hpp", ".h")]


def texts(path):
    """The string literals of a file, with their lines."""
    code = path.read_text()
    return [(code.count("\n", 0, match.start()) + 1, match[1]) for match in TOKEN.finditer(code) if match[1]]


class Texts(unittest.TestCase):
    def test_name_no_option_and_no_command(self):
        seen = 0
        for path in sources("src", "include"):
            if path == SOURCE / "src" / "build" / "kinds.cpp":
                continue  # whose rows are the help of the program
            for line, text in texts(path):
                seen += 1
                self.assertNotRegex(text, r"--[a-z]|\bcrivo [a-z]", f"{path}:{line}")
        self.assertGreater(seen, 1000)  # strings are found at all

    def test_the_program_has_words_for_every_remedy(self):
        known = set(re.findall(r'Remedy\{"(\w+)"', (SOURCE / "tools" / "program" / "remedies.cpp").read_text()))
        library = "".join(path.read_text() for path in sources("src"))
        # As a member, as the last argument of a function that takes it, or in a list of a warning's two texts.
        named = set(re.findall(r'\.remedy = (?:\w+ \? "\w+" : )?"(\w+)"', library))
        named |= set(re.findall(r'\.remedy = \w+ \? "(\w+)"', library))
        self.assertLessEqual(named, known)
        for name in known:
            with self.subTest(remedy=name):
                self.assertIn(f'"{name}"', library)


if __name__ == "__main__":
    unittest.main()
