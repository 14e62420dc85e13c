// RUN: cat %s | FileCheck %s --check-prefixes=ONE,TWO
// ONE: this
// CHECK: forgotten
// TWO-NXT: misspelt
// TWO-DAG: that
