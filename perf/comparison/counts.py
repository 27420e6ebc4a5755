# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
#
# What a program does for a message in its steady state: the difference of two runs that differ in nothing but the
# number of messages, divided by that.
import json
import os
import re
import subprocess
import tempfile

ROWS = ["send_requests", "signaled", "send_doorbells", "receives", "receive_doorbells", "completions", "polls", "arms",
        "locks", "allocations", "system_calls"]


def system_calls(text):
    """Of strace -c: the sum of its table."""
    found = re.search(r"^\s*100\.00\s+[\d.]+\s+(?:\d+\s+)?(\d+)(?:\s+\d+)?\s+total$", text, re.M)
    return int(found.group(1)) if found else None


def count(runner, make, size, few, many, counter, preloaded):
    """{"client": {row: number for a message}, "server": ...} of a program (programs.py)."""
    totals = []
    for messages in (few, many):
        server, client, reader = make(size, messages)
        with tempfile.TemporaryDirectory() as folder:
            sides = {side: os.path.join(folder, side) for side in ("client", "server")}
            preload = " ".join([counter] + preloaded)
            runner.run(server, client, reader, *[{"LD_PRELOAD": preload, "VERBS_COUNT_FILE": sides[s]}
                                                 for s in ("server", "client")])
            total = {side: json.load(open(file)) for side, file in sides.items()}
            only = ["-E", "LD_PRELOAD=" + " ".join(preloaded)] if preloaded else []
            trace = {side: ["strace", "-f", "-c", "-o", file + ".calls"] + only for side, file in sides.items()}
            runner.run(trace["server"] + server, trace["client"] + client, reader)
            for side, file in sides.items():
                # Two runs end at different moments: what is written last may be missing.
                text = open(file + ".calls").read() if os.path.exists(file + ".calls") else ""
                total[side]["system_calls"] = system_calls(text)
            totals.append(total)
    result = {}
    for side in ("client", "server"):
        a, b = totals[0][side], totals[1][side]
        result[side] = {row: None if a[row] is None or b[row] is None else round((b[row] - a[row]) / (many - few), 4)
                        for row in ROWS}
    return result


def print_counts(counts):
    print(f"\nFor a message, in the steady state ({counts['what']}, {counts['size']} bytes)")
    print(f"{'':20}{'client: ours':>14}{'theirs':>10}{'server: ours':>16}{'theirs':>10}")
    for row in ROWS:
        cells = [counts[who][side][row] for side in ("client", "server") for who in ("ours", "theirs")]
        text = ["-" if c is None else f"{round(c, 3) + 0.0:.3f}" for c in cells]  # + 0.0: no "-0.000"
        print(f"{row.replace('_', ' '):20}{text[0]:>14}{text[1]:>10}{text[2]:>16}{text[3]:>10}")
