// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_RAW_DATA_PATH_HPP
#define ASIO_RDMA_DETAIL_RAW_DATA_PATH_HPP

#include <asio_rdma/detail/asio_error.hpp>
#include <asio_rdma/detail/core/raw.hpp>
#include <asio_rdma/detail/raw_state.hpp>
#include <asio_rdma/detail/rdma_core.hpp>
#include <asio_rdma/post_error.hpp>
#include <asio_rdma/raw_statistics.hpp>
#include <asio_rdma/span.hpp>
#include <asio_rdma/work_completion.hpp>
#include <asio_rdma/work_request.hpp>

#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>
#include <boost/throw_exception.hpp>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

/// Whether requests are checked before they are posted: in builds without NDEBUG, or with ASIO_RDMA_CHECKED. All parts
/// of a program that use the same connection should be built alike.
#if defined(ASIO_RDMA_CHECKED) || !defined(NDEBUG)
#define ASIO_RDMA_DETAIL_CHECKS true
#else
#define ASIO_RDMA_DETAIL_CHECKS false
#endif

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// What a raw connection does with its queues, whatever its executor: the calls of verbs, and, aside from them, checks
/// and measurements.
class raw_data_path {
public:
  /// What calls report by.
  using error_code = boost::system::error_code;

  /// Posts a request (ibv_post_send). ENOMEM (not_enough_memory) if the send queue is full, invalid_argument for what
  /// the device cannot do.
  [[gnu::always_inline]] void post_send(work_request& request, error_code& ec) {
    request.next = nullptr;
    ibv_send_wr* bad;
    if (const core::error e = post(&request, bad)) {
      ec = detail::to_asio_error(e);
    } else {
      ec.clear();
    }
  }
  /// Throws post_error.
  [[gnu::always_inline]] void post_send(work_request& request) {
    request.next = nullptr;
    ibv_send_wr* bad;
    if (const core::error e = post(&request, bad)) throw_post_error(e, "raw_connection: post_send", 0);
  }
  /// Throws post_error.
  [[gnu::always_inline]] void post_send(work_request&& request) { post_send(request); }
  /// A request of which nothing is needed any more.
  [[gnu::always_inline]] void post_send(work_request&& request, error_code& ec) { post_send(request, ec); }

  /// Posts requests of any kinds in order, with one call and one doorbell. Returns how many were posted; if not all, ec
  /// says why the next one was not. It changes their member next.
  [[gnu::always_inline]] std::size_t post_send(span<work_request> requests, error_code& ec) {
    ec.clear();
    if (requests.empty()) return 0;
    chain(requests);
    ibv_send_wr* bad;
    if (const core::error e = post(requests.data(), bad)) {
      ec = detail::to_asio_error(e);
      return static_cast<std::size_t>(static_cast<work_request*>(bad) - requests.data());
    }
    return requests.size();
  }
  /// Throws post_error, which says how many were.
  [[gnu::always_inline]] void post_send(span<work_request> requests) {
    if (requests.empty()) return;
    chain(requests);
    ibv_send_wr* bad;
    if (const core::error e = post(requests.data(), bad)) {
      throw_post_error(e, "raw_connection: post_send", static_cast<work_request*>(bad) - requests.data());
    }
  }

  /// Posts receives (ibv_post_recv), as post_send().
  [[gnu::always_inline]] void post_receive(receive_request& request, error_code& ec) {
    request.next = nullptr;
    ibv_recv_wr* bad;
    if (const core::error e = post(&request, bad)) {
      ec = detail::to_asio_error(e);
    } else {
      ec.clear();
    }
  }
  /// Throws post_error.
  [[gnu::always_inline]] void post_receive(receive_request& request) {
    request.next = nullptr;
    ibv_recv_wr* bad;
    if (const core::error e = post(&request, bad)) throw_post_error(e, "raw_connection: post_receive", 0);
  }
  /// Throws post_error.
  [[gnu::always_inline]] void post_receive(receive_request&& request) { post_receive(request); }
  /// A receive of which nothing is needed any more.
  [[gnu::always_inline]] void post_receive(receive_request&& request, error_code& ec) { post_receive(request, ec); }
  /// Posts receives in order, with one call, as post_send() of many.
  [[gnu::always_inline]] std::size_t post_receive(span<receive_request> requests, error_code& ec) {
    ec.clear();
    if (requests.empty()) return 0;
    chain(requests);
    ibv_recv_wr* bad;
    if (const core::error e = post(requests.data(), bad)) {
      ec = detail::to_asio_error(e);
      return static_cast<std::size_t>(static_cast<receive_request*>(bad) - requests.data());
    }
    return requests.size();
  }
  /// Throws post_error, which says how many were.
  [[gnu::always_inline]] void post_receive(span<receive_request> requests) {
    if (requests.empty()) return;
    chain(requests);
    ibv_recv_wr* bad;
    if (const core::error e = post(requests.data(), bad)) {
      throw_post_error(e, "raw_connection: post_receive", static_cast<receive_request*>(bad) - requests.data());
    }
  }

  /// Takes up to completions.size() completions of this connection, of sends and receives alike, and returns how many
  /// (ibv_poll_cq). Never waits. An error only if the completion queue is broken, or the connection not open.
  [[gnu::always_inline]] std::size_t poll(span<work_completion> completions, error_code& ec) {
    const int n = do_poll(completions);
    if (__builtin_expect(n < 0, 0)) {
      ec = poll_error();
      return 0;
    }
    ec.clear();
    return static_cast<std::size_t>(n);
  }
  /// Throws boost::system::system_error.
  [[gnu::always_inline]] std::size_t poll(span<work_completion> completions) {
    const int n = do_poll(completions);
    if (__builtin_expect(n < 0, 0)) throw_error(poll_error(), "raw_connection: poll");
    return static_cast<std::size_t>(n);
  }

  /// Whether the connection counts, and measures the time that is spent in posting and in polling, which costs two
  /// looks at the clock a call. ASIO_RDMA_PROBE=1 turns it on from the beginning.
  void probe(bool on) noexcept {
    is_probing_ = on;
    update_slow();
  }
  /// Whether it does.
  bool probe() const noexcept { return is_probing_; }
  /// What was counted while probe() was on.
  const raw_statistics& statistics() const noexcept { return statistics_; }

protected:
  raw_data_path() noexcept = default;
  ~raw_data_path() = default;

  core::raw_link& link() const noexcept {
    static core::raw_link none;  // every function of it says that it is closed
    return state_ ? state_->link() : none;
  }
  void refresh() noexcept {
    objects_ = link().objects();
    queue_pair_ = objects_.queue_pair;
    completions_ = objects_.completions;
    channel_fd_ = objects_.channel_fd;
    update_slow();
  }

  void update_slow() noexcept {
    is_slow_ = queue_pair_ == nullptr || is_probing_ || (state_ && state_->completions);
  }

  /// After an asynchronous set-up nobody has asked for them yet.
  core::raw_objects objects() const noexcept { return objects_.queue_pair ? objects_ : link().objects(); }

  template <class Request>
  [[gnu::always_inline]] static void chain(span<Request> requests) noexcept {
    Request* const last = requests.end() - 1;
    for (Request* r = requests.data(); r != last; ++r) r->next = r + 1;
    last->next = nullptr;
  }

  [[gnu::always_inline]] core::error post(ibv_send_wr* first, ibv_send_wr*& bad) {
    if (ASIO_RDMA_DETAIL_CHECKS) return slow_post<true>(first, bad);
    if (__builtin_expect(is_slow_, 0)) return slow_post<false>(first, bad);
    return core::error(::ibv_post_send(queue_pair_, first, &bad));
  }
  [[gnu::always_inline]] core::error post(ibv_recv_wr* first, ibv_recv_wr*& bad) {
    if (ASIO_RDMA_DETAIL_CHECKS) return slow_post<true>(first, bad);
    if (__builtin_expect(is_slow_, 0)) return slow_post<false>(first, bad);
    return core::error(::ibv_post_recv(queue_pair_, first, &bad));
  }

  [[gnu::always_inline]] int do_poll(span<work_completion> completions) {
    if (ASIO_RDMA_DETAIL_CHECKS) return slow_poll<true>(completions);
    if (__builtin_expect(is_slow_, 0)) return slow_poll<false>(completions);
    return ::ibv_poll_cq(completions_, static_cast<int>(completions.size()), completions.data());
  }

  using clock = std::chrono::steady_clock;

  static int call_post(ibv_qp* qp, ibv_send_wr* first, ibv_send_wr** bad) { return ::ibv_post_send(qp, first, bad); }
  static int call_post(ibv_qp* qp, ibv_recv_wr* first, ibv_recv_wr** bad) { return ::ibv_post_recv(qp, first, bad); }

  template <bool Check, class Request>
  [[gnu::noinline]] core::error slow_post(Request* first, Request*& bad) {
    bad = first;
    if (queue_pair_ == nullptr) refresh();
    if (queue_pair_ == nullptr) return core::error(ENOTCONN);
    if (Check) {
      const Request* wrong;
      if (const core::error e = link().check(first, wrong)) {
        // Those before it are posted, as by a device that finds the fault.
        const core::error earlier = wrong == first ? core::error() : post_before(first, wrong, bad);
        if (!earlier) bad = const_cast<Request*>(wrong);
        return earlier ? earlier : e;
      }
    }
    const core::error e = probed_post(first, bad);
    if (Check) link().posted(first, e ? bad : nullptr);
    return e;
  }

  /// Posts the requests of a list before the given one.
  template <class Request>
  core::error post_before(Request* first, const Request* end, Request*& bad) {
    Request* last = first;
    while (last->next != end) last = static_cast<Request*>(last->next);
    Request* const rest = std::exchange(last->next, nullptr);
    const core::error e = slow_post<true>(first, bad);
    last->next = rest;
    return e;
  }

  template <class Request>
  core::error probed_post(Request* first, Request*& bad) {
    if (!is_probing_) return core::error(call_post(queue_pair_, first, &bad));
    const clock::time_point begin = clock::now();
    const int result = call_post(queue_pair_, first, &bad);
    statistics_.post_time += clock::now() - begin;
    ++statistics_.posts;
    for (const Request* r = first; r != nullptr && !(result != 0 && r == bad); r = r->next) ++statistics_.requests;
    return core::error(result);
  }

  template <bool Check>
  [[gnu::noinline]] int slow_poll(span<work_completion> completions) {
    if (completions_ == nullptr) refresh();
    if (completions_ == nullptr) return -1;
    const int n = probed_poll(completions);
    if (Check && n > 0) link().completed(completions.data(), n);
    return n;
  }

  int probed_poll(span<work_completion> completions) {
    const auto size = static_cast<int>(completions.size());
    const auto look = [&] {
      // Asynchronous transfers have completions in the queue, too.
      if (state_->completions) return state_->completions->poll(completions);
      return ::ibv_poll_cq(completions_, size, completions.data());
    };
    if (!is_probing_) return look();
    const clock::time_point begin = clock::now();
    const int n = look();
    statistics_.poll_time += clock::now() - begin;
    ++statistics_.polls;
    if (n == 0) ++statistics_.empty_polls;
    if (n > 0) statistics_.completions += static_cast<unsigned>(n);
    return n;
  }

  [[gnu::noinline]] error_code poll_error() const noexcept {
    return error_code(completions_ == nullptr ? ENOTCONN : EIO, boost::system::system_category());
  }

  static void throw_error(const error_code& ec, const char* what) {
    if (ec) boost::throw_exception(boost::system::system_error(ec, what));
  }
  [[gnu::noinline]] static void throw_post_error(core::error e, const char* what, std::ptrdiff_t posted) {
    boost::throw_exception(post_error(detail::to_asio_error(e), what, static_cast<std::size_t>(posted)));
  }

  // What every post and poll looks at comes first.
  ibv_qp* queue_pair_ = nullptr;
  ibv_cq* completions_ = nullptr;
  bool is_slow_ = true;  // something is to be done besides
  bool is_probing_ = core::raw_probe_wanted();
  int channel_fd_ = -1;
  raw_statistics statistics_;
  core::raw_objects objects_;
  std::shared_ptr<detail::raw_state> state_;
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
