"""Checks plain text files: no tabs, no trailing blanks, no carriage returns, one newline at the end.

Usage: check_text.py FILE... Prints `file:line: what is wrong` and exits 1 if there is anything.
"""
import pathlib
import sys


def problems_of(name):
    data = pathlib.Path(name).read_bytes()
    if not data:
        return
    if b"\0" in data:
        yield f"{name}:1: a text file with a zero byte"
        return
    for number, line in enumerate(data.split(b"\n"), 1):
        if b"\t" in line:
            yield f"{name}:{number}: tab"
        if b"\r" in line:
            yield f"{name}:{number}: carriage return"
        elif line != line.rstrip():
            yield f"{name}:{number}: blanks at the end of the line"
    if not data.endswith(b"\n"):
        yield f"{name}: no newline at the end of the file"
    elif data.endswith(b"\n\n"):
        yield f"{name}: empty lines at the end of the file"


def main():
    found = [problem for name in sys.argv[1:] for problem in problems_of(name)]
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
