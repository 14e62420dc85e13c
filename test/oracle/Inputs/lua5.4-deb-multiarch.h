/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the rules of Debian's package write. */
#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"
