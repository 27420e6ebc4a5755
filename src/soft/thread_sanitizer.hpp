// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_THREAD_SANITIZER_HPP
#define ASIO_RDMA_SRC_SOFT_THREAD_SANITIZER_HPP

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1  // as GCC says it
#endif
#endif
#ifdef __SANITIZE_THREAD__
// Of the sanitizer's runtime; no header declares them.
extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

namespace asio_rdma {
inline namespace v1 {
namespace soft {

/// While it lives, this thread touches memory as a card does, which ThreadSanitizer does not see either: who may touch
/// it when is agreed between the processes, by messages that the sanitizer of neither knows of.
class as_a_card {
public:
  as_a_card(const as_a_card&) = delete;
  as_a_card& operator=(const as_a_card&) = delete;
#ifdef __SANITIZE_THREAD__
  as_a_card() noexcept {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  ~as_a_card() {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
#else
  as_a_card() noexcept {}
#endif
};

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
