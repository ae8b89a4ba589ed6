#!/usr/bin/env python3
"""Writes the C++ of a Markdown page into files that tests include: FOLDER/HEADING.K.inc is the K-th block under a heading.

    python3 tools/code_blocks.py docs/cuda.md FOLDER

A heading is named as in its anchor; K counts from 1. Blocks that are whole programs, with a main, are left out."""

import pathlib
import re
import sys

from headings import slug


def blocks(page):
    """(heading, code) of every block of C++."""
    heading, lines = "", None
    for line in page.split("\n"):
        if lines is not None:
            if line == "```":
                yield heading, "\n".join(lines) + "\n"
                lines = None
            else:
                lines.append(line)
        elif line == "```cpp":
            lines = []
        elif match := re.match(r"#+ (.*)", line):
            heading = slug(match[1])


def main():
    page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.inc"):
        old.unlink()
    count = {}
    for heading, code in blocks(page.read_text(encoding="utf-8")):
        if "int main" in code:
            continue
        count[heading] = count.get(heading, 0) + 1
        (folder / f"{heading}.{count[heading]}.inc").write_text(code, encoding="utf-8")


if __name__ == "__main__":
    main()
