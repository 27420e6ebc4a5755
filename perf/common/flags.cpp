// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "flags.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace perf {

namespace {

bool verbs_only(const program& p) {
  return !p.is_net();
}
bool net_only(const program& p) {
  return p.is_net();
}
bool sends(const program& p) {
  return p.what == operation::send;
}
bool has_size(const program& p) {
  return p.what != operation::atomic;
}
bool has_inline(const program& p) {
  return p.what == operation::send || p.what == operation::write;
}
bool waits_for_answers(const program& p) {
  return p.what == operation::read || p.what == operation::atomic;
}
bool is_atomic(const program& p) {
  return p.what == operation::atomic;
}
bool has_completions(const program& p) {
  return !p.is_net() && !(p.what == operation::write && p.latency);
}
bool has_messages_to_look_at(const program& p) {
  return !(p.what == operation::write && p.latency);  // whose bytes are its signal
}
bool is_latency(const program& p) {
  return p.latency;
}
bool is_bandwidth(const program& p) {
  return !p.latency;
}
bool is_verbs_bandwidth(const program& p) {
  return !p.latency && !p.is_net();
}
bool receives_in_lists(const program& p) {
  return !p.latency && p.what == operation::send;
}

constexpr std::uint64_t gibi = std::uint64_t{1} << 30;

}  // namespace

const std::vector<flag>& all_flags() {
  using s = settings;
  static const std::vector<flag> flags = {
      // The connection
      {"ib-dev", 'd', &s::device, "RDMA device (what ASIO_RDMA_DEVICE says, else the first)"},
      {"ib-port", 'i', &s::device_port, "port of the device (the first that is up)", 1, 255, {}, false, verbs_only},
      {"gid-index", 'x', &s::gid_index, "index of the GID (the best for the other side)", 0, 65535},
      {"port", 'p', &s::port, "port on which the two sides agree on everything", 1, 65535},
      {"bind", 0, &s::bind, "server: its own address (every one)"},
      {"rdma_cm",
       'R',
       &s::rdma_cm,
       "connect the queue pairs by rdma_cm, not by exchanging numbers over TCP",
       0,
       0,
       {},
       true,
       verbs_only},
      {"comm_rdma_cm", 'z', &s::control_over_rdma, "agree over a stream socket of this library, not over TCP"},
      {"connection", 'c', &s::connection, "RC or UD", 0, 0, {"RC", "UD"}, true, sends},
      {"mtu",
       'm',
       &s::mtu,
       "path MTU, bytes: 256, 512, 1024, 2048 or 4096 (what both ports have)",
       256,
       4096,
       {},
       true,
       verbs_only},
      {"sl", 'S', &s::service_level, "service level", 0, 15},
      {"tclass", 0, &s::traffic_class, "traffic class; on Ethernet the type of service, DSCP in its upper six bits",
       0, 255},
      {"tos", 'T', &s::type_of_service, "type of service that rdma_cm gives to its connections (-R)", 0, 255, {}, false,
       verbs_only},
      {"qp-timeout", 'u', &s::ack_timeout, "time to an acknowledgement: 4.096 us times two to the power of this", 1,
       31},
      {"retry_count", 0, &s::retries, "retries before a connection is given up", 0, 7},

      // What is sent
      {"size", 's', &s::size, "bytes of a message (65536, for latency 2)", 1, gibi, {}, true, has_size},
      {"all", 'a', &s::all_sizes, "all sizes from 2 bytes to 8 MiB, by powers of two", 0, 0, {}, true, has_size},
      {"iters",
       'n',
       &s::iterations,
       "messages to measure, on each connection (1000; writes 5000; sockets 4000)",
       1,
       1000000000,
       {},
       true},
      {"duration", 'D', &s::duration, "seconds to measure, instead of --iters", 1, 86400, {}, true},
      {"margin",
       'f',
       &s::margin,
       "seconds of --duration that do not count, at its begin and at its end (0)",
       0,
       43200,
       {},
       true},
      {"run_infinitely", 0, &s::forever, "measure again and again, a line each (for --duration: 5 s)", 0, 0, {}, true},
      {"warm_up",
       0,
       &s::warm_up,
       "messages before the measurement, which do not count (a tenth of --iters, from 100 to 1000)",
       0,
       1000000000,
       {},
       true},
      {"bidirectional", 'b', &s::bidirectional, "both sides send; the line has the sum", 0, 0, {}, true, is_bandwidth},
      {"qp", 'q', &s::connections, "connections side by side", 1, 16384, {}, true, is_bandwidth},
      {"atomic_type",
       'A',
       &s::atomic,
       "FETCH_AND_ADD or CMP_AND_SWAP",
       0,
       0,
       {"FETCH_AND_ADD", "CMP_AND_SWAP"},
       true,
       is_atomic},
      {"data_validation",
       0,
       &s::validate,
       "look whether what arrives is what was sent (slower)",
       0,
       0,
       {},
       true,
       has_messages_to_look_at},

      // Queues
      {"tx-depth",
       't',
       &s::send_depth,
       "requests posted at a time (128, for latency 1)",
       1,
       32768,
       {},
       true,
       is_verbs_bandwidth},
      {"rx-depth", 'r', &s::receive_depth, "receives posted at a time (512)", 1, 32768, {}, true, sends},
      {"inline_size",
       'I',
       &s::inline_size,
       "messages up to this size go into the request (0, for latency what fits)",
       0,
       4096,
       {},
       true,
       has_inline},
      {"post_list",
       'l',
       &s::post_list,
       "requests of a call to post; of sockets, messages or datagrams of a batch",
       1,
       32768,
       {},
       true,
       is_bandwidth},
      {"recv_post_list", 0, &s::receive_post_list, "receives of a call to post", 1, 32768, {}, true, receives_in_lists},
      {"cq-mod",
       'Q',
       &s::moderation,
       "requests for one completion (100; above 8 KiB 1; with --post_list its length)",
       1,
       1024,
       {},
       true,
       is_verbs_bandwidth},
      {"outs",
       'o',
       &s::outstanding,
       "reads or atomics under way at a time (what both devices can)",
       1,
       255,
       {},
       true,
       waits_for_answers},
      {"cqe_poll", 0, &s::poll_batch, "completions taken at a time", 1, 1024, {}, false, verbs_only},
      {"events", 'e', &s::events, "sleep until a completion event instead of polling", 0, 0, {}, true, has_completions},

      // Sockets
      {"mode",
       0,
       &s::mode,
       "stream, message, datagram: this library's sockets; raw: raw_connection; tcp, udp: the kernel's",
       0,
       0,
       {"stream", "message", "datagram", "raw", "tcp", "udp"},
       true,
       net_only},
      {"async", 0, &s::async, "asynchronous operations; otherwise blocking ones", 0, 0, {}, false, net_only},
      {"registered",
       0,
       &s::registered,
       "send from and receive into registered memory, without a copy; with --async, four operations at a time",
       0,
       0,
       {},
       true,
       net_only},
      {"socket_counters",
       0,
       &s::socket_counters,
       "how much what the sockets of this end count grew: bytes copied and not, messages, completions, ...",
       0,
       0,
       {},
       false,
       net_only},
      {"receive_buffer", 0, &s::receive_buffer, "socket option, bytes", 1, gibi, {}, false, net_only},
      {"send_buffer", 0, &s::send_buffer, "socket option, bytes", 1, gibi, {}, false, net_only},
      {"queue_depth", 0, &s::queue_depth, "socket option, not of TCP", 1, 32768, {}, false, net_only},

      // The report
      {"report_gbits",
       0,
       &s::gigabits,
       "rates in Gb/s, of 10^9 bits, not MiB/s, of 2^20 bytes",
       0,
       0,
       {},
       false,
       is_bandwidth},
      {"report_both_units", 0, &s::both_units, "rates in both", 0, 0, {}, false, is_bandwidth},
      {"noPeak",
       'N',
       &s::no_peak,
       "do not look for the fastest part of the measurement",
       0,
       0,
       {},
       false,
       is_verbs_bandwidth},
      {"report-histogram",
       'H',
       &s::histogram,
       "how many measurements fell between which times",
       0,
       0,
       {},
       false,
       is_latency},
      {"report-unsorted", 'U', &s::unsorted, "every measurement, in order", 0, 0, {}, false, is_latency},
      {"report-cycles", 'C', &s::cycles, "times in cycles of the processor's clock, not in us", 0, 0, {}, false,
       is_latency},
      {"report-counters", 'W', &s::counters,
       "how much counters of the port grew, such as counters/port_xmit_data,hw_counters/out_of_sequence", 0, 0, {},
       false, verbs_only},
      {"out_json", 0, &s::json, "write one JSON document with everything, to <program>.json"},
      {"out_json_file", 0, &s::json_file, "write it to this file; - is standard output, instead of the table"},
      {"cpu_util", 0, &s::cpu_utilisation, "show how busy this process kept the processor, in percent of one"},
      {"probe",
       0,
       &s::probe,
       "show how much of the time went into posting and into polling",
       0,
       0,
       {},
       false,
       is_verbs_bandwidth},

      // This process
      {"cpu", 0, &s::cpu, "stay on this processor", 0, 4095},
      {"loop", 0, &s::loop, "server: serve one client after another, until it is stopped"},
      {"CPU-freq", 'F', &s::no_frequency_warning,
       "without effect, since nothing is computed from the frequency; perftest's"},
  };
  return flags;
}

std::string flag::title() const {
  std::string result = "--" + std::string(name);
  if (letter != 0) result += std::string(" (-") + letter + ')';
  return result;
}

void read_value(const flag& f, const std::string& text, settings& s) {
  if (f.is_toggle()) {
    s.*std::get<0>(f.member) = text == "true";
  } else if (f.is_number()) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string range = "from " + std::to_string(f.minimum) + " to " + std::to_string(f.maximum);
    if (error == std::errc::invalid_argument || end != text.data() + text.size()) {
      throw usage_error(f.title() + ": '" + text + "' is not a whole number; it can be " + range);
    }
    if (error == std::errc::result_out_of_range || value < f.minimum || value > f.maximum) {
      throw usage_error(f.title() + ": " + text + " is out of range; it can be " + range);
    }
    s.*std::get<1>(f.member) = value;
  } else {
    std::string value = text;
    if (!f.words.empty()) {
      const auto same = [&text](const std::string& word) {
        return std::equal(word.begin(), word.end(), text.begin(), text.end(),
                          [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
      };
      const auto found = std::find_if(f.words.begin(), f.words.end(), same);
      if (found == f.words.end()) {
        std::string all;
        for (const std::string& word : f.words) all += (all.empty() ? "" : ", ") + word;
        throw usage_error(f.title() + ": '" + text + "' is none of " + all);
      }
      value = *found;
    } else if (value.empty()) {
      throw usage_error(f.title() + ": the value is empty");
    }
    s.*std::get<2>(f.member) = value;
  }
}

std::string value_text(const flag& f, const settings& s) {
  if (f.is_toggle()) return s.*std::get<0>(f.member) ? "true" : "false";
  if (f.is_number()) return std::to_string(s.*std::get<1>(f.member));
  return s.*std::get<2>(f.member);
}

}  // namespace perf
