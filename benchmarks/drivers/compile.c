//===- compile.c - A C program compiled again and again, by libtcc --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: compile ROUNDS <SOURCE
//
// Compiles standard input to an object file in the current directory, each
// round anew, and prints the object of the last round.

#include "../kernels/kernel.h"

#include "libtcc.h"

static const char kObject[] = "compiled.o";

static char *read_source(void) {
  size_t size = 0;
  size_t room = 1 << 16;
  char *text = allocate(room, 1);
  size_t got;
  while ((got = fread(text + size, 1, room - size - 1, stdin)) > 0) {
    size += got;
    if (size + 1 < room)
      continue;
    room *= 2;
    text = realloc(text, room);
    if (text == NULL) {
      fprintf(stderr, "no memory for the source; give a smaller one\n");
      exit(1);
    }
  }
  text[size] = '\0';
  return text;
}

static int compile(const char *source) {
  TCCState *state = tcc_new();
  tcc_set_options(state, "-nostdinc -nostdlib");
  tcc_set_output_type(state, TCC_OUTPUT_OBJ);
  // tcc removes a file before it writes it, so it must be given a name of ours.
  const int failed = tcc_compile_string(state, source) != 0 ||
                     tcc_output_file(state, kObject) != 0;
  tcc_delete(state);
  return failed;
}

static int print_object(void) {
  FILE *object = fopen(kObject, "rb");
  if (object == NULL) {
    perror(kObject);
    return 1;
  }
  char buffer[1 << 16];
  size_t got;
  while ((got = fread(buffer, 1, sizeof(buffer), object)) > 0)
    fwrite(buffer, 1, got, stdout);
  fclose(object);
  remove(kObject);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s ROUNDS <SOURCE\n",
            argc > 0 ? argv[0] : "compile");
    return 2;
  }
  const uint64_t rounds = kernel_number(argv[1]);
  char *source = read_source();
  for (uint64_t round = 0; round < rounds; ++round)
    if (compile(source) != 0)
      return 1;
  free(source);
  return print_object();
}
