// Counts every allocation of the test program by replacing the global operator new.
#include "counting_allocator.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {

std::atomic<std::size_t> count{0};
std::atomic<std::size_t> bytes{0};

std::atomic<std::size_t> live{0};

void* taken(std::size_t size) noexcept {
    void* const memory = std::malloc(size > 0 ? size : 1);
    live.fetch_add(malloc_usable_size(memory), std::memory_order_relaxed);
    return memory;
}

void* counted(std::size_t size) {
    count.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(size, std::memory_order_relaxed);
    if (void* const memory = taken(size)) {
        return memory;
    }
    throw std::bad_alloc();
}

void give_back(void* memory) noexcept {
    live.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
    std::free(memory);
}

} // namespace

std::size_t engine_tests::allocation_count() noexcept { return count.load(std::memory_order_relaxed); }
std::size_t engine_tests::allocated_bytes() noexcept { return bytes.load(std::memory_order_relaxed); }
std::size_t engine_tests::live_bytes() noexcept { return live.load(std::memory_order_relaxed); }

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
// Temporary buffers of the standard library ask by these; a sanitizer would have its own beside our delete.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return taken(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return taken(size); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }
