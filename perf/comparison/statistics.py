# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
#
# What pairs of figures say. Nothing is assumed of how they are distributed.
import math


def median(values):
    s = sorted(values)
    n = len(s)
    return s[n // 2] if n % 2 else (s[n // 2 - 1] + s[n // 2]) / 2


def interval_of_median(values, confidence=0.95):
    """The narrowest pair of order statistics that holds the median with that probability: (low, high). With fewer than
    six values no pair does, and the extremes are returned."""
    s = sorted(values)
    n = len(s)
    below = 0.0  # probability that the median lies below the (k + 1)th smallest, or above the (k + 1)th largest
    k = 0
    while k < n // 2 and 2 * (below + math.comb(n, k) / 2 ** n) <= 1 - confidence:
        below += math.comb(n, k) / 2 ** n
        k += 1
    return (s[max(0, k - 1)], s[n - max(1, k)])


def ratios(ours, theirs):
    """The median of the ratios within pairs, and its 95% interval."""
    r = [a / b for a, b in zip(ours, theirs)]
    low, high = interval_of_median(r)
    return {"median": median(r), "low": low, "high": high, "pairs": len(r)}
