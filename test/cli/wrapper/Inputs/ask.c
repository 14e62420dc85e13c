int answer(int i);
int main(void) { return answer(1) == 42 ? 0 : 1; }
