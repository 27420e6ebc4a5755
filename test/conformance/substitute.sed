# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
#
# Everything that is changed in a program or test of Boost before it is compiled with our protocol in TCP's place.

# The protocol.
s/\busing ((boost::)?asio::|net::)?ip::tcp;/using tcp = asio_rdma::rc;/
s/\b((boost::)?asio::|net::)?ip::tcp\b/asio_rdma::rc/g

# Beast's stream over TCP is an alias of this template with TCP as its argument.
s/\b(boost::)?beast::tcp_stream\b/boost::beast::basic_stream<asio_rdma::rc>/g

# The header.
s,#\s*include <boost/asio/ip/tcp\.hpp>,#include <asio_rdma/asio_rdma.hpp>,

# Beast's clients trust the world's certificate authorities; here it is those that OpenSSL is told of by SSL_CERT_FILE.
s/\bload_root_certificates\(ctx\)/ctx.set_default_verify_paths()/

# What cannot be: Asio's iostreams read a kernel's socket.
/^namespace ip_tcp_iostream_compile \{/,/^\} .*namespace ip_tcp_iostream_compile/d
/ip_tcp_iostream_compile::test/d
