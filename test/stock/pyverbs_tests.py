# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
"""Runs the tests that rdma-core ships with pyverbs."""

import collections
import glob
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile

INSTALLED = "/usr/share/doc/rdma-core/tests"

# The tests learn a device's address from the folder of its network interface in sysfs, which software devices do not
# have: this tells them. They are not changed.
MAIN = """
import sys, unittest
sys.path[:0] = [{folder!r}, {folder!r} + '/tests']
import tests.base
from args_parser import parser
tests.base.RDMATestCase._get_ip_mac = lambda self, device, port, index: self.args.append(
    [device, port, index, {address!r}, '02:00:00:00:00:01'])
sys.argv = ['tests', '-v', '--dev', {device!r}, '--gid', '{gid}']
parser.parse_args()
unittest.main(module=tests)
"""


def get_tests(folder):
    """Copies the tests, as Python wants them. Where dpkg leaves out documentation, they come from the package."""
    source = INSTALLED
    if not os.path.exists(source):
        subprocess.run(["apt-get", "download", "-qq", "python3-pyverbs"], cwd=folder, check=True)
        subprocess.run(["dpkg-deb", "--extract", *glob.glob(os.path.join(folder, "*.deb")), folder], check=True)
        source = folder + INSTALLED
    target = os.path.join(folder, "tests")
    shutil.copytree(source, target)
    for name in glob.glob(os.path.join(target, "*.gz")):
        with gzip.open(name) as packed, open(name[:-3], "wb") as plain:
            shutil.copyfileobj(packed, plain)
        os.remove(name)


def run(place):
    """Prints the result, and returns how many passed and failed."""
    with tempfile.TemporaryDirectory() as folder:
        get_tests(folder)
        main = os.path.join(folder, "main.py")
        with open(main, "w") as file:
            file.write(MAIN.format(folder=folder, address=place.address, device=place.device, gid=place.gid_index))
        try:
            process = subprocess.run([*place.prefix, sys.executable, "-B", main], stdin=subprocess.DEVNULL, cwd=folder,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=1200)
            output, status = process.stdout, process.returncode
        except subprocess.TimeoutExpired as e:
            output, status = (e.stdout or b"").decode(errors="replace"), "none, they did not end"
    passed = len(re.findall(r"(?m)\.\.\. ok$", output))
    reasons = collections.Counter(re.findall(r"\.\.\. skipped ['\"](.*)['\"]$", output, re.M))
    bad = re.findall(r"(?m)^(?:ERROR|FAIL): (.*)", output)
    print(f"{'FAILED' if bad or status != 0 else 'passed'}           pyverbs: {passed} passed, {len(bad)} failed,"
          f" {sum(reasons.values())} skipped")
    for reason, count in reasons.most_common():
        print(f"        {count:3} skipped: {reason}")
    if bad or status != 0:
        print(f"        exit status {status}")
        start = output.find("\n======")
        print("\n".join(f"        {line}" for line in output[start if bad else -2000:].split("\n")))
    return passed, max(len(bad), int(status != 0))
