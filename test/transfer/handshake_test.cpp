// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "transfer/handshake.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace transfer {

std::ostream& operator<<(std::ostream& os, handshake_error e) {
  return os << static_cast<int>(e);
}
std::ostream& operator<<(std::ostream& os, reject_reason r) {
  return os << static_cast<int>(r);
}
std::ostream& operator<<(std::ostream& os, mode m) {
  return os << static_cast<int>(m);
}
std::ostream& operator<<(std::ostream& os, loopback l) {
  return os << static_cast<int>(l);
}

}  // namespace transfer
}  // namespace v1
}  // namespace asio_rdma

namespace {

namespace transfer = asio_rdma::transfer;
using transfer::handshake;
using transfer::handshake_error;
using transfer::loopback;
using transfer::mode;
using transfer::reject_reason;
using transfer::version_range;
using bytes = std::vector<unsigned char>;

bytes from_hex(const std::string& hex) {
  bytes result;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    result.push_back(static_cast<unsigned char>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  }
  return result;
}

template <typename Array>
bytes to_bytes(const Array& a) {
  return bytes(a.begin(), a.end());
}

transfer::handshake_result decode(const bytes& b, version_range ours = transfer::supported_versions) {
  return transfer::decode_handshake(b.data(), b.size(), ours);
}

// Recorded handshakes: what version 1 sent must be understood by every later version that still speaks it, so these are
// never changed, only added to.
const std::string stream_v1 =
    "4152444d30010101"
    "00000000"
    "00"
    "14"
    "0002"
    "00000400"
    "78563412"
    "00d0fe2a7f7f0000"
    "40c0ad0b7f7f0000"
    "21436587"
    "00000000";
const std::string loopback_v1 =
    "4152444d30010102"
    "03000080"
    "05"
    "0c"
    "1000"
    "00040000"
    "ffffffff"
    "0010000000000000"
    "4000000000000000"
    "00000000"
    "0200007f";
const std::string raw_v1 =
    "4152444d30010103"
    "00000000"
    "06"
    "00"
    "0000"
    "00000000"
    "00000000"
    "0000000000000000"
    "0000000000000000"
    "00000000"
    "00000000";

handshake recorded_stream() {
  handshake h;
  h.ring_size = 1u << 20;
  h.queue_depth = 512;
  h.max_chunk = 1u << 18;
  h.ring_key = 0x12345678;
  h.ring_address = 0x00007f7f2afed000;
  h.mirror_address = 0x00007f7f0badc040;
  h.mirror_key = 0x87654321;
  return h;
}

handshake recorded_loopback() {
  handshake h;
  h.mode = mode::message;
  h.features = 0x80000003;
  h.ring_size = transfer::min_ring_size;
  h.queue_depth = transfer::min_queue_depth;
  h.max_chunk = transfer::min_chunk;
  h.ring_key = 0xffffffff;
  h.ring_address = 0x1000;
  h.mirror_address = 0x40;
  h.loopback = loopback::v4;
  h.loopback_v4 = 0x7f000002;
  h.asked_v6 = true;
  return h;
}

handshake recorded_raw() {
  handshake h;
  h.mode = mode::raw;
  h.loopback = loopback::v6;
  h.asked_v6 = true;
  return h;
}

void check_equal(const handshake& a, const handshake& b) {
  BOOST_TEST(a.versions.lowest == b.versions.lowest);
  BOOST_TEST(a.versions.highest == b.versions.highest);
  BOOST_TEST(a.mode == b.mode);
  BOOST_TEST(a.features == b.features);
  BOOST_TEST(a.ring_size == b.ring_size);
  BOOST_TEST(a.queue_depth == b.queue_depth);
  BOOST_TEST(a.max_chunk == b.max_chunk);
  BOOST_TEST(a.ring_address == b.ring_address);
  BOOST_TEST(a.ring_key == b.ring_key);
  BOOST_TEST(a.mirror_address == b.mirror_address);
  BOOST_TEST(a.mirror_key == b.mirror_key);
  BOOST_TEST(a.loopback == b.loopback);
  BOOST_TEST(a.loopback_v4 == b.loopback_v4);
  BOOST_TEST(a.asked_v6 == b.asked_v6);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(handshakes)

BOOST_AUTO_TEST_CASE(recorded_version_1_is_read_and_written) {
  const struct {
    const std::string& hex;
    handshake value;
  } records[] = {{stream_v1, recorded_stream()}, {loopback_v1, recorded_loopback()}, {raw_v1, recorded_raw()}};
  for (const auto& r : records) {
    const auto result = decode(from_hex(r.hex));
    BOOST_TEST(result.error == handshake_error::none);
    check_equal(result.value, r.value);
    BOOST_TEST(to_bytes(encode_handshake(r.value)) == from_hex(r.hex), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(it_fits_the_private_data_of_a_connect) {
  // RDMA_PS_TCP leaves 56 of the 92 bytes of a connection request.
  BOOST_TEST(transfer::encode_handshake(recorded_stream()).size() <= transfer::max_handshake_size);
}

BOOST_AUTO_TEST_CASE(random_values_survive_the_round_trip) {
  std::mt19937_64 random(3);
  for (int i = 0; i != 20000; ++i) {
    handshake h;
    h.versions = {1, static_cast<std::uint8_t>(1 + random() % 255)};
    h.mode = static_cast<mode>(1 + random() % 3);
    h.features = static_cast<std::uint32_t>(random());
    h.ring_size = 1u << (12 + random() % 15);
    h.queue_depth = static_cast<std::uint16_t>(16 + random() % (8192 - 16 + 1));
    h.max_chunk = static_cast<std::uint32_t>(1024 + random() % ((64u << 20) - 1024 + 1));
    h.ring_address = 1 + random() % (std::numeric_limits<std::uint64_t>::max() - (64u << 20));
    h.ring_key = static_cast<std::uint32_t>(random());
    h.mirror_address = 64 * (1 + random() % (std::uint64_t{1} << 57));
    h.mirror_key = static_cast<std::uint32_t>(random());
    h.loopback = static_cast<loopback>(random() % 3);
    if (h.loopback == loopback::v4) h.loopback_v4 = 0x7f000000u | static_cast<std::uint32_t>(random() & 0xffffff);
    h.asked_v6 = random() % 2 != 0;
    const auto result = decode(to_bytes(encode_handshake(h)));
    BOOST_TEST_REQUIRE(result.error == handshake_error::none);
    check_equal(result.value, h);
  }
}

BOOST_AUTO_TEST_CASE(every_truncation_is_refused) {
  const bytes whole = from_hex(stream_v1);
  for (std::size_t size = 0; size != whole.size(); ++size) {
    const bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    BOOST_TEST(decode(part).error == (size < 4 ? handshake_error::not_ours : handshake_error::truncated));
  }
  BOOST_TEST(transfer::decode_handshake(nullptr, 0).error == handshake_error::not_ours);
  // The length it states itself counts also, since the connection manager pads.
  bytes padded = whole;
  padded.resize(196);
  BOOST_TEST(decode(padded).error == handshake_error::none);
  for (unsigned length = 0; length != 48; ++length) {
    padded[4] = static_cast<unsigned char>(length);
    BOOST_TEST(decode(padded).error == handshake_error::truncated);
  }
}

BOOST_AUTO_TEST_CASE(other_programs_are_recognised) {
  BOOST_TEST(decode(bytes(56, 0)).error == handshake_error::not_ours);
  for (std::size_t i = 0; i != 4; ++i) {
    bytes b = from_hex(stream_v1);
    b[i] ^= 0x20;
    BOOST_TEST(decode(b).error == handshake_error::not_ours);
  }
}

BOOST_AUTO_TEST_CASE(modes_without_a_name_are_refused) {
  for (const unsigned m : {0u, 4u, 255u}) {
    bytes b = from_hex(stream_v1);
    b[7] = static_cast<unsigned char>(m);
    BOOST_TEST(decode(b).error == handshake_error::bad_mode);
  }
}

BOOST_AUTO_TEST_CASE(values_that_the_protocol_excludes_are_refused) {
  const auto refused = [](void (*change)(handshake&)) {
    handshake h = recorded_stream();
    change(h);
    return decode(to_bytes(encode_handshake(h))).error == handshake_error::out_of_range;
  };
  BOOST_TEST(refused([](handshake& h) { h.ring_size = 0; }));
  BOOST_TEST(refused([](handshake& h) { h.ring_size = transfer::min_ring_size / 2; }));
  BOOST_TEST(refused([](handshake& h) { h.ring_size = transfer::max_ring_size * 2; }));
  BOOST_TEST(refused([](handshake& h) { h.queue_depth = 15; }));
  BOOST_TEST(refused([](handshake& h) { h.queue_depth = 8193; }));
  BOOST_TEST(refused([](handshake& h) { h.max_chunk = 1023; }));
  BOOST_TEST(refused([](handshake& h) { h.max_chunk = transfer::max_ring_size + 1; }));
  BOOST_TEST(refused([](handshake& h) { h.ring_address = 0; }));
  BOOST_TEST(refused([](handshake& h) { h.ring_address = std::uint64_t{0} - h.ring_size + 1; }));
  BOOST_TEST(refused([](handshake& h) { h.mirror_address = 0; }));
  BOOST_TEST(refused([](handshake& h) { h.mirror_address += 32; }));
  BOOST_TEST(refused([](handshake& h) { h.mirror_address = std::uint64_t{0} - 64; }));
  BOOST_TEST(refused([](handshake& h) { h.loopback_v4 = 0x7f000001; }));  // without saying loopback
  BOOST_TEST(refused([](handshake& h) { h.loopback = loopback::v4; }));   // without its address
  BOOST_TEST(refused([](handshake& h) {
    h.loopback = loopback::v4;
    h.loopback_v4 = 0x0a000001;
  }));
  BOOST_TEST(!refused([](handshake&) {}));
  for (unsigned log2 = 0; log2 != 256; ++log2) {
    bytes b = from_hex(stream_v1);
    b[13] = static_cast<unsigned char>(log2);
    BOOST_TEST((decode(b).error == handshake_error::none) == (log2 >= 12 && log2 <= 26));
  }
  bytes b = from_hex(loopback_v1);
  b[12] |= 3;  // both loopbacks
  BOOST_TEST(decode(b).error == handshake_error::out_of_range);
  b[44] = b[45] = b[46] = b[47] = 0;
  BOOST_TEST(decode(b).error == handshake_error::out_of_range);
  // A raw connection may have a ring, and then it must be a good one.
  b = from_hex(stream_v1);
  b[7] = 3;
  BOOST_TEST(decode(b).error == handshake_error::none);
  b[14] = b[15] = 0;
  BOOST_TEST(decode(b).error == handshake_error::out_of_range);
}

BOOST_AUTO_TEST_CASE(ranges_that_hold_no_version_are_refused) {
  for (const version_range v : {version_range{0, 1}, version_range{2, 1}, version_range{0, 0}}) {
    bytes b = from_hex(stream_v1);
    b[5] = v.lowest;
    b[6] = v.highest;
    BOOST_TEST(decode(b).error == handshake_error::bad_versions);
  }
}

BOOST_AUTO_TEST_CASE(the_highest_common_version_is_chosen) {
  for (int al = 1; al != 7; ++al) {
    for (int ah = al; ah != 7; ++ah) {
      for (int bl = 1; bl != 7; ++bl) {
        for (int bh = bl; bh != 7; ++bh) {
          int highest = 0;
          for (int v = 1; v != 7; ++v) {
            if (v >= al && v <= ah && v >= bl && v <= bh) highest = v;
          }
          const version_range a{static_cast<std::uint8_t>(al), static_cast<std::uint8_t>(ah)};
          const version_range b{static_cast<std::uint8_t>(bl), static_cast<std::uint8_t>(bh)};
          const auto chosen = choose_version(a, b);
          BOOST_TEST_REQUIRE(chosen.has_value() == (highest != 0));
          if (chosen) BOOST_TEST_REQUIRE(*chosen == highest);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_later_version_that_appended_fields_is_understood) {
  // What version 2 might send: all 56 bytes used, and more feature and flag bits.
  bytes b = from_hex(stream_v1);
  b[4] = 56;
  b[6] = 2;
  b[8] = 0xff;
  b[12] |= 0xf8;
  for (unsigned i = 48; i != 56; ++i) b.push_back(static_cast<unsigned char>(i));
  const auto theirs = decode(b);
  BOOST_TEST_REQUIRE(theirs.error == handshake_error::none);
  BOOST_TEST(theirs.value.ring_address == recorded_stream().ring_address);
  handshake ours = recorded_stream();
  ours.features = 0x101;
  const auto agreed = agree(ours, theirs.value);
  BOOST_TEST_REQUIRE(agreed.has_value());
  BOOST_TEST(agreed->version == 1);
  BOOST_TEST(agreed->features == 1u);
  // Its length counts: what it appended must be there, even if it is ignored.
  b.pop_back();
  BOOST_TEST(decode(b).error == handshake_error::truncated);
}

BOOST_AUTO_TEST_CASE(an_earlier_version_is_understood) {
  // Recorded version 1 meets a library that also speaks 2, and one that no longer speaks 1.
  const auto old = decode(from_hex(stream_v1), {1, 2});
  BOOST_TEST_REQUIRE(old.error == handshake_error::none);
  handshake ours = recorded_stream();
  ours.versions = {1, 2};
  BOOST_TEST(agree(ours, old.value)->version == 1);
  const auto too_old = decode(from_hex(stream_v1), {2, 3});
  BOOST_TEST(too_old.error == handshake_error::incompatible_version);
  BOOST_TEST(too_old.value.versions.highest == 1);
}

BOOST_AUTO_TEST_CASE(a_version_out_of_reach_is_named_whatever_follows) {
  // Behind the header anything may stand, of any length.
  for (const unsigned length : {8u, 9u, 47u, 255u}) {
    bytes b = from_hex("4152444d00070963");
    b[4] = static_cast<unsigned char>(length);
    const auto result = decode(b);
    BOOST_TEST(result.error == handshake_error::incompatible_version);
    BOOST_TEST(result.value.versions.lowest == 7);
    BOOST_TEST(result.value.versions.highest == 9);
  }
}

BOOST_AUTO_TEST_CASE(both_ends_agree_on_the_smaller) {
  handshake a = recorded_stream();
  handshake b = recorded_stream();
  a.features = 0x0f;
  b.features = 0x1c;
  b.max_chunk = 4096;
  for (const auto& agreed : {agree(a, b), agree(b, a)}) {
    BOOST_TEST_REQUIRE(agreed.has_value());
    BOOST_TEST(agreed->version == 1);
    BOOST_TEST(agreed->features == 0x0cu);
    BOOST_TEST(agreed->max_chunk == 4096u);
  }
  b.mode = mode::message;
  BOOST_TEST(!agree(a, b).has_value());
  b = a;
  b.versions = {2, 2};
  BOOST_TEST(!agree(a, b).has_value());
}

BOOST_AUTO_TEST_CASE(random_bytes_are_refused_or_in_range) {
  std::mt19937 random(11);
  const bytes good = from_hex(stream_v1);
  unsigned accepted = 0;
  bytes b;
  for (int i = 0; i != 1200000; ++i) {
    // One in four is wholly random, the others are good ones with some bytes changed.
    b = good;
    b.resize(random() % 64);
    if (i % 4 == 0) {
      for (unsigned char& x : b) x = static_cast<unsigned char>(random());
    } else if (!b.empty()) {
      for (unsigned n = random() % 4; n != 0; --n) b[random() % b.size()] = static_cast<unsigned char>(random());
    }
    // A copy of its exact size, so that a sanitizer sees every byte read beyond it.
    const std::vector<unsigned char> exact(b);
    const auto result = decode(exact);
    if (!result) continue;
    ++accepted;
    const handshake& h = result.value;
    const bool ok = h.versions.lowest == 1 && (h.ring_size & (h.ring_size - 1)) == 0 &&
                    (h.mode == mode::raw || (h.ring_size >= 4096 && h.ring_size <= 64u << 20 && h.queue_depth >= 16 &&
                                             h.queue_depth <= 8192 && h.ring_address + h.ring_size > h.ring_address));
    if (!ok) BOOST_TEST(ok);
  }
  BOOST_TEST(accepted > 1000u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(rejects)

BOOST_AUTO_TEST_CASE(recorded_version_1_is_read_and_written) {
  const bytes recorded = from_hex("4152444d0901010204");
  const auto r = transfer::decode_reject(recorded.data(), recorded.size());
  BOOST_TEST_REQUIRE(r.has_value());
  BOOST_TEST(r->reason == reject_reason::mode_mismatch);
  BOOST_TEST(r->mode == 2);
  BOOST_TEST(r->versions.lowest == 1);
  BOOST_TEST(r->versions.highest == 1);
  BOOST_TEST(to_bytes(encode_reject(*r)) == recorded, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_padded_or_longer_one_is_understood) {
  bytes b = from_hex("4152444d0901010201");
  b.resize(148);
  BOOST_TEST(transfer::decode_reject(b.data(), b.size()).value().reason == reject_reason::backlog_full);
  b[4] = 60;
  BOOST_TEST(transfer::decode_reject(b.data(), b.size()).value().reason == reject_reason::backlog_full);
  b[8] = 200;  // a reason of a later version
  BOOST_TEST(static_cast<int>(transfer::decode_reject(b.data(), b.size()).value().reason) == 200);
}

BOOST_AUTO_TEST_CASE(truncated_or_foreign_ones_are_refused) {
  const bytes whole = from_hex("4152444d0901010201");
  for (std::size_t size = 0; size != whole.size(); ++size) {
    const bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    BOOST_TEST(!transfer::decode_reject(part.data(), part.size()).has_value());
  }
  BOOST_TEST(!transfer::decode_reject(nullptr, 0).has_value());
  bytes b = whole;
  b[4] = 8;
  BOOST_TEST(!transfer::decode_reject(b.data(), b.size()).has_value());
  b = whole;
  b[0] = 0;
  BOOST_TEST(!transfer::decode_reject(b.data(), b.size()).has_value());
}

BOOST_AUTO_TEST_CASE(every_bad_handshake_has_a_reason) {
  BOOST_TEST(reason_for(handshake_error::not_ours) == reject_reason::not_ours);
  BOOST_TEST(reason_for(handshake_error::incompatible_version) == reject_reason::incompatible_version);
  BOOST_TEST(reason_for(handshake_error::bad_mode) == reject_reason::mode_mismatch);
  for (const auto e : {handshake_error::truncated, handshake_error::bad_versions, handshake_error::out_of_range}) {
    BOOST_TEST(reason_for(e) == reject_reason::bad_handshake);
  }
}

BOOST_AUTO_TEST_SUITE_END()
