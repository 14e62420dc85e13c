// The other file that has the inline function of everything.cpp.

inline int counted() {
  static int count = 10;
  return ++count;
}
int counted_elsewhere() { return counted(); }
int (*address_elsewhere())() { return counted; }
