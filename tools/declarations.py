"""Reads what a C++ header of the project declares, and writes it as readers of a reference want to see it.

A declaration belongs to the comment above it, and so do those that follow without a comment of their own. What a comment that begins
with "For engines" stands above is left out, of a class up to the next empty line. Whatever cannot be read ends the program, with
the header and the line. This knows as much of C++ as the headers use, no more.
"""
import re
import sys

WIDTH = 100  # columns of a synopsis
SHOWN = ("upsweep", "upsweep::cpu")  # namespaces
NUMBERS = ("integer", "ordered_number", "number", "bit_pattern", "truth_value")  # concepts of core that are named without it
HIDDEN = re.compile(r"\b(?:core|detail|cpu::tuning)::")
LITERAL = re.compile(r'//[^\n]*|"(?:\\.|[^"\\])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\])+\'')
TOKEN = re.compile(r"(?P<comment>//[^\n]*)|(?P<label>(?:public|private|protected):)|(?P<code>#[^\n]*)")
FOR_ENGINES = "// For engines"


def split_outside(text, separator):
    """The parts of a text between separators that no bracket encloses."""
    parts, depth, begin = [], 0, 0
    for at, c in enumerate(text):
        depth += (c in "([{<") - (c in ")]}" or (c == ">" and text[at - 1] != "-"))
        if depth == 0 and text.startswith(separator, at):
            parts.append(text[begin:at].strip())
            begin = at + len(separator)
    return [part for part in [*parts, text[begin:].strip()] if part]


def closing(text, at):
    """Where the parenthesis or angle bracket at `at` is closed."""
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] in "(<") - (text[end] == ")" or (text[end] == ">" and text[end - 1] != "-"))
        if depth == 0:
            return end
    raise ValueError("a bracket is not closed")


def plain(text):
    """A declaration on one line, without comments and attributes."""
    text = " ".join(re.sub(r"//[^\n]*", "", text).split())
    return re.sub(r"\[\[\w+\]\] |\bUPSWEEP_HOST_DEVICE |\bcore::(?=(?:%s)\b)" % "|".join(NUMBERS), "", text)


def without_template(text):
    """Parameters of the template, conjuncts of its requires-clause, and the declaration itself."""
    parameters, conditions = [], []
    if text.startswith("template"):
        begin = text.index("<")
        end = closing(text, begin)
        parameters, text = split_outside(text[begin + 1 : end], ","), text[end + 1 :].strip()
    while re.match(r"requires\b" if not conditions else "&&", text):
        begin = re.match(r"(?:requires|&&)\s*[\w:]*", text).end()
        end = closing(text, begin) + 1 if text[begin] in "(<" else begin
        conditions.append(re.sub(r"^(?:requires|&&)\s*", "", text[:end]))
        text = text[end:].strip()
    return parameters, conditions, text


def is_function(head):
    """Whether braces behind this are the body of a function."""
    declared = without_template(plain(head))[2]
    return "(" in declared and len(split_outside(declared, " = ")) == 1 and not re.match(r"(?:class|struct|enum|concept|using)\b", declared)


def broken(head, arguments, tail):
    """A list with what stands around it, on lines of at most WIDTH columns."""
    if len(head + ", ".join(arguments) + tail) <= WIDTH:
        return [head + ", ".join(arguments) + tail]
    hangs = len(head) + max(map(len, arguments)) + len(tail) <= WIDTH
    lines = [head] if hangs else [head, "    "]
    for number, argument in enumerate(arguments):
        text = argument + ("," if number < len(arguments) - 1 else tail)
        if number and len(lines[-1]) + 1 + len(text) > WIDTH:
            lines.append(" " * (len(head) if hangs else 4) + text)
        else:
            lines[-1] += (" " if number else "") + text
    return lines


def with_acc(parameters, conditions, declared):
    """The three without parameters that only compute the accumulator's type, which is called Acc."""
    for helper in [p for p in parameters if "=" in p and HIDDEN.search(p)]:
        parameters = [p for p in parameters if p != helper]
        name = re.compile(rf"\b{re.split(' =', helper)[0].split()[-1]}\b")
        conditions, declared = [name.sub("Acc", condition) for condition in conditions], name.sub("Acc", declared)
    return parameters, conditions, declared


def template_lines(parameters, conditions):
    """The template's lines, with conditions as constraints of their parameters."""
    shown = [re.sub(r"detail::\w+(?= \w+$)", "class", p) for p in parameters]
    names = [p.split(" =")[0].split()[-1] for p in shown]
    left = []
    for condition in conditions:
        concept = re.fullmatch(r"(\w+)<(\w+)(?:, (.*))?>", condition)
        at = names.index(concept[2]) if concept and concept[2] in names else None
        used = set(re.findall(r"\w+", concept[3] or "")) if concept else set()
        if at is not None and shown[at].startswith("class ") and not used & set(names[at:]):
            shown[at] = shown[at].replace("class", concept[1] + (f"<{concept[3]}>" if concept[3] else ""), 1)
        elif not HIDDEN.search(condition) and "std::is_const_v" not in condition:
            left.append(condition)
    lines = broken("template <", shown, ">") if parameters else []
    return lines + (["requires " + " && ".join(left)] if left else [])


class Source:
    """A header's text. Directives are blanked, but for macros that are values; of each #if the first branch is read."""

    def __init__(self, root, header):
        self.path = root / header
        branches, lines, continued = [], [], False
        for line in self.path.read_text(encoding="utf-8").split("\n"):
            word = "" if continued else (re.match(r"#?\s*(\w*)", line)[1] if line.startswith("#") else "")
            branches += [True] if word.startswith("if") else []
            if word in ("else", "elif"):
                branches[-1] = False
            is_shown = all(branches) and not continued and (not word or re.match(r"#define \w+ [^\s\\]+$", line))
            branches = branches[:-1] if word == "endif" else branches
            continued = (bool(word) or continued) and line.endswith("\\")
            lines.append(line if is_shown else "")
        self.text = "\n".join(lines)
        self.leading = [line[2:].removeprefix(" ") for line in self.text.split("\n\n")[0].split("\n")]

    def fail(self, at, why):
        sys.exit(f"{self.path}:{self.text.count(chr(10), 0, at) + 1}: {why}")

    def past(self, at):
        """Behind the comment, literal or brackets that begin at `at`, or the one character there."""
        if literal := LITERAL.match(self.text, at):
            return literal.end()
        begin, close = at, {"(": ")", "[": "]", "{": "}"}.get(self.text[at])
        at += 1
        while close and self.text[at] != close:
            at = self.past(at)
            if at >= len(self.text):
                self.fail(begin, "a bracket is not closed")
        return at + 1 if close else at

    def items(self, at, end):
        """What a scope has between two places: (kind, begin, end, begin of braces), of empty, comment, label and code."""
        while at < end:
            space = re.compile(r"\s*").match(self.text, at)
            if space[0].count("\n") > 1:
                yield "empty", at, at, None
            at = begin = space.end()
            if at >= end:
                return
            if token := TOKEN.match(self.text, at):
                at = token.end()
                yield token.lastgroup, begin, at, None
                continue
            braces = None
            while self.text[at] != ";":
                if self.text[at] == "{":
                    braces = braces or at
                    if self.text.startswith("namespace", begin) or is_function(self.text[begin:at]):
                        break
                at = self.past(at)
                if at >= end:
                    self.fail(begin, "a declaration does not end")
            at = self.past(at)
            yield "code", begin, at, braces

    def blocks(self, at=0, end=None, scope=""):
        """The comments of public namespaces, in order, each with its declarations."""
        comment, hidden, found = [], False, []
        for kind, begin, stop, braces in self.items(at, len(self.text) if end is None else end):
            text = self.text[begin:stop]
            if kind == "empty":
                comment = []
            elif kind == "comment":
                hidden = hidden and bool(comment) or text.startswith(FOR_ENGINES)
                comment.append(text[2:].removeprefix(" "))
            elif name := re.match(r"namespace ([\w:]+) {", text):
                inner = f"{scope}::{name[1]}" if scope else name[1]
                if inner in SHOWN:
                    found += self.blocks(braces + 1, stop - 1, inner)
                elif inner.split("::")[-1] not in ("core", "detail"):
                    self.fail(begin, f"namespace {inner} is neither public nor core nor detail")
            elif hidden or re.match(r"(?:struct|class) \w+;|template <>|static_assert", text):
                comment = []
            elif scope or text.startswith("#"):
                if comment or not found:
                    found.append((comment, []))
                found[-1][1].append(Declaration(self, begin, stop, braces, scope))
                comment = []
            else:
                self.fail(begin, f"a declaration outside of namespace upsweep: {plain(text)[:100]}")
        return found

    def members(self, at, end, is_public):
        """The lines of a class's public members, with their comments."""
        lines, comment, hidden, behind = [] if is_public else ["  public:"], [], False, 0
        for kind, begin, stop, braces in self.items(at, end):
            text = self.text[begin:stop]
            if kind == "label":
                is_public, comment = text == "public:", []
            elif kind == "empty":
                lines += [""] if is_public and not hidden and lines and lines[-1] not in ("", "  public:") else []
                comment, hidden = [], False
            elif kind == "comment" and behind and "\n" not in self.text[behind:begin]:
                if is_public and not hidden:
                    lines[-1] += self.text[behind:stop]
            elif kind == "comment":
                hidden = hidden and bool(comment) or text.startswith(FOR_ENGINES)
                comment.append(text)
            else:
                if is_public and not hidden and not re.match(r"static_assert|(?:struct|class) \w+;", text):
                    lines += ["    " + line for line in [*comment, *Declaration(self, begin, stop, braces).lines]]
                comment, behind = [], stop
        while lines and lines[-1] in ("", "  public:"):
            lines.pop()
        return lines


class Declaration:
    """A public declaration: its kind and name, the lines of its synopsis, and of a function its arguments."""

    def __init__(self, source, begin, end, braces, scope=""):
        self.kind, self.name, self.arguments, self.is_call = "", "", [], False
        head = plain(source.text[begin : braces or end]).rstrip("; ")
        try:
            self.read(source, head, begin, end, braces, scope)
        except (ValueError, IndexError):
            self.kind = ""
        if not self.kind:
            source.fail(begin, f"tools/declarations.py cannot read this declaration: {head[:100]}")
        if self.kind != "class" and HIDDEN.search("".join(self.lines)):
            source.fail(begin, f"this would show what is not public: {head[:100]}")
        self.name = scope.removeprefix("upsweep").removeprefix("::") + ("::" if scope.count("::") else "") + self.name

    def read(self, source, head, begin, end, braces, scope):
        parameters, conditions, rest = with_acc(*without_template(head))
        rest = re.sub(r"std::type_identity_t<((?:[^<>]|<[^<>]*>)*)>", r"\1", rest)
        self.lines = template_lines(parameters, conditions)
        if found := re.match(r"(class|struct) (\w+)(?: : .*)?$", rest):
            self.kind, self.name = "class", found[2]
            body = source.members(braces + 1, end - 2, found[1] == "struct")
            self.lines += [f"{rest} {{", *body, "};"] if body else [f"{rest} {{}};"]
        elif found := re.match(r"enum (?:class )?(\w+)$", rest):
            self.kind, self.name = "enum", found[1]
            self.lines += source.text[begin:end].split("\n")
        elif found := re.match(r"#define (\w+) \S+$", rest):
            self.kind, self.name = "macro", found[1]
            self.lines += [rest]
        elif found := re.match(r"(?:concept|using) (\w+) = (.*)$", rest):
            self.kind, self.name = "type", found[1]
            start = rest[: found.start(2)]
            parts = ["/* see above */"] if braces or HIDDEN.search(rest) else split_outside(found[2], "&&")
            one = start + " && ".join(parts) + ";"
            self.lines += [one] if len(one) <= WIDTH else [start.rstrip(), "    " + " &&\n    ".join(parts) + ";"]
        elif found := re.match(r"inline constexpr [\w:]+ (\w+)(?: = |$)", rest):
            self.kind, self.name = "variable", found[1]
            self.lines += [(found[0].removesuffix(" = ") if braces or HIDDEN.search(rest) else rest) + ";"]
        elif found := re.match(r"(?!extern|typedef|friend class)((?:[\w:<>,&*]+ )*?)(operator\(\)|operator [\w ]+|operator[^\s\w]+|~?\w+)\((.*)$", rest):
            is_guide = not found[1] and ") -> " in rest
            self.kind = "guide" if is_guide else "function" if found[1] or not scope else ""
            self.name = found[2]
            self.read_function(rest.removeprefix("inline "), found)
        elif not scope and (found := re.match(r"(?:[\w:<>,&*]+ )+(\w+)(?: = .*)?$", rest)):
            self.kind, self.name = "member", found[1]
            self.lines += [rest + ("{};" if braces else ";")]

    def read_function(self, rest, found):
        begin = len(rest) - len(found[3]) - 1
        end = closing(rest, begin)
        tail = re.sub(r"^ ?:.*| : .*", "", rest[end + 1 :])  # without what a constructor initializes
        arguments = split_outside(rest[begin + 1 : end], ",")
        self.arguments = [(a.split(" = ")[0].split()[-1].lstrip("&*"), " = " in a) for a in arguments]
        self.is_call = arguments[:1] == ["cpu::executor& ex"]
        self.lines += broken(rest[: begin + 1], arguments, f"){tail.rstrip()};")

    def call(self):
        """How it is called: name(argument, argument[, argument with a default])."""
        given, optional = [", ".join(name for name, has_default in self.arguments if has_default == which) for which in (False, True)]
        return f"{self.name}({given}" + (f"[{', ' if given else ''}{optional}]" if optional else "") + ")"
