// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "options.hpp"

#include <getopt.h>

#include <cstdlib>
#include <iostream>
#include <limits>

namespace {

constexpr char usage[] = R"(usage: stream_perf [OPTION...]            a server, for one client
       stream_perf [OPTION...] ADDRESS    a client, which measures and prints

Measures a stream socket: how fast it carries messages one after another, or the half round trip of one message at a
time. Figures are those of whole Asio operations between two processes.

Of the measurement, given to the client:
  --latency               half round trips (else: rate)
  --size BYTES            of a message (65536; 64 with --latency)
  --iterations N          messages or round trips (4000; 5000 with --latency); a tenth more comes before, unmeasured

Of each end:
  --tcp                   TCP (else: RDMA); the same at both ends
  --async                 asynchronous operations with callbacks on an io_context (else: synchronous calls)
  --port PORT             (7500)
  --bind ADDRESS          where a server listens (0.0.0.0)
  --receive-buffer BYTES  socket_base::receive_buffer_size (the transport's default)
  --send-buffer BYTES     socket_base::send_buffer_size (the transport's default)
  --queue-depth N         asio_rdma::queue_depth (the library's default)
  --help

Columns: device is the RDMA device that carried it; soft0 is the library's own, in software (ASIO_RDMA_DEVICE chooses,
see asio_rdma/device.hpp). Gb/s are 10^9 bits a second. CPU is this process's, user and system, and sleeps are its
voluntary context switches, both divided by the iterations. half_* are half round trips in microseconds.
)";

[[noreturn]] void fail(const std::string& what) {
  std::cerr << "stream_perf: " << what << "; --help tells more\n";
  std::exit(2);
}

template <class Number>
Number number(const char* text) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text, &end, 10);
  if (end == text || *end != '\0' || value == 0 ||
      value > static_cast<unsigned long long>(std::numeric_limits<Number>::max())) {
    fail("'" + std::string(text) + "' is no number that makes sense here");
  }
  return static_cast<Number>(value);
}

}  // namespace

options parse_options(int argc, char** argv) {
  enum name { latency = 1, size, iterations, tcp, async, port, bind, receive_buffer, send_buffer, queue_depth, help };
  const option names[] = {{"latency", no_argument, nullptr, latency},
                          {"size", required_argument, nullptr, size},
                          {"iterations", required_argument, nullptr, iterations},
                          {"tcp", no_argument, nullptr, tcp},
                          {"async", no_argument, nullptr, async},
                          {"port", required_argument, nullptr, port},
                          {"bind", required_argument, nullptr, bind},
                          {"receive-buffer", required_argument, nullptr, receive_buffer},
                          {"send-buffer", required_argument, nullptr, send_buffer},
                          {"queue-depth", required_argument, nullptr, queue_depth},
                          {"help", no_argument, nullptr, help},
                          {nullptr, 0, nullptr, 0}};
  options o;
  for (int c; (c = ::getopt_long(argc, argv, "", names, nullptr)) != -1;) {
    switch (c) {
      case latency:
        o.latency = true;
        break;
      case size:
        o.size = number<std::uint32_t>(optarg);
        break;
      case iterations:
        o.iterations = number<std::uint32_t>(optarg);
        break;
      case tcp:
        o.tcp = true;
        break;
      case async:
        o.async = true;
        break;
      case port:
        o.port = optarg;
        break;
      case bind:
        o.bind = optarg;
        break;
      case receive_buffer:
        o.receive_buffer = number<int>(optarg);
        break;
      case send_buffer:
        o.send_buffer = number<int>(optarg);
        break;
      case queue_depth:
        o.queue_depth = number<int>(optarg);
        break;
      case help:
        std::cout << usage;
        std::exit(0);
      default:  // getopt_long has said what is wrong
        std::exit(2);
    }
  }
  if (optind < argc) o.address = argv[optind++];
  if (optind < argc) fail("'" + std::string(argv[optind]) + "' is too much");
  if (o.tcp && o.queue_depth != 0) fail("--queue-depth is RDMA's");
  if (o.size == 0) o.size = o.latency ? 64 : 65536;
  if (o.iterations == 0) o.iterations = o.latency ? 5000 : 4000;
  return o;
}
