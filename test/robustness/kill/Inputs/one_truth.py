# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: one_truth.py PAGETIDE TRACE RECORD-OUTPUT

All that tells whether TRACE is complete must say the same: `record`, whose
standard error RECORD-OUTPUT is, info, report and export, as text and as JSON.
Prints that verdict, and the number of the last period with rows.
"""

import json
import os
import subprocess
import sys


def run(*command):
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "400"},
    )


def agree(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found!r}, and info says {expected!r}")


def main():
    pagetide, trace, record_output = sys.argv[1:]
    info = run(pagetide, "info", trace)
    (line,) = [
        line.strip().removeprefix("integrity").strip()
        for line in info.stdout.splitlines()
        if line.strip().startswith("integrity")
    ]
    complete = line.startswith("complete, ")
    sentence = "" if complete else line.removeprefix("INCOMPLETE: ")
    agree("info's status", info.returncode, 0 if complete else 1)

    report = run(pagetide, "report", trace)
    head, below = report.stdout.splitlines()[:2]
    agree("report's head", head.endswith(", complete)"), complete)
    agree("report's head", head.endswith(", INCOMPLETE)"), not complete)
    agree("report", below.strip(), sentence)
    document = json.loads(run(pagetide, "report", "--json", trace).stdout)
    (of_report,) = document["traces"]
    agree("totals", document["totals"]["incomplete"], 0 if complete else 1)

    rows = run(pagetide, "export", "--format", "csv", trace)
    of_export = json.loads(
        run(pagetide, "export", "--format", "json", trace).stdout
    )
    agree(
        "export's message",
        rows.stderr,
        "" if complete else f"pagetide: {trace}: {sentence}\n",
    )
    for what, of_json in [("report", of_report), ("export", of_export)]:
        agree(f"{what} --json", of_json["complete"], complete)
        agree(f"{what} --json", of_json["problem"], sentence or None)
    agree("export --json", of_export["missing"], of_report["missing"])

    with open(record_output, encoding="utf-8") as file:
        (told,) = [
            line.rstrip("\n")
            for line in file
            if line.startswith(f"pagetide: trace: {trace} (")
        ]
    agree("record", "INCOMPLETE" in told, not complete)
    agree("record", f"INCOMPLETE: {sentence}" in told, not complete)

    # What is said to be missing is missing, and nothing is denied that is here.
    periods = [int(row.split(",")[0]) for row in rows.stdout.splitlines()[1:]]
    for missing in of_report["missing"]:
        last = missing["last"]
        for period in periods:
            if period >= missing["first"] and (last is None or period <= last):
                sys.exit(f"period {period} is here, and is said to be missing")
    lost = [n["text"] for n in of_report["notes"] if n["code"] == "lost"]
    if complete and lost:
        sys.exit(f"the trace is complete, and a note says: {lost}")
    print("complete" if complete else f"INCOMPLETE: {sentence}")
    print("last period with rows:", max(periods, default="none"))


if __name__ == "__main__":
    main()
