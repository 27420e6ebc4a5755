// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// libasio_rdma_count.so, to be preloaded: counts what a verbs program does for its messages, ours and others' alike,
// and writes the sums as one line of JSON to the file that VERBS_COUNT_FILE names when the program ends. perf/compare
// --counts takes the difference of two runs, so that only what each message needs is left.
//
// A request reaches the device through functions that its context or its extended queue pair points to: those are
// replaced by counting ones.

#include <infiniband/verbs.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

using counter = std::atomic<std::uint64_t>;

struct {
  counter send_doorbells, send_requests, signaled, receive_doorbells, receives, polls, empty_polls, completions, arms,
      locks, allocations;
} counts;

void add(counter& c, std::uint64_t n = 1) noexcept {
  c.fetch_add(n, std::memory_order_relaxed);
}

// Locks and allocations are counted that a thread needs between one post or poll and its next: neither those of the
// device's own functions and threads, nor the program's before its first message and after its last, when it reports.
struct thread_state {
  int in_device;
  bool uses_device;
  unsigned locks, allocations;  // since its last call of the device
};
thread_local thread_state here __attribute__((tls_model("initial-exec"))) = {};
struct device_call {
  device_call() noexcept {
    if (here.locks != 0) add(counts.locks, here.locks);
    if (here.allocations != 0) add(counts.allocations, here.allocations);
    here = {here.in_device + 1, true, 0, 0};
  }
  ~device_call() { --here.in_device; }
};
bool is_programs() noexcept {
  return here.uses_device && here.in_device == 0;
}

// What stood in the places of ours. A program uses one device, so each is there once.
int (*real_post_send)(ibv_qp*, ibv_send_wr*, ibv_send_wr**);
int (*real_post_recv)(ibv_qp*, ibv_recv_wr*, ibv_recv_wr**);
int (*real_poll_cq)(ibv_cq*, int, ibv_wc*);
int (*real_req_notify_cq)(ibv_cq*, int);

int post_send(ibv_qp* qp, ibv_send_wr* first, ibv_send_wr** bad) {
  add(counts.send_doorbells);
  for (const ibv_send_wr* w = first; w; w = w->next) {
    add(counts.send_requests);
    if ((w->send_flags & IBV_SEND_SIGNALED) != 0) add(counts.signaled);
  }
  const device_call call;
  return real_post_send(qp, first, bad);
}

int post_recv(ibv_qp* qp, ibv_recv_wr* first, ibv_recv_wr** bad) {
  add(counts.receive_doorbells);
  for (const ibv_recv_wr* w = first; w; w = w->next) add(counts.receives);
  const device_call call;
  return real_post_recv(qp, first, bad);
}

int poll_cq(ibv_cq* cq, int size, ibv_wc* completions) {
  const int n = [&] {
    const device_call call;
    return real_poll_cq(cq, size, completions);
  }();
  add(counts.polls);
  n > 0 ? add(counts.completions, static_cast<std::uint64_t>(n)) : add(counts.empty_polls);
  return n;
}

int req_notify_cq(ibv_cq* cq, int solicited_only) {
  add(counts.arms);
  const device_call call;
  return real_req_notify_cq(cq, solicited_only);
}

// The extended queue pair: ibv_wr_start, a function for each request, ibv_wr_complete, which is the doorbell.
int (*real_wr_complete)(ibv_qp_ex*);
int wr_complete(ibv_qp_ex* qp) {
  add(counts.send_doorbells);
  const device_call call;
  return real_wr_complete(qp);
}

void (*real_wr_start)(ibv_qp_ex*);
void wr_start(ibv_qp_ex* qp) {
  const device_call call;
  real_wr_start(qp);
}

template <auto Member>
struct counted;
template <class... Arguments, void (*ibv_qp_ex::*Member)(ibv_qp_ex*, Arguments...)>
struct counted<Member> {
  static inline void (*real)(ibv_qp_ex*, Arguments...) = nullptr;
  static void call(ibv_qp_ex* qp, Arguments... arguments) {
    const device_call in;
    add(counts.send_requests);
    if ((qp->wr_flags & IBV_SEND_SIGNALED) != 0) add(counts.signaled);
    real(qp, arguments...);
  }
  static void install(ibv_qp_ex* qp) {
    if (!(qp->*Member) || qp->*Member == &call) return;
    real = qp->*Member;
    qp->*Member = &call;
  }
};

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

int (*real_mutex_lock)(pthread_mutex_t*);
int (*real_spin_lock)(pthread_spinlock_t*);

struct process {
  process() {
    real_mutex_lock = next<int(pthread_mutex_t*)>("pthread_mutex_lock");
    real_spin_lock = next<int(pthread_spinlock_t*)>("pthread_spin_lock");
  }
  ~process() {
    const char* const file = std::getenv("VERBS_COUNT_FILE");
    if (!file) return;
    char text[1024];
    const auto value = [](const counter& c) { return static_cast<unsigned long long>(c.load()); };
    const int size = std::snprintf(
        text, sizeof text,
        "{\"send_doorbells\":%llu,\"send_requests\":%llu,\"signaled\":%llu,\"receive_doorbells\":%llu,\"receives\":%"
        "llu,"
        "\"polls\":%llu,\"empty_polls\":%llu,\"completions\":%llu,\"arms\":%llu,\"locks\":%llu,\"allocations\":%llu}\n",
        value(counts.send_doorbells), value(counts.send_requests), value(counts.signaled),
        value(counts.receive_doorbells), value(counts.receives), value(counts.polls), value(counts.empty_polls),
        value(counts.completions), value(counts.arms), value(counts.locks), value(counts.allocations));
    const int fd = ::open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || ::write(fd, text, static_cast<std::size_t>(size)) != size) std::perror("VERBS_COUNT_FILE");
    if (fd >= 0) ::close(fd);
  }
} this_process;

}  // namespace

extern "C" {

/// Counts what goes through a context. Programs may call it for devices that they have not from ibv_open_device().
void asio_rdma_count(ibv_context* context) {
  if (!context || context->ops.post_send == &post_send) return;
  real_post_send = context->ops.post_send;
  real_post_recv = context->ops.post_recv;
  real_poll_cq = context->ops.poll_cq;
  real_req_notify_cq = context->ops.req_notify_cq;
  context->ops.post_send = &post_send;
  context->ops.post_recv = &post_recv;
  context->ops.poll_cq = &poll_cq;
  context->ops.req_notify_cq = &req_notify_cq;
}

ibv_context* ibv_open_device(ibv_device* device) {
  ibv_context* const context = next<ibv_context*(ibv_device*)>("ibv_open_device")(device);
  asio_rdma_count(context);
  return context;
}

ibv_qp_ex* ibv_qp_to_qp_ex(ibv_qp* qp) {
  ibv_qp_ex* const ex = next<ibv_qp_ex*(ibv_qp*)>("ibv_qp_to_qp_ex")(qp);
  if (!ex || ex->wr_complete == &wr_complete) return ex;
  real_wr_complete = ex->wr_complete;
  ex->wr_complete = &wr_complete;
  real_wr_start = ex->wr_start;
  ex->wr_start = &wr_start;
  counted<&ibv_qp_ex::wr_send>::install(ex);
  counted<&ibv_qp_ex::wr_send_imm>::install(ex);
  counted<&ibv_qp_ex::wr_rdma_write>::install(ex);
  counted<&ibv_qp_ex::wr_rdma_write_imm>::install(ex);
  counted<&ibv_qp_ex::wr_rdma_read>::install(ex);
  counted<&ibv_qp_ex::wr_atomic_cmp_swp>::install(ex);
  counted<&ibv_qp_ex::wr_atomic_fetch_add>::install(ex);
  return ex;
}

// Before ours are set up there is but one thread.
int pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (is_programs()) ++here.locks;
  return real_mutex_lock ? real_mutex_lock(mutex) : 0;
}
int pthread_spin_lock(pthread_spinlock_t* lock) {
  if (is_programs()) ++here.locks;
  return real_spin_lock ? real_spin_lock(lock) : 0;
}

void* __libc_malloc(std::size_t size);
void* malloc(std::size_t size) {
  if (is_programs()) ++here.allocations;
  return __libc_malloc(size);
}

}  // extern "C"
