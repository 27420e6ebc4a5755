// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_DESCRIPTOR_WAIT_HPP
#define ASIO_RDMA_DETAIL_DESCRIPTOR_WAIT_HPP

#include <asio_rdma/detail/core/config.hpp>
#include <asio_rdma/detail/one_block.hpp>

#include <boost/asio/execution_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/system/error_code.hpp>
#ifdef ASIO_RDMA_STUB
#include <boost/asio/error.hpp>
#else
#include <boost/asio/posix/stream_descriptor.hpp>
#endif

#include <cstdint>
#include <memory>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// What wants to know that a descriptor became readable.
class wait_target {
public:
  virtual void on_wake(std::uint64_t generation, const boost::system::error_code& ec) = 0;

  /// For the wait's own needs, since a socket waits over and over.
  one_block& memory() noexcept { return memory_; }

protected:
  wait_target() noexcept = default;
  ~wait_target() = default;

private:
  one_block memory_;
};

/// Sleeps on a descriptor in the reactor of an execution context, by Asio's own public means. It never closes the
/// descriptor. The executor's type is that of whichever I/O object waited first, so it is erased here.
/// Not thread-safe; functions call no user code.
class descriptor_wait_base {
public:
  virtual ~descriptor_wait_base() = default;

  /// Registers the descriptor, which has to be open until release().
  virtual boost::system::error_code assign(int fd) = 0;
  virtual void release() = 0;
  /// Waits once, and counts as work meanwhile. Calls target->on_wake() on the executor.
  virtual void start(std::shared_ptr<wait_target> target, std::uint64_t generation) = 0;
  virtual void cancel() = 0;

  int fd() const noexcept { return fd_; }

  template <class Executor>
  bool runs_on(const Executor& ex) const noexcept;

protected:
  explicit descriptor_wait_base(const void* executor_tag) noexcept : executor_tag_(executor_tag) {}
  int fd_ = -1;

private:
  const void* executor_tag_;
};

#ifdef ASIO_RDMA_STUB

/// Where there are no sockets there is nothing to wait for.
template <class Executor>
class descriptor_wait final : public descriptor_wait_base {
public:
  explicit descriptor_wait(const Executor& ex) : descriptor_wait_base(&tag), executor_(ex) {}

  boost::system::error_code assign(int) override { return boost::asio::error::operation_not_supported; }
  void release() override {}
  void start(std::shared_ptr<wait_target>, std::uint64_t) override {}
  void cancel() override {}

  Executor executor() noexcept { return executor_; }

private:
  friend class descriptor_wait_base;
  static inline const char tag = 0;
  Executor executor_;
};

inline void create_reactor(boost::asio::execution_context&) {}

#else

template <class Executor>
class descriptor_wait final : public descriptor_wait_base {
public:
  explicit descriptor_wait(const Executor& ex) : descriptor_wait_base(&tag), descriptor_(ex) {}
  ~descriptor_wait() override { descriptor_.release(); }

  boost::system::error_code assign(int fd) override {
    boost::system::error_code ec;
    descriptor_.assign(fd, ec);
    if (!ec) fd_ = fd;
    return ec;
  }

  void release() override {
    descriptor_.release();
    fd_ = -1;
  }

  void start(std::shared_ptr<wait_target> target, std::uint64_t generation) override {
    one_block* const memory = &target->memory();
    descriptor_.async_wait(boost::asio::posix::descriptor_base::wait_read, wake{std::move(target), generation, memory});
  }

  void cancel() override {
    boost::system::error_code ignored;
    descriptor_.cancel(ignored);
  }

  Executor executor() noexcept { return descriptor_.get_executor(); }

private:
  friend class descriptor_wait_base;

  struct wake {
    using allocator_type = one_block_allocator<void>;
    allocator_type get_allocator() const noexcept { return allocator_type(*memory); }

    void operator()(const boost::system::error_code& ec) { target->on_wake(generation, ec); }

    std::shared_ptr<wait_target> target;
    std::uint64_t generation;
    one_block* memory;  // Asio asks a handler that it has moved from
  };

  static inline const char tag = 0;
  boost::asio::posix::basic_stream_descriptor<Executor> descriptor_;
};

/// Makes the reactor of an execution context, where it has none yet.
inline void create_reactor(boost::asio::execution_context& context) {
  // All that a descriptor which is never used asks of its executor.
  struct context_executor {
    boost::asio::execution_context& context() const noexcept { return *context_; }
    boost::asio::execution_context* context_;
  };
  boost::asio::posix::basic_stream_descriptor<context_executor> descriptor(context_executor{&context});
}

#endif

template <class Executor>
bool descriptor_wait_base::runs_on(const Executor& ex) const noexcept {
  if (executor_tag_ != &descriptor_wait<Executor>::tag) return false;
  auto& self = const_cast<descriptor_wait<Executor>&>(static_cast<const descriptor_wait<Executor>&>(*this));
  return self.executor() == ex;
}

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
