// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_NAME_REGISTRY_HPP
#define ASIO_RDMA_NAME_REGISTRY_HPP

#include <asio_rdma/detail/name_protocol.hpp>
#include <asio_rdma/name_table.hpp>
#include <asio_rdma/ud.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/basic_resolver_results.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>
#include <boost/throw_exception.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace asio_rdma {
inline namespace v1 {

// A small service by which programs find each other by name: a server enters its endpoint under a name for the time of
// a lease, and renews it; others look the name up. It speaks lines of text over TCP (doc/wire.md), since it has to be
// reachable before anything else is. There is no protection against who can reach its port: it belongs into a network
// that is trusted as far as the programs trust each other.

/// The service. It answers until it is destroyed or stopped; its operations run on a strand of the executor given.
class name_server {
public:
  /// What the service is reached by.
  using tcp = boost::asio::ip::tcp;

  /// Listens. Throws boost::system::system_error.
  template <class Executor>
  name_server(const Executor& executor, const tcp::endpoint& endpoint, const name_table::limits& limits = {})
      : state_(std::make_shared<state>(boost::asio::any_io_executor(boost::asio::make_strand(executor)), endpoint,
                                       limits)) {
    state_->accept();
  }
  name_server(const name_server&) = delete;
  name_server& operator=(const name_server&) = delete;
  /// As stop().
  ~name_server() { stop(); }

  /// Where it listens: the port that was chosen, if port 0 was asked for. Thread-safe.
  tcp::endpoint local_endpoint() const { return state_->local; }

  /// Closes the listener and all connections. Thread-safe.
  void stop() {
    boost::asio::post(state_->executor, [s = state_] { s->stop(); });
  }

private:
  class session;

  struct state : std::enable_shared_from_this<state> {
    state(boost::asio::any_io_executor ex, const tcp::endpoint& endpoint, const name_table::limits& l)
        : executor(std::move(ex)), acceptor(executor, endpoint), retry(executor), table(l),
          local(acceptor.local_endpoint()) {}
    inline void accept();
    inline void stop();

    boost::asio::any_io_executor executor;
    tcp::acceptor acceptor;
    boost::asio::steady_timer retry;
    name_table table;
    tcp::endpoint local;
    std::vector<std::weak_ptr<session>> sessions;
  };

  std::shared_ptr<state> state_;
};

/// One client of the service, which asks until it leaves or says nothing for a minute.
class name_server::session : public std::enable_shared_from_this<session> {
public:
  session(std::shared_ptr<state> s, tcp::socket socket)
      : state_(std::move(s)), socket_(std::move(socket)), timer_(state_->executor) {}

  void read() {
    timer_.expires_after(std::chrono::minutes(1));
    timer_.async_wait([self = weak_from_this()](boost::system::error_code ec) {
      const auto s = self.lock();
      if (s && !ec) s->close();
    });
    boost::asio::async_read_until(socket_, boost::asio::dynamic_buffer(input_, detail::longest_line), '\n',
                                  [self = shared_from_this()](boost::system::error_code ec, std::size_t size) {
                                    self->answer(ec, size);
                                  });
  }

  void close() {
    boost::system::error_code ignored;
    socket_.close(ignored);
    timer_.cancel();
  }

private:
  void answer(boost::system::error_code ec, std::size_t size) {
    is_last_ = false;
    if (ec == boost::asio::error::not_found) {  // no end of line within the limit
      output_ = detail::error_line("the line is too long");
      is_last_ = true;
    } else if (ec) {
      return close();
    } else {
      output_ = detail::answer_line(state_->table, input_.substr(0, size - 1), detail::clock::now());
      input_.erase(0, size);
    }
    boost::asio::async_write(socket_, boost::asio::buffer(output_),
                             [self = shared_from_this()](boost::system::error_code failed, std::size_t) {
                               if (failed || self->is_last_) return self->close();
                               self->read();
                             });
  }

  std::shared_ptr<state> state_;
  tcp::socket socket_;
  boost::asio::steady_timer timer_;
  std::string input_, output_;
  bool is_last_ = false;
};

inline void name_server::state::accept() {
  acceptor.async_accept([self = shared_from_this()](boost::system::error_code ec, tcp::socket socket) {
    if (!self->acceptor.is_open()) return;
    auto& all = self->sessions;
    for (std::size_t i = all.size(); i-- != 0;) {
      if (all[i].expired()) all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (ec) {  // of descriptors or memory there may be more soon
      self->retry.expires_after(std::chrono::milliseconds(100));
      self->retry.async_wait([self](boost::system::error_code) {
        if (self->acceptor.is_open()) self->accept();
      });
      return;
    }
    if (all.size() < self->table.bounds().clients) {
      const auto s = std::make_shared<session>(self, std::move(socket));
      all.push_back(s);
      s->read();
    }
    self->accept();
  });
}

inline void name_server::state::stop() {
  boost::system::error_code ignored;
  acceptor.close(ignored);
  retry.cancel();
  for (const auto& weak : sessions) {
    if (const auto s = weak.lock()) s->close();
  }
}

/// A client of the service: each call is a connection of its own, and fails with timed_out after five seconds. What the
/// service refuses gives invalid_argument, no_buffer_space or protocol_error, and last_answer() has its words. A name
/// consists of 1 to 128 letters, digits and . _ : / -
///
/// Distinct objects: thread-safe. One object: one operation at a time.
class name_client {
public:
  /// What the service is reached by.
  using tcp = boost::asio::ip::tcp;
  /// What calls report by.
  using error_code = boost::system::error_code;

  /// Asks the service at that address. Connects with each call only; asynchronous ones run on the executor.
  template <class Executor>
  name_client(const Executor& executor, const tcp::endpoint& server) : executor_(executor), server_(server) {}

  /// Enters an endpoint under a name, beside others of that name, or renews its lease: 1 to 86400 seconds.
  void enter(const std::string& name, const ud::endpoint& endpoint, std::chrono::seconds lease, error_code& ec) {
    (void)ask(detail::request("REGISTER", name, endpoint, lease), ec);
  }
  /// Throws boost::system::system_error.
  void enter(const std::string& name, const ud::endpoint& endpoint, std::chrono::seconds lease) {
    error_code ec;
    enter(name, endpoint, lease, ec);
    check(ec, "name_client::enter");
  }
  /// Takes an endpoint out. No error if it was not there.
  void remove(const std::string& name, const ud::endpoint& endpoint, error_code& ec) {
    (void)ask(detail::request("REMOVE", name, endpoint), ec);
  }
  /// Throws boost::system::system_error.
  void remove(const std::string& name, const ud::endpoint& endpoint) {
    error_code ec;
    remove(name, endpoint, ec);
    check(ec, "name_client::remove");
  }
  /// The entries of a name; none, and no error, if there is none.
  std::vector<name_entry> look_up(const std::string& name, error_code& ec) {
    return ask(detail::request("LOOKUP", name), ec);
  }
  /// Throws boost::system::system_error.
  std::vector<name_entry> look_up(const std::string& name) {
    error_code ec;
    auto result = look_up(name, ec);
    check(ec, "name_client::look_up");
    return result;
  }
  /// The entries of all names that begin with a prefix, in the order of their names.
  std::vector<name_entry> list(const std::string& prefix, error_code& ec) {
    return ask(detail::list_request(prefix), ec);
  }
  /// Throws boost::system::system_error.
  std::vector<name_entry> list(const std::string& prefix = {}) {
    error_code ec;
    auto result = list(prefix, ec);
    check(ec, "name_client::list");
    return result;
  }

  // The same, asynchronously: void(error_code) for the first two, void(error_code, std::vector<name_entry>) for the
  // rest.

  /// As enter(). Completion signature void(error_code).
  template <class CompletionToken>
  auto async_enter(const std::string& name, const ud::endpoint& endpoint, std::chrono::seconds lease,
                   CompletionToken&& token) {
    return async_tell(detail::request("REGISTER", name, endpoint, lease), std::forward<CompletionToken>(token));
  }
  /// As remove(). Completion signature void(error_code).
  template <class CompletionToken>
  auto async_remove(const std::string& name, const ud::endpoint& endpoint, CompletionToken&& token) {
    return async_tell(detail::request("REMOVE", name, endpoint), std::forward<CompletionToken>(token));
  }
  /// As look_up(). Completion signature void(error_code, std::vector<name_entry>).
  template <class CompletionToken>
  auto async_look_up(const std::string& name, CompletionToken&& token) {
    return async_ask(detail::request("LOOKUP", name), std::forward<CompletionToken>(token));
  }
  /// As list(). Completion signature void(error_code, std::vector<name_entry>).
  template <class CompletionToken>
  auto async_list(const std::string& prefix, CompletionToken&& token) {
    return async_ask(detail::list_request(prefix), std::forward<CompletionToken>(token));
  }

  /// That of asynchronous calls.
  const boost::asio::any_io_executor& get_executor() const noexcept { return executor_; }

  /// What the service said to the last request that it refused.
  const std::string& last_answer() const noexcept { return call_ ? call_->refusal : no_refusal(); }

private:
  struct call {
    explicit call(const boost::asio::any_io_executor& ex) : socket(ex), timer(ex) {}
    tcp::socket socket;
    boost::asio::steady_timer timer;
    std::string request, answer, refusal;
    bool has_timed_out = false;
  };

  enum class step { connect, write, read, done, refuse };

  /// Connects, asks, and reads until the service ends its answer with an empty line.
  template <class Finish>
  struct conversation {
    std::shared_ptr<call> c;
    tcp::endpoint server;
    Finish finish;
    step next = step::connect;

    template <class Self>
    void operator()(Self& self, error_code ec = {}, std::size_t = 0) {
      if (ec) return end(self, c->has_timed_out ? error_code(boost::asio::error::timed_out) : ec);
      switch (next) {
        case step::connect:
          if (c->request.empty()) {
            next = step::refuse;
            return boost::asio::post(c->socket.get_executor(), std::move(self));
          }
          c->timer.expires_after(std::chrono::seconds(5));
          c->timer.async_wait([weak = std::weak_ptr<call>(c)](error_code cancelled) {
            const auto strong = weak.lock();
            if (cancelled || !strong) return;
            strong->has_timed_out = true;
            error_code ignored;
            strong->socket.close(ignored);
          });
          next = step::write;
          return connect(self, *c, server);
        case step::write:
          next = step::read;
          return write(self, *c);
        case step::read:
          next = step::done;
          return read(self, *c);
        case step::done:
          return end(self, ec);
        case step::refuse:
          c->refusal = detail::what_names_are;
          return end(self, boost::asio::error::invalid_argument);
      }
    }

    // Self, which is moved, owns this.
    template <class Self>
    static void connect(Self& self, call& used, const tcp::endpoint to) {
      used.socket.async_connect(to, std::move(self));
    }
    template <class Self>
    static void write(Self& self, call& used) {
      boost::asio::async_write(used.socket, boost::asio::buffer(used.request), std::move(self));
    }
    template <class Self>
    static void read(Self& self, call& used) {
      boost::asio::async_read_until(used.socket, boost::asio::dynamic_buffer(used.answer, detail::longest_answer),
                                    "\n\n", std::move(self));
    }

    template <class Self>
    void end(Self& self, error_code ec) {
      c->timer.cancel();
      error_code ignored;
      c->socket.close(ignored);
      std::vector<name_entry> entries;
      if (!ec) ec = detail::read_answer(c->answer, entries, c->refusal);
      finish(self, ec, std::move(entries));
    }
  };

  struct finish_told {
    template <class Self>
    void operator()(Self& self, error_code ec, std::vector<name_entry>&&) {
      self.complete(ec);
    }
  };
  struct finish_asked {
    template <class Self>
    void operator()(Self& self, error_code ec, std::vector<name_entry>&& entries) {
      self.complete(ec, std::move(entries));
    }
  };

  std::shared_ptr<call> begin(const boost::asio::any_io_executor& ex, std::string request) {
    call_ = std::make_shared<call>(ex);
    call_->request = std::move(request);
    return call_;
  }

  template <class CompletionToken>
  auto async_tell(std::string request, CompletionToken&& token) {
    const auto c = begin(executor_, std::move(request));
    return boost::asio::async_compose<CompletionToken, void(error_code)>(
        conversation<finish_told>{c, server_, {}}, token, executor_);
  }
  template <class CompletionToken>
  auto async_ask(std::string request, CompletionToken&& token) {
    const auto c = begin(executor_, std::move(request));
    return boost::asio::async_compose<CompletionToken, void(error_code, std::vector<name_entry>)>(
        conversation<finish_asked>{c, server_, {}}, token, executor_);
  }

  /// On a context of its own, so that it ends in time whoever runs the client's.
  std::vector<name_entry> ask(std::string request, error_code& ec) {
    boost::asio::io_context context(1);
    const boost::asio::any_io_executor ex = context.get_executor();
    const auto c = begin(ex, std::move(request));
    std::vector<name_entry> result;
    const auto done = [&](error_code e, std::vector<name_entry> entries) {
      ec = e;
      result = std::move(entries);
    };
    auto token = done;
    boost::asio::async_compose<decltype(token), void(error_code, std::vector<name_entry>)>(
        conversation<finish_asked>{c, server_, {}}, token, ex);
    context.run();
    const std::string refusal = c->refusal;
    call_ = std::make_shared<call>(executor_);  // the other one's context ends here
    call_->refusal = refusal;
    return result;
  }

  static void check(const error_code& ec, const char* what) {
    if (ec) boost::throw_exception(boost::system::system_error(ec, what));
  }
  static const std::string& no_refusal() {
    static const std::string none;
    return none;
  }

  boost::asio::any_io_executor executor_;
  tcp::endpoint server_;
  std::shared_ptr<call> call_;
};

/// Looks names up as a resolver does: resolve() and async_resolve() give what ip::basic_resolver<ud> would, so that it
/// stands where one of those does. host_not_found if there is no such name.
class name_resolver {
public:
  /// What a lookup gives: a range of entries, as a resolver's.
  using results_type = boost::asio::ip::basic_resolver_results<ud>;
  /// What calls report by.
  using error_code = boost::system::error_code;

  /// Asks the service at that address, as a name_client.
  template <class Executor>
  name_resolver(const Executor& executor, const boost::asio::ip::tcp::endpoint& server) : client_(executor, server) {}

  /// The endpoints of a name. Errors: host_not_found, or those of name_client.
  results_type resolve(const std::string& name, error_code& ec) {
    return make(name, client_.look_up(name, ec), ec);
  }
  /// Throws boost::system::system_error.
  results_type resolve(const std::string& name) {
    error_code ec;
    auto result = resolve(name, ec);
    if (ec) boost::throw_exception(boost::system::system_error(ec, "name_resolver::resolve"));
    return result;
  }

  /// Completion signature void(error_code, results_type).
  template <class CompletionToken>
  auto async_resolve(const std::string& name, CompletionToken&& token) {
    return boost::asio::async_initiate<CompletionToken, void(error_code, results_type)>(
        [this, name](auto handler) {
          const auto executor = boost::asio::get_associated_executor(handler, client_.get_executor());
          const auto allocator = boost::asio::get_associated_allocator(handler);
          auto turn = [name, h = std::move(handler)](error_code ec, std::vector<name_entry> entries) mutable {
            results_type results = make(name, entries, ec);
            std::move(h)(ec, std::move(results));
          };
          client_.async_look_up(name, boost::asio::bind_executor(
                                          executor, boost::asio::bind_allocator(allocator, std::move(turn))));
        },
        token);
  }

private:
  static results_type make(const std::string& name, const std::vector<name_entry>& entries, error_code& ec) {
    if (!ec && entries.empty()) ec = boost::asio::error::host_not_found;
    std::vector<ud::endpoint> endpoints;
    for (const name_entry& e : entries) endpoints.push_back(e.endpoint);
    return ec ? results_type() : results_type::create(endpoints.begin(), endpoints.end(), name, std::string());
  }

  name_client client_;
};

}  // namespace v1
}  // namespace asio_rdma

#endif
