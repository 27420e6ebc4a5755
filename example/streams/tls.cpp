// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// TLS over RDMA: ssl::stream<rc::socket> stands where ssl::stream<tcp::socket> would. What is encrypted is encrypted by
// the processor; the RDMA device sees bytes as any others.
//
//   tls server ADDRESS PORT CERTIFICATE KEY      ends after one client
//   tls client ADDRESS PORT AUTHORITY TEXT       AUTHORITY: the file of the certificate that is trusted
//
// The certificate has to be for "localhost". To make one:
//   openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -keyout key.pem
//     -out certificate.pem

#include <asio_rdma/rc.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <exception>
#include <iostream>
#include <string>

namespace asio = boost::asio;
namespace ssl = asio::ssl;
using asio_rdma::rc;
using boost::system::error_code;

namespace {

using stream = ssl::stream<rc::socket>;

void serve(asio::io_context& context, const rc::endpoint& endpoint, const char* certificate, const char* key) {
  ssl::context tls(ssl::context::tls_server);
  tls.use_certificate_chain_file(certificate);
  tls.use_private_key_file(key, ssl::context::pem);
  rc::acceptor acceptor(context, endpoint);
  std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
  stream s(acceptor.accept(), tls);
  s.handshake(stream::server);
  char data[4096];
  error_code ec;
  for (;;) {
    const std::size_t size = s.read_some(asio::buffer(data), ec);
    if (!ec) asio::write(s, asio::buffer(data, size), ec);
    if (ec) break;
  }
  if (ec != asio::error::eof) throw boost::system::system_error(ec, "a client");
  s.shutdown(ec);
  std::cout << "the client ended in order" << std::endl;
}

void ask(asio::io_context& context, const rc::endpoint& server, const char* authority, const std::string& text) {
  ssl::context tls(ssl::context::tls_client);
  tls.load_verify_file(authority);
  tls.set_verify_mode(ssl::verify_peer);
  stream s(context, tls);
  s.set_verify_callback(ssl::host_name_verification("localhost"));
  s.next_layer().connect(server);
  s.handshake(stream::client);
  asio::write(s, asio::buffer(text));
  std::string answer(text.size(), '\0');
  asio::read(s, asio::buffer(answer));
  std::cout << answer << ", by " << ::SSL_get_version(s.native_handle()) << '\n';
  s.shutdown();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc == 6 ? argv[1] : "";
  if (role != "server" && role != "client") {
    std::cerr << "usage: tls server ADDRESS PORT CERTIFICATE KEY\n       tls client ADDRESS PORT AUTHORITY TEXT\n";
    return 2;
  }
  try {
    asio::io_context context;
    const rc::endpoint endpoint = *rc::resolver(context).resolve(argv[2], argv[3]).begin();
    if (role == "server") {
      serve(context, endpoint, argv[4], argv[5]);
    } else {
      ask(context, endpoint, argv[4], argv[5]);
    }
  } catch (const std::exception& e) {
    std::cerr << "tls: " << e.what() << '\n';
    return 1;
  }
}
