// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PIPELINE_HPP
#define ASIO_RDMA_PIPELINE_HPP

#include <asio_rdma/raw_connection.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace asio_rdma {
inline namespace v1 {

// Loops that keep a queue full: they post, poll, and post again what has completed. They poll without sleeping, on the
// calling thread; nobody else may post or poll on the connection meanwhile.

namespace detail {

struct ignore_completion {
  void operator()(const work_completion&) const noexcept {}
};

constexpr std::size_t pipeline_poll = 32;  // completions taken at a time

/// Puts requests number first, first + 1, ... into a batch; their numbers are their ids.
template <class Request, class Make>
void make_batch(span<Request> batch, std::uint64_t first, Make& make) {
  for (Request& r : batch) {
    r = make(first);
    r.wr_id = first++;
  }
}

}  // namespace detail

/// Posts count requests and waits until all have completed, with at most depth outstanding at a time and batch of them
/// in one post, which is one doorbell; the last one may be smaller. make(i) makes request number i, counted from 0,
/// which has to be signalled; its id becomes i. The buffers that it names have to stay until the function returns.
///
/// on_completion(c) is called for every completion that is taken. There may be some of receives among them that were
/// posted before; nobody else learns of those.
///
/// depth is cut to what the queue holds, batch to depth, and both are 1 at least. Returns how many requests completed:
/// fewer than count after an error only, which is what the first request completed or could not be posted with. Others
/// may be outstanding then. It polls without sleeping, on the calling thread; nobody else may post or poll on the
/// connection meanwhile.
template <class Executor, class Make, class OnCompletion = detail::ignore_completion>
std::uint64_t pipeline_batches(basic_raw_connection<Executor>& connection, std::uint64_t count, std::size_t depth,
                               std::size_t batch, Make make, boost::system::error_code& ec,
                               OnCompletion on_completion = {}) {
  depth = std::max<std::size_t>(1, std::min<std::size_t>(depth, connection.limits().send_depth));
  batch = std::max<std::size_t>(1, std::min(batch, depth));
  std::vector<work_request> requests(batch);
  work_completion completions[detail::pipeline_poll];
  std::uint64_t posted = 0;
  std::uint64_t completed = 0;
  ec.clear();
  while (completed < count) {
    for (std::size_t n; (n = static_cast<std::size_t>(std::min<std::uint64_t>(batch, count - posted))) != 0 &&
                        posted - completed + n <= depth;
         posted += n) {
      const span<work_request> next(requests.data(), n);
      detail::make_batch(next, posted, make);
      connection.post_send(next, ec);
      if (ec) return completed;
    }
    const std::size_t n = connection.poll(completions, ec);
    if (ec) return completed;
    for (std::size_t i = 0; i < n; ++i) {
      const work_completion& c = completions[i];
      if (!c.ok() && !ec) ec = c.error();
      if (c.ok() && !c.is_receive()) ++completed;
      on_completion(c);
    }
    if (ec) return completed;
  }
  return completed;
}

/// The same with one request in a post.
template <class Executor, class Make, class OnCompletion = detail::ignore_completion>
std::uint64_t pipeline(basic_raw_connection<Executor>& connection, std::uint64_t count, std::size_t depth, Make make,
                       boost::system::error_code& ec, OnCompletion on_completion = {}) {
  return pipeline_batches(connection, count, depth, 1, std::move(make), ec, std::move(on_completion));
}

/// The receiving side: keeps depth receives posted until count messages have come. It posts the first ones when it is
/// made, so that this can be done before the connection is established. It polls as pipeline_batches() does, and as
/// alone. The connection has to outlive it.
template <class Executor, class Make>
class receive_drain {
public:
  /// make(i) makes receive number i, counted from 0; its id becomes i. Their completions come in that order, so that
  /// make(i) may use the memory of number i - depth again. depth is cut to what the queue holds.
  receive_drain(basic_raw_connection<Executor>& connection, std::uint64_t count, std::size_t depth, Make make,
                boost::system::error_code& ec)
      : connection_(connection),
        count_(count),
        requests_(std::max<std::size_t>(1, std::min<std::size_t>(depth, connection.limits().receive_depth))),
        make_(std::move(make)) {
    post(requests_.size(), ec);
  }

  /// Receives until all count messages have come, and calls on_message(c) for each; receives are posted again after it
  /// has seen them. on_message is called for completions of sends that were posted before, too. Returns how many
  /// messages have come, all runs together: fewer than count after an error only.
  template <class OnMessage>
  std::uint64_t run(OnMessage on_message, boost::system::error_code& ec) {
    work_completion completions[detail::pipeline_poll];
    ec.clear();
    while (received_ < count_) {
      const std::size_t n = connection_.poll(completions, ec);
      if (ec) break;
      std::size_t messages = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const work_completion& c = completions[i];
        if (!c.ok() && !ec) ec = c.error();
        if (c.ok() && c.is_receive()) ++messages;
        on_message(c);
      }
      received_ += messages;
      if (ec) break;
      post(messages, ec);
      if (ec) break;
    }
    return received_;
  }

private:
  void post(std::size_t n, boost::system::error_code& ec) {
    ec.clear();
    n = static_cast<std::size_t>(std::min<std::uint64_t>(n, count_ - posted_));
    while (n != 0 && !ec) {
      const span<receive_request> next(requests_.data(), std::min(n, requests_.size()));
      detail::make_batch(next, posted_, make_);
      const std::size_t done = connection_.post_receive(next, ec);
      posted_ += done;
      n -= done;
    }
  }

  basic_raw_connection<Executor>& connection_;
  const std::uint64_t count_;
  std::uint64_t posted_ = 0;
  std::uint64_t received_ = 0;
  std::vector<receive_request> requests_;
  Make make_;
};

}  // namespace v1
}  // namespace asio_rdma

#endif
