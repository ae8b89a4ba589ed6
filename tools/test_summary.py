"""Adds up test results over presets and prints them; the last line is `N passed, N failed, N skipped`.

Usage: test_summary.py NAME=BUILD_DIR...

Reads BUILD_DIR/test-results: ctest.xml (CTest's JUnit file, one case for each program run) and, for a program
that is a GoogleTest executable, NAME.xml, whose cases replace the program's own line. A program that crashed,
timed out or failed after its last case counts as one failure; so does a file build.failed (a preset that did
not build) and a preset without any result. A file preset.skipped, whose text is the reason, makes the preset one
skipped test. Exits 1 if anything failed or nothing passed.
"""
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

Result = collections.namedtuple("Result", "passed failed skipped")  # a count, and two lists of (name, reason)


def one_line(text, limit=160):
    """The text on one line, without GoogleTest's leading `file:line`."""
    words = [part.strip() for part in (text or "").splitlines() if part.strip()]
    if len(words) > 1 and ":" in words[0] and " " not in words[0]:
        words = words[1:]
    line = " ".join(words)
    return line if len(line) <= limit else line[: limit - 3] + "..."


def read_gtest(file, program):
    passed, failed, skipped = 0, [], []
    for case in xml.parse(file).getroot().iter("testcase"):
        name = f"{program}: {case.get('classname')}.{case.get('name')}"
        failure, skip = case.find("failure"), case.find("skipped")
        if failure is not None:
            failed.append((name, one_line(failure.get("message"))))
        elif skip is not None or case.get("result") == "skipped":
            reason = one_line(skip.get("message")) if skip is not None else ""
            skipped.append((name, reason or "no reason given"))
        elif case.get("status") == "notrun":
            skipped.append((name, "disabled"))
        else:
            passed += 1
    return Result(passed, failed, skipped)


def read_program(results, case):
    """The result of one CTest case: its GoogleTest cases where there are any, else the case itself."""
    program, status = case.get("name"), case.get("status")
    own = Result(1, [], [])
    if status in ("notrun", "disabled"):
        skip = case.find("skipped")
        reason = one_line(skip.get("message")) if skip is not None else ""
        # CTest says `notrun` both for a skipped test and for one whose program or fixture is missing. A skipped one
        # may say why: `skipped: REASON`.
        why = re.search(r"^skipped: (.+)$", case.findtext("system-out") or "", re.MULTILINE)
        own = Result(0, [], [(program, why.group(1) if why else reason or "not run")])
        if reason and not reason.startswith("SKIP"):
            own = Result(0, [(program, "not run: " + reason)], [])
    elif status != "run":
        failure = case.find("failure")
        own = Result(0, [(program, one_line(failure.get("message") if failure is not None else "") or "failed")], [])

    file = results / f"{program}.xml"
    if not file.exists():
        return own
    try:
        cases = read_gtest(file, program)
    except xml.ParseError as fault:
        return own if own.failed else Result(0, [(program, f"unreadable result file: {fault}")], [])
    if own.failed and not cases.failed:
        return Result(cases.passed, own.failed, cases.skipped)
    return cases


def read_preset(build):
    results = build / "test-results"
    if (results / "build.failed").exists():
        return Result(0, [("build", "did not build, see " + str(build / "build.log"))], [])
    if (results / "preset.skipped").exists():
        return Result(0, [], [("all", one_line((results / "preset.skipped").read_text(encoding="utf-8")))])
    passed, failed, skipped = 0, [], []
    try:
        cases = list(xml.parse(results / "ctest.xml").getroot().iter("testcase"))
    except (OSError, xml.ParseError):
        return Result(0, [("ctest", "left no result file")], [])
    for case in cases:
        result = read_program(results, case)
        passed += result.passed
        failed += result.failed
        skipped += result.skipped
    if not cases:
        failed.append(("ctest", "found no test"))
    return Result(passed, failed, skipped)


def main():
    presets = [argument.split("=", 1) for argument in sys.argv[1:]]
    results = {name: read_preset(pathlib.Path(build)) for name, build in presets}
    print(f"\n{'preset':<10}{'passed':>8}{'failed':>8}{'skipped':>9}")
    for name, result in results.items():
        print(f"{name:<10}{result.passed:>8}{len(result.failed):>8}{len(result.skipped):>9}")
    for title, field in (("skipped", "skipped"), ("FAILED", "failed")):
        lines = [(name, *case) for name, result in results.items() for case in getattr(result, field)]
        if lines:
            print(f"\n{title}:")
        for name, case, reason in lines:
            print(f"  {name}  {case}: {reason}")
    passed = sum(result.passed for result in results.values())
    failed = sum(len(result.failed) for result in results.values())
    skipped = sum(len(result.skipped) for result in results.values())
    print(f"\n{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
