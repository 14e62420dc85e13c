int number(int i);
int main(void) { return number(3) - 3; }
