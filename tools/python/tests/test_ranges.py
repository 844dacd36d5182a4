# SPDX-License-Identifier: Apache-2.0
"""Filters of type range: numbers, and ranges of them."""

import numpy as np
import pytest

import crivo


def built(keys, **options):
    summary = crivo.build_filter(keys, type="range", fpr=1 / 1000, longest_range=100, **options)
    return crivo.Filter(summary.data)


NUMBERS = np.arange(10**12, 10**12 + 3_000_000, 1000, dtype=np.uint64)


def test_numbers_and_ranges():
    for keys in (NUMBERS, NUMBERS.tolist(), [number.to_bytes(8, "big") for number in NUMBERS.tolist()]):
        filter = built(keys)
        assert filter.takes_ranges
        assert all(number in filter for number in NUMBERS[::50].tolist())
        assert int(NUMBERS[7]).to_bytes(8, "big") in filter
        assert filter.get_many(NUMBERS).all()
        assert filter.contains_range(10**12 - 5, 10**12)
        assert not filter.contains_range(10, 9)
        assert filter.contains_range(0, 2**64 - 1)
        lows = NUMBERS + np.uint64(300)
        found = filter.contains_ranges(lows, lows + np.uint64(99))
        assert found.dtype == np.bool_ and found.sum() < 20
        assert filter.contains_ranges(lows[:-1], lows[:-1] + np.uint64(700)).all()  # to the next number
        assert [filter.contains_range(int(low), int(low) + 99) for low in lows[:100]] == found[:100].tolist()


def test_refusals():
    filter = built(NUMBERS)
    with pytest.raises(ValueError):
        filter.contains_ranges(NUMBERS, NUMBERS[1:])
    with pytest.raises(OverflowError):
        filter.contains_range(0, 2**64)
    other = crivo.Filter(crivo.build_filter(NUMBERS).data)
    assert not other.takes_ranges
    with pytest.raises(crivo.UsageError):
        other.contains_range(1, 2)
    with pytest.raises(crivo.Error):
        built([b"123456789"])


def test_prefixes():
    filter = crivo.Filter(crivo.build_filter([b"/usr/lib/a", b"/usr/lib/b"], prefixes="/", fpr=1e-9).data)
    assert [path in filter for path in (b"/usr", b"/usr/lib", b"/usr/lib/a", b"/usr/l", b"/")] == [True, True, True, False, False]
