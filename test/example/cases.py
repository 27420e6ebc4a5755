# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
"""What is run for each example, and what it has to print.

A case is a list of programs that are started one after the other. A server runs in the background until all others have
ended. {address} is an address of this machine that reaches the RDMA device; what `ready` names, such as {port}, is known
to those that come after. All of standard output has to match `says`, a list of regular expressions, one a line.
"""
from dataclasses import dataclass, field


@dataclass
class Step:
    command: list
    says: list
    background: bool = False
    ready: str = ""           # a line of a server: the next one can be started
    stop: bool = False        # SIGTERM ends it
    types: str = ""           # on standard input
    status: int = 0
    complains: str = ""       # is somewhere in standard error
    environment: dict = field(default_factory=dict)


LISTENING = r"listening on .*:(?P<port>\d+)"
DEVICE = r"[a-z]+[0-9_]+"


def server(command, says=(), listening=LISTENING, **more):
    return Step(command.split(), [listening.replace("(?P<port>", "(?:"), *says], background=True, ready=listening,
                **more)


def client(command, *says, **more):
    return Step(command.split(), list(says), **more)


CASES = {
    "echo_callbacks": [
        server("echo_callbacks server {address} 0", [f"a client, on device {DEVICE}"] * 2, stop=True),
        client("echo_callbacks client {address} {port} hello", "hello"),
        client("echo_callbacks client {address} {port} again", "again"),
    ],
    "echo_sync": [
        server("echo_sync server {address} 0 2", [f"a client, on device {DEVICE}"] * 2),
        client("echo_sync client {address} {port} hello", "hello"),
        client("echo_sync client {address} {port} again", "again"),
    ],
    "echo_coroutines": [
        server("echo_server_rdma {address} 0", [f"client .*, RDMA device {DEVICE}"], stop=True),
        client("echo_client_rdma {address} {port} hello there", "hello there", complains="connected to .*, RDMA device"),
    ],
    "message_echo": [
        server("message_echo server {address} 0", ["4 messages"]),
        client("message_echo client {address} {port} one three " + 3000 * "long",
               r"\[eno\]", r"\[eerht\]", r"\[(gnol){3000}\]", r"\[\]"),
    ],
    "chat": [
        server("chat listen {address} 0", ["> hello", "> who is there[?]", "the other one has left"],
               types="it is me\n"),
        client("chat call {address} {port}", "> it is me", "the other one has left", types="hello\nwho is there?\n"),
    ],
    "rpc": [
        server("rpc server {address} 0", ["102 calls"]),
        client("rpc client {address} {port}", "no such procedure|100 quick calls: 10100",
               "no such procedure|100 quick calls: 10100", "slow: 40 [+] 2 = 42"),
    ],
    "large_message": [
        server("large_message receive {address} 0", [r"received a message of 8388608 bytes in \d{3,} parts"]),
        client("large_message send {address} {port} 8", "8388608 bytes sent, 8388608 received, checksum equal"),
    ],
    "many_clients": [
        server("many_clients server {address} 0 16", ["16 clients, 320 answers"]),
        client("many_clients client {address} {port} 16", "16 of 16 clients got the right sum"),
    ],
    "packets": [
        server("packets server {address} 0", stop=True),
        client("packets client {address} {port} one three", "one: 3 bytes", "three: 5 bytes"),
    ],
    "broadcast": [
        server("name_server 127.0.0.1 0", listening=r"names are served on .*:(?P<names>\d+)", stop=True),
        server("broadcast subscribe 127.0.0.1 {names} weather {address} 1", ["weather: rain"]),
        server("broadcast subscribe 127.0.0.1 {names} weather {address} 1", ["weather: rain"]),
        server("broadcast subscribe 127.0.0.1 {names} sports {address} 1", ["sports: 3 to 1"]),
        client("broadcast publish 127.0.0.1 {names} weather rain", "sent to 2"),
        Step(["broadcast", "publish", "127.0.0.1", "{names}", "sports", "3 to 1"], ["sent to 1"]),
    ],
    "multicast": [
        server("multicast receive 239.77.3.1 {address} 0 2", ["one", "two"]),
        client("multicast send 239.77.3.1 {address} {port} one"),
        client("multicast send 239.77.3.1 {address} {port} two"),
    ],
    "batches": [
        server("batches receive {address} 0 50", ["1600 datagrams, sum 1280800, in fewer calls"]),
        client("batches send {address} {port} 50", "50 batches sent"),
    ],
    "key_value_store": [
        server("key_value_store server {address} 0 5", ["5 clients were here, 101 keys are stored"]),
        client("key_value_store client {address} {port} put tree oak", background=True),
        client("key_value_store client {address} {port} putmany 100", background=True),
        client("key_value_store client {address} {port} putmany 100"),
        client("key_value_store client {address} {port} get key77", "value77"),
        client("key_value_store client {address} {port} get bush", "no such key", status=1),
    ],
    "counter": [
        server("counter server {address} 0 3", ["3 clients counted to 1500"]),
        client("counter client {address} {port} 500", "counted 500 times", background=True),
        client("counter client {address} {port} 500", "counted 500 times", background=True),
        client("counter client {address} {port} 500", "counted 500 times"),
    ],
    "polling": [
        server("polling server {address} 0", ["200 messages were sent back"]),
        client("polling client {address} {port} 200", r"200 round trips, [\d.e+]+ us each"),
    ],
    "connection_styles": [
        step
        for style in ("rdma_cm", "exchange", "rdma_cm_ud", "exchange_ud")
        for step in (
            server(f"connection_styles server {style} {{address}} 0", [r"got 'hello', packets of \d+ bytes"]),
            client(f"connection_styles client {style} {{address}} {{port}} hello", "sent"),
        )
    ],
}
