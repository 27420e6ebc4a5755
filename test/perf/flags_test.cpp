// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "perf/common/flags.hpp"

#include <boost/test/unit_test.hpp>

#include <initializer_list>
#include <string>
#include <vector>

namespace {

constexpr perf::program all_programs[] = {
    {"asio_send_bw", perf::operation::send, false},     {"asio_send_lat", perf::operation::send, true},
    {"asio_write_bw", perf::operation::write, false},   {"asio_write_lat", perf::operation::write, true},
    {"asio_read_bw", perf::operation::read, false},     {"asio_read_lat", perf::operation::read, true},
    {"asio_atomic_bw", perf::operation::atomic, false}, {"asio_atomic_lat", perf::operation::atomic, true},
    {"asio_net_bw", perf::operation::net, false},       {"asio_net_lat", perf::operation::net, true},
};
constexpr const perf::program& send_bw = all_programs[0];
constexpr const perf::program& send_lat = all_programs[1];
constexpr const perf::program& net_bw = all_programs[8];

perf::settings parse(const perf::program& p, const std::vector<std::string>& arguments) {
  std::vector<const char*> argv{p.name};
  for (const std::string& a : arguments) argv.push_back(a.c_str());
  return perf::parse(p, static_cast<int>(argv.size()), argv.data());
}

// What is said of a command line that makes no sense; empty if it does.
std::string complaint(const perf::program& p, const std::vector<std::string>& arguments) {
  try {
    parse(p, arguments);
    return {};
  } catch (const perf::usage_error& e) {
    return e.what();
  }
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(flags, *boost::unit_test::label("native"))

BOOST_AUTO_TEST_CASE(names_flag_value_and_range_of_nonsense) {
  for (const perf::program& p : all_programs) {
    for (const perf::flag& f : perf::all_flags()) {
      if (!f.belongs_to(p) || f.is_toggle()) continue;
      const std::string name = "--" + std::string(f.name);
      BOOST_TEST_CONTEXT(p.name << ' ' << name) {
        std::vector<std::string> nonsense;
        if (f.is_number()) {
          nonsense = {"x", "-1", "1x", "1.5", " 1", "0x10", "18446744073709551616", std::to_string(f.maximum + 1)};
          if (f.minimum > 0) nonsense.push_back(std::to_string(f.minimum - 1));
        } else if (!f.words.empty()) {
          nonsense = {"nonsense", "r"};
        }
        for (const std::string& value : nonsense) {
          const std::string said = complaint(p, {name, value});
          BOOST_TEST(has(said, name), said);
          BOOST_TEST(has(said, value), said);
          if (f.is_number()) BOOST_TEST(has(said, std::to_string(f.maximum)), said);
          for (const std::string& word : f.words) BOOST_TEST(has(said, word), said);
        }
        BOOST_TEST(has(complaint(p, {name}), name));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(takes_short_and_long_names) {
  for (const auto& arguments : std::initializer_list<std::vector<std::string>>{{"-s", "128", "host"},
                                                                               {"-s128", "host"},
                                                                               {"--size", "128", "host"},
                                                                               {"--size=128", "host"},
                                                                               {"host", "-s", "128"}}) {
    const perf::settings s = parse(send_bw, arguments);
    BOOST_TEST(s.size == 128u);
    BOOST_TEST(s.server == "host");
    BOOST_TEST(!s.is_server());
  }
  BOOST_TEST(parse(send_bw, {"-bRze", "-c", "ud", "h"}).bidirectional);
  BOOST_TEST(parse(send_bw, {"-c", "ud"}).connection == "UD");
}

BOOST_AUTO_TEST_CASE(every_short_name_is_one_flags) {
  for (const perf::program& p : all_programs) {
    std::string letters = "hV";
    for (const perf::flag& f : perf::all_flags()) {
      if (!f.belongs_to(p) || f.letter == 0) continue;
      BOOST_TEST(letters.find(f.letter) == std::string::npos, p.name << " -" << f.letter);
      letters += f.letter;
    }
    BOOST_TEST(has(perf::help(p), p.name));
  }
}

BOOST_AUTO_TEST_CASE(defaults_are_perftests) {
  const perf::settings bandwidth = parse(send_bw, {"h"});
  BOOST_TEST(bandwidth.size == 65536u);
  BOOST_TEST(bandwidth.iterations == 1000u);
  BOOST_TEST(bandwidth.send_depth == 128u);
  BOOST_TEST(bandwidth.receive_depth == 512u);
  BOOST_TEST(bandwidth.moderation == 1u);  // of large messages
  BOOST_TEST(bandwidth.inline_size == 0u);
  BOOST_TEST(parse(send_bw, {"-s", "64"}).moderation == 100u);
  BOOST_TEST(parse(send_bw, {"-s", "64", "-t", "16"}).moderation == 16u);
  BOOST_TEST(parse(send_bw, {"-s", "64", "-l", "8"}).moderation == 8u);
  const perf::settings latency = parse(send_lat, {"h"});
  BOOST_TEST(latency.size == 2u);
  BOOST_TEST(latency.send_depth == 1u);
  BOOST_TEST(latency.inline_size == 236u);
  BOOST_TEST(parse({"asio_write_bw", perf::operation::write, false}, {"h"}).iterations == 5000u);
  BOOST_TEST(parse({"asio_atomic_lat", perf::operation::atomic, true}, {"h"}).size == 8u);
}

BOOST_AUTO_TEST_CASE(refuses_what_does_not_go_together) {
  const struct {
    std::vector<std::string> arguments;
    std::vector<std::string> named;
  } cases[] = {
      {{"-a", "-s", "64"}, {"--all", "--size"}},
      {{"-D", "3", "-n", "100"}, {"--duration", "--iters"}},
      {{"-f", "1"}, {"--margin", "--duration"}},
      {{"-D", "2", "-f", "1"}, {"--margin", "--duration"}},
      {{"-l", "256"}, {"--post_list", "--tx-depth"}},
      {{"-l", "7"}, {"--post_list", "--iters"}},
      {{"-l", "8", "-Q", "12"}, {"--post_list", "--cq-mod"}},
      {{"-Q", "200"}, {"--cq-mod", "--tx-depth"}},
      {{"--recv_post_list", "7"}, {"--recv_post_list", "--rx-depth"}},
      {{"-m", "1000"}, {"--mtu", "1024"}},
      {{"-T", "8", "host"}, {"--tos", "-R", "--tclass"}},
      {{"-R", "-T", "8", "--tclass", "8", "host"}, {"--tos", "--tclass"}},
      {{"-C"}, {"--report-cycles", "means nothing to asio_send_bw"}},
      {{"-W", ""}, {"--report-counters", "empty"}},
      {{"--loop", "host"}, {"--loop"}},
      {{"--bind", "127.0.0.1", "host"}, {"--bind"}},
      {{"--run_infinitely", "--out_json"}, {"--run_infinitely", "--out_json"}},
      {{"one", "two"}, {"two"}},
      {{"--nonsense"}, {"--nonsense"}},
      {{"--siz", "1"}, {"--siz"}},
      {{"-s", "1", "-s", "2"}, {"--size"}},
      {{""}, {"empty"}},
      {{"--mode", "stream"}, {"--mode", "means nothing to asio_send_bw"}},
      {{"-H"}, {"--report-histogram", "means nothing to asio_send_bw"}},
  };
  for (const auto& c : cases) {
    const std::string said = complaint(send_bw, c.arguments);
    for (const std::string& part : c.named) BOOST_TEST(has(said, part), c.arguments.front() << ": " << said);
  }
  BOOST_TEST(has(complaint(net_bw, {"-T", "8"}), "--tos (-T) means nothing to asio_net_bw"));
  BOOST_TEST(has(complaint(net_bw, {"-q", "2"}), "--async"));
  BOOST_TEST(has(complaint(net_bw, {"--mode", "tcp", "--queue_depth", "5"}), "--queue_depth"));
  BOOST_TEST(has(complaint(net_bw, {"-l", "4"}), "--mode stream has no batches"));
  BOOST_TEST(has(complaint(net_bw, {"--mode", "message", "-l", "7"}), "--iters"));
  BOOST_TEST(has(complaint(net_bw, {"--mode", "tcp", "--registered"}), "--registered"));
  BOOST_TEST(has(complaint(net_bw, {"--mode", "message", "--registered", "-l", "2"}), "copied"));
  BOOST_TEST(has(complaint(net_bw, {"--mode", "udp", "--socket_counters"}), "--socket_counters"));
  BOOST_TEST(has(complaint(send_lat, {"-D", "1", "-U"}), "--report-unsorted"));
}

BOOST_AUTO_TEST_SUITE_END()
