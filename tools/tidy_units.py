"""Sources in groups for clang-tidy, which spends most of its time on what they include.

usage: tidy_units.py BUILD OUTPUT

Reads BUILD/compile_commands.json and writes to OUTPUT a compile_commands.json of sources of src/, cli/ and python/, in groups:
those of one of these folders that are compiled with the same flags become one that includes them all, forty at most. Those
with kernels stay alone, because Highway includes each of them again for every instruction set.
"""
import json
import os
import re
import shlex
import sys

GNU_ALONE = re.compile(r"--param.*|-fno-(tree-.*|ivopts)")
# One operator's scanner stands for the others, and one family's kernels, which are the same lines.
CHECKED = re.compile(r"(src|cli|python/(?:common|jax|module))/(?!registry/scanner_(bit|m)|cpu/exact_kernels_(bits|order)).*\.cpp")
ALONE = re.compile(r"src/cpu/.*_kernels|cli/main\.cpp")
FILES_IN_A_GROUP = 40


def flags(entry):
    """The command without the names of source and object, and without what g++ alone knows."""
    words = [word for word in shlex.split(entry["command"]) if not GNU_ALONE.fullmatch(word)]
    at = words.index("-o")
    del words[at : at + 2]
    at = words.index("-c")
    del words[at : at + 2]
    return words


def sources(entry):
    """What an entry compiles: its file, or those that CMake has put into one (UPSWEEP_FEW_UNITS)."""
    if "/Unity/" not in entry["file"]:
        return [entry["file"]]
    with open(entry["file"], encoding="utf-8") as file:
        return re.findall(r'^#include "(.+)"', file.read(), re.MULTILINE)


def main(build, output):
    root = os.getcwd()
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    groups = {}
    for entry in entries:
        for path in sources(entry):
            source = os.path.relpath(path, root)
            if not CHECKED.fullmatch(source):
                continue
            stem = source[:-4] if ALONE.match(source) else source.split("/")[0]
            groups.setdefault((stem, entry["directory"], tuple(flags(entry))), []).append(path)

    os.makedirs(output, exist_ok=True)
    units = []
    for (stem, directory, words), paths in groups.items():
        parts = -(-len(paths) // FILES_IN_A_GROUP)
        for part in range(parts):
            unit = paths[part::parts][0]
            if len(paths) > 1:
                unit = os.path.join(os.path.abspath(output), f"{stem.replace('/', '_')}_{len(units)}.cpp")
                with open(unit, "w", encoding="utf-8") as file:
                    for path in paths[part::parts]:
                        file.write(f'#include "{path}"  // NOLINT(bugprone-suspicious-include)\n')
            units.append({"directory": directory, "file": unit, "command": shlex.join([*words, "-c", unit])})
    with open(os.path.join(output, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump(units, file, indent=1)


main(*sys.argv[1:])
