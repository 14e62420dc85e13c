int forty_two(void);
int result;
int main(void) {
  result = forty_two();
  return result == 42 ? 0 : 1;
}
