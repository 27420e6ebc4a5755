// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "counters.hpp"

#include "flags.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace perf {

namespace {

namespace fs = std::filesystem;

bool read_number(const std::string& file, std::uint64_t& value) {
  std::ifstream in(file);
  return static_cast<bool>(in >> value);
}

std::string all_below(const fs::path& port) {
  std::vector<std::string> names;
  for (const char* const folder : {"counters", "hw_counters"}) {
    std::error_code ignored;
    for (const auto& file : fs::directory_iterator(port / folder, ignored))
      names.push_back(std::string(folder) + '/' + file.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

port_counters::port_counters(const std::string& names, const carrier& c) {
  if (names.empty()) return;
  const fs::path port = fs::path("/sys/class/infiniband") / c.device / "ports" / std::to_string(c.port);
  const std::string flag = "--report-counters (-W): ";
  std::error_code ignored;
  if (!fs::is_directory(port, ignored)) throw usage_error(flag + c.device + " has no counters");
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');) {
    const std::string file = (port / name).string();
    std::uint64_t value = 0;
    const bool is_outside = name.empty() || name.front() == '/' || name.find("..") != std::string::npos;
    if (is_outside || !read_number(file, value)) {
      throw usage_error(flag + c.device + " has no counter '" + name + "'; it has " + all_below(port));
    }
    counters_.push_back({name, file, value});
  }
  std::uint64_t milliseconds = 0;
  if (read_number((port / "hw_counters/lifespan").string(), milliseconds)) {
    lifespan_ = std::chrono::milliseconds(milliseconds + 10);  // and a tick of the kernel's clock
  }
}

void port_counters::begin() {
  if (counters_.empty()) return;
  std::this_thread::sleep_for(lifespan_);
  for (counter& c : counters_) read_number(c.file, c.before);
}

std::vector<std::pair<std::string, std::uint64_t>> port_counters::growth() const {
  std::vector<std::pair<std::string, std::uint64_t>> result;
  if (!counters_.empty()) std::this_thread::sleep_for(lifespan_);
  for (const counter& c : counters_) {
    std::uint64_t now = c.before;
    read_number(c.file, now);
    result.emplace_back(c.name, now - c.before);
  }
  return result;
}

}  // namespace perf
