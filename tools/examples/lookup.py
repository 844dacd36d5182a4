# SPDX-License-Identifier: Apache-2.0
"""Builds a filter and a map of words in memory, and asks them: `python3 lookup.py one two three`."""

import sys

import crivo

words = sys.argv[1:] or ["one", "two", "three"]
lengths = [len(word) for word in words]

seen = crivo.Filter(crivo.build_filter(words, fpr=0.001).data)  # "maybe", or surely absent
sizes = crivo.Map(crivo.build_map(words, values=lengths, signature_bits=32).data)  # word -> number

with seen, sizes:
    for word in [*words, "another"]:
        print(word, word in seen, sizes.get(word))
    values, present = sizes.get_many(words)  # numpy arrays
    print(int(values.sum()), "letters in", int(present.sum()), "words")
