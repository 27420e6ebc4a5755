// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Boost.MySQL's connection over RDMA: it logs in, pings, and executes a statement, at a server that knows just enough
// of the protocol.

#include <asio_rdma/asio_rdma.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/mysql.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

namespace asio = boost::asio;
namespace mysql = boost::mysql;
using asio_rdma::rc;

void write_packet(rc::socket& s, unsigned char number, const std::string& body) {
  std::string packet{static_cast<char>(body.size()), '\0', '\0', static_cast<char>(number)};
  asio::write(s, asio::buffer(packet += body));
}

std::string read_packet(rc::socket& s) {
  unsigned char header[4];
  asio::read(s, asio::buffer(header));
  std::string body(header[0] | std::size_t(header[1]) << 8 | std::size_t(header[2]) << 16, '\0');
  asio::read(s, asio::buffer(body));
  return body;
}

// OK, with the number of rows that were affected.
std::string ok(char rows) { return {'\0', rows, '\0', '\2', '\0', '\0', '\0'}; }

// Returns the statement that it gets.
std::string serve(rc::acceptor& acceptor) {
  rc::socket s = acceptor.accept();
  std::string greeting("\x0a" "8.0.0\0" "\1\0\0\0" "abcdefgh\0", 20);
  greeting += std::string("\xff\xf7", 2);      // capabilities: all but TLS
  greeting += std::string("\x2d\x02\x00", 3);  // utf8mb4; autocommit
  greeting += std::string("\xff\xdf\x15", 3);  // more capabilities; the length of what goes into the password's hash
  greeting += std::string(10, '\0');
  greeting += std::string("ijklmnopqrst\0", 13);
  greeting += std::string("mysql_native_password\0", 22);
  write_packet(s, 0, greeting);
  read_packet(s);  // name and password
  write_packet(s, 2, ok(0));
  std::string statement;
  for (;;) {
    const std::string command = read_packet(s);
    if (command.at(0) == 1) return statement;  // quit
    if (command.at(0) == 3) statement = command.substr(1);
    write_packet(s, 1, ok(command.at(0) == 3 ? 7 : 0));
  }
}

int main() try {
  asio::io_context context;
  rc::acceptor acceptor(context, rc::endpoint(asio::ip::make_address("127.0.0.1"), 0));
  std::string statement;
  std::thread server([&] {
    try {
      statement = serve(acceptor);
    } catch (const std::exception& e) {
      std::printf("server: %s\n", e.what());
    }
  });

  mysql::connection<rc::socket> connection(context);
  connection.connect(acceptor.local_endpoint(), mysql::handshake_params("user", "password"));
  connection.ping();
  mysql::results results;
  connection.execute("DELETE FROM t", results);
  connection.close();
  server.join();
  std::printf("executed: '%s', rows: %d\n", statement.c_str(), static_cast<int>(results.affected_rows()));
  return statement.find("DELETE FROM t") != std::string::npos && results.affected_rows() == 7 ? 0 : 1;
} catch (const std::exception& e) {
  std::printf("%s\n", e.what());
  std::_Exit(1);  // the server may still be waiting
}
