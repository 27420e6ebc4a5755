// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "table.hpp"

#include <iomanip>
#include <sstream>
#include <vector>

namespace perf {

namespace {

constexpr int width = 87;  // perftest's

struct column {
  std::string name;
  std::string value;
};

std::string number(double value, int decimals) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(decimals) << value;
  return text.str();
}

// As perftest: what is too small for two decimals has six.
std::string rate(double value) {
  return number(value, value < 0.1 ? 6 : 2);
}

void add_rates(std::vector<column>& columns, const settings& s, const program& p, const result& r) {
  const double bits = static_cast<double>(r.bytes) * 8e-9;
  const double mebibytes = static_cast<double>(r.bytes) / (1024 * 1024);
  const auto add = [&](const std::string& unit, double per_message) {
    if (!p.is_net()) {
      columns.push_back({"BW peak[" + unit + ']', r.peak_messages == 0 ? "-" : rate(r.peak_messages * per_message)});
    }
    columns.push_back({"BW average[" + unit + ']', rate(r.messages_per_second() * per_message)});
  };
  if (!s.gigabits || s.both_units) add("MiB/sec", mebibytes);
  if (s.gigabits || s.both_units) add("Gb/sec", bits);
  columns.push_back({"MsgRate[Mpps]", number(r.messages_per_second() * 1e-6, 6)});
}

/// With the unit in which they are shown.
const char* unit_of_times(const settings& s) noexcept {
  return s.cycles ? "[cycles]" : "[usec]";
}
std::string time(const settings& s, const result& r, double ticks, int decimals) {
  return s.cycles ? number(r.cycles(ticks), 0) : number(r.microseconds(ticks), decimals);
}

void add_times(std::vector<column>& columns, const settings& s, const result& r) {
  const auto add = [&](const std::string& name, double ticks) {
    columns.push_back({name + unit_of_times(s), time(s, r, ticks, 2)});
  };
  add("t_min", static_cast<double>(r.times.minimum()));
  add("t_max", static_cast<double>(r.times.maximum()));
  add("t_typical", static_cast<double>(r.times.percentile(50)));
  add("t_avg", r.times.mean());
  add("t_stdev", r.times.deviation());
  add("90%", static_cast<double>(r.times.percentile(90)));
  add("99%", static_cast<double>(r.times.percentile(99)));
  add("99.9%", static_cast<double>(r.times.percentile(99.9)));
  add("99.99%", static_cast<double>(r.times.percentile(99.99)));
}

std::vector<column> columns_of(const program& p, const settings& s, const result& r) {
  std::vector<column> columns;
  columns.push_back({"#bytes", std::to_string(r.bytes)});
  columns.push_back({"#iterations", std::to_string(r.messages)});
  if (p.latency) {
    add_times(columns, s, r);
  } else {
    add_rates(columns, s, p, r);
  }
  if (s.cpu_utilisation) {
    columns.push_back({"CPU_Util[%]", number(r.used.seconds > 0 ? 100 * r.used.cpu_seconds / r.used.seconds : 0, 2)});
  }
  const double messages = static_cast<double>(r.messages == 0 ? 1 : r.messages);
  if (p.is_net()) {
    columns.push_back({"CPU[usec]", number(r.used.cpu_seconds * 1e6 / messages, 3)});
    columns.push_back({"sleeps", number(r.used.sleeps / messages, 3)});
  }
  if (s.probe) {
    columns.push_back({"post[nsec]", number(r.post_seconds * 1e9 / messages, 1)});
    columns.push_back({"poll[nsec]", number(r.poll_seconds * 1e9 / messages, 1)});
  }
  if (s.is_datagram()) columns.push_back({"lost", std::to_string(r.lost)});
  return columns;
}

std::string cell(const std::string& text, const std::string& name) {
  const std::size_t room = std::max<std::size_t>(name.size(), 10) + 2;
  return text.size() >= room ? text + ' ' : text + std::string(room - text.size(), ' ');
}

const char* title(operation what) {
  switch (what) {
    case operation::send:
      return "Send";
    case operation::write:
      return "RDMA_Write";
    case operation::read:
      return "RDMA_Read";
    case operation::atomic:
      return "Atomic ";
    case operation::net:
      return "Socket";
  }
  return "";
}

}  // namespace

void table::print_head(const carrier& c) {
  const program& p = program_;
  const settings& s = settings_;
  const std::string rule(width, '-');
  std::string name = std::string(s.bidirectional ? "Bidirectional " : "") + title(p.what);
  if (p.what == operation::atomic) name += s.atomic;
  if (s.post_list > 1) name += " Post List";
  name += p.latency ? " Latency Test" : " BW Test";
  out_ << rule << '\n' << std::string((width - std::min<std::size_t>(width, name.size())) / 2, ' ') << name << '\n';
  const auto line = [this](const std::string& key, const std::string& value) {
    out_ << ' ' << std::left << std::setw(18) << key << ": " << value << '\n';
  };
  if (p.is_net()) line("Mode", s.mode + (s.async ? ", asynchronous" : ", blocking"));
  if (!c.device.empty()) line("Device", c.device);
  if (!c.link.empty()) line("Link type", c.link);
  if (c.mtu != 0) line("Mtu", std::to_string(c.mtu) + "[B]");
  if (!c.gid.empty()) line("GID", c.gid + " (index " + std::to_string(c.gid_index) + ')');
  if (!c.local.empty()) line("Local", c.local);
  if (!c.remote.empty()) line("Remote", c.remote);
  if (s.connections > 1) line("Number of qps", std::to_string(s.connections));
  if (!p.is_net()) {
    line("Connection type", s.connection + (s.rdma_cm ? ", by rdma_cm" : ", by exchange over TCP"));
    line("TX depth", std::to_string(s.send_depth));
    if (p.what == operation::send) line("RX depth", std::to_string(s.receive_depth));
    if (!p.latency) line("CQ Moderation", std::to_string(s.moderation));
    if (s.post_list > 1) line("Post List", std::to_string(s.post_list));
    if (p.what == operation::send || p.what == operation::write)
      line("Max inline data", std::to_string(c.inline_size) + "[B]");
    if (s.outstanding != unset) line("Outstand reads", std::to_string(s.outstanding));
    line("Completions", s.events ? "sleeping" : "polled, up to " + std::to_string(s.poll_batch) + " at a time");
  }
  out_ << rule << std::endl;
}

void table::print_columns() {
  has_columns_ = true;
  for (const column& c : columns_of(program_, settings_, {})) out_ << ' ' << cell(c.name, c.name);
  out_ << std::endl;
}

void table::print_row(const result& r) {
  if (!has_columns_) print_columns();  // a server that measures nothing needs none
  for (const column& c : columns_of(program_, settings_, r)) out_ << ' ' << cell(c.value, c.name);
  out_ << std::endl;
  print_samples(r);
}

void table::print_samples(const result& r) {
  for (const auto& [name, growth] : r.counters) out_ << '\t' << name << '=' << growth << '\n';
  for (std::size_t i = 0; i < r.unsorted.size(); ++i) {
    out_ << i << ", " << time(settings_, r, static_cast<double>(r.unsorted[i]), 3) << '\n';
  }
  if (settings_.histogram) {
    const std::string unit = unit_of_times(settings_);
    out_ << ' ' << cell("from" + unit, "") << ' ' << cell("to" + unit, "") << " count\n";
    for (const histogram::bucket& b : r.times.buckets()) {
      out_ << ' ' << cell(time(settings_, r, static_cast<double>(b.low), 3), "") << ' '
           << cell(time(settings_, r, static_cast<double>(b.high) + 1, 3), "") << ' ' << b.count << '\n';
    }
  }
}

void table::print_end() {
  out_ << std::string(width, '-') << std::endl;
}

}  // namespace perf
