int plugged_value = 35;
int plugged(void) { return plugged_value; }
