# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
#
# Runs a server and its client, and hands out what the client says.
import os
import re
import shlex
import subprocess
import sys
import time


ENDLESS = ["udpong"]  # servers that serve one client after another


class Failure(Exception):
    pass


class Runner:
    """
    address      what the client is told
    remote       words before a command that run it on the other host, [] for this one
    environment  of both
    """

    def __init__(self, address, remote=(), environment=None, timeout=120, verbose=False):
        self.address, self.remote, self.timeout, self.verbose = address, list(remote), timeout, verbose
        self.environment = environment or {}
        self.port = 19000 + os.getpid() % 1000

    def command_there(self, command, environment):
        if not self.remote:
            return command
        # One word, since ssh joins its words and lets a shell split them; exec, so that what is ended is the program.
        assignments = [f"{k}={shlex.quote(v)}" for k, v in environment.items()]
        if self.remote[0].endswith("ssh"):
            words = ["exec", "env"] + assignments + [shlex.join(command)]
            return self.remote + ["sh -c " + shlex.quote(" ".join(words))]
        return self.remote + ["env"] + [f"{k}={v}" for k, v in environment.items()] + command

    def run(self, server, client, reader, server_environment=None, client_environment=None):
        """{bytes: figure}. Raises Failure with what both said if there is none after three tries."""
        said = ""
        for _ in range(3):
            self.port = 19000 + (self.port - 19000 + 1) % 10000
            port = str(self.port)
            server_words = [w.replace("PORT", port) if w == "PORT" else w for w in server]
            client_words = [w.replace("PORT", port) if w == "PORT" else w for w in client] + [self.address]
            there = dict(self.environment, **(server_environment or {}))
            with subprocess.Popen(self.command_there(server_words, there), stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                                  env=dict(os.environ, **there)) as running:
                try:
                    figures, said = self.run_client(client_words, reader, client_environment, running)
                    if figures:
                        if server[0] not in ENDLESS:
                            running.wait(10)
                        return figures
                except subprocess.TimeoutExpired:
                    if figures:
                        return figures
                finally:
                    running.kill()
                    said += running.communicate()[0] or ""
        raise Failure(f"no figure from: {shlex.join(client)}\n{said}")

    def run_client(self, words, reader, environment, server):
        said = ""
        deadline = time.monotonic() + self.timeout
        wait = 0.1 if not self.remote else 0.5
        time.sleep(wait)
        while time.monotonic() < deadline:
            try:
                done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                      env=dict(os.environ, **self.environment, **(environment or {})), text=True,
                                      timeout=self.timeout)
            except subprocess.TimeoutExpired as e:
                return {}, f"{shlex.join(words)}: nothing for {e.timeout} s\n"
            said = done.stdout + done.stderr
            try:
                figures = reader(done.stdout)
            except (ValueError, KeyError):
                figures = {}
            if self.verbose:
                print(shlex.join(words), "->", figures, file=sys.stderr)
            if figures and done.returncode == 0:
                return figures, said
            if server.poll() is not None:
                break
            # The server does not listen yet, or not for long.
            if not re.search(r"refused|[Cc]ouldn't connect|[Uu]nable to (init|connect)|Connection|rconnect", said):
                break
            time.sleep(wait)
        return {}, said

    def here_and_there(self, here, there):
        """Output of a command at both ends, or of the one if they are one."""
        outputs = []
        for words in [here] + ([self.command_there(there, self.environment)] if self.remote else []):
            done = subprocess.run(words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                                  env=dict(os.environ, **self.environment))
            outputs.append(done.stdout)
        return outputs
