#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the SQL queries of a document on a database that export has made.

usage: check_queries.py DOCUMENT DATABASE

Prints each query's first line, its columns and its rows.
"""

import re
import sqlite3
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    queries = re.findall(r"^```sql\n(.*?)^```", file.read(), re.S | re.M)
database = sqlite3.connect(sys.argv[2])
for query in queries:
    cursor = database.execute(query)
    print(query.splitlines()[0])
    print("  ", ", ".join(column[0] for column in cursor.description))
    for row in cursor:
        print("  ", ", ".join(str(value) for value in row))
print(f"{len(queries)} queries")
