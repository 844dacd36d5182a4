# SPDX-License-Identifier: Apache-2.0
"""A store that is opened again and again while its record of `a` counts up: it is set, with a key more each time, compacted, and
built anew. No open fails, and none goes back."""

import os
import subprocess

CRIVO = os.environ["CRIVO"]
OPENS = 100_000 if os.environ.get("CRIVO_LONG") == "1" else 1_000


def run(*command):
    subprocess.run([CRIVO, *map(str, command), "-q"], check=True, timeout=100)


def opened_beside_writers(test, folder, reader, **options):
    """Runs `reader STORE OPENS`, which ends with "NUMBER after OPENS opens", beside writers until it has ended."""
    store, keys = folder / "counted", folder / "counted.keys"
    number = 0

    def given(others):
        keys.write_bytes(b"a\t%d\n" % number + others)
        return keys

    keys.write_bytes(b"a\t0\nb\t0\n")
    run("build", "store", keys, "-o", store)
    command = [*map(str, reader), str(store), str(OPENS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options) as opening:
        while opening.poll() is None:
            number += 1
            run("store", "set", store, given(b"new %d\t\n" % number))
            if number % 3 == 0:
                run("store", "compact", store)
            if number % 7 == 0:
                number += 1
                run("build", "store", given(b"b\t0\n"), "-o", store, "--force")
        said, wrong = opening.communicate()
    test.assertEqual((opening.returncode, wrong.decode()[-2000:]), (0, ""))
    test.assertRegex(said.decode(), rf"^\d+ after {OPENS} opens\n$")
    test.assertGreater(number, 0)
    return number, said.decode()
