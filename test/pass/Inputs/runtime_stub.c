// Stands in for the runtime where a test links a program without running it.

void __pagetide_module_init_v2(const void *info) { (void)info; }
