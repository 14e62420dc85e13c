int answers[4] = {0, 42, 0, 0};
int answer(int i) { return answers[i]; }
