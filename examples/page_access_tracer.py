#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: page_access_tracer.py TRACE. Prints it as the text of the Page Access Tracer."""
import csv, re, subprocess, sys

def rows(*words):
    with subprocess.Popen(["pagetide", "export", "-f", "csv", *words, sys.argv[1]], stdout=subprocess.PIPE, text=True) as tool:
        yield from csv.DictReader(tool.stdout)

def task_name(name):
    return re.sub("[^!-~]", "_", name[:15]) or "unknown"

def line(task, name, ns, *words):
    print("%16s-%-5s [000] .... %5d.%06d: %s" % (name, task, ns // 10**9, ns // 1000 % 10**6, " ".join(words)))

[process] = rows("--what", "processes")
pid, start, name = process["pid"], int(process["monotonic_ns"]), task_name(process["executable"].rpartition("/")[2])
process["layout"] != "access" or sys.exit("layout `access` does not tell reads from writes; use -fpagetide-layout=rw")
line(pid, name, start, "init_page_access_trace: START", name)
for row in rows("--columns", "+thread,read_site,write_site"):
    task = pid if row["tid"] == "0" else row["tid"]
    for way, letter, site in ("read", "R", row["read_site"]), ("written", "W", row["write_site"]):
        if row[way] == "1" and way not in row["may"] and (letter == "R" or "+carried" not in row["state"]):
            words = "handle_mm_fault:", task, letter, "%x" % int(site or 0), row["address"][2:]
            line(task, task_name(row["thread"] or name), int(row["start_ns"]), *words)
process["complete"] == "1" or sys.exit("the trace is not whole: " + process["problem"])
line(pid, name, start + int(process["duration_ns"]), "__reset_page_access_trace: END", name)
