// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What raw_connection adds to verbs: the same messages by post_send() and poll(), and by the bare loop, for counting
// their instructions. And what a polling_service's idle connections cost a busy one, in CPU time, which other programs
// on the machine do not change.
//   raw_cost raw|bare COUNT
//   raw_cost batch COUNT SIZE_OF_BATCH
//   raw_cost polling IDLE_CONNECTIONS ROUND_TRIPS

#include <asio_rdma/polling_service.hpp>
#include <asio_rdma/raw_acceptor.hpp>

#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using namespace asio_rdma;

namespace {

constexpr std::size_t message = 8;

/// Two connected ends in this process.
struct pair {
  explicit pair(asio::io_context& context, unsigned depth = 128) : client(context), server(context) {
    raw_options o;
    o.send_depth = o.receive_depth = depth;
    raw_acceptor acceptor(context, asio::ip::tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0), o);
    client.open(acceptor.local_endpoint(), o);
    client_memory = client.register_memory(4096);
    std::thread asking([this] { client.establish(); });
    acceptor.accept_request(server);
    server_memory = server.register_memory(4096);
    server.offer(server_memory.offer());
    server.establish();
    asking.join();
  }

  raw_connection client, server;
  registered_memory client_memory, server_memory;
};

void check(bool good) {
  if (!good) throw std::runtime_error("a request failed");
}

void by_library(std::uint64_t count) {
  asio::io_context context;
  pair p(context);
  const local_buffer from = p.client_memory.slice(0, message);
  work_request r = work_request::write(from, p.client.peer_memory());
  work_completion c[1];
  for (std::uint64_t i = 0; i < count; ++i) {
    r.wr_id = i;
    p.client.post_send(r);
    while (p.client.poll(c) == 0) {
    }
    check(c[0].ok());
  }
}

void by_verbs(std::uint64_t count) {
  asio::io_context context;
  pair p(context);
  const core::raw_objects o = p.client.native_handle();
  const local_buffer from = p.client_memory.slice(0, message);
  ibv_send_wr r = work_request::write(from, p.client.peer_memory());
  ibv_wc c[1];
  for (std::uint64_t i = 0; i < count; ++i) {
    r.wr_id = i;
    ibv_send_wr* bad;
    check(::ibv_post_send(o.queue_pair, &r, &bad) == 0);
    int n;
    while ((n = ::ibv_poll_cq(o.completions, 1, c)) == 0) {
    }
    check(n == 1 && c[0].status == IBV_WC_SUCCESS);
  }
}

/// Nanoseconds of CPU time of this thread.
std::uint64_t cpu_now() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

void by_batches(std::uint64_t count, std::size_t batch) {
  asio::io_context context;
  pair p(context);
  const local_buffer from = p.client_memory.slice(0, message);
  std::vector<work_request> requests(batch, work_request::write(from, p.client.peer_memory()).signaled(false));
  requests.back().signaled();
  work_completion c[1];
  const std::uint64_t begin = cpu_now();
  for (std::uint64_t i = 0; i < count; i += batch) {
    p.client.post_send(requests);
    while (p.client.poll(c) == 0) {
    }
    check(c[0].ok());
  }
  std::printf("%.1f ns of CPU time a message in batches of %zu\n",
              static_cast<double>(cpu_now() - begin) / static_cast<double>(count), batch);
}

/// Messages go to and fro on one connection, both of whose ends the service polls, as it does the idle ones.
void by_polling(std::size_t idle, std::uint64_t count) {
  asio::io_context context;
  std::vector<std::unique_ptr<pair>> others;
  polling_service service(context);
  for (std::size_t i = 0; i < idle; ++i) {
    others.push_back(std::make_unique<pair>(context, 4));
    service.add(others.back()->client);
  }
  pair p(context);
  const local_buffer sent = p.client_memory.slice(0, message);
  const local_buffer client_to = p.client_memory.slice(64, message);
  const local_buffer server_to = p.server_memory.slice(64, message);
  const local_buffer answer = p.server_memory.slice(0, message);
  const auto send = [](raw_connection& c, const local_buffer& from) {
    c.post_send(work_request::send(from).inline_data().signaled(false));
  };
  std::uint64_t done = 0, sends = 0, begin = 0;
  constexpr std::uint64_t warm_up = 30000;
  const auto signal_every_17th = [&](raw_connection& c, const local_buffer& from) {
    if (++sends % 17 == 0) {  // odd, so that each end has its turn
      c.post_send(work_request::send(from).inline_data());
    } else {
      send(c, from);
    }
  };
  service.add(p.server, [&](span<work_completion> found) {
    for (const work_completion& c : found) {
      check(c.ok());
      if (!c.is_receive()) continue;
      p.server.post_receive(receive_request(server_to));
      signal_every_17th(p.server, answer);
    }
  });
  service.add(p.client, [&](span<work_completion> found) {
    for (const work_completion& c : found) {
      check(c.ok());
      if (!c.is_receive()) continue;
      if (++done == warm_up) begin = cpu_now();
      if (done == warm_up + count) return service.stop();
      p.client.post_receive(receive_request(client_to));
      signal_every_17th(p.client, sent);
    }
  });
  for (int i = 0; i < 8; ++i) {
    p.client.post_receive(receive_request(client_to));
    p.server.post_receive(receive_request(server_to));
  }
  service.set_back_off(polling_service::back_off::none());
  signal_every_17th(p.client, sent);
  service.run();
  std::printf("%.1f ns of CPU time a round trip beside %zu idle connections\n",
              static_cast<double>(cpu_now() - begin) / static_cast<double>(count), idle);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 2 ? argv[1] : "";
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  const std::uint64_t second = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
  try {
    if (what == "raw" && first != 0) {
      by_library(first);
    } else if (what == "bare" && first != 0) {
      by_verbs(first);
    } else if (what == "batch" && first != 0 && second != 0 && second <= 128) {
      by_batches(first, second);
    } else if (what == "polling" && second != 0) {
      by_polling(first, second);
    } else {
      std::fprintf(stderr, "usage: raw_cost raw|bare COUNT | batch COUNT SIZE (1 to 128) | polling IDLE COUNT\n");
      return 2;
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "raw_cost: %s\n", e.what());
    return 1;
  }
}
