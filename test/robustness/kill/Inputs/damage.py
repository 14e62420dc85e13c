# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: damage.py PAGETIDE TRACE SCRATCH-FILE

Damages one byte of TRACE after the other (a sample of them), and holds the rows
of what is left against those of the sound one: a period has the same rows, or
is named as missing.
"""

import json
import random
import subprocess
import sys

HEADER_BYTES = 80
SAMPLES = 100


def periods_of(document):
    periods = {}
    for row in document["rows"]:
        periods.setdefault(row["period"], []).append(row)
    return periods


def export(pagetide, trace):
    done = subprocess.run([pagetide, "export", "--format", "json", trace],
                          capture_output=True, text=True)
    return done, json.loads(done.stdout)


def lacks(document, period):
    return any(
        missing["first"] <= period
        and (missing["last"] is None or period <= missing["last"])
        for missing in document["missing"]
    )


def main():
    pagetide, trace, scratch = sys.argv[1:]
    with open(trace, "rb") as file:
        sound_bytes = file.read()
    sound = periods_of(export(pagetide, trace)[1])
    if len(sound) < 3:
        sys.exit(f"only {len(sound)} periods to damage")
    lost = 0
    chance = random.Random(1)
    for at in chance.sample(range(HEADER_BYTES, len(sound_bytes)), SAMPLES):
        damaged = bytearray(sound_bytes)
        damaged[at] ^= 1 << chance.randrange(8)
        with open(scratch, "wb") as file:
            file.write(damaged)
        done, document = export(pagetide, scratch)
        where = f"byte {at}: {document['problem']}"
        if document["complete"] or not done.stderr.startswith("pagetide: "):
            sys.exit(f"byte {at}: no word of the damage")
        # A wrong size at the end looks like a file that is too short.
        if done.returncode != (2 if document["damage"] else 0):
            sys.exit(f"{where}: status {done.returncode}")
        left = periods_of(document)
        for period, rows in left.items():
            partial = period in document["partial"]
            if not partial and rows != sound.get(period):
                sys.exit(f"{where}: period {period} has other rows")
            if partial and not all(row in sound[period] for row in rows):
                sys.exit(f"{where}: a part of period {period} has other rows")
            if lacks(document, period) != partial:
                sys.exit(f"{where}: period {period} is read, and missing")
        for period in sound.keys() - left.keys():
            if not lacks(document, period):
                sys.exit(f"{where}: period {period} is not named")
            lost += 1
    if lost > 2 * SAMPLES:
        sys.exit(f"{lost} periods are lost by {SAMPLES} damaged bytes")


if __name__ == "__main__":
    main()
