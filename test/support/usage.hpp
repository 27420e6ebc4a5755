// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SUPPORT_USAGE_HPP
#define ASIO_RDMA_TEST_SUPPORT_USAGE_HPP

#include <asio_rdma/statistics.hpp>
#include <asio_rdma/verbs/device_list.hpp>

#include <malloc.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

namespace test_support {

/// What this process holds. Equal are those with as much of everything that does not vary by itself.
struct usage {
  std::string resources;  ///< queue pairs, regions and so on of all devices, as the kernel counts them; soft0's it does
                          ///< not know
  std::size_t descriptors = 0;  ///< without those by which soft0 knows other processes, which come and go as they like
  std::size_t threads = 0;
  std::size_t sockets = 0;           ///< connections, listeners, datagram sockets
  std::uint64_t registered = 0;      ///< bytes of these
  std::size_t heap = 0;              ///< bytes that malloc() has given out; varies by itself

  static usage now() {
    const bool is_software = &asio_rdma::verbs::policy_table() == &asio_rdma::verbs::software_device();
    const auto sockets = asio_rdma::snapshot();
    usage u;
    u.resources = is_software ? std::string() : output_of("rdma resource show");
    u.descriptors = count_descriptors();
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    u.threads = static_cast<std::size_t>(std::distance(begin(tasks), {}));
    u.sockets = sockets.sockets.size();
    u.registered = sockets.totals.registered_memory;
    u.heap = bytes_in_heap();
    return u;
  }

  /// Once nothing changes any more, since goodbyes are said in the background; or at the latest after so long that this
  /// cannot be what is waited for, if it is to be as before.
  static usage settled(const std::optional<usage>& before = {}) {
    usage last = now();
    for (int i = 0; i < 200; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const usage next = now();
      const bool is_quiet = next == last && i > 5;
      last = next;
      if (is_quiet && (!before || last == *before)) break;
    }
    return last;
  }

  friend bool operator==(const usage& a, const usage& b) {
    return a.resources == b.resources && a.descriptors == b.descriptors && a.threads == b.threads &&
           a.sockets == b.sockets && a.registered == b.registered;
  }
  friend std::ostream& operator<<(std::ostream& out, const usage& u) {
    return out << u.descriptors << " descriptors, " << u.threads << " threads, " << u.sockets << " sockets with "
               << u.registered << " bytes registered, " << u.heap << " bytes of heap"
               << (u.resources.empty() ? "" : ", ") << u.resources;
  }

  static std::size_t count_descriptors() {
    const std::filesystem::directory_iterator list("/proc/self/fd");
    return static_cast<std::size_t>(std::count_if(begin(list), {}, [](const auto& e) { return !is_of_soft0(e); }));
  }

private:
  static bool is_of_soft0(const std::filesystem::directory_entry& entry) {
    std::error_code closed;  // by another thread
    const std::string what = std::filesystem::read_symlink(entry, closed).string();
    int family = 0;
    socklen_t size = sizeof family;
    const int fd = std::stoi(entry.path().filename());
    const bool is_socket = ::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0;
    const auto names = [&](const char* kind) { return what.find(kind) != std::string::npos; };
    return (is_socket && family == AF_UNIX) || names("memfd:") || names("pidfd");
  }

  static std::string output_of(const char* command) {
    std::string result;
    FILE* pipe = ::popen(command, "r");
    if (!pipe) throw std::runtime_error(command);
    char buffer[4096];
    while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) result.append(buffer, n);
    if (::pclose(pipe) != 0) throw std::runtime_error(command);
    return result;
  }

  /// Of all arenas; 0 where malloc() is a sanitizer's.
  static std::size_t bytes_in_heap() {
    const struct mallinfo2 info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
  }
};

}  // namespace test_support

#endif
