// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SUPPORT_INJECTOR_HPP
#define ASIO_RDMA_TEST_SUPPORT_INJECTOR_HPP

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace test_support {

/// Lets calls of the device fail: those of both tables of functions (verbs::api), which the program has to be linked
/// with instead of the library's (test/CMakeLists.txt), and posting, polling and arming, which go through the device's
/// context. It works on one provider of devices at a time. Thread-safe, and adds no order between threads that could
/// hide a race.
class injector {
public:
  /// A call that can fail.
  struct point {
    const char* name;
    bool is_data_path;        ///< called once for each request, and by chance
    std::vector<int> errors;  ///< errno values
  };
  static const std::vector<point>& points();

  /// From now on the nth call, from 1 on, fails, and so do those behind it if more are to. What creates something does
  /// nothing then; what destroys something has done so: for devices that are gone the kernel gives an error, and keeps
  /// nothing. Of a list of requests, each counts: those before the one that fails are posted.
  static void fail(std::size_t index_of_point, unsigned nth, int error, unsigned how_many = 1) noexcept;
  /// No call fails any more. True if one did.
  static bool stop() noexcept;

  /// How many objects of each kind exist that were made through the tables.
  static std::map<std::string, long> living();
};

}  // namespace test_support

#endif
