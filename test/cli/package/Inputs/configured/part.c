int calls;
int count_call(void) { return ++calls; }
