// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What the software device costs between two processes of this machine, beside the system call that moves its bytes and
// beside TCP over loopback, all in one run: soft0_perf [ROUNDS]

#include <asio_rdma/verbs/verbs.hpp>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace verbs = asio_rdma::verbs;

namespace {

constexpr std::size_t large = 65536, small = 64;
constexpr unsigned depth = 64;

/// The way to the other process that the two have before they know anything of each other.
class pipe_to_other {
public:
  explicit pipe_to_other(int fd) : fd_(fd) {}

  /// Gives a number and gets the other's: the two meet here.
  std::uint64_t exchange(std::uint64_t mine = 0) const {
    std::uint64_t others = 0;
    if (::write(fd_, &mine, sizeof mine) != sizeof mine || ::read(fd_, &others, sizeof others) != sizeof others) {
      throw std::runtime_error("the other process has ended");
    }
    return others;
  }

private:
  int fd_;
};

struct end_point {
  explicit end_point(const pipe_to_other& other) {
    verbs::init_attributes init;
    queue.to_init(init);
    verbs::rtr_attributes rtr;
    rtr.path.is_global = 1;
    rtr.path.port_num = 1;
    rtr.path.grh.dgid = device.query_gid(1, 0);
    rtr.path_mtu = IBV_MTU_4096;
    rtr.min_rnr_timer = 1;
    rtr.destination_qp = static_cast<std::uint32_t>(other.exchange(queue.number()));
    queue.to_rtr(rtr);
    queue.to_rts();
    for (unsigned i = 0; i < depth; ++i) post_receive();
    // So that waiting for an event is one call, as it is in perftest.
    if (::fcntl(channel.fd(), F_SETFL, ::fcntl(channel.fd(), F_GETFL) & ~O_NONBLOCK) != 0) {
      throw std::runtime_error("fcntl");
    }
  }

  ibv_qp_init_attr attributes() const {
    ibv_qp_init_attr a{};
    a.qp_type = IBV_QPT_RC;
    a.send_cq = a.recv_cq = completions.native_handle();
    a.cap = {depth, depth, 1, 1, static_cast<std::uint32_t>(small)};
    return a;
  }

  void post_receive() {
    ibv_sge piece{reinterpret_cast<std::uintptr_t>(memory.data()), static_cast<std::uint32_t>(large),
                  region.native_handle()->lkey};
    ibv_recv_wr request{};
    request.sg_list = &piece;
    request.num_sge = 1;
    queue.post_receive(request);
  }

  void send(std::size_t size) {
    ibv_sge piece{reinterpret_cast<std::uintptr_t>(memory.data()), static_cast<std::uint32_t>(size),
                  region.native_handle()->lkey};
    ibv_send_wr request{};
    request.opcode = IBV_WR_SEND;
    request.send_flags = IBV_SEND_SIGNALED;
    if (size <= small) request.send_flags |= IBV_SEND_INLINE;
    request.sg_list = &piece;
    request.num_sge = 1;
    queue.post_send(request);
  }

  /// Waits for the completion of a send, or of a receive, which is posted again.
  void wait_for(ibv_wc_opcode opcode, bool sleeping) {
    for (;;) {
      ibv_wc completion{};
      if (completions.poll(&completion, 1) == 0) {
        if (!sleeping) continue;
        completions.request_notification();
        if (completions.poll(&completion, 1) == 0) {
          channel.get_event();
          completions.count_event();
          continue;
        }
      }
      if (completion.status != IBV_WC_SUCCESS) {
        throw boost::system::system_error(completion.status, asio_rdma::completion_category());
      }
      if (completion.opcode == IBV_WC_RECV) post_receive();
      if (completion.opcode == opcode) return;
    }
  }

  std::vector<unsigned char> memory = std::vector<unsigned char>(large);
  verbs::context device{"soft0", verbs::software_device()};
  verbs::protection_domain domain{device};
  verbs::memory_region region{domain, memory.data(), memory.size(), IBV_ACCESS_LOCAL_WRITE};
  verbs::completion_channel channel{device};
  verbs::completion_queue completions{device, 4 * static_cast<int>(depth), channel};
  ibv_qp_init_attr made_with = attributes();
  verbs::queue_pair queue{domain, made_with};
};

class stopwatch {
public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

void report(const char* what, double value, const char* unit) {
  std::printf("%-52s %8.2f %s\n", what, value, unit);
  std::fflush(stdout);
}

double gigabits(unsigned messages, double seconds) {
  return 8.0 * large * messages / seconds / 1e9;
}

double half_round_trip(unsigned round_trips, double seconds) {
  return seconds / round_trips / 2 * 1e6;
}

/// 64 KiB written straight into the other process's memory, one after another.
double measure_system_call(bool active, const end_point& own, const pipe_to_other& other, unsigned messages) {
  const auto address = other.exchange(reinterpret_cast<std::uintptr_t>(own.memory.data()));
  const auto process = static_cast<pid_t>(other.exchange(static_cast<std::uint64_t>(::getpid())));
  const stopwatch watch;
  for (unsigned i = 0; active && i < messages; ++i) {
    const iovec local{const_cast<unsigned char*>(own.memory.data()), large};
    const iovec remote{reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)), large};
    if (::process_vm_writev(process, &local, 1, &remote, 1, 0) < 0) throw std::runtime_error("process_vm_writev");
  }
  const double result = gigabits(messages, watch.seconds());
  other.exchange();
  return result;
}

double measure_sends(bool active, end_point& own, const pipe_to_other& other, unsigned messages) {
  other.exchange();
  const stopwatch watch;
  for (unsigned i = 0; i < messages; ++i) {
    if (active) own.send(large);
    own.wait_for(active ? IBV_WC_SEND : IBV_WC_RECV, false);
  }
  const double result = gigabits(messages, watch.seconds());
  other.exchange();
  return result;
}

double measure_round_trips(bool active, end_point& own, const pipe_to_other& other, unsigned round_trips,
                           bool sleeping) {
  other.exchange();
  const stopwatch watch;
  for (unsigned i = 0; i < round_trips; ++i) {
    if (active) own.send(small);
    own.wait_for(IBV_WC_RECV, sleeping);
    if (!active) own.send(small);
  }
  const double result = half_round_trip(round_trips, watch.seconds());
  other.exchange();
  return result;
}

int connect_tcp(bool active, const pipe_to_other& other) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int result = ::socket(AF_INET, SOCK_STREAM, 0);
  if (active) {
    address.sin_port = htons(static_cast<std::uint16_t>(other.exchange()));
    ::connect(result, reinterpret_cast<sockaddr*>(&address), sizeof address);
  } else {
    const int listener = result;
    socklen_t size = sizeof address;
    ::bind(listener, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(listener, 1);
    ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    other.exchange(ntohs(address.sin_port));
    result = ::accept(listener, nullptr, nullptr);
    ::close(listener);
  }
  const int on = 1;
  ::setsockopt(result, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return result;
}

double measure_tcp(bool active, const pipe_to_other& other, unsigned round_trips) {
  const int fd = connect_tcp(active, other);
  unsigned char message[small]{};
  other.exchange();
  const stopwatch watch;
  for (unsigned i = 0; i < round_trips; ++i) {
    const bool sent = !active || ::write(fd, message, small) == static_cast<ssize_t>(small);
    const bool received = ::recv(fd, message, small, MSG_WAITALL) == static_cast<ssize_t>(small);
    const bool answered = active || ::write(fd, message, small) == static_cast<ssize_t>(small);
    if (!sent || !received || !answered) throw std::runtime_error("TCP");
  }
  const double result = half_round_trip(round_trips, watch.seconds());
  ::close(fd);
  other.exchange();
  return result;
}

void measure(bool active, const pipe_to_other& other) {
  end_point own(other);
  other.exchange();
  const double bare = measure_system_call(active, own, other, 20'000);
  const double sends = measure_sends(active, own, other, 20'000);
  const double polling = measure_round_trips(active, own, other, 100'000, false);
  const double sleeping = measure_round_trips(active, own, other, 20'000, true);
  const double tcp = measure_tcp(active, other, 20'000);
  if (!active) return;
  report("process_vm_writev of 64 KiB", bare, "Gb/s");
  report("soft0: sends of 64 KiB, one at a time", sends, "Gb/s");
  report("  to process_vm_writev", sends / bare, "");
  report("soft0: 64 B half round trip, both poll", polling, "us");
  report("soft0: 64 B half round trip, both sleep on events", sleeping, "us");
  report("TCP over loopback: 64 B half round trip", tcp, "us");
  report("  soft0 with events to TCP", sleeping / tcp, "");
}

}  // namespace

int main(int argc, char** argv) try {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
  if (argc > 2 || rounds < 1) {
    std::fputs("usage: soft0_perf [ROUNDS]\n", stderr);
    return 2;
  }
  for (int i = 0; i < rounds; ++i) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw std::runtime_error("socketpair");
    // Neither process has opened the device when they part, and each opens its own.
    const pid_t active = ::fork();
    if (active == 0) {
      ::close(ends[0]);
      measure(true, pipe_to_other(ends[1]));
      std::exit(0);
    }
    const pid_t passive = ::fork();
    if (passive == 0) {
      ::close(ends[1]);
      measure(false, pipe_to_other(ends[0]));
      std::exit(0);
    }
    ::close(ends[0]);
    ::close(ends[1]);
    for (const pid_t process : {active, passive}) {
      int status = 0;
      if (::waitpid(process, &status, 0) < 0 || status != 0) return 1;
    }
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "soft0_perf: %s\n", e.what());
  return 1;
}
