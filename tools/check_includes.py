"""Checks the include rule of docs/architecture.md: public API -> cpu | cuda | shader hosts -> core -> concepts.

Usage: check_includes.py ROOT. Prints `file:line: what is wrong` for each broken rule and exits 1 if there is any.
"""
import pathlib
import re
import sys

BACK_ENDS = ("cpu", "cuda", "nccl", "gl", "vulkan", "mpi")
# The bottom layer: what every other header may use. They may use core's primitives and each other, never an
# engine; that nothing goes round in circles is checked file by file.
VOCABULARY = {"bin_range", "concepts", "error", "operators", "options", "predicates", "types", "version", "views"}
CLI_MAY = {"upsweep/error.hpp", "upsweep/version.hpp"}
SUFFIXES = {".hpp", ".cpp", ".cuh", ".cu", ".def"}
FOLDERS = ("include", "src", "cli", "tests", "benchmarks", "examples")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<((?:upsweep|hwy)/[^>]+)>)')


def layer(path):
    """The layer of a file, from its path relative to the root or its name in an include directive."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[:2] == ("include", "upsweep"):
        parts = parts[1:]
    if parts[0] == "src":
        return parts[1] if len(parts) > 2 and parts[1] in BACK_ENDS + ("registry", "emulator", "shader") else "source"
    if parts[0] != "upsweep":
        return parts[0]
    if len(parts) > 2:
        return parts[1]
    return "vocabulary" if parts[1].split(".")[0] in VOCABULARY else "public"


def may_include(user, used):
    """Whether a file of layer `user` may include a header of layer `used`, by the rule."""
    if user == "vocabulary" or user == "core":
        return used in ("vocabulary", "core")
    # Collectives know groups by their concepts only; who supplies groups knows no collective.
    if user in ("collectives", "emulator"):
        return used in ("vocabulary", "core", user)
    # What OpenGL and Vulkan share; it reads constants from the GLSL.
    if user == "shader":
        return used in ("vocabulary", "core", "shaders", user)
    if user in ("gl", "vulkan") and used == "shader":
        return True
    # Ranks of a cluster do their shares through the engines of the CPU or of a GPU, which are called as the public
    # functions call them.
    if user == "mpi":
        return used in ("vocabulary", "core", "cpu", "public", user)
    if user == "nccl":
        return used in ("vocabulary", "core", "cuda", "public", user)
    if user in BACK_ENDS:
        return used in ("vocabulary", "core", "collectives", user)
    if user == "public":
        return used not in ("registry", "emulator", "mpi", "nccl")
    return True


def resolve(root, file, name):
    """The file that an include directive names, relative to the root; None for a dependency's header."""
    for base in (file.parent, root / "include", root, root / "src", root / "cli", root / "tests", root / "benchmarks"):
        candidate = base / name
        if candidate.is_file():
            return candidate.resolve().relative_to(root)
    return None


def check_file(root, file, graph):
    own = file.relative_to(root)
    user = layer(own.as_posix())
    problems = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        name = match.group(1) or match.group(2)
        where = f"{own}:{number}"
        if name.endswith(".cuh") and not {"cuda", "nccl"} & set(own.parts) and own.suffix != ".cu":
            problems.append(f"{where}: {name}: only files under cuda/ and nccl/ and .cu files include a .cuh")
        if name.startswith("hwy/"):
            if own.parts[0] not in ("src", "tests", "benchmarks"):
                problems.append(f"{where}: {name}: Highway stays inside src/")
            continue
        target = resolve(root, file, name)
        if target is None:
            if name.startswith("upsweep/"):
                problems.append(f"{where}: {name}: there is no such header")
            continue
        graph.setdefault(own, {})[target] = number
        used = layer(target.as_posix())
        if not may_include(user, used):
            problems.append(f"{where}: {name}: {user} must not include {used}")
        from_library = target.parts[0] in ("include", "src")
        if user == "cli" and from_library and name not in CLI_MAY and "registry" not in target.parts:
            problems.append(f"{where}: {name}: the command line sees error.hpp, version.hpp and the registry only")
    return problems


def find_cycles(graph):
    """One message for each header that includes itself by way of others."""
    state, problems = {}, []

    def visit(file, trail):
        state[file] = "open"
        for target in graph.get(file, {}):
            # A Highway source names itself for foreach_target.h, which is no cycle.
            if target == file:
                continue
            if state.get(target) == "open":
                circle = [str(f) for f in trail[trail.index(target):] + [target]]
                problems.append(f"{file}:{graph[file][target]}: includes in a circle: {' -> '.join(circle)}")
            elif target not in state:
                visit(target, trail + [target])
        state[file] = "done"

    for file in sorted(graph):
        if file not in state:
            visit(file, [file])
    return problems


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    files = [f for folder in FOLDERS for f in sorted((root / folder).rglob("*")) if f.suffix in SUFFIXES]
    graph, problems = {}, []
    for file in files:
        problems += check_file(root, file, graph)
    problems += find_cycles(graph)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
