// A library that is loaded and unloaded: annotated in all the ways that make STB_GNU_UNIQUE symbols
// when done carelessly.
#include <roofmark/roofmark.hpp>

template <class T>
inline int work(T times) {
  ROOFMARK_FUNCTION();
  for (T i = 0; i < times; ++i) {
    ROOFMARK_SCOPE("plugin inner");
  }
  return 0;
}

extern "C" int plugin_work(int times) {
  ROOFMARK_SCOPE("plugin");
  return work(times) + work(static_cast<long>(times));
}
