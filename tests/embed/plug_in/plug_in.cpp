// The program: loads the plug-in and asks it.
#include <dlfcn.h>

#include <iostream>

int main() {
    void* const physics = dlopen(PHYSICS, RTLD_NOW);
    if (physics == nullptr) {
        std::cout << dlerror() << '\n';
        return 1;
    }
    const auto fall = reinterpret_cast<double (*)(double)>(dlsym(physics, "fall"));
    std::cout << "fallen by " << fall(1.0) << " m\n"; // g t^2 / 2
}
