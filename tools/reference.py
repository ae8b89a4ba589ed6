"""Makes docs/reference.md, the page of all public calls, from the comments and declarations of the headers.

Usage: reference.py [--check]. With --check nothing is written; exits 1 if the page is not what would be.
"""
import os
import pathlib
import re
import sys

from declarations import NUMBERS, Source
from headings import slug

HEADERS = pathlib.Path("include/upsweep")
PAGE = pathlib.Path("docs/reference.md")
GROUPS = {
    "Scans": ["scan.hpp", "axis_scan.hpp", "segmented_scan.hpp", "recurrence.hpp"],
    "Totals": ["reduce.hpp", "axis_reduce.hpp", "segmented_reduce.hpp"],
    "Runs and repeats": ["unique.hpp", "repeat.hpp"],
    "Selection": ["compact.hpp", "partition.hpp", "predicates.hpp", "top_k.hpp"],
    "Bins": ["histogram.hpp", "bin_totals.hpp", "bins.hpp", "bin_range.hpp"],
    "Sorting": ["sort.hpp", "segmented_sort.hpp"],
    "What calls take": ["cpu/executor.hpp", "cpu/simd_level.hpp", "options.hpp", "segments.hpp", "views.hpp", "operators.hpp",
                        "types.hpp", "concepts.hpp", "error.hpp", "version.hpp"],
}
ALSO = {"sort.hpp": "core/key_order.hpp", "types.hpp": "core/accumulator.hpp"}  # headers that declare what belongs to others
NUMBER_HEADING = ", ".join(NUMBERS)
BACK_ENDS = {"cuda": "CUDA", "gl": "OpenGL", "vulkan": "Vulkan", "mpi": "MPI", "nccl": "NCCL"}

INTRODUCTION = """\
# Reference

All calls of the C++ library, by header, and the types that they take. `#include <upsweep/upsweep.hpp>` has them all, in namespace
`upsweep`. `tools/reference.py` makes this page from the comments in the headers.

A call is `f(executor, inputs..., outputs..., operator or function, options)`; segments and numbers of rows come before the inputs.
Options are given by name: `{.initial = 10.0f, .reverse = true}`. The calling thread and the executor's do the work, and results are there
when the call returns. What is wrong with a call is thrown, as [`upsweep::error`](#error).

In synopses:

- (+) is the operator; its earlier operand is on the left.
- `Acc` is the type in which elements are combined: the one that the caller names, `reduce<double>(executor, floats)`, or else
  (`deduced`) that of the input's elements, `float` for 16-bit floating point, `bool` for the logical operators.
- `input_range In` is a type that satisfies the concept [`input_range`](#input_range), `output_range<Acc> Out` one that satisfies
  `output_range<Out, Acc>`. What else is required is written below or follows from the arguments.
- What only the compiler needs is left out: parameters that nobody names, attributes, bodies.

Scans, partition, bins and histograms for your own kernels are in [collectives.md](collectives.md), the Python package in
[python.md](python.md).

## All calls

Arguments in brackets have defaults.
"""
ELSEWHERE = """\
## On other back ends

The same calls on the executors of {pages}, and the headers that have them. Those pages and
the headers' comments say what is different there: memory, types, further options. Vulkan's calls begin with `prepare_` and
give what a command buffer records.
"""

LABEL = re.compile(r"(?:^|(?<=[.;)] ))((?:Shapes|Bits|Aliasing|Errors|Complexity|Scratch|Sources?)(?:(?:,| and) [^.:]{1,60})?):\s+")
INNER = r"(?:[^\[\]]|\[[^\[\]]*\])*"  # of square brackets
CODE = re.compile(
    r"`[^`]*`|\"[^\"]*\"|"
    r"(?<![\w/.])(?:(?:upsweep|docs|core|cpu)/)?\w+\.(?:hpp|md)\b|"  # files
    r"(?<![\w.])(?!O\()[A-Za-z_]\w*(?:(?:::|\.)[A-Za-z_]\w*)*(?:<[^<>\s]*>)?"  # x[i], f(x), f<T>(x)
    rf"(?:\[{INNER}\]|\([^()]*(?:\((?:[^()]|\([^()]*\))*\)[^()]*)*\))+|"
    r"(?<![\w.])[A-Za-z]\w*(?:(?:::|\.)[A-Za-z_]\w*)+(?:<[^<>\s]*>)?|"  # a::b, a.b
    r"\b[A-Za-z]\w*_\w*\b|<[a-z_]+>|\{\.[^}]*\}|"
    r"\[(?:[^\[\](),]|\w\[[^\[\]]*\])+(?:, (?:[^\[\](),]|\w\[[^\[\]]*\])+)?[\])]")  # [a, b)
OPERATOR = r" (?:=|==|!=|<|<=|\(\+\)|\+|-|\*|\.\.\.)"


def prose(text):
    """A text with its code as code and its files as links."""
    def mark(found):
        word = found[0]
        if word.endswith(".md"):
            return "[{0}]({0})".format(word.removeprefix("docs/"))
        if word.endswith(".hpp"):
            header = word.removeprefix("upsweep/")
            is_here = any(header in headers for headers in GROUPS.values())
            return f"[{header}]({'#' + slug(header) if is_here else f'../{HEADERS}/{header}'})"
        return word if word[0] in "`\"" else f"`{word}`"

    text = CODE.sub(mark, " ".join(text.split()))
    text = re.sub(rf"`((?:{OPERATOR})+ )`", r"\1", text)  # `a` + `b` is `a + b`
    text = re.sub(rf"`({OPERATOR} \w{{1,2}}(?![\w`(\[]))", r"\1`", text)
    text = re.sub(rf"(?<![\w`.])([a-z]\w*{OPERATOR} )`", r"`\1", text)
    text = re.sub(r"`([^`]*)` `([^`]* [+-] [^`]*)`", r"`\1 \2`", text)  # `a` `b + c` is `a b + c`
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else re.sub(r"<(?=[A-Za-z/!?])", "&lt;", p).replace("*", r"\*") for p in parts)


def markdown(lines):
    """A comment as Markdown: what is indented as code, labelled sentences as a list, the rest as paragraphs."""
    parts = []  # (whether code, lines)
    for line in lines:
        is_code = line.startswith("    ")
        if not line or not parts or not parts[-1][1] or parts[-1][0] != is_code:
            parts.append((is_code, []))
        parts[-1][1].extend([line] if line else [])
    out = []
    for is_code, part in parts:
        if is_code:
            out += ["```text", *(line[4:] for line in part), "```", ""]
            continue
        before, *labelled = LABEL.split(" ".join(part))
        out += [prose(before), ""] if before.strip() else []
        if labelled and out and out[-1] == "" and len(out) > 1 and out[-2].startswith("- **"):
            out.pop()
        items = [f"- **{label}:** {prose(said)}" for label, said in zip(labelled[::2], labelled[1::2])]
        out += [*items, ""] if items else []
    return out


def first_sentence(comment):
    return prose(re.split(r"(?<=[^.])\.(?: |$)", " ".join(comment))[0]).replace("|", r"\|")


def operators():
    """Names, elements and meanings of operators.def."""
    text = (HEADERS / "operators.def").read_text(encoding="utf-8")
    line = re.compile(r'^UPSWEEP_(STRUCT_)?OPERATOR\((\w+),\s*(\w+),\s*\w+,\s*(\w+),\s*(?:\w+,\s*)?"(.*)"\)$', re.MULTILINE)
    rows = line.findall(text)
    if len(rows) != len(re.findall(r"^UPSWEEP_", text, re.MULTILINE)):
        sys.exit(f"{HEADERS}/operators.def: tools/reference.py cannot read every line")
    return [(name, f"`{first}<T>`" if of_structs else f"`{domain}`", meaning) for of_structs, name, first, domain, meaning in rows]


def numbers():
    """The concepts of numbers, from where they are defined."""
    text = (HEADERS / "core/arithmetic.hpp").read_text(encoding="utf-8")
    return [line for name in NUMBERS for line in re.search(rf"template <class T>\nconcept {name} = [^;]*;", text)[0].split("\n")]


def back_end_table(names):
    """In which headers of the back ends the calls are, as these declare them; a row for calls that are in the same ones."""
    rows = {}
    for name in names:
        cells = []
        for back_end in BACK_ENDS:
            call = rf"\bcommands prepare_{name}\(" if back_end == "vulkan" else rf"\b{name}\(\s*{back_end}::executor& "
            files = [path.name for path in sorted((HEADERS / back_end).iterdir())
                     if re.search(call, re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8")))]
            cells.append(", ".join(f"[{file}](../{HEADERS}/{back_end}/{file})" for file in files))
        rows.setdefault(" | ".join(cells), []).append(f"`{name}`")
    yield "| calls | " + " | ".join(BACK_ENDS.values()) + " |"
    yield "|---" * (len(BACK_ENDS) + 1) + "|"
    yield from (f"| {', '.join(calls)} | {cells} |" for cells, calls in rows.items())


class Page:
    def __init__(self):
        self.contents, self.body, self.anchors, self.calls = ["| call | what it gives |", "|---|---|"], [], {}, {}

    def heading(self, level, text):
        """Adds a heading and gives the link to it."""
        self.body += ["#" * level + " " + text, ""]
        anchor = slug(text)
        self.anchors[anchor] = self.anchors.get(anchor, -1) + 1
        return f"#{anchor}" + (f"-{self.anchors[anchor]}" if self.anchors[anchor] else "")

    def add_header(self, header):
        self.heading(3, header)
        source = Source(HEADERS, header)
        self.body += markdown(source.leading)
        blocks = source.blocks() + (Source(HEADERS, ALSO[header]).blocks() if header in ALSO else [])
        if header == "operators.hpp":
            rows = operators()
            self.body += [f"| operator | elements ([concepts](#{slug(NUMBER_HEADING)})) | a (+) b |", "|---|---|---|", *(f"| `{n}` | {e} | {m} |" for n, e, m in rows), ""]
            self.contents.append(f"| [{', '.join(f'`{row[0]}`' for row in rows)}](#{slug(header)}) | The built-in operators |")
        for comment, declarations in sorted(blocks, key=lambda block: not any(d.is_call for d in block[1])):  # calls first
            self.add_block(comment, declarations)
        if header == "concepts.hpp":
            self.heading(4, NUMBER_HEADING)
            self.body += ["Types of elements.", "", "```cpp", *numbers(), "```", ""]

    def add_block(self, comment, declarations):
        link = self.heading(4, ", ".join(dict.fromkeys(d.name for d in declarations if d.kind != "guide")))
        self.body += [*markdown(comment), "```cpp", *(line for d in declarations for line in d.lines), "```", ""]
        for d in declarations:
            self.calls.update({d.name: None} if d.is_call else {})
            if d.kind in ("function", "class"):
                self.contents.append(f"| [`{d.call() if d.kind == 'function' else d.name}`]({link}) | {first_sentence(comment)} |")

    def text(self):
        for group, headers in GROUPS.items():
            link = self.heading(2, group)
            self.contents.append(f"| **[{group}]({link})** | {', '.join(f'[{h}](#{slug(h)})' for h in headers)} |")
            for header in headers:
                self.add_header(header)
        self.contents += ["| **[On other back ends](#on-other-back-ends)** | |", ""]
        pages = ", ".join(f"[{title}]({back_end}.md)" for back_end, title in BACK_ENDS.items())
        return "\n".join([INTRODUCTION, *self.contents, *self.body, ELSEWHERE.format(pages=pages), *back_end_table(self.calls), ""])


def main():
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    placed = {header for headers in GROUPS.values() for header in headers} | {"upsweep.hpp"}
    for path in sorted(HEADERS.glob("*.hpp")):
        if path.name not in placed:
            sys.exit(f"{HEADERS}/{path.name}:1: tools/reference.py has no place for this header: add it to GROUPS")
    made = Page().text()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(made, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made:
        sys.exit("docs/reference.md is not what tools/reference.py makes: run ./dev format")


if __name__ == "__main__":
    main()
