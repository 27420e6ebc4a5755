# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
#
# The programs that are compared: how each is called, and how its figures are read. A program is a function of size and
# number of messages that gives (command of the server, command of the client without the server's address, reader); the
# word PORT stands for a port.
import json
import re


def read_ours(output):
    """{bytes: figure}: Gb/s, or the median half round trip in us."""
    return {r["bytes"]: r["us"]["p50"] if "us" in r else r["gbit_per_s"] for r in json.loads(output)["results"]}


def read_arrived(output):
    """Of datagrams, in Gb/s: what arrived, as the others count them."""
    return {r["bytes"]: r["gbit_per_s"] * (1 - r.get("lost", 0) / r["messages"]) for r in json.loads(output)["results"]}


def read_perftest(column):
    def read(output):
        result = {}
        rows = output[output.find("#bytes"):].splitlines()[1:] if "#bytes" in output else []
        for row in rows:
            fields = row.split()
            if len(fields) > column and fields[0].isdigit():
                result[int(fields[0])] = float(fields[column])
        return result

    return read


SUFFIX = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def read_rsocket(column):
    """Of rstream and udpong, whose rows end with the time, Gb/s and us for a transfer."""
    def read(output):
        result = {}
        for row in output.splitlines():
            fields = row.split()
            # name, bytes, transfers, perhaps iterations, total, ...
            if len(fields) >= 7 and re.fullmatch(r"[0-9.]+s", fields[-3]):
                size = fields[1]
                scale = SUFFIX.get(size[-1], 1)
                result[int(float(size.rstrip("kmg")) * scale)] = float(fields[column])
        return result

    return read


class Verbs:
    """Ours and perftest's for an operation of verbs, with the same depths, inline size and moderation."""

    def __init__(self, build, operation, latency, datagram=False, rdma_cm=False, events=False, prefix=()):
        self.operation, self.latency, self.build, self.prefix = operation, latency, build, list(prefix)
        self.flags = ["-p", "PORT", "-F"]
        self.flags += ["-c", "UD"] if datagram else []
        self.flags += ["-R"] if rdma_cm else []
        self.flags += ["-e"] if events and not (operation == "write") else []
        self.datagram = datagram

    @property
    def name(self):
        return f"{'ud_' if self.datagram else ''}{self.operation}_{'lat' if self.latency else 'bw'}"

    def common(self, size, count):
        flags = self.flags + (["-a"] if size is None else [] if self.operation == "atomic" else ["-s", str(size)])
        flags += ["-n", str(count)]
        if not self.latency:
            flags += ["-t", "128", "-Q", str(1 if size is not None and size > 8192 and not self.datagram else 100)]
            flags += ["-N", "--report_gbits"]
            flags += ["-r", "512"] if self.operation == "send" else []
        if self.operation in ("send", "write"):
            flags += ["-I", "64" if self.latency else "0"]
        return flags

    def ours(self, size, count):
        program = f"{self.build}/perf/asio_{self.operation}_{'lat' if self.latency else 'bw'}"
        flags = self.common(size, count) + ["--warm_up", "0"]
        # The server takes over what the client says.
        return [program, "-p", "PORT"], [program] + flags + ["--out_json_file", "-"], read_ours

    def theirs(self, size, count):
        program = self.prefix + [f"ib_{self.operation}_{'lat' if self.latency else 'bw'}"]
        flags = self.common(size, count)
        return program + flags, program + flags, read_perftest(4 if self.latency else 3)


class Sockets:
    """Ours in a mode of asio_net_*: stream, message, datagram, raw, tcp, udp; batch messages at a time."""

    def __init__(self, build, mode, latency, asynchronous=False, batch=1, registered=False):
        self.build, self.mode, self.latency, self.asynchronous, self.batch = build, mode, latency, asynchronous, batch
        self.registered = registered

    @property
    def name(self):
        batch = f"_by_{self.batch}" if self.batch > 1 else ""
        registered = "_registered" if self.registered else ""
        form = "_async" if self.asynchronous else ""
        return f"{self.mode}{registered}{batch}{form}_{'lat' if self.latency else 'bw'}"

    def ours(self, size, count):
        program = f"{self.build}/perf/asio_net_{'lat' if self.latency else 'bw'}"
        way = ["--async"] if self.asynchronous else []
        count = -(-count // self.batch) * self.batch
        flags = ["-p", "PORT", "--mode", self.mode, "-n", str(count)] + (["-a"] if size is None else ["-s", str(size)])
        flags += ["-l", str(self.batch)] if self.batch > 1 else []
        flags += ["--registered"] if self.registered else []
        may_lose = self.mode in ("datagram", "udp") and not self.latency
        return [program, "-p", "PORT"] + way, [program] + way + flags + ["--out_json_file", "-"], \
            read_arrived if may_lose else read_ours


class Rstream:
    """rdma-core's own stream sockets. Its latency is a mean."""

    def __init__(self, latency):
        self.latency = latency

    @property
    def name(self):
        return f"rstream_{'lat' if self.latency else 'bw'}"

    def ours(self, size, count):
        times = [str(count), "1"] if self.latency else ["1", str(max(1, count // 2))]
        flags = ["-T", "b", "-p", "PORT", "-I", times[0], "-C", times[1]] + ["-S", "all" if size is None else str(size)]
        return ["rstream"] + flags, ["rstream"] + flags + ["-s"], read_rsocket(-1 if self.latency else -2)


class Udpong:
    """rdma-core's own datagram sockets. Its latency is a mean."""

    def __init__(self, latency):
        self.latency = latency

    @property
    def name(self):
        return f"udpong_{'lat' if self.latency else 'bw'}"

    def ours(self, size, count):
        flags = ["-T", "b", "-p", "PORT"]
        way = ["-T", "e"] if self.latency else []
        return ["udpong"] + flags, ["udpong"] + flags + way + ["-S", str(size), "-C", str(count), "-s"], \
            read_rsocket(-1 if self.latency else -2)
