# SPDX-License-Identifier: Apache-2.0
"""opens.py STORE N opens a store N times, and says the record of `a`, which is never to go back."""

import sys

import crivo

last = -1
for i in range(int(sys.argv[2])):
    with crivo.open(sys.argv[1]) as store:
        now = int(store["a"])
    if now < last:
        sys.exit(f"open {i}: back from {last} to {now}")
    last = now
print(last, "after", sys.argv[2], "opens")
