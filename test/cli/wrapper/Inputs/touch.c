/* Stores to a global, so that there is something to mark. */
int touched;

int main(int argc, char **argv) {
  (void)argv;
  touched = argc;
  return touched + 6;
}
