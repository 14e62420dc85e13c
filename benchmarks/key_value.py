# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The key-value server of examples/checkpoints, and what loads it."""

from commands import run
from toolchain import ROOT

EXAMPLES = ROOT / "examples" / "checkpoints"
CLIENT = ROOT / "benchmarks" / "drivers" / "kv_client.c"
SOCKET = "socket"
AN_HOUR_MS = 3600000


class Server:
    """Builds the server with marks and without, and its client."""

    def __init__(self, toolchain, directory):
        self.toolchain, self.directory = toolchain, directory
        source = EXAMPLES / "kv_server.c"
        self.marked = self._build("kv-server", source, "-fpagetide-mode=always")
        self.native = self._build("kv-server-native", source, "-fno-pagetide")
        self._client = self._build("kv-client", CLIENT, "-fno-pagetide")

    def _build(self, name, source, *flags):
        out = self.directory / name
        run(
            [self.toolchain.clang, "-O2", *flags, "-I", EXAMPLES, source,
             *self.toolchain.checkpoint_flags(), "-lpthread", "-o", out],
            self.directory,
        )
        return out

    def arguments(self, period_ms=None, save=False):
        """Of a server in whose directory the folder and the socket are.
        Without a period it makes no checkpoint."""
        words = ("saved", SOCKET, str(period_ms or AN_HOUR_MS))
        return words + ("save",) if save or not period_ms else words

    def client(self, clients, work, warm_up_s=0):
        """`work`: requests of each client, or "8s"."""
        return (str(self._client), SOCKET, str(clients), str(work),
                str(warm_up_s))
