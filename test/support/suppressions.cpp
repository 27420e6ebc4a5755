// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

/// ThreadSanitizer asks a program for this (sanitizer/tsan_interface.h). librdmacm hands an id from one thread to
/// another through the kernel, by write() on the connection manager's file and read() of its events, which it cannot
/// see.
extern "C" const char* __tsan_default_suppressions();
const char* __tsan_default_suppressions() {
  return "race:librdmacm.so\n"
         // A peer may write into our ring and mirror whenever it likes: that of the hostile tests is in this process.
         "race_top:asio_rdma::v1::core::stream_engine::credit_arrived\n";
}
