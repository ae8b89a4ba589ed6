#!/usr/bin/env python3
"""Writes the C++ of a Markdown page into files that tests include: FOLDER/HEADING.K.inc is the K-th block under a heading.

    python3 tools/code_blocks.py docs/cuda.md FOLDER

A heading is named as in its anchor; K counts from 1. Blocks that are whole programs, with a main, are left out. FOLDER/blocks.inc
includes all the others, so that it takes up those that a page gets: each is a function in the namespace section_HEADING, with
underscores for hyphens, or, where it defines a type or a kernel and ends with that, stands before what follows as it is. Kernels
are for nvcc alone. FOLDER/headers.inc has the headers that blocks include."""

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


def placed(heading, number, code):
    """The lines that include a block where it can stand."""
    include = f'#include "{heading}.{number}.inc"'
    lines = [line for line in code.splitlines() if line and not line.startswith(("#include", "//"))]
    if "__global__" in code:
        return f"#if defined(__CUDACC__)\n{include}\n#endif\n"
    if lines and re.match(r"(struct|class|template)\b", lines[0]) and lines[-1] in ("}", "};"):
        return f"{include}\n"
    return f"namespace section_{heading.replace('-', '_')} {{\nvoid block_{number}() {{\n{include}\n}}\n}}\n"


def main():
    page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    count, headers, places, files = {}, {}, [], {}
    for heading, code in blocks(page.read_text(encoding="utf-8")):
        if "int main" in code:
            continue
        count[heading] = count.get(heading, 0) + 1
        files[f"{heading}.{count[heading]}.inc"] = code
        headers.update(dict.fromkeys(re.findall(r"^#include <.*?>", code, re.MULTILINE)))
        places.append(placed(heading, count[heading], code))
    files["headers.inc"] = "".join(f"{header}\n" for header in headers)
    files["blocks.inc"] = "".join(places)

    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.inc"):
        if old.name not in files:
            old.unlink()
    for name, text in files.items():
        file = folder / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:  # what depends on it is compiled again
            file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
