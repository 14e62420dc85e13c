int numbers[1024];
int number(int i) {
  numbers[i] += i;
  return numbers[i];
}
