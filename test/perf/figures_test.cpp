// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "perf/common/histogram.hpp"
#include "perf/common/peak.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace {

std::uint64_t exact_percentile(const std::vector<std::uint64_t>& sorted, double percent) {
  const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(sorted.size()) - 1e-9));
  return sorted[std::max<std::size_t>(1, rank) - 1];
}

}  // namespace

BOOST_AUTO_TEST_SUITE(figures, *boost::unit_test::label("native"))

BOOST_AUTO_TEST_CASE(percentiles_are_exact_to_one_part_in_two_thousand) {
  std::mt19937_64 random(1);
  for (const double spread : {1.0, 8.0, 40.0}) {
    perf::histogram h;
    std::vector<std::uint64_t> all;
    std::uniform_real_distribution<double> exponent(0, spread);
    for (int i = 0; i < 20000; ++i) {
      all.push_back(static_cast<std::uint64_t>(std::exp2(exponent(random))));
      h.add(all.back());
    }
    std::sort(all.begin(), all.end());
    for (const double percent : {0.01, 1.0, 50.0, 90.0, 99.0, 99.9, 99.99, 100.0}) {
      const double exact = static_cast<double>(exact_percentile(all, percent));
      BOOST_TEST(std::abs(static_cast<double>(h.percentile(percent)) - exact) <= exact / 2048 + 0.5);
    }
    BOOST_TEST(h.minimum() == all.front());
    BOOST_TEST(h.maximum() == all.back());  // perftest shows the second largest
    std::uint64_t counted = 0;
    std::uint64_t before = 0;
    for (const perf::histogram::bucket& b : h.buckets()) {
      BOOST_TEST(b.low <= b.high);
      BOOST_TEST((before == 0 || b.low > before));
      before = b.high;
      const auto in =
          std::upper_bound(all.begin(), all.end(), b.high) - std::lower_bound(all.begin(), all.end(), b.low);
      BOOST_TEST(b.count == static_cast<std::uint64_t>(in));
      counted += b.count;
    }
    BOOST_TEST(counted == all.size());
  }
}

BOOST_AUTO_TEST_CASE(mean_and_deviation_keep_fractions) {
  perf::histogram h;
  for (const std::uint64_t v : {1u, 2u, 2u, 3u}) h.add(v);
  BOOST_TEST(h.mean() == 2.0);
  BOOST_TEST(std::abs(h.deviation() - std::sqrt(0.5)) < 1e-12);
  perf::histogram twice = h;
  twice.add(h);
  BOOST_TEST(twice.count() == 8u);
  BOOST_TEST(twice.mean() == 2.0);
  h.clear();
  BOOST_TEST(h.count() == 0u);
  BOOST_TEST(h.percentile(50) == 0u);
  BOOST_TEST(h.minimum() == 0u);
}

BOOST_AUTO_TEST_CASE(takes_the_largest_values) {
  perf::histogram h;
  h.add(~std::uint64_t{0});
  h.add(0);
  BOOST_TEST(h.maximum() == ~std::uint64_t{0});
  BOOST_TEST(h.percentile(100) == ~std::uint64_t{0});
  BOOST_TEST(h.buckets().size() == 2u);
}

BOOST_AUTO_TEST_CASE(peak_is_the_best_stretch) {
  // By trying every stretch.
  std::mt19937_64 random(2);
  for (int round = 0; round < 50; ++round) {
    std::vector<perf::post_mark> posts;
    std::vector<perf::completion_mark> completions;
    std::uint64_t now = 1000000;
    std::uint64_t posted = 0;
    std::uint64_t completed = 0;
    while (completed < 60) {
      now += 1 + random() % 100;
      if (posted < 60 && (posted == completed || random() % 2 == 0)) {
        posts.push_back({now, posted});
        posted += 1 + random() % 3;
      } else {
        completed += 1 + random() % (posted - completed);
        completions.push_back({now, completed});
      }
    }
    double best = 0;
    for (const auto& p : posts) {
      for (const auto& c : completions) {
        if (c.ticks <= p.ticks || c.completed <= p.posted) continue;
        best = std::max(best, static_cast<double>(c.completed - p.posted) / static_cast<double>(c.ticks - p.ticks));
      }
    }
    BOOST_TEST(std::abs(perf::peak_rate(posts, completions) - best) <= best * 1e-6);
  }
  BOOST_TEST(perf::peak_rate({}, {}) == 0.0);
}

BOOST_AUTO_TEST_SUITE_END()
