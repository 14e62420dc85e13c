#include <pagetide/pagetide.h>

#include <stdio.h>

int main(void) {
  printf("runtime %s\n", pagetide_present() ? "present" : "absent");
  return 0;
}
