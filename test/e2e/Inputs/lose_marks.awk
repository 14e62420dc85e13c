# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Plants a fault: takes the inline marks out of function FUNCTION of an IR file,
# all of them or all but the first KEEP.

$0 ~ "^define .*@" FUNCTION "\\(" { inside = 1; seen = 0 }
/^}/ { inside = 0 }
inside && /store volatile i8 1, ptr addrspace\(256\)/ && ++seen > KEEP { next }
{ print }
