#!/usr/bin/env python3
# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
"""Compiles every block of C++ in the documents.

    compile.py SOURCE_FOLDER COMPILER [FLAG...]

All blocks become one file, each in a namespace of its own, which the compiler checks without producing anything. A
block that begins with a declaration is taken as it is; others are statements, and become the body of a function, in
which the names of the prelude below are known. Errors name the document and the line.
"""
import pathlib
import re
import subprocess
import sys

PRELUDE = """
#include <asio_rdma/asio_rdma.hpp>
#include <asio_rdma/name_registry.hpp>
#include <asio_rdma/pipeline.hpp>
#include <asio_rdma/polling_service.hpp>
#include <asio_rdma/raw_acceptor.hpp>
#include <asio_rdma/raw_connection.hpp>
#include <asio_rdma/registered_resource.hpp>
#include <asio_rdma/verbs/verbs.hpp>
#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <iostream>
#include <memory_resource>
#include <vector>
namespace asio = boost::asio;
"""
FUNCTION = """
[[maybe_unused]] void block(
    [[maybe_unused]] asio::io_context& context, [[maybe_unused]] asio_rdma::rc::socket& socket,
    [[maybe_unused]] asio_rdma::rc::acceptor& acceptor, [[maybe_unused]] const asio_rdma::rc::endpoint& endpoint,
    [[maybe_unused]] const asio::ip::address& address, [[maybe_unused]] unsigned short port,
    [[maybe_unused]] boost::system::error_code ec) {
"""
DECLARATION = re.compile(r"^(?!if |for |while |switch |do )(using|class|struct|namespace|template|.*\) (try )?\{$)")
INCLUDE = re.compile(r"^ *# *include ")


def blocks(document):
    """The blocks of C++ of a document: pairs of the number of the first line and the lines."""
    found, begin = [], None
    for number, line in enumerate(document.read_text().splitlines(), 1):
        if begin is None and line.strip() == "```cpp":
            begin, lines = number + 1, []
        elif begin is not None and line.strip() == "```":
            found.append((begin, lines))
            begin = None
        elif begin is not None:
            lines.append(line)
    if begin is not None:
        sys.exit(f"{document}: the block of line {begin} has no end")
    return found


def program(documents):
    includes, parts, count = [], [], 0
    for document in documents:
        for begin, lines in blocks(document):
            count += 1
            includes += [f'#line {begin + i} "{document}"\n{line}'
                         for i, line in enumerate(lines) if INCLUDE.match(line)]
            code = ["" if INCLUDE.match(line) else line for line in lines]
            first = next((line for line in code if line.strip() and not line.startswith(("//", "#"))), "")
            text = f'#line {begin} "{document}"\n' + "\n".join(code)
            if not DECLARATION.match(first):
                text = f"{FUNCTION}{{\n{text}\n;}}\n}}"
            parts.append(f"namespace block_{count} {{\n{text}\n}}\n")
    return PRELUDE + "\n".join(includes) + "\n" + "\n".join(parts), count


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    source = pathlib.Path(sys.argv[1])
    text, count = program([source / "README.md", *sorted((source / "doc").glob("*.md"))])
    if count == 0:
        sys.exit("the documents have no C++")
    status = subprocess.run([*sys.argv[2:], "-fsyntax-only", "-x", "c++", "-"], input=text, text=True).returncode
    print(f"{count} blocks")
    sys.exit(status)


if __name__ == "__main__":
    main()
