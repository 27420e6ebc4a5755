// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "document.hpp"

#include "flags.hpp"

#include <boost/json.hpp>

#include <cerrno>
#include <fstream>
#include <iostream>
#include <system_error>

namespace perf {

namespace json = boost::json;

namespace {

json::object times(const settings& s, const result& r) {
  const auto us = [&r](double ticks) { return r.microseconds(ticks); };
  json::object o{{"count", r.times.count()},
                 {"min", us(static_cast<double>(r.times.minimum()))},
                 {"max", us(static_cast<double>(r.times.maximum()))},
                 {"mean", us(r.times.mean())},
                 {"stdev", us(r.times.deviation())}};
  for (const auto& [name, percent] :
       {std::pair<const char*, double>{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p99.9", 99.9}, {"p99.99", 99.99}}) {
    o[name] = us(static_cast<double>(r.times.percentile(percent)));
  }
  json::array buckets;
  for (const histogram::bucket& b : r.times.buckets()) {
    buckets.push_back(json::object{
        {"from", us(static_cast<double>(b.low))}, {"to", us(static_cast<double>(b.high) + 1)}, {"count", b.count}});
  }
  o["histogram"] = std::move(buckets);
  if (s.unsorted) {
    json::array all;
    for (const std::uint64_t t : r.unsorted) all.push_back(us(static_cast<double>(t)));
    o["unsorted"] = std::move(all);
  }
  return o;
}

json::object settings_to_json(const program& p, const settings& s) {
  json::object o;
  for (const flag& f : all_flags()) {
    if (!f.belongs_to(p)) continue;
    if (f.is_toggle()) {
      o[f.name] = s.*std::get<0>(f.member);
    } else if (f.is_number()) {
      const std::uint64_t value = s.*std::get<1>(f.member);
      if (value != unset) o[f.name] = value;
    } else {
      o[f.name] = s.*std::get<2>(f.member);
    }
  }
  return o;
}

}  // namespace

json::object to_json(const carrier& c) {
  return {{"device", c.device},       {"link", c.link},   {"mtu", c.mtu},       {"gid", c.gid},
          {"gid_index", c.gid_index}, {"local", c.local}, {"remote", c.remote}, {"inline_size", c.inline_size}};
}

json::object to_json(const program& p, const settings& s, const result& r) {
  const double messages = static_cast<double>(r.messages == 0 ? 1 : r.messages);
  json::object o{{"bytes", r.bytes},
                 {"messages", r.messages},
                 {"seconds", r.used.seconds},
                 {"cpu_us_per_message", r.used.cpu_seconds * 1e6 / messages},
                 {"sleeps_per_message", r.used.sleeps / messages}};
  if (p.latency) {
    o["us"] = times(s, r);
  } else {
    o["gbit_per_s"] = r.gigabits_per_second();
    o["mib_per_s"] = r.mebibytes_per_second();
    o["messages_per_s"] = r.messages_per_second();
    if (r.peak_messages > 0) o["peak_messages_per_s"] = r.peak_messages;
  }
  if (s.is_datagram()) o["lost"] = r.lost;
  if (p.latency) o["cycle_ns"] = r.tick_nanoseconds;
  if (!r.counters.empty()) {
    json::object& counters = o["counters"].emplace_object();
    for (const auto& [name, growth] : r.counters) counters[name] = growth;
  }
  if (s.probe) {
    o["post_ns_per_message"] = r.post_seconds * 1e9 / messages;
    o["poll_ns_per_message"] = r.poll_seconds * 1e9 / messages;
  }
  return o;
}

std::string document(const program& p, const settings& s, const carrier& local, const json::object& remote,
                     const std::vector<result>& results) {
  json::array rows;
  for (const result& r : results) rows.push_back(to_json(p, s, r));
  return json::serialize(json::object{{"program", p.name},
                                      {"role", s.is_server() ? "server" : "client"},
                                      {"settings", settings_to_json(p, s)},
                                      {"local", to_json(local)},
                                      {"remote", remote},
                                      {"results", std::move(rows)}}) +
         '\n';
}

void write_document(const std::string& file, const std::string& text) {
  if (file == "-") {
    std::cout << text << std::flush;
    return;
  }
  errno = 0;
  std::ofstream out(file, std::ios::trunc);
  out << text << std::flush;
  if (!out) throw std::system_error(errno, std::generic_category(), "--out_json_file " + file);
}

}  // namespace perf
