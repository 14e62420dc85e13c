# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of rows, for people and for documents."""


def print_table(columns, rows):
    lines = [[str(cell) for cell in line] for line in [columns] + rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    for line in lines:
        print("  ".join(
            cell.rjust(width) if cell[:1].isdigit() else cell.ljust(width)
            for cell, width in zip(line, widths)).rstrip())


def markdown(columns, rows):
    return "\n".join(
        "| " + " | ".join(str(cell) for cell in line) + " |"
        for line in [columns, ["---"] * len(columns)] + rows
    )
