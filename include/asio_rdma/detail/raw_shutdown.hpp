// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_RAW_SHUTDOWN_HPP
#define ASIO_RDMA_DETAIL_RAW_SHUTDOWN_HPP

#include <asio_rdma/detail/descriptor_wait.hpp>

#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/query.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// Something with operations that have to be destroyed, without calls of their handlers, when their execution context
/// is.
class shutdown_target {
public:
  virtual void shutdown() = 0;

protected:
  ~shutdown_target() = default;
};

/// Tells the objects of an execution context of its end.
class raw_shutdown_service final : public boost::asio::execution_context::service {
public:
  static inline boost::asio::execution_context::id id;

  explicit raw_shutdown_service(boost::asio::execution_context& context) : service(context) {
    create_reactor(context);  // before this, so that it is shut down after this
  }

  void add(std::weak_ptr<shutdown_target> target) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (targets_.size() >= clean_at_) {
      targets_.erase(std::remove_if(targets_.begin(), targets_.end(), [](const auto& t) { return t.expired(); }),
                     targets_.end());
      clean_at_ = std::max<std::size_t>(64, 2 * targets_.size());
    }
    targets_.push_back(std::move(target));
  }

private:
  void shutdown() override {
    std::vector<std::weak_ptr<shutdown_target>> targets;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      targets.swap(targets_);
    }
    for (const auto& t : targets) {
      if (const auto target = t.lock()) target->shutdown();
    }
  }

  std::mutex mutex_;
  std::vector<std::weak_ptr<shutdown_target>> targets_;
  std::size_t clean_at_ = 64;
};

template <class Executor>
void add_shutdown_target(const Executor& ex, std::weak_ptr<shutdown_target> target) {
  auto& context = boost::asio::query(ex, boost::asio::execution::context);
  boost::asio::use_service<raw_shutdown_service>(static_cast<boost::asio::execution_context&>(context))
      .add(std::move(target));
}

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
