// The function that a program would call if it were not for us.
#pragma once

#include <cstddef>

namespace roofmark::readers {

/// The next of that name in the order of search; else that of a loaded library whose file name
/// begins with `library`, which may have been loaded for its user alone. Null: there is none. Never
/// `ours`.
void* find_original(const char* symbol, const char* library, const void* ours);

/// One for each function that is stood in front of.
template <class Function>
class Original {
 public:
  constexpr Original(const char* symbol, const char* library)
      : symbol_(symbol), library_(library) {}

  /// Null where there is none.
  Function* get(Function* ours) {
    void* found = __atomic_load_n(&found_, __ATOMIC_ACQUIRE);
    if (found == nullptr) {
      found = find_original(symbol_, library_, reinterpret_cast<const void*>(ours));
      // Looked for again where there is none: it may be loaded later.
      if (found != nullptr) __atomic_store_n(&found_, found, __ATOMIC_RELEASE);
    }
    return reinterpret_cast<Function*>(found);
  }

 private:
  const char* symbol_;
  const char* library_;
  void* found_ = nullptr;
};

}  // namespace roofmark::readers
