// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "log/log.hpp"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <mutex>

namespace asio_rdma {
inline namespace v1 {

namespace {

constexpr int off = 100;

struct sink {
  std::mutex mutex;
  log_function function = nullptr;
  void* context = nullptr;
  std::atomic<int> from{off};
};

// Never destroyed: internal threads may log until the process ends.
sink& the_sink() noexcept {
  static sink& s = *new sink;
  return s;
}

}  // namespace

void set_log(log_function function, void* context, log_level from) noexcept {
  sink& s = the_sink();
  const std::lock_guard<std::mutex> lock(s.mutex);
  s.function = function;
  s.context = context;
  s.from.store(function ? static_cast<int>(from) : off, std::memory_order_relaxed);
}

void log(log_level level, const char* format, ...) noexcept {
  sink& s = the_sink();
  if (static_cast<int>(level) < s.from.load(std::memory_order_relaxed)) return;
  char text[1024];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const std::lock_guard<std::mutex> lock(s.mutex);
  if (s.function && static_cast<int>(level) >= s.from.load(std::memory_order_relaxed))
    s.function(level, text, s.context);
}

}  // namespace v1
}  // namespace asio_rdma
