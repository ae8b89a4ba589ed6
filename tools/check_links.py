#!/usr/bin/env python3
"""Finds links of Markdown files, within a page or to other files of the project, that lead nowhere.

    python3 tools/check_links.py FILE...

Anchors are those that GitHub gives headings. Links to other sites are left alone."""

import pathlib
import re
import sys

from headings import slug

LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")


def anchors(text):
    """The anchors of a page's headings: lower case, words joined by hyphens, numbered where one comes again."""
    found, times = set(), {}
    for heading in re.findall(r"^#{1,6} +(.*?) *#*$", FENCE.sub("", text), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = slug(plain)
        count = times.get(anchor, 0)
        times[anchor] = count + 1
        found.add(f"{anchor}-{count}" if count else anchor)
    return found


def text_of(path, cache={}):
    if path not in cache:
        cache[path] = path.read_text(encoding="utf-8")
    return cache[path]


def broken_links(page):
    text = text_of(page)
    hidden = CODE.sub(lambda match: " " * len(match[0]), FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text))
    for match in LINK.finditer(hidden):
        target = match[1]
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        name, _, anchor = target.partition("#")
        goal = (page.parent / name).resolve() if name else page.resolve()
        line = text.count("\n", 0, match.start()) + 1
        if not goal.exists():
            yield line, f"{target}: there is no such file"
        elif anchor and goal.suffix == ".md" and anchor not in anchors(text_of(goal)):
            yield line, f"{target}: no heading has this anchor"


def main():
    failed = False
    for name in sys.argv[1:]:
        for line, what in broken_links(pathlib.Path(name)):
            print(f"{name}:{line}: {what}", file=sys.stderr)
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
