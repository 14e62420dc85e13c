# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lit's test format, for checkouts with any path. A module, since lit sends it to
its worker processes."""

import os
import resource
import shlex

import lit.Test
import lit.TestRunner
import lit.formats


def processor_time():
    """Seconds of user and system time of the commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class QuotingShTest(lit.formats.ShTest):
    """Tests with %s, %S, %t and %T quoted for the shell: a checkout's path may have
    a space in it. Below real_root these are paths below root, which leads to the
    same place (lit itself resolves links)."""

    def __init__(self, real_root, root):
        super().__init__(execute_external=True)
        self.real_root = real_root
        self.root = root

    def seen(self, path):
        if not path.startswith(self.real_root + os.sep):
            return path
        return self.root + path[len(self.real_root):]

    def execute(self, test, lit_config):
        directory, base = map(self.seen, lit.TestRunner.getTempPaths(test))
        source = self.seen(test.getSourcePath())
        paths = {"s": source, "S": os.path.dirname(source), "t": base + ".tmp",
                 "T": directory}
        quoted = [(r"%" + name + r"\b", shlex.quote(path).replace("\\", r"\\"))
                  for name, path in paths.items()]
        before = processor_time()
        # After those of the configuration, which may mention %t.
        result = lit.TestRunner.executeShTest(
            test, lit_config, self.execute_external,
            test.config.substitutions + quoted)
        # On a busy machine this says what a test costs, and elapsed time does not.
        if lit_config.params.get("cpu"):
            result.addMetric(
                "cpu", lit.Test.RealMetricValue(processor_time() - before))
        return result
