# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
#
# Everything that is changed in a program or test of Boost before it is compiled with our protocols in TCP's and UDP's
# place.

# The protocols.
s/\busing ((boost::)?asio::|net::)?ip::tcp;/using tcp = asio_rdma::rc;/
s/\b((boost::)?asio::|net::)?ip::tcp\b/asio_rdma::rc/g
s/\busing ((boost::)?asio::|net::)?ip::udp;/using udp = asio_rdma::ud;/
s/\b((boost::)?asio::|net::)?ip::udp\b/asio_rdma::ud/g

# Beast's stream over TCP is an alias of this template with TCP as its argument.
s/\b(boost::)?beast::tcp_stream\b/boost::beast::basic_stream<asio_rdma::rc>/g

# The headers.
s,#\s*include <boost/asio/ip/(tcp|udp)\.hpp>,#include <asio_rdma/asio_rdma.hpp>,

# Beast's TLS clients trust the world's certificate authorities, and its servers have a certificate of their own in the
# source; here it is the authority that SSL_CERT_FILE names, and a file.
s/\bload_root_certificates\(ctx\)/ctx.set_default_verify_paths()/
s/\bload_server_certificate\(ctx\);/ctx.use_certificate_chain_file("server.pem"); ctx.use_private_key_file("server.pem", boost::asio::ssl::context::pem);/

# What cannot be: Asio's iostreams read a kernel's socket.
/^namespace ip_tcp_iostream_compile \{/,/^\} .*namespace ip_tcp_iostream_compile/d
/ip_tcp_iostream_compile::test/d
