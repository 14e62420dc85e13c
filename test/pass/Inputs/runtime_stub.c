// Replaces the runtime if a test links a program without running it.

void __pagetide_module_init_v6(const void *info) { (void)info; }
