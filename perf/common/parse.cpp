// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "flags.hpp"

#include <boost/program_options.hpp>

#include <algorithm>
#include <sstream>

namespace perf {

namespace po = boost::program_options;

namespace {

po::options_description describe(const program& p) {
  po::options_description result("Flags", 120, 60);
  for (const flag& f : all_flags()) {
    if (!f.belongs_to(p)) continue;
    const std::string names = f.letter == 0 ? std::string(f.name) : std::string(f.name) + ',' + f.letter;
    if (f.is_toggle()) {
      result.add_options()(names.c_str(), po::bool_switch(), f.help);
    } else {
      result.add_options()(names.c_str(), po::value<std::string>()->value_name(f.is_number() ? "N" : "TEXT"), f.help);
    }
  }
  result.add_options()("help,h", po::bool_switch(), "say this");
  result.add_options()("version,V", po::bool_switch(), "say which version this is");
  return result;
}

// A flag that another program has deserves better than "unrecognised".
void explain_unknown(const program& p, const std::string& what) {
  for (const flag& f : all_flags()) {
    const bool meant = what == std::string("--") + f.name || (f.letter != 0 && what == std::string{'-', f.letter});
    if (meant) throw usage_error(f.title() + " means nothing to " + p.name);
  }
}

void set_default(std::uint64_t& value, std::uint64_t preset) {
  if (value == unset) value = preset;
}

void need(bool met, const std::string& what) {
  if (!met) throw usage_error(what);
}

}  // namespace

settings parse(const program& p, int argc, const char* const* argv) {
  settings s;
  po::variables_map values;
  try {
    const po::options_description flags = describe(p);
    po::options_description all;
    all.add(flags).add_options()("server", po::value<std::vector<std::string>>());
    po::positional_options_description positional;
    positional.add("server", -1);
    // No guessing: an abbreviation that works today may be ambiguous in the next version.
    using style = po::command_line_style::style_t;
    const int exact = style::unix_style & ~style::allow_guessing;
    const po::parsed_options parsed =
        po::command_line_parser(argc, argv).options(all).positional(positional).style(exact).run();
    po::store(parsed, values);
    for (const po::option& o : parsed.options) s.said.insert(o.string_key);
  } catch (const po::unknown_option& e) {
    explain_unknown(p, e.get_option_name());
    throw usage_error(e.get_option_name() + " is not a flag of " + p.name);
  } catch (const po::error& e) {
    throw usage_error(e.what());
  }
  if (values.count("server") != 0) {
    const auto& hosts = values["server"].as<std::vector<std::string>>();
    if (hosts.size() > 1) throw usage_error("'" + hosts[1] + "' is too much: one host can be named");
    if (hosts[0].empty()) throw usage_error("the host's name is empty");
    s.server = hosts[0];
    s.said.erase("server");
  }
  for (const flag& f : all_flags()) {
    if (!f.belongs_to(p) || !s.has(f.name)) continue;
    const po::variable_value& value = values[f.name];
    read_value(f, f.is_toggle() ? std::string("true") : value.as<std::string>(), s);
  }
  if (!s.has("help") && !s.has("version")) complete(p, s);
  return s;
}

void complete(const program& p, settings& s) {
  need(!(s.all_sizes && s.has("size")),
       "--all (-a) and --size (-s) do not go together: one says every size, the other one");
  need(!(s.duration != 0 && s.has("iters")), "--duration (-D) and --iters (-n) do not go together");
  need(s.is_server() || !s.loop, "--loop is for a server, which is told no host");
  need(s.is_server() || s.bind.empty(), "--bind is for a server, which is told no host");
  if (s.forever && s.duration == 0 && !s.has("iters")) s.duration = 5;
  need(s.margin == 0 || s.duration != 0, "--margin (-f) cuts --duration (-D), which is not there");
  need(s.margin == 0 || s.duration > 2 * s.margin, "--duration (-D) " + std::to_string(s.duration) +
                                                       " leaves nothing after --margin (-f) " +
                                                       std::to_string(s.margin) + " at both ends");
  need(!(s.forever && (s.json || !s.json_file.empty())), "--run_infinitely has no end, so no document for --out_json");
  need(!(s.unsorted && s.duration != 0), "--report-unsorted (-U) keeps every measurement, so it needs --iters (-n)");
  if (!s.json_file.empty()) s.json = true;
  if (s.json) {
    if (s.json_file.empty()) s.json_file = std::string(p.name) + ".json";
  }

  if (p.what == operation::atomic) s.size = 8;
  set_default(s.size, p.latency ? 2 : p.is_net() && s.is_datagram() ? 1024 : 65536);
  const std::uint64_t usual = p.is_net()                                 ? (p.latency ? 5000 : 4000)
                              : p.what == operation::write && !p.latency ? 5000
                                                                         : 1000;
  set_default(s.iterations, usual);
  set_default(s.warm_up, std::min<std::uint64_t>(1000, std::max<std::uint64_t>(100, s.iterations / 10)));

  const auto need_whole_lists = [&s] {
    need(s.duration != 0 || s.iterations % s.post_list == 0, "--iters (-n) " + std::to_string(s.iterations) +
                                                                 " is no multiple of --post_list (-l) " +
                                                                 std::to_string(s.post_list));
  };
  if (p.is_net()) {
    need(s.post_list == 1 || s.mode == "message" || s.mode == "datagram",
         "--post_list (-l): --mode " + s.mode + " has no batches, message and datagram do");
    need_whole_lists();
    need(s.mode != "raw" || s.async, "--mode raw needs --async: without it, that is asio_send_bw and asio_send_lat");
    need((s.mode != "tcp" && s.mode != "udp") || s.queue_depth == unset,
         "--queue_depth is an option of RDMA's sockets, not of --mode " + s.mode);
    need(!s.registered || s.mode == "stream" || s.mode == "message",
         "--registered is for --mode stream and --mode message, not for --mode " + s.mode);
    need(!s.socket_counters || s.mode == "stream" || s.mode == "message",
         "--socket_counters is for --mode stream and --mode message, not for --mode " + s.mode);
    need(!s.registered || s.post_list == 1, "--registered: batches (--post_list, -l) are copied");
    if (s.is_datagram()) s.async = true;  // a blocking call would wait for ever for one that is lost
    need(s.async || (!s.bidirectional && s.connections == 1),
         "--bidirectional (-b) and --qp (-q) need --async: a blocking call serves one direction of one connection");
    return;
  }
  need(s.is_server() || s.type_of_service == unset || s.rdma_cm,
       "--tos (-T) is rdma_cm's (-R); without it, --tclass says the same");
  need(s.type_of_service == unset || s.traffic_class == unset, "--tos (-T) and --tclass say the same: give one");
  if (s.mtu != unset) {
    need((s.mtu & (s.mtu - 1)) == 0, "--mtu (-m): " + std::to_string(s.mtu) + " is none of 256, 512, 1024, 2048, 4096");
  }
  set_default(s.send_depth, p.latency ? 1 : 128);
  set_default(s.receive_depth, 512);
  const std::uint64_t small = s.is_datagram() ? 188 : p.what == operation::write ? 220 : 236;  // perftest's
  set_default(s.inline_size, p.latency && (p.what == operation::send || p.what == operation::write) ? small : 0);
  need(s.post_list <= s.send_depth, "--post_list (-l) " + std::to_string(s.post_list) +
                                        " is more than --tx-depth (-t) " + std::to_string(s.send_depth));
  need(s.receive_post_list <= s.receive_depth, "--recv_post_list " + std::to_string(s.receive_post_list) +
                                                   " is more than --rx-depth (-r) " + std::to_string(s.receive_depth));
  need_whole_lists();
  need(s.receive_depth % s.receive_post_list == 0, "--rx-depth (-r) " + std::to_string(s.receive_depth) +
                                                       " is no multiple of --recv_post_list " +
                                                       std::to_string(s.receive_post_list));
  if (s.moderation == unset) {
    // As perftest: a completion for each large message, since a late one would keep memory that is worth having.
    const bool large = s.size > 8192 && !s.all_sizes && !s.is_datagram() && !s.events;
    s.moderation = s.post_list > 1 ? s.post_list : std::min<std::uint64_t>(large ? 1 : 100, s.send_depth);
  } else {
    need(s.post_list == 1 || s.post_list % s.moderation == 0 || s.moderation % s.post_list == 0,
         "--post_list (-l) " + std::to_string(s.post_list) + " and --cq-mod (-Q) " + std::to_string(s.moderation) +
             ": one has to be a multiple of the other");
    need(s.moderation <= s.send_depth, "--cq-mod (-Q) " + std::to_string(s.moderation) +
                                           " is more than --tx-depth (-t) " + std::to_string(s.send_depth) +
                                           ": no completion would ever come");
  }
}

std::vector<std::uint64_t> sizes_of(const settings& s, std::uint64_t largest_message) {
  if (!s.all_sizes) return {s.size};
  constexpr std::uint64_t largest_of_sweep = 8 << 20;
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = 2; size <= std::min(largest_message, largest_of_sweep); size *= 2) sizes.push_back(size);
  return sizes;
}

std::string help(const program& p) {
  std::ostringstream out;
  out << "usage: " << p.name << " [FLAG...]         a server, for one client\n"
      << "       " << p.name << " [FLAG...] HOST    a client, which measures and prints\n\n";
  static const char* const verbs[] = {"sends and receives", "writes into the other side's memory",
                                      "reads of the other side's memory",
                                      "atomic operations on the other side's memory"};
  if (p.is_net()) {
    out << (p.latency ? "Half round trips" : "The rate")
        << " of a program that uses this library's sockets (--mode), or TCP's.\n";
  } else {
    out << (p.latency ? "The time" : "The rate") << " of " << verbs[static_cast<int>(p.what)]
        << ", through asio_rdma::raw_connection.\n";
  }
  if (p.latency) {
    out << (p.what == operation::read || p.what == operation::atomic
                ? "A measurement is one operation, from its posting to its completion.\n"
                : "A measurement is half of a round trip.\n");
  }
  out << "The server takes over what the client says about the measurement; what both say has to agree.\n\n"
      << describe(p)
      << "\nMiB are 2^20 bytes, Gb are 10^9 bits. Exit status: 0; 1 if a measurement failed; 2 if the command line "
         "makes no\n"
         "sense. ASIO_RDMA_DEVICE says which devices are used where --ib-dev does not.\n";
  return out.str();
}

}  // namespace perf
