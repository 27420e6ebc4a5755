#!/usr/bin/env python3
# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
"""Runs an example's programs with each other and checks all that they print on standard output.

    run.py FOLDER NAME...     FOLDER: where the examples were built; NAMEs: of cases in cases.py, which explains them
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

from cases import CASES

PATIENCE = 270  # seconds that a case has


class Failure(Exception):
    pass


deadline = 0.0


def patience():
    """Seconds that are left of a case; after that, what has not ended is stopped soon, and shown."""
    return max(deadline - time.monotonic(), 0)


class Program:
    """A running program of a case, whose lines are collected as they come."""

    def __init__(self, step, folder, known):
        self.step = step
        words = [w.format(**known) for w in step.command]
        self.command = " ".join(words)
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [os.path.join(folder, words[0])] + words[1:], text=True, errors="replace",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        self.lines = []
        self.changed = threading.Condition()
        self.has_ended = False
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append(line.rstrip("\n"))
                self.changed.notify_all()
        with self.changed:
            self.has_ended = True
            self.changed.notify_all()

    def wait_for(self, pattern):
        """The match of the first line that matches, once there is one."""
        with self.changed:
            find = lambda: next(filter(None, (re.fullmatch(pattern, line) for line in self.lines)), None)
            self.changed.wait_for(lambda: find() or self.has_ended, patience())
            found = find()
        if not found:
            raise Failure(f"does not say {pattern!r}")
        return found

    def type(self, text):
        try:
            self.process.stdin.write(text)
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # it ended, for a reason that its status tells

    def finish(self):
        """Waits for the end and compares status and output with what the case says."""
        if self.step.stop:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(patience())
        except subprocess.TimeoutExpired:
            raise Failure("does not end")
        self.reader.join()
        if status != self.step.status:
            raise Failure(f"ended with {status}, not {self.step.status}")
        wanted = "\n".join(f"(?:{pattern})" for pattern in self.step.says)
        if not re.fullmatch(wanted, "\n".join(self.lines)):
            raise Failure("should say:\n  " + "\n  ".join(self.step.says))
        if self.step.complains and not re.search(self.step.complains, self.read_errors()):
            raise Failure(f"should complain of {self.step.complains!r}")

    def read_errors(self):
        self.errors.seek(0)
        return self.errors.read()

    def show(self):
        print(f"$ {self.command}")
        for line in self.lines:
            print(f"  {line}")
        for line in self.read_errors().splitlines():
            print(f"  (stderr) {line}")


def run(folder, steps):
    work = tempfile.TemporaryDirectory()
    address = os.environ.get("ASIO_RDMA_TEST_ADDRESS", "127.0.0.1")
    # In the virtual machine (test/vm). It is our sockets that carry loopback on a device, and not the verbs.
    device_address = "10.77.0.1" if os.environ.get("ASIO_RDMA_DEVICE") == "hardware" else address
    known = {"address": address, "device_address": device_address, "work": work.name}
    running = []
    current = None
    try:
        for step in steps:
            current = Program(step, folder, known)
            running.append(current)
            if step.ready:
                known.update(current.wait_for(step.ready).groupdict())
            current.type(step.types)
            if not step.background:
                current.finish()
        for current in reversed([p for p in running if p.step.background]):
            current.finish()
    except Failure as failure:
        return f"{current.command}: {failure}"
    finally:
        for program in running:
            if program.process.poll() is None:
                program.process.kill()
                program.process.wait()
            program.reader.join()
            program.show()
    return None


def main():
    global deadline
    names = sys.argv[2:]
    if not names or any(name not in CASES for name in names):
        sys.exit(f"usage: run.py FOLDER NAME...; the names are: {' '.join(CASES)}")
    failures = []
    for name in names:
        deadline = time.monotonic() + PATIENCE
        failure = run(sys.argv[1], CASES[name])
        if failure:
            failures.append(f"FAILED: {name}: {failure}")
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
