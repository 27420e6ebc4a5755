# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
#
# What perf/compare makes of figures, and how it reads what programs print.
import os
import random
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "perf"))
from comparison.counts import system_calls
from comparison.programs import read_arrived, read_ours, read_perftest, read_rsocket
from comparison.statistics import interval_of_median, median, ratios


class Statistics(unittest.TestCase):
    def test_median(self):
        self.assertEqual(median([3, 1, 2]), 2)
        self.assertEqual(median([4, 1, 2, 3]), 2.5)

    def test_interval_is_the_tables(self):
        # Ranks of the 95% interval of a median, as statistics' tables have them.
        for n, low, high in ((6, 1, 6), (10, 2, 9), (15, 4, 12), (20, 6, 15), (30, 10, 21)):
            self.assertEqual(interval_of_median(list(range(1, n + 1))), (low, high), n)
        self.assertEqual(interval_of_median([2, 1, 3]), (1, 3))

    def test_interval_holds_the_median_as_often_as_it_says(self):
        r = random.Random(1)
        held = 0
        for _ in range(2000):
            low, high = interval_of_median([r.expovariate(1) for _ in range(15)])
            held += low <= 0.6931 <= high
        self.assertGreater(held / 2000, 0.94)

    def test_ratios_are_taken_within_pairs(self):
        r = ratios([10, 200, 3000], [20, 400, 6000])
        self.assertEqual((r["median"], r["low"], r["high"], r["pairs"]), (0.5, 0.5, 0.5, 3))


class Reading(unittest.TestCase):
    def test_ours(self):
        self.assertEqual(read_ours(
            '{"results":[{"bytes":2,"gbit_per_s":1.5},{"bytes":4,"us":{"p50":3}}]}'), {2: 1.5, 4: 3})

    def test_perftest(self):
        bandwidth = (" #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
                     " 64         1000             0.00               0.50                 0.976562\n---\n")
        self.assertEqual(read_perftest(3)(bandwidth), {64: 0.5})
        self.assertEqual(read_perftest(3)(" 64 bytes of something\n"), {})

    def test_rstream(self):
        text = ("name      bytes   xfers   iters   total       time     Gb/sec    usec/xfer\n"
                "custom    64k     1       500     62m         0.70s      0.75     699.41\n")
        self.assertEqual(read_rsocket(-2)(text), {65536: 0.75})

    def test_udpong(self):
        text = ("name      bytes   xfers   total       time     Gb/sec    usec/xfer\n"
                "custom    1k      10k     9m          0.50s      0.16      50.00\n")
        self.assertEqual(read_rsocket(-1)(text), {1024: 50})

    def test_datagrams_that_arrived(self):
        self.assertEqual(read_arrived(
            '{"results":[{"bytes":2,"gbit_per_s":2,"messages":4,"lost":1},{"bytes":4,"gbit_per_s":3,"messages":4}]}'),
            {2: 1.5, 4: 3})

    def test_strace(self):
        text = ("% time     seconds  usecs/call     calls    errors syscall\n"
                " 99.00    0.010000          10      1000           process_vm_writev\n"
                "100.00    0.010100           9      1123        12 total\n")
        self.assertEqual(system_calls(text), 1123)
        self.assertIsNone(system_calls("nothing"))


if __name__ == "__main__":
    unittest.main()
