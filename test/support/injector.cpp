// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "support/injector.hpp"

#include "support/cm_events.hpp"
#include "support/late_posts.hpp"

#include <asio_rdma/verbs/api.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <type_traits>

// The linker's --wrap gives every reference to a function NAME to __wrap_NAME, and the function itself to __real_NAME.
#define WRAPPED_NAME(function) "_ZN9asio_rdma2v15verbs" function "Ev"

namespace real {

const asio_rdma::verbs::api& rdma_core() noexcept __asm__("__real_" WRAPPED_NAME("9rdma_core"));
const asio_rdma::verbs::api& software_device() noexcept __asm__("__real_" WRAPPED_NAME("15software_device"));

}  // namespace real

namespace wrap {

const asio_rdma::verbs::api& rdma_core() noexcept __asm__("__wrap_" WRAPPED_NAME("9rdma_core"));
const asio_rdma::verbs::api& software_device() noexcept __asm__("__wrap_" WRAPPED_NAME("15software_device"));

}  // namespace wrap

namespace test_support {

namespace {

using asio_rdma::verbs::api;

/// How a function says that it failed.
enum class saying {
  number,     // returns errno
  minus_one,  // returns -1 and sets errno
  negative,   // returns -errno
  null,       // returns null and sets errno
};
enum class timing { instead, afterwards };
/// What there is one more or less of afterwards.
enum class kind { none, context, domain, region, window, channel, cq, qp, srq, address_handle, id, count };

constexpr const char* names_of_kinds[] = {"",   "contexts", "domains", "regions",         "windows", "channels",
                                          "CQs", "QPs",     "SRQs",    "address handles", "ids"};

// Name, how it says that it failed, when it does, what it makes (+) or destroys (-), and with which errors it can fail
// according to its man page, librdmacm and the kernel (uverbs, ucma).
#define TABLE_POINTS(X)                                                                    \
  X(get_device_list, null, instead, none, +, ENOMEM, EPERM)                                \
  X(open_device, null, instead, context, +, ENOMEM, EMFILE, ENODEV)                        \
  X(close_device, number, afterwards, context, -, EIO)                                     \
  X(query_device, number, instead, none, +, ENOMEM, EIO)                                   \
  X(query_port, number, instead, none, +, EINVAL, EIO)                                     \
  X(query_gid, minus_one, instead, none, +, EIO)                                           \
  X(query_gid_ex, number, instead, none, +, ENODATA, EIO)                                  \
  X(query_gid_table, negative, instead, none, +, ENOMEM, EIO)                              \
  X(query_pkey, minus_one, instead, none, +, EIO)                                          \
  X(get_async_event, minus_one, instead, none, +, EAGAIN, EIO)                             \
  X(alloc_pd, null, instead, domain, +, ENOMEM, EIO)                                       \
  X(dealloc_pd, number, afterwards, domain, -, EIO)                                        \
  X(reg_mr, null, instead, region, +, ENOMEM, EFAULT, EINVAL)                              \
  X(reg_mr_iova, null, instead, region, +, ENOMEM, EFAULT, EINVAL)                         \
  X(reg_dmabuf_mr, null, instead, region, +, ENOMEM, EOPNOTSUPP)                           \
  X(rereg_mr, number, instead, none, +, ENOMEM)                                            \
  X(dereg_mr, number, afterwards, region, -, EIO)                                          \
  X(alloc_mw, null, instead, window, +, ENOMEM, EOPNOTSUPP)                                \
  X(dealloc_mw, number, afterwards, window, -, EIO)                                        \
  X(create_comp_channel, null, instead, channel, +, ENOMEM, EMFILE)                        \
  X(destroy_comp_channel, number, afterwards, channel, -, EIO)                             \
  X(create_cq, null, instead, cq, +, ENOMEM, EINVAL, EIO)                                  \
  X(resize_cq, number, instead, none, +, ENOMEM, EINVAL)                                   \
  X(destroy_cq, number, afterwards, cq, -, EIO)                                            \
  X(get_cq_event, minus_one, instead, none, +, EIO)                                        \
  X(create_qp, null, instead, qp, +, ENOMEM, EINVAL, EIO)                                  \
  X(modify_qp, number, instead, none, +, EINVAL, ENOMEM, EIO)                              \
  X(query_qp, number, instead, none, +, ENOMEM, EIO)                                       \
  X(destroy_qp, number, afterwards, qp, -, EIO)                                            \
  X(create_srq, null, instead, srq, +, ENOMEM, EINVAL)                                     \
  X(modify_srq, number, instead, none, +, EINVAL)                                          \
  X(query_srq, number, instead, none, +, EIO)                                              \
  X(destroy_srq, number, afterwards, srq, -, EIO)                                          \
  X(create_ah, null, instead, address_handle, +, ENOMEM, EINVAL, ENETUNREACH)              \
  X(init_ah_from_wc, minus_one, instead, none, +, EINVAL)                                  \
  X(create_ah_from_wc, null, instead, address_handle, +, ENOMEM, EINVAL)                   \
  X(destroy_ah, number, afterwards, address_handle, -, EIO)                                \
  X(attach_mcast, number, instead, none, +, ENOMEM, EINVAL)                                \
  X(detach_mcast, number, afterwards, none, -, EINVAL)                                     \
  X(cm_create_event_channel, null, instead, none, +, ENOMEM, EMFILE, ENODEV, EACCES)       \
  X(cm_get_event, minus_one, instead, none, +, EAGAIN, ENOMEM)                             \
  X(cm_ack_event, minus_one, afterwards, none, +, EINVAL)                                  \
  X(cm_create_id, minus_one, instead, id, +, ENOMEM, ENODEV)                               \
  X(cm_destroy_id, minus_one, afterwards, id, -, EIO)                                      \
  X(cm_migrate_id, minus_one, instead, none, +, ENOMEM)                                    \
  X(cm_set_option, minus_one, instead, none, +, EINVAL, ENOSYS)                            \
  X(cm_bind_addr, minus_one, instead, none, +, EADDRINUSE, EADDRNOTAVAIL, ENODEV, ENOMEM)  \
  X(cm_resolve_addr, minus_one, instead, none, +, ENODEV, EADDRNOTAVAIL, ENETUNREACH, ENOMEM) \
  X(cm_resolve_route, minus_one, instead, none, +, ENOMEM, EINVAL)                         \
  X(cm_create_qp, minus_one, instead, qp, +, ENOMEM, EINVAL)                               \
  X(cm_create_qp_ex, minus_one, instead, qp, +, ENOMEM, EINVAL)                            \
  X(cm_init_qp_attr, minus_one, instead, none, +, EINVAL, EIO)                             \
  X(cm_listen, minus_one, instead, none, +, EADDRINUSE, ENOMEM)                            \
  X(cm_connect, minus_one, instead, none, +, EINVAL, ENOMEM)                               \
  X(cm_establish, minus_one, instead, none, +, EINVAL, ENODEV)                             \
  X(cm_accept, minus_one, instead, none, +, EINVAL, ENOMEM)                                \
  X(cm_reject, minus_one, instead, none, +, EINVAL)                                        \
  X(cm_notify, minus_one, instead, none, +, EINVAL)                                        \
  X(cm_disconnect, minus_one, instead, none, +, EINVAL, ENOTCONN)                          \
  X(cm_join_multicast, minus_one, instead, none, +, ENODEV, EADDRNOTAVAIL, ENOMEM)         \
  X(cm_join_multicast_ex, minus_one, instead, none, +, ENODEV, EADDRNOTAVAIL, ENOMEM)      \
  X(cm_leave_multicast, minus_one, afterwards, none, -, EINVAL)                            \
  X(cm_create_srq, minus_one, instead, srq, +, ENOMEM)                                     \
  X(cm_create_srq_ex, minus_one, instead, srq, +, ENOMEM)                                  \
  X(cm_create_ep, minus_one, instead, none, +, ENOMEM)                                     \
  X(cm_get_request, minus_one, instead, none, +, ENOMEM)                                   \
  X(cm_getaddrinfo, minus_one, instead, none, +, ENOMEM)                                   \
  X(cm_get_devices, null, instead, none, +, ENOMEM)

// get_device_name, get_device_guid, cm_get_src_port, cm_get_dst_port and qp_to_qp_ex, and nine that return nothing, do
// not fail.
constexpr std::size_t calls_that_do_not_fail = 14;

enum class index {
#define X(name, ...) name,
  TABLE_POINTS(X)
#undef X
  post_send,
  post_recv,
  poll_cq,
  req_notify_cq,
};
constexpr std::size_t table_points = static_cast<std::size_t>(index::post_send);
static_assert((table_points + calls_that_do_not_fail) * sizeof(void*) == sizeof(api), "a call has no fault yet");

/// The fault that waits. Relaxed: a call sees it some time after fail().
std::atomic<int> waiting{-1};
std::atomic<long> calls_left{0};
std::atomic<unsigned> calls_that_fail{1};
std::atomic<int> errno_of_fault{0};
std::atomic<bool> has_struck{false};

std::array<std::atomic<long>, static_cast<std::size_t>(kind::count)> living_objects{};

void add(kind k, long n) noexcept {
  living_objects[static_cast<std::size_t>(k)].fetch_add(n, std::memory_order_relaxed);
}

/// The error that this call has to fail with, or 0.
int strike(index i) noexcept {
  if (waiting.load(std::memory_order_relaxed) != static_cast<int>(i)) return 0;
  const long left = calls_left.fetch_sub(1, std::memory_order_relaxed);
  if (left > 1 || left <= 1 - long{calls_that_fail.load(std::memory_order_relaxed)}) return 0;
  has_struck.store(true, std::memory_order_relaxed);
  return errno_of_fault.load(std::memory_order_relaxed);
}

template <class Result>
Result failure(saying how, int error) noexcept {
  errno = error;
  if constexpr (std::is_pointer_v<Result>) {
    return nullptr;
  } else {
    return how == saying::number ? error : how == saying::negative ? -error : -1;
  }
}

template <class Result>
bool is_success(Result r) noexcept {
  if constexpr (std::is_pointer_v<Result>) {
    return r != nullptr;
  } else {
    return r == 0;
  }
}

// ---- The data path

ibv_context_ops real_ops{};
bool has_real_ops = false;

template <class Request>
int post(index i, int (*real_post)(ibv_qp*, Request*, Request**), ibv_qp* qp, Request* first, Request** bad) {
  Request* before = nullptr;
  for (Request* r = first; r != nullptr; before = r, r = r->next) {
    const int error = strike(i);
    if (error == 0) continue;
    if (before != nullptr) {
      before->next = nullptr;
      const int e = real_post(qp, first, bad);
      before->next = r;
      if (e != 0) return e;
    }
    *bad = r;
    return error;
  }
  return real_post(qp, first, bad);
}

int post_send(ibv_qp* qp, ibv_send_wr* first, ibv_send_wr** bad) {
  if (late_posts::are_wanted()) return late_posts::post(real_ops.post_send, qp, first, bad);
  return post(index::post_send, real_ops.post_send, qp, first, bad);
}

int post_recv(ibv_qp* qp, ibv_recv_wr* first, ibv_recv_wr** bad) {
  return post(index::post_recv, real_ops.post_recv, qp, first, bad);
}

int poll_cq(ibv_cq* cq, int count, ibv_wc* completions) {
  return strike(index::poll_cq) != 0 ? -1 : real_ops.poll_cq(cq, count, completions);
}

int req_notify_cq(ibv_cq* cq, int solicited_only) {
  late_posts::about_to_arm();
  const int error = strike(index::req_notify_cq);
  return error != 0 ? error : real_ops.req_notify_cq(cq, solicited_only);
}

/// Before anything is done with the context's queues.
void take_data_path(ibv_context& c) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  if (c.ops.poll_cq == poll_cq) return;
  if (has_real_ops && c.ops.poll_cq != real_ops.poll_cq) return;  // of another provider
  real_ops = c.ops;
  has_real_ops = true;
  c.ops.post_send = post_send;
  c.ops.post_recv = post_recv;
  c.ops.poll_cq = poll_cq;
  c.ops.req_notify_cq = req_notify_cq;
}

// ---- The tables

template <const api& (*Real)() noexcept, index I, saying Saying, timing Timing, kind Kind, int Change, auto Member>
struct hook;

template <const api& (*Real)() noexcept, index I, saying Saying, timing Timing, kind Kind, int Change, class Result,
          class... Arguments, Result (*api::*Member)(Arguments...)>
struct hook<Real, I, Saying, Timing, Kind, Change, Member> {
  static Result call(Arguments... arguments) {
    const int error = strike(I);
    if (Timing == timing::instead && error != 0) return failure<Result>(Saying, error);
    if constexpr (I == index::destroy_qp) late_posts::forget(arguments...);
    if constexpr (I == index::cm_destroy_id) cm_events::forget(Real().cm_destroy_id, arguments...);
    // What is destroyed may be made again at once, and counted, by another thread.
    if (Change < 0) add(Kind, -1);
    const Result result = call_real(arguments...);
    const int number = errno;
    if (is_success(result) != (Change < 0)) add(Kind, +1);
    if constexpr (I == index::alloc_pd) {
      if (result != nullptr) take_data_path(*result->context);
    } else if constexpr (I == index::cm_get_event) {
      note_event(result, arguments...);
    } else if constexpr (I == index::modify_qp) {
      late_posts::changed(arguments...);
    }
    if (error != 0) return failure<Result>(Saying, error);
    errno = number;
    return result;
  }

  static Result call_real(Arguments... arguments) {
    if constexpr (I == index::cm_get_event) {
      if (cm_events::are_wanted()) {
        return cm_events::get(Real().cm_get_event, Real().cm_ack_event, Real().cm_destroy_id, arguments...);
      }
    } else if constexpr (I == index::cm_ack_event) {
      if (cm_events::acknowledge(arguments...)) return 0;
    }
    const Result result = (Real().*Member)(arguments...);
    if constexpr (I == index::cm_create_id) note_id(result, arguments...);
    return result;
  }

  static void note_id(int result, rdma_event_channel*, rdma_cm_id** id, void*, rdma_port_space) noexcept {
    if (result == 0) cm_events::made(*id);
  }

  static void note_event(int result, rdma_event_channel*, rdma_cm_event** event) noexcept {
    if (result == 0 && (*event)->event == RDMA_CM_EVENT_CONNECT_REQUEST) add(kind::id, 1);
  }
};

template <const api& (*Real)() noexcept>
const api& table_with_faults() noexcept {
  static const api table = [] {
    api t = Real();
#define X(name, how, when, what, sign, ...) \
  t.name = hook<Real, index::name, saying::how, timing::when, kind::what, sign 1, &api::name>::call;
    TABLE_POINTS(X)
#undef X
    t.cm_destroy_qp = [](rdma_cm_id* id) {
      if (id->qp != nullptr) add(kind::qp, -1);
      Real().cm_destroy_qp(id);
    };
    return t;
  }();
  return table;
}

}  // namespace

const std::vector<injector::point>& injector::points() {
  static const std::vector<point> list = {
#define X(name, how, when, what, sign, ...) {#name, false, {__VA_ARGS__}},
      TABLE_POINTS(X)
#undef X
          {"post_send", true, {ENOMEM, EINVAL}},
      {"post_recv", true, {ENOMEM, EINVAL}},
      {"poll_cq", true, {EIO}},
      {"req_notify_cq", true, {EIO}},
  };
  return list;
}

void injector::fail(std::size_t index_of_point, unsigned nth, int error, unsigned how_many) noexcept {
  stop();
  has_struck.store(false, std::memory_order_relaxed);
  calls_left.store(nth, std::memory_order_relaxed);
  calls_that_fail.store(how_many, std::memory_order_relaxed);
  errno_of_fault.store(error, std::memory_order_relaxed);
  waiting.store(static_cast<int>(index_of_point), std::memory_order_release);
}

bool injector::stop() noexcept {
  waiting.store(-1, std::memory_order_relaxed);
  return has_struck.load(std::memory_order_relaxed);
}

std::map<std::string, long> injector::living() {
  std::map<std::string, long> result;
  for (std::size_t k = 1; k < living_objects.size(); ++k) result[names_of_kinds[k]] = living_objects[k].load();
  return result;
}

}  // namespace test_support

const asio_rdma::verbs::api& wrap::rdma_core() noexcept {
  return test_support::table_with_faults<real::rdma_core>();
}

const asio_rdma::verbs::api& wrap::software_device() noexcept {
  return test_support::table_with_faults<real::software_device>();
}
