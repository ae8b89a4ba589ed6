"""Whether every public header compiles alone. Half of what that takes is to read the standard library's headers again and again.

usage: check_headers.py BUILD JOBS

BUILD/compile_commands.json has a source for each header that includes it and nothing else, made by CMake
(VERIFY_INTERFACE_HEADER_SETS). Each is compiled behind a precompiled header of headers of the standard library that the header
under test includes anyway, itself or by others: it is given nothing that it would not have, only sooner.
"""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

PRECOMPILED = 5  # sets of headers of the standard library
INCLUDE = re.compile(r'^#include (?:"([^"]+)"|<([a-z_]+)>)', re.MULTILINE)


class Headers:
    """What the project's headers include."""

    def __init__(self, root):
        self.root = root
        self.known = {}

    def standard(self, name):
        """The standard library's headers that a header of the project includes, itself or by others."""
        if name not in self.known:
            self.known[name] = set()  # of one that includes itself
            with open(os.path.join(self.root, name), encoding="utf-8") as file:
                for own, standard in INCLUDE.findall(file.read()):
                    self.known[name] |= {standard} if standard else self.standard(own)
        return self.known[name]


def chosen_sets(wanted):
    """Of all sets, those that together hold the most of what headers include."""
    chosen = [frozenset()]

    def held(sets):
        return sum(max(len(s) for s in sets if s <= includes) for includes in wanted)

    for _ in range(PRECOMPILED):
        chosen.append(max(sorted(set(wanted), key=sorted), key=lambda candidate: held([*chosen, candidate])))
    return chosen


def flags(entry):
    """The command without the names of source and object."""
    words = [word for word in shlex.split(entry["command"]) if not word.endswith("ccache")]
    for option in ("-o", "-c"):
        at = words.index(option)
        del words[at : at + 2]
    return words


def run(command, directory):
    return subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def main(build, jobs):
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = [entry for entry in json.load(file) if "_verify_interface_header_sets/" in entry["file"]]
    headers = Headers("include")
    names = [re.sub(r".*_verify_interface_header_sets/(.+)\.cxx$", r"\1", entry["file"]) for entry in entries]
    wanted = [frozenset(headers.standard(name)) for name in names]
    sets = chosen_sets(wanted)
    folder = os.path.join(os.path.abspath(build), "headers")
    os.makedirs(folder, exist_ok=True)
    plain = [word for word in flags(entries[0]) if not word.startswith(("-I", "-D"))] if entries else []

    def precompile(number):
        path = os.path.join(folder, f"standard_{number}.hpp")
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(f"#include <{name}>\n" for name in sorted(sets[number])))
        return run([*plain, "-x", "c++-header", "-c", path, "-o", path + ".gch"], folder)

    def check(number):
        largest = max((s for s in sets if s <= wanted[number]), key=len)
        precompiled = os.path.join(folder, f"standard_{sets.index(largest)}.hpp")
        before = ["-include", precompiled] if largest else []
        command = [*flags(entries[number]), "-fsyntax-only", *before, entries[number]["file"]]
        return run(command, entries[number]["directory"])

    failed = not entries
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for results in (pool.map(precompile, range(1, len(sets))), pool.map(check, range(len(entries)))):
            for result in results:
                failed = failed or result.returncode != 0
                print(result.stdout, end="")
    return 1 if failed else 0


sys.exit(main(sys.argv[1], int(sys.argv[2])))
