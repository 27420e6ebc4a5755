# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
#
# What test/stock/run runs: each row is a server's command and a client's, and what the client has to have printed.

import itertools
import re

# perftest's matrix, as far as its own rules allow it.
TOOLS = [f"ib_{verb}_{kind}" for verb in ("send", "write", "read", "atomic") for kind in ("bw", "lat")]
AXES = {
    "tool": TOOLS,
    "transport": ["RC", "UD"],
    "connect": ["TCP", "-R"],
    "events": [False, True],
    "queue pairs": [1, 4],
    "list": [1, 8],
    "both": [False, True],
    "size": [2, 8, 64, 1024, 65536],
    "post": ["default", "--use_old_post_send"],
}
MTU = 4096
ITERATIONS = 400


def is_valid(r):
    verb, kind = r["tool"].split("_")[1:]
    if r["transport"] == "UD" and (verb != "send" or r["size"] > MTU):
        return False
    if (verb == "atomic") != (r["size"] == 8):  # atomics are of 8 bytes; nothing else is measured there
        return False
    if kind == "lat" and (r["queue pairs"] > 1 or r["list"] > 1 or r["both"]):
        return False
    return not (r["events"] and verb == "write")  # the tools have no such option


def whole_matrix():
    rows = [dict(zip(AXES, values)) for values in itertools.product(*AXES.values())]
    return [r for r in rows if is_valid(r)]


def pairs_of(row):
    items = [(axis, row[axis]) for axis in AXES]
    return {frozenset(pair) for pair in itertools.combinations(items, 2)}


def pairwise(rows):
    """As few of the rows as have every two values together that any of the rows has together. Greedy."""
    missing = set().union(*map(pairs_of, rows))
    result = []
    while missing:
        best = max(rows, key=lambda r: len(pairs_of(r) & missing))
        result.append(best)
        missing -= pairs_of(best)
    return result


class Row:
    """name; server: its command; client: the same; printed: a pattern of the client's output; forever: the server does
    not end by itself; ready: a pattern of the server's output, before which the client does not start."""

    def __init__(self, name, server, client, printed="", forever=False, ready=""):
        self.name, self.server, self.client, self.printed, self.forever = name, server, client, printed, forever
        self.ready = ready


def perftest_row(r, place, port):
    options = ["-F", "-d", place.device, "-p", str(port), "-n", str(ITERATIONS)]
    shown = []
    if not r["tool"].startswith("ib_atomic"):
        options += ["-s", str(r["size"])]
    if r["tool"].startswith("ib_send"):
        options += ["-c", r["transport"]]
        shown.append(r["transport"])
    for axis, option in (("events", ["-e"]), ("both", ["-b"])):
        if r[axis]:
            options += option
            shown += option
    if r["connect"] == "-R":
        options.append("-R")
        shown.append("-R")
    for axis, flag in (("queue pairs", "-q"), ("list", "-l")):
        if r[axis] > 1:
            options += [flag, str(r[axis])]
            shown.append(f"{flag} {r[axis]}")
    if r["post"] != "default":
        options.append(r["post"])
        shown.append(r["post"])
    count = ITERATIONS * r["queue pairs"]
    server = [r["tool"], *options]
    return Row(f"{r['tool']} -s {r['size']} {' '.join(shown)}", server, [*server, place.address],
               rf"(?m)^ {r['size']} +{count} +[0-9.]+")


def pingpong_rows(place, port):
    for tool in ("rc", "ud", "srq"):
        for options in [[], ["-e"], ["-c"], ["-e", "-c"], *([["-N"]] if tool == "rc" else [])]:
            command = [f"ibv_{tool}_pingpong", "-d", place.device, "-g", str(place.gid_index), "-p", str(next(port)),
                       "-n", str(ITERATIONS)]
            yield Row(" ".join([command[0], *options]), [*command, *options], [*command, *options, place.address],
                      rf"{ITERATIONS} iters in")


def device_rows(place):
    yield Row("ibv_devices", None, ["ibv_devices"], rf"(?m)^\s+{place.device}\s+[0-9a-f]{{16}}$")
    yield Row("ibv_devinfo -v", None, ["ibv_devinfo", "-v", "-d", place.device], r"PORT_ACTIVE")


def cm_rows(place, port):
    address, to_port = place.address, lambda: str(next(port))
    for shown in (["-V"], ["-V", "-q"], ["-V", "-P"], ["-V", "-q", "-P"], ["-V", "-S", "65535"]):
        is_persistent = "-P" in shown
        both = ["-a", address, "-p", to_port(), *(o for o in shown if o != "-P")]
        server = ["rping", "-s", *both, *(["-P"] if is_persistent else ["-C", "20"])]
        yield Row(" ".join(["rping", *shown]), server, ["rping", "-c", *both, "-C", "20"], forever=is_persistent)
    for shown in ([], ["-m"], ["-c", "10"], ["-S", "65536", "-C", "100"]):
        yield Row(" ".join(["ucmatose", *shown]), ["ucmatose", "-b", address, *shown],
                  ["ucmatose", "-s", address, *shown], r"return status 0")
    for shown in ([], ["-c", "10"]):
        yield Row(" ".join(["udaddy", *shown]), ["udaddy", "-b", address, *shown], ["udaddy", "-s", address, *shown],
                  r"return status 0")
    for shown in ([], ["-c", "5"], ["-o"]):
        command = ["mckey", "-m", "239.1.2.3", "-b", address, *[o for o in shown if o != "-o"]]
        # What is sent to a group before somebody has joined it is lost.
        yield Row(" ".join(["mckey", *shown]), command, [*command, "-s", *[o for o in shown if o == "-o"]],
                  r"return status 0", ready="joined dgid")
    yield Row("cmtime", ["cmtime", "-b", address], ["cmtime", "-s", address], r"(?m)^destroy +:",
              forever=True)
    where = ["-s", address, "-p", to_port()]
    yield Row("rdma_server, rdma_client", ["rdma_server", *where], ["rdma_client", *where], r"rdma_client: end 0")


def all_rows(place, whole):
    port = itertools.count(18600)
    matrix = whole_matrix()
    yield from device_rows(place)
    yield from pingpong_rows(place, port)
    yield from cm_rows(place, port)
    for r in matrix if whole else pairwise(matrix):
        yield perftest_row(r, place, 18600 + next(port) % 2000)
