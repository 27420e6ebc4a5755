#!/usr/bin/env python3
# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
"""The map of the source in doc/design.md has every folder and every public header, and nothing that is not there.

    map.py SOURCE_FOLDER

A line that is not indented begins with a folder at the top; what it and those below it name lies in that folder.
"""
import pathlib
import re
import sys

NAME = re.compile(r"[\w.][\w./]*(?:/|\.hpp)(?=[\s;:,)]|$)")
# What a folder has of its own kind, for which its name is enough.
WHOLE = ["test/fuzz/seeds", "test/conformance/layers", "test/conformance/separate", "test/package/consumer",
         "test/package/stub_program", "src/package/conan/test_package", "src/package/vcpkg/asio-rdma"]


def paths_of(block, source):
    """What the map names, from the root of the source on; and which of that is not there."""
    named, missing, top = set(), [], ""
    for line in block.splitlines():
        if line and not line.startswith(" "):
            top = line.split()[0]
            named.add(top.rstrip("/"))
        for name in NAME.findall(line):
            found = next((p for p in (top + name, name) if (source / p).exists()), None)
            if found:
                named.add(found.rstrip("/"))
            else:
                missing.append(f"there is no {top + name}")
    return named, missing


def main():
    source = pathlib.Path(sys.argv[1])
    text = (source / "doc/design.md").read_text()
    named, wrong = paths_of(re.search(r"^```\n(include/.*?)^```", text, re.M | re.S)[1], source)
    for top in ("include/asio_rdma", "src", "example", "perf", "doc", "test"):
        folders = [p.relative_to(source).as_posix() for p in (source / top).rglob("*")
                   if p.is_dir() and p.name != "__pycache__"]
        for folder in sorted([top, *folders]):
            if folder not in named and not any(f"{folder}/".startswith(f"{w}/") for w in WHOLE):
                wrong.append(f"the map does not have {folder}")
    for header in sorted((source / "include/asio_rdma").glob("*.hpp")):
        if header.relative_to(source).as_posix() not in named:
            wrong.append(f"the map does not have {header.name}")
    print("\n".join([*wrong, f"{len(named)} names"]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
