#!/usr/bin/env python3
# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
"""The bars of doc/performance.svg are as long as their figures say, and doc/performance.md has each of these figures.

    bars.py SOURCE_FOLDER

The picture is written by hand. A panel begins with a bold line; each of its bars is a rectangle with its figure behind
it.
"""
import pathlib
import re
import sys

BAR = re.compile(r'<rect .*width="(?P<width>[\d.]+)".*/>\n *<text [^>]*>(?P<figure>[\d.]+)</text>')


def main():
    folder = pathlib.Path(sys.argv[1]) / "doc"
    known = set(re.findall(r"\d+\.\d+", (folder / "performance.md").read_text()))
    wrong, count = [], 0
    for panel in (folder / "performance.svg").read_text().split('font-weight="bold">')[1:]:
        title = panel[:panel.index("<")]
        bars = [(float(m["width"]), m["figure"]) for m in BAR.finditer(panel)]
        count += len(bars)
        if not bars:
            wrong.append(f"{title}: no bars")
            continue
        scale = bars[0][0] / float(bars[0][1])
        for width, figure in bars:
            if figure not in known:
                wrong.append(f"{title}: performance.md has no {figure}")
            if abs(width - scale * float(figure)) > 0.5:
                wrong.append(f"{title}: the bar of {figure} is {width} wide, not {scale * float(figure):.1f}")
    print("\n".join([*wrong, f"{count} bars"]))
    sys.exit(1 if wrong or not count else 0)


if __name__ == "__main__":
    main()
