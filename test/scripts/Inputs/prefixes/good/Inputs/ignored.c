// NOBODY: reads this
