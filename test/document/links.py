#!/usr/bin/env python3
# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
"""Every link from one document to another leads to a file, and to a heading of it, that exist.

    links.py SOURCE_FOLDER
"""
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")


def text_of(document):
    return re.sub(r"^```.*?^```", "", document.read_text(), flags=re.M | re.S)


def anchors(document):
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", text_of(document), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def main():
    source = pathlib.Path(sys.argv[1])
    documents = [source / "README.md", *sorted((source / "doc").glob("*.md"))]
    dead, count = [], 0
    for document in documents:
        for path, anchor in LINK.findall(text_of(document)):
            if path.startswith("http"):
                continue
            count += 1
            target = document.parent / path if path else document
            if not target.exists():
                dead.append(f"{document}: there is no {path}")
            elif anchor and anchor not in anchors(target):
                dead.append(f"{document}: {target.name} has no heading {anchor}")
    print("\n".join([*dead, f"{count} links"]))
    sys.exit(1 if dead or not count else 0)


if __name__ == "__main__":
    main()
