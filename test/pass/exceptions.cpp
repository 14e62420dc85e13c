// Marks in and around exception handling: before invokes, in landing pads and
// clean-ups, in functions that catch and rethrow. The verifier is content at
// every level, and code generation too.

// RUN: %clangxx_pagetide_exact -O1 -fno-discard-value-names -S -emit-llvm -o - %s | FileCheck %s
// RUN: %clangxx_pagetide_exact -O0 -c -emit-llvm -o - %s | %opt_exact -passes=verify -disable-output
// RUN: %clangxx_pagetide_exact -O2 -c -emit-llvm -o - %s | %opt_exact -passes=verify -disable-output
// RUN: %clangxx_pagetide_exact -O0 -Werror -c -o /dev/null %s
// RUN: %clangxx_pagetide_exact -O2 -Werror -c -o /dev/null %s

struct Wide {
  long words[4];
};

void mayThrow(int *);
void takeWide(Wide);

struct CleanUp {
  int *where;
  ~CleanUp() { *where += 1; }
};

// CHECK-LABEL: define {{.*}} @_Z8catchIntPiS_(
// CHECK:         store volatile i8 1, ptr addrspace(256)
// CHECK-NEXT:    store i32 1, ptr %a
// CHECK-NEXT:    invoke void @_Z8mayThrowPi(
// CHECK:         landingpad { ptr, i32 }
// CHECK:         call ptr @__cxa_begin_catch(
// CHECK:         store volatile i8 1, ptr addrspace(256)
// CHECK-NEXT:    [[CAUGHT:%.+]] = load i32,
// CHECK:         store volatile i8 1, ptr addrspace(256)
// CHECK-NEXT:    store i32 [[CAUGHT]], ptr %b
// CHECK:         call void @__cxa_end_catch(
void catchInt(int *a, int *b) {
  *a = 1;
  try {
    mayThrow(a);
  } catch (int e) {
    *b = e;
  }
}

// The object passed by value is read before the call.
// CHECK-LABEL: define {{.*}} @_Z4passP4WidePi(
// CHECK:         store volatile i8 1, ptr addrspace(256)
// CHECK:         store volatile i8 1, ptr addrspace(256)
// CHECK-NEXT:    invoke void @_Z8takeWide4Wide(ptr noundef nonnull byval(%struct.Wide)
void pass(Wide *wide, int *where) {
  CleanUp cleanUp{where};
  takeWide(*wide);
}

void rethrow(int *a) {
  CleanUp outer{a};
  try {
    CleanUp inner{a + 1};
    mayThrow(a);
    throw a[2];
  } catch (int &e) {
    a[3] = e;
    throw;
  } catch (...) {
    a[4] = 0;
    __builtin_memcpy(a, a + 100, 100000);
  }
}
