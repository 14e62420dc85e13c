# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes and allocates for a second and a half. Prints 0."""

import hashlib
import time

end, total = time.time() + 1.5, 0
while time.time() < end:
    total += len(hashlib.sha256(bytes(100000)).hexdigest())
print(total % 64)
