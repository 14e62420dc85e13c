#include <cstdio>
#include <dlfcn.h>
#include <stdexcept>
#include <thread>

extern "C" int seven();

int main(int, char **argv) {
  int sum = 0;
  try {
    std::thread([&] { sum = seven(); }).join();
    void *module = dlopen(argv[1], RTLD_NOW);
    if (!module)
      throw std::runtime_error(dlerror());
    auto plugged = reinterpret_cast<int (*)()>(dlsym(module, "plugged"));
    sum += plugged();
    throw sum;
  } catch (int caught) {
    std::printf("caught %d\n", caught);
  } catch (const std::exception &e) {
    std::puts(e.what());
  }
}
