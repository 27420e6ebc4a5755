// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Every option of a stream socket, set on the command line and read back when the connection stands: what was asked
// for, and what came of it. doc/options.md says what each is for.
//
//   tuning server ADDRESS PORT [OPTION=VALUE...]     ends after one client
//   tuning client ADDRESS PORT [OPTION=VALUE...]
//
// For example: tuning client 10.0.0.1 7000 busy_poll=50 inline_size=256 receive_buffer_size=4194304

#include <asio_rdma/rc.hpp>
#include <asio_rdma/socket_options.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <exception>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;
using asio_rdma::rc;

namespace {

// Sets or reads one option of a socket or an acceptor.
template <class Object>
struct named_option {
  std::string name;
  std::function<void(Object&, const std::string&)> set;
  std::function<std::string(Object&)> get;
};

template <class Option, class Object>
named_option<Object> number(const char* name) {
  return {name, [](Object& o, const std::string& value) { o.set_option(Option(std::stoi(value))); },
          [](Object& o) {
            Option option;
            o.get_option(option);
            return std::to_string(option.value());
          }};
}

template <class Option, class Object>
named_option<Object> yes_no(const char* name) {
  return {name, [](Object& o, const std::string& value) { o.set_option(Option(value == "true")); },
          [](Object& o) {
            Option option;
            o.get_option(option);
            return std::string(option.value() ? "true" : "false");
          }};
}

template <class Object>
std::vector<named_option<Object>> all_options() {
  namespace r = asio_rdma;
  return {
      number<r::receive_buffer_size, Object>("receive_buffer_size"),
      number<r::send_buffer_size, Object>("send_buffer_size"),
      number<r::queue_depth, Object>("queue_depth"),
      number<r::inline_size, Object>("inline_size"),
      number<r::busy_poll, Object>("busy_poll"),
      number<r::connect_timeout, Object>("connect_timeout"),
      number<r::keepalive, Object>("keepalive"),
      number<r::ack_timeout, Object>("ack_timeout"),
      number<r::retry_count, Object>("retry_count"),
      number<r::rnr_retry, Object>("rnr_retry"),
      number<r::traffic_class, Object>("traffic_class"),
      number<r::service_level, Object>("service_level"),
      number<r::hop_limit, Object>("hop_limit"),
      number<r::pkey, Object>("pkey"),
      number<r::gid_index, Object>("gid_index"),
      number<r::zero_copy_threshold, Object>("zero_copy_threshold"),
      number<r::initial_buffer_size, Object>("initial_buffer_size"),
      yes_no<r::acknowledged_writes, Object>("acknowledged_writes"),
      yes_no<r::own_protection_domain, Object>("own_protection_domain"),
      {"device", [](Object& o, const std::string& v) { o.set_option(r::device(v)); },
       [](Object& o) {
         r::device option;
         o.get_option(option);
         return option.value();
       }},
  };
}

template <class Object>
void set_options(Object& object, int count, char** words) {
  const auto options = all_options<Object>();
  for (int i = 0; i < count; ++i) {
    const std::string word = words[i];
    const std::size_t equals = word.find('=');
    bool is_known = false;
    for (const auto& o : options) {
      if (o.name != word.substr(0, equals) || equals == std::string::npos) continue;
      o.set(object, word.substr(equals + 1));
      is_known = true;
    }
    if (!is_known) throw std::invalid_argument("no such option: " + word);
  }
}

void show_options(rc::socket& socket) {
  for (const auto& o : all_options<rc::socket>()) std::cout << o.name << '=' << o.get(socket) << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 3 ? argv[1] : "";
  if (role != "server" && role != "client") {
    std::cerr << "usage: tuning server|client ADDRESS PORT [OPTION=VALUE...]\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const rc::endpoint endpoint = *rc::resolver(context).resolve(argv[2], argv[3]).begin();
    rc::socket socket(context);
    char byte = 'x';
    if (role == "server") {
      rc::acceptor acceptor(context);
      acceptor.open(endpoint.protocol());
      set_options(acceptor, argc - 4, argv + 4);  // the accepted socket inherits them
      acceptor.bind(endpoint);
      acceptor.listen();
      std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
      acceptor.accept(socket);
      asio::write(socket, asio::buffer(&byte, 1));
    } else {
      socket.open(endpoint.protocol());
      set_options(socket, argc - 4, argv + 4);  // before connect(): most are fixed then
      socket.connect(endpoint);
      asio::read(socket, asio::buffer(&byte, 1));
    }
    show_options(socket);
  } catch (const std::exception& e) {
    std::cerr << "tuning: " << e.what() << '\n';
    return 1;
  }
}
