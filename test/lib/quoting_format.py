# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lit's test format, for checkouts with any path. A module, since lit sends it to
its worker processes."""

import os
import shlex

import lit.TestRunner
import lit.formats


class QuotingShTest(lit.formats.ShTest):
    """Tests with %s, %S, %t and %T quoted for the shell: a checkout's path may have
    a space in it."""

    def execute(self, test, lit_config):
        directory, base = lit.TestRunner.getTempPaths(test)
        source = test.getSourcePath()
        paths = {"s": source, "S": os.path.dirname(source), "t": base + ".tmp",
                 "T": directory}
        quoted = [(r"%" + name + r"\b", shlex.quote(path).replace("\\", r"\\"))
                  for name, path in paths.items()]
        # After those of the configuration, which may mention %t.
        return lit.TestRunner.executeShTest(
            test, lit_config, self.execute_external,
            test.config.substitutions + quoted)
