#!/usr/bin/env python3
# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
"""Writes a program's manual page from what its --help prints.

    man_page.py PROGRAM VERSION OUTPUT

The page bears the day on which it was made, or that of SOURCE_DATE_EPOCH (seconds since 1970), so that a build can be
repeated.
"""
import os
import re
import subprocess
import sys
import textwrap
import time

# "  -d [ --ib-dev ] TEXT     what it is for", "  --json   what it is for"
OPTION = re.compile(r"^  (-\S+(?: \[ --\S+ \])?(?: [A-Z]+)?)(?:\s{2,}(.*))?$")
# "  auto      the hardware, and soft0 after it"
VALUE = re.compile(r"^  ([^\s-]\S*)\s{2,}(.*)$")
CONTINUED = re.compile(r"^ {8,}(\S.*)$")


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def filled(text):
    """Source lines of running text, short as they should be."""
    return [escaped(line) for line in textwrap.wrap(text, 76, break_on_hyphens=False)] or ["\\&"]


def purpose(description):
    """What the line NAME says: the first clause of the description."""
    clause = re.split(r"[.:](?: |$)|, (?:which|or|through) ", description)[0]
    # "The rate" becomes "the rate", and RDMA stays.
    return clause[0].lower() + clause[1:] if clause[1:2].islower() else clause


class Body:
    """The page after its synopsis."""

    def __init__(self):
        self.lines = [".SH DESCRIPTION"]
        self.entry = None  # the option or value whose text goes on
        self.has_options = False

    def begin_entry(self, name, text):
        self.lines += [".TP", f"\\fB{escaped(name)}\\fR"]
        self.entry = [(text or "").strip()]

    def end_entry(self):
        if self.entry is not None:
            self.lines += filled(" ".join(self.entry))
        self.entry = None

    def text(self, lines):
        self.end_entry()
        if lines:
            self.lines += ([] if self.lines[-1].startswith(".SH") else [".PP"]) + filled(" ".join(lines))

    def paragraph(self, lines):
        running = []
        for line in lines:
            option, value, continued = OPTION.match(line), VALUE.match(line), CONTINUED.match(line)
            if continued and self.entry is not None:
                self.entry.append(continued[1])
            elif option or value:
                self.text(running)
                running = []
                if option and not self.has_options:
                    self.lines.append(".SH OPTIONS")
                    self.has_options = True
                self.begin_entry(re.sub(r" \[ (--\S+) \]", r", \1", (option or value)[1]), (option or value)[2])
            elif line.startswith("Exit status: "):
                self.text(running)
                self.lines.append(".SH EXIT STATUS")
                running = [line[len("Exit status: "):]]
            elif line != "Flags:":  # which is the head of OPTIONS
                self.end_entry()
                running.append(line.strip())
        self.text(running)


def page(name, version, date, text):
    paragraphs = [p.splitlines() for p in re.split(r"\n\s*\n", text.strip("\n"))]
    if len(paragraphs) < 2 or not paragraphs[0][0].startswith("usage: "):
        sys.exit(f"man_page.py: the help of {name} does not begin with its usage and what it is for")
    out = [f'.TH {name} 1 {date} "asio_rdma {version}"', ".SH NAME",
           f"{escaped(name)} \\- {escaped(purpose(' '.join(paragraphs[1])))}", ".SH SYNOPSIS", ".nf"]
    out += [escaped(re.sub(r"^(usage: |       )", "", line)) for line in paragraphs[0]]
    out.append(".fi")
    body = Body()
    for lines in paragraphs[1:]:
        body.paragraph(lines)
    return "\n".join(out + body.lines) + "\n"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    program, version, output = sys.argv[1:]
    text = subprocess.run([program, "--help"], check=True, text=True, stdout=subprocess.PIPE).stdout
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    with open(output, "w", encoding="utf-8") as file:
        file.write(page(os.path.basename(program), version, date, text))


if __name__ == "__main__":
    main()
