// libpapi where it is installed: loaded, never linked, so that the command runs without it. Only
// what needs no structure of its header, whose layout changes with the version.
#pragma once

#include <roofmark/result.hpp>
#include <string>

namespace roofmark::papi {

class Library {
 public:
  /// Also initialised. In a process of its own: what its components load and print is not ours.
  static Result<Library> load();

  std::string file;     ///< where the loader found it
  std::string version;  ///< "7.0.0.0"; empty where the name has none

  int (*event_name_to_code)(const char*, int*) = nullptr;
  int (*get_event_component)(int) = nullptr;
  const void* (*get_component_info)(int) = nullptr;
  int (*num_components)() = nullptr;
  int (*create_eventset)(int*) = nullptr;
  int (*add_named_event)(int, const char*) = nullptr;
  int (*start)(int) = nullptr;
  int (*read)(int, long long*) = nullptr;
  int (*stop)(int, long long*) = nullptr;
  int (*cleanup_eventset)(int) = nullptr;
  int (*destroy_eventset)(int*) = nullptr;

  /// The name of a component: the first field of its structure in every version.
  std::string component(int index) const;

 private:
  Library() = default;
};

/// PAPI_VER_CURRENT of a library whose file is so called: "libpapi.so.7.1.0.0" -> 0x07010000; 0
/// where the name does not say.
int version_number(const std::string& file);

}  // namespace roofmark::papi
