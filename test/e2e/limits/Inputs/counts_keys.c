/* Says how many keys there are for it. */

#include <pthread.h>
#include <stdio.h>

int main(void) {
  pthread_key_t key;
  int count = 0;
  while (!pthread_key_create(&key, NULL))
    count++;
  printf("%d\n", count);
  return 0;
}
