#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a configuration of SPEC CPU 2017's runcpu, for those who have no SPEC.

Reads FILE as runcpu would with the macros given: the conditions, the macros, the
sections. Prints the options that are left, one per line, with their section.
Knows what pagetide.cfg uses of the language, and takes the rest for an error.

Exit status: 0; 1 where something is wrong, each fault with its line; 2 where FILE
cannot be read.
"""

import argparse
import re
import sys

# What runcpu takes: options of its own, which stand above the first section or
# in one, and variables of its makefiles. Of both, those of any use here.
OPTIONS = set(
    "action allow_label_override backup_config basepeak bind check_version "
    "command_add_redirect copies delay deletework env_vars expid fail_build "
    "fail_run ignore_errors iterations keeptmp label line_width log_line_width "
    "make makeflags mean_anyway minimize_builddirs minimize_rundirs "
    "monitor_wrapper no_input_handler output_format output_root parallel_test "
    "power preenv rebuild reportable runlist size strict_rundir_verify submit "
    "sysinfo_program table teeout threads tune use_submit_for_compare "
    "use_submit_for_speed verbose verify_binaries".split()
)
VARIABLE = re.compile(
    r"(CC|CXX|FC|CLD|CXXLD|FLD)(_VERSION_OPTION)?$|"
    r"(EXTRA_)?(C|CXX|F|LD|CLD|CXXLD|FLD)?(OPTIMIZE|PORTABILITY|FLAGS|LIBS)$|"
    r"(EXTRA_)?(LDC|LDCXX|LDF)FLAGS$|EXTRA_(C|CXX|F|LD)?FLAGS$|LDOUT$"
)
HEADER_ONLY = re.compile(r"preENV_[A-Za-z_][A-Za-z0-9_]*$")
NUMBERS = set(
    "allow_label_override backup_config copies iterations ignore_errors "
    "reportable threads verify_binaries".split()
)

SUITES = "default intrate intspeed fprate fpspeed".split()
# Number by number, rate and speed.
BENCHMARKS = set(
    "500.perlbench_r 502.gcc_r 503.bwaves_r 505.mcf_r 507.cactuBSSN_r "
    "508.namd_r 510.parest_r 511.povray_r 519.lbm_r 520.omnetpp_r 521.wrf_r "
    "523.xalancbmk_r 525.x264_r 526.blender_r 527.cam4_r 531.deepsjeng_r "
    "538.imagick_r 541.leela_r 544.nab_r 548.exchange2_r 549.fotonik3d_r "
    "554.roms_r 557.xz_r 600.perlbench_s 602.gcc_s 603.bwaves_s 605.mcf_s "
    "607.cactuBSSN_s 619.lbm_s 620.omnetpp_s 621.wrf_s 623.xalancbmk_s "
    "625.x264_s 627.cam4_s 628.pop2_s 631.deepsjeng_s 638.imagick_s "
    "641.leela_s 644.nab_s 648.exchange2_s 649.fotonik3d_s 654.roms_s "
    "657.xz_s".split()
)
FORTRAN = re.compile(
    r"\d+\.(bwaves|cactuBSSN|wrf|cam4|pop2|exchange2|fotonik3d|roms)_[rs]$"
)
TUNINGS = "default base peak".split()

MACRO = re.compile(r"%\{([A-Za-z_][A-Za-z0-9_-]*)\}")
SECTION = re.compile(r"([A-Za-z0-9._,]+(?:=[^=:\s]*)*):$")
OPTION = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$")
COMPARISON = re.compile(
    r"(?P<left>\S+)\s+(?P<operator>eq|ne|=~|!~)\s+"
    r"(?:\"(?P<text>[^\"]*)\"|m/(?P<pattern>[^/]*)/)$"
)


class Condition:
    """An %if that is open."""

    def __init__(self, line, outer):
        self.line = line
        self.outer = outer  # what is around it is read
        self.taken = False  # one of its parts was
        self.reading = False
        self.last = False  # %else was there


class Checker:
    def __init__(self, macros):
        self.macros = dict(macros)
        self.faults = []
        self.conditions = []
        self.section = None
        self.keys = set()  # (section, key)
        self.options = []  # (section or None, key, value)
        self.line = 0

    def fault(self, text, line=None):
        self.faults.append((line or self.line, text))

    def reading(self):
        return not self.conditions or self.conditions[-1].reading

    def expand(self, text):
        def value(match):
            name = match.group(1)
            if name not in self.macros:
                self.fault("macro '%s' has no value" % name)
                return ""
            return self.macros[name]

        expanded = MACRO.sub(value, text)
        if "%{" in expanded:
            self.fault("what is no macro: '%s'" % text)
        return expanded

    def holds(self, expression):
        match = COMPARISON.match(expression)
        if not match:
            self.fault("a condition that this script does not know: '%s'"
                       % expression)
            return False
        left = self.expand(match["left"])
        comparison = match["operator"]
        text, pattern = match["text"], match["pattern"]
        if (comparison in ("eq", "ne")) != (pattern is None):
            self.fault("'%s' with what it does not compare" % comparison)
            return False
        if pattern is None:
            return (left == text) == (comparison == "eq")
        try:
            found = re.search(pattern, left) is not None
        except re.error as error:
            self.fault("pattern '%s': %s" % (pattern, error))
            return False
        return found == (comparison == "=~")

    def defined(self, rest):
        match = MACRO.fullmatch(rest)
        if not match:
            self.fault("'%s' is no macro: write %%{NAME}" % rest)
            return False
        return match.group(1) in self.macros

    def directive(self, word, rest):
        if word in ("if", "ifdef", "ifndef"):
            condition = Condition(self.line, self.reading())
            self.conditions.append(condition)
            if condition.outer:
                condition.taken = (
                    self.holds(rest)
                    if word == "if"
                    else self.defined(rest) == (word == "ifdef")
                )
            condition.reading = condition.taken
        elif word in ("elif", "else", "endif"):
            self.close(word, rest)
        elif word not in ("define", "undef", "error", "warning", "info"):
            self.fault("no directive: '%%%s'" % word)
        elif not self.reading():
            pass
        elif word in ("error", "warning"):
            self.fault("%%%s %s" % (word, self.expand(rest)))
        elif word == "define":
            name, _, value = rest.partition(" ")
            if not re.fullmatch("[A-Za-z_][A-Za-z0-9_-]*", name):
                self.fault("'%s' is no name of a macro" % name)
            elif name in self.macros:
                self.fault("macro '%s' is defined already" % name)
            self.macros[name] = self.expand(value.strip())
        elif word == "undef":
            if self.defined(rest):
                del self.macros[MACRO.fullmatch(rest).group(1)]

    def close(self, word, rest):
        if not self.conditions:
            self.fault("%%%s without %%if" % word)
            return
        condition = self.conditions[-1]
        if word == "endif":
            self.conditions.pop()
            return
        if condition.last:
            self.fault("%%%s after %%else" % word)
        condition.last = word == "else"
        free = condition.outer and not condition.taken
        condition.reading = free and (word == "else" or self.holds(rest))
        condition.taken |= condition.reading

    def names(self, given, only=False):
        for name in given.split(","):
            if name not in BENCHMARKS and (only or name not in SUITES):
                self.fault("'%s' is no benchmark of SPEC CPU 2017" % name)
            elif FORTRAN.match(name):
                self.fault("%s is in Fortran, which has no marks" % name)

    def start_section(self, marker):
        self.section = marker
        given, *specifiers = marker.split("=")
        self.names(given)
        if specifiers and specifiers[0] not in TUNINGS:
            self.fault("'%s' is no tuning: %s"
                       % (specifiers[0], ", ".join(TUNINGS)))
        # Then come the label, and what is there for history's sake.
        if len(specifiers) > 3:
            self.fault("section '%s' has too many parts" % marker)

    def option(self, key, value):
        if HEADER_ONLY.match(key):
            if self.section is not None:
                self.fault("%s belongs above the first section" % key)
        elif key not in OPTIONS and not VARIABLE.match(key):
            self.fault("'%s' is no option of runcpu" % key)
        elif VARIABLE.match(key) and self.section is None:
            self.fault("%s belongs into a section, such as default:" % key)
        if (self.section, key) in self.keys:
            self.fault("%s is given twice in one section" % key)
        self.keys.add((self.section, key))
        if key in NUMBERS and not value.isdigit():
            self.fault("%s = %s: a number is needed" % (key, value))
        if key == "label" and not re.fullmatch("[A-Za-z0-9._-]+", value):
            self.fault("label '%s': letters, digits, '.', '_' and '-'" % value)
        if key == "runlist":
            self.names(value, only=True)
        self.options.append((self.section, key, value))

    def read(self, lines):
        for self.line, line in enumerate(lines, 1):
            line = line.rstrip()
            # A directive begins its line; only its word may stand apart.
            match = re.match(r"%\s*([a-z]+)\b\s*(.*)$", line)
            if match:
                rest = re.sub(r"\s+#\s.*$", "", match[2])
                self.directive(match[1], rest.strip())
                continue
            if not self.reading():
                continue
            line = re.sub(r"(^|\s)#.*$", "", line).strip()
            if not line:
                continue
            line = self.expand(line)
            if section := SECTION.match(line):
                self.start_section(section[1])
            elif option := OPTION.match(line):
                self.option(option[1], option[2].strip())
            else:
                self.fault("neither a section nor an option: '%s'" % line)
        for condition in self.conditions:
            self.fault("%if without %endif", condition.line)


def definition(text):
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError("'%s': give NAME=VALUE" % text)
    return name, value


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: check_config.py pagetide.cfg --define layout=rw "
        "--define pagetide=/opt/pagetide",
    )
    parser.add_argument("file", metavar="FILE")
    parser.add_argument(
        "--define",
        metavar="NAME=VALUE",
        type=definition,
        action="append",
        default=[],
        help="a macro, as for runcpu",
    )
    options = parser.parse_args()
    try:
        with open(options.file, encoding="utf-8") as file:
            lines = file.readlines()
    except (OSError, UnicodeDecodeError) as error:
        print("error: cannot read %s: %s" % (options.file, error),
              file=sys.stderr)
        return 2
    checker = Checker(options.define)
    checker.read(lines)
    for section, key, value in checker.options:
        print("%s: %s = %s" % (section or "header", key, value))
    for line, text in sorted(checker.faults):
        print("%s:%d: error: %s" % (options.file, line, text), file=sys.stderr)
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main())
