# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
"""What is run for each example, and what it has to print.

A case is a list of programs that are started one after the other. A server runs in the background until all others have
ended. {address} is an address of this machine that reaches the RDMA device, and {device_address} one that the device
has; {work} is a folder that is empty at first; what `ready` names, such as {port}, is known to those that come after. All of standard output has to match `says`, a
list of regular expressions, one a line.
"""
import re
from dataclasses import dataclass


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


LISTENING = r"listening on .*:(?P<port>\d+)"
DEVICE = r"[a-z]+[0-9_]+"
NUMBER = r"[\d.]+(?:e[+-]\d+)?"


def server(command, says=(), listening=LISTENING, **more):
    return Step(command.split(), [re.sub(r"\(\?P<\w+>", "(?:", listening), *says], background=True, ready=listening,
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
        client("echo_client_rdma {address} {port} hello there", "hello there",
               complains="connected to .*, RDMA device"),
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
    "file_transfer": [
        Step("/bin/dd if=/dev/urandom of={work}/sent bs=1M count=3".split(), []),
        *(step
          for transport in ("rdma", "tcp")
          for step in (
              server(f"file_transfer_{transport} receive {{address}} 0 {{work}}/{transport}",
                     [r"received: 3145728 bytes in .*"]),
              client(f"file_transfer_{transport} send {{address}} {{port}} {{work}}/sent",
                     rf"sent and confirmed: 3145728 bytes in [\d.]+ s, [\d.]+ Gb/s, (RDMA device {DEVICE}|TCP)"),
              client(f"/usr/bin/cmp {{work}}/sent {{work}}/{transport}"),
          )),
    ],
    "zero_copy": [
        server("zero_copy receive {address} 0",
               [r"16777216 bytes received, \d+ written into the registered buffer, \d+ copied"]),
        client("zero_copy send {address} {port} 16",
               "16777216 bytes sent, 16777216 from the registered buffer, 0 copied"),
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
    "throughput": [
        server("throughput server {address} 0", [r"\d+ messages, \d{4,} bytes"]),
        client("throughput client {address} {port} 10000 4 0.5",
               rf"{NUMBER} Gb/s, {NUMBER} messages/s, on device {DEVICE}"),
    ],
    "many_clients": [
        server("many_clients server {address} 0 6", ["6 clients, 120 answers"]),
        client("many_clients client {address} {port} 6", "6 of 6 clients got the right sum"),
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
        client("polling client {address} {port} 200", rf"200 round trips, {NUMBER} us each"),
    ],
    "connection_styles": [
        step
        for style in ("rdma_cm", "exchange", "rdma_cm_ud", "exchange_ud")
        for step in (
            server(f"connection_styles server {style} {{address}} 0", [r"got 'hello', packets of \d+ bytes"]),
            client(f"connection_styles client {style} {{address}} {{port}} hello", "sent"),
        )
    ],
    "verbs_echo": [
        server("verbs_echo {device_address} 0", complains=f"device {DEVICE}"),
        client("verbs_echo {device_address} {port} hello", "hello", complains=f"device {DEVICE}"),
    ],
    "chat_room": [
        server("chat_room server {address} 0", stop=True),
        server("chat_room client {address} {port} anna 1", ["bert: hello all"], listening="anna is here"),
        server("chat_room client {address} {port} carl 1", ["bert: hello all"], listening="carl is here"),
        Step(["chat_room", "client", "{address}", "{port}", "bert", "0", "hello all"], ["bert is here"]),
    ],
    "connect_or_tcp": [
        server("connect_or_tcp server {address} 0", ["a client over RDMA"]),
        client("connect_or_tcp client {address} {port} hello", "over RDMA", "hello"),
    ],
    "fall_back_to_tcp": [
        server("connect_or_tcp server {address} 0 tcp", ["a client over TCP"]),
        client("connect_or_tcp client {address} {port} hello", "over TCP", "hello", complains="no RDMA: .*refused"),
    ],
    "tuning": [
        server("tuning server {address} 0 receive_buffer_size=65536 keepalive=30",
               ["receive_buffer_size=65536", *[r"[a-z_]+=-?\d+"] * 5, "keepalive=30", *[r"[a-z_]+=-?\d+"] * 10,
                "acknowledged_writes=false", "own_protection_domain=false", f"device={DEVICE}"]),
        client("tuning client {address} {port} busy_poll=20 ack_timeout=14 acknowledged_writes=true",
               "receive_buffer_size=131072", *[r"[a-z_]+=-?\d+"] * 3, "busy_poll=20", *[r"[a-z_]+=-?\d+"] * 2,
               "ack_timeout=14", *[r"[a-z_]+=-?\d+"] * 9, "acknowledged_writes=true", "own_protection_domain=false",
               f"device={DEVICE}"),
        client("tuning client {address} {port} colour=red", status=1, complains="no such option: colour=red"),
    ],
    "prometheus": [
        server("prometheus server {address} 0 0", stop=True,
               listening=r"listening on .*:(?P<port>\d+), metrics on .*:(?P<metrics>\d+)"),
        client("prometheus client {address} {port} {metrics}", "asio_rdma_connected_total 0",
               "asio_rdma_accepted_total 1", "asio_rdma_lost_total 0", "asio_rdma_refused_total 0",
               r"asio_rdma_registered_bytes \d{5,}", "asio_rdma_sent_bytes_total 0",
               "asio_rdma_received_bytes_total 100000", "asio_rdma_read_bytes_total 100000",
               r"asio_rdma_credit_stalls_total \d+",
               f'asio_rdma_unread_bytes{{peer=".*",device="{DEVICE}",state="ESTAB"}} 0'),
    ],
    "http": [
        server("http server {address} 0", stop=True),
        client("http client {address} {port} /", "200 OK, 10 bytes", "over RDMA"),
        client("http client {address} {port} /large", "200 OK, 1000000 bytes"),
        client("http client {address} {port} /other", "404 Not Found, 19 bytes", "there is no /other"),
    ],
    "websocket": [
        server("websocket server {address} 0 1"),
        client("websocket client {address} {port} one two", "one", "two"),
    ],
    "tls": [
        client("/usr/bin/openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost "
               "-days 30 -keyout {work}/key.pem -out {work}/certificate.pem"),
        server("tls server {address} 0 {work}/certificate.pem {work}/key.pem", ["the client ended in order"]),
        client("tls client {address} {port} {work}/certificate.pem hello", "hello, by TLSv1.3"),
    ],
    "swap": [
        server("daytime_rdma server {address} 0 1"),
        client("daytime_rdma client {address} {port}", r"... ... .\d \d\d:\d\d:\d\d \d{4}"),
        server("daytime_tcp server {address} 0 1"),
        client("daytime_tcp client {address} {port}", r"... ... .\d \d\d:\d\d:\d\d \d{4}"),
        # Each is what it says: with RDMA, nobody listens where TCP does.
        server("daytime_tcp server {address} 0 1"),
        client("daytime_rdma client {address} {port}", status=1, complains="refused"),
        client("daytime_tcp client {address} {port}", "... ... .*"),
    ],
}
