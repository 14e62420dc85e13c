; The address of a local is taken by inline assembly where nothing is optimised.
target triple = "x86_64-pc-linux-gnu"

define i32 @unoptimized(i32 %value) noinline optnone {
  %local = alloca i32
  store volatile i32 %value, ptr %local
  %read = load volatile i32, ptr %local
  ret i32 %read
}
