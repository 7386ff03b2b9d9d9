// Counts what threads other than the first one allocate, lock and write; to be loaded before the C library.
#include <atomic>
#include <cstddef>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

namespace {

std::atomic<long> allocations{0}, locks{0}, writes{0};

bool is_first_thread() { return gettid() == getpid(); }

void count(std::atomic<long>& what) {
  if (!is_first_thread()) what.fetch_add(1);
}

}  // namespace

extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void __libc_free(void* old);

void* malloc(std::size_t size) { return count(allocations), __libc_malloc(size); }
void* calloc(std::size_t number, std::size_t size) { return count(allocations), __libc_calloc(number, size); }
void* realloc(void* old, std::size_t size) { return count(allocations), __libc_realloc(old, size); }
void free(void* old) {
  if (old) count(allocations);
  __libc_free(old);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static const auto next = reinterpret_cast<int (*)(pthread_mutex_t*)>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  return count(locks), next(mutex);
}

ssize_t write(int file, const void* bytes, std::size_t size) {
  static const auto next = reinterpret_cast<ssize_t (*)(int, const void*, std::size_t)>(dlsym(RTLD_NEXT, "write"));
  return count(writes), next(file, bytes, size);
}

long counted_allocations() { return allocations.load(); }
long counted_locks() { return locks.load(); }
long counted_writes() { return writes.load(); }
}
