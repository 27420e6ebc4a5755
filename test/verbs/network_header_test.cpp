// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Where a datagram came from, as the 40 bytes before it say.

#include "io/grh.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

using namespace asio_rdma::io;

namespace {

using header = std::array<std::byte, grh_size>;

constexpr std::array<std::uint8_t, 20> v4 = {0x45, 0, 0, 68,  0, 0, 0x40, 0, 64, 17,
                                             0,    0, 10, 77, 0, 1, 10,   77, 0, 2};

header make_v4(bool with_checksum) {
  header h{};
  std::memcpy(h.data() + 20, v4.data(), v4.size());
  if (!with_checksum) return h;
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < v4.size(); i += 2) sum += std::uint32_t{v4[i]} << 8 | v4[i + 1];
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  h[30] = static_cast<std::byte>(~sum >> 8);
  h[31] = static_cast<std::byte>(~sum);
  return h;
}

header make_v6() {
  header h{};
  h[0] = std::byte{0x60};
  for (std::size_t i = 8; i < 40; ++i) h[i] = static_cast<std::byte>(i);
  return h;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(network_header, *boost::unit_test::label("native"))

BOOST_AUTO_TEST_CASE(v4_with_and_without_a_checksum) {
  for (const bool with_checksum : {true, false}) {
    const header h = make_v4(with_checksum);
    grh_addresses a{};
    BOOST_REQUIRE(read_grh(h.data(), a));
    BOOST_TEST(a.from.raw[10] == 0xff);
    BOOST_TEST(a.from.raw[12] == 10);
    BOOST_TEST(a.from.raw[15] == 1);
    BOOST_TEST(a.to.raw[15] == 2);
    BOOST_TEST(!is_multicast(a.to));
  }
}

BOOST_AUTO_TEST_CASE(v6) {
  const header h = make_v6();
  grh_addresses a{};
  BOOST_REQUIRE(read_grh(h.data(), a));
  BOOST_TEST(a.from.raw[0] == 8);
  BOOST_TEST(a.to.raw[0] == 24);
}

BOOST_AUTO_TEST_CASE(what_lies_before_a_v4_header_means_nothing) {
  header h = make_v4(true);
  h[0] = std::byte{0x60};
  grh_addresses a{};
  BOOST_REQUIRE(read_grh(h.data(), a));
  BOOST_TEST(a.from.raw[12] == 10);
}

BOOST_AUTO_TEST_CASE(v6_whose_middle_looks_like_v4) {
  header h = make_v6();
  h[20] = std::byte{0x45};
  grh_addresses a{};
  BOOST_REQUIRE(read_grh(h.data(), a));
  BOOST_TEST(a.from.raw[0] == 8);
}

BOOST_AUTO_TEST_CASE(anything_else) {
  const header h{};
  grh_addresses a{};
  BOOST_TEST(!read_grh(h.data(), a));
}

BOOST_AUTO_TEST_CASE(groups) {
  ibv_gid g{};
  g.raw[0] = 0xff;
  BOOST_TEST(is_multicast(g));
  grh_addresses a{};
  header h = make_v4(false);
  h[36] = std::byte{239};
  BOOST_REQUIRE(read_grh(h.data(), a));
  BOOST_TEST(is_multicast(a.to));
}

BOOST_AUTO_TEST_SUITE_END()
