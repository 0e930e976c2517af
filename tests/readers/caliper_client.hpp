// What Caliper's public headers declare of its regions, and its macros.
#pragma once

#include <cstdint>

using cali_id_t = std::uint64_t;
extern cali_id_t cali_loop_attr_id;

extern "C" {
void cali_begin_region(const char* name);
void cali_end_region(const char* name);
void cali_begin_phase(const char* name);
void cali_end_phase(const char* name);
void cali_begin_comm_region(const char* name);
void cali_end_comm_region(const char* name);
cali_id_t cali_make_loop_iteration_attribute(const char* name);
int cali_attribute_properties(cali_id_t id);
void cali_begin_string(cali_id_t id, const char* value);
void cali_begin_int(cali_id_t id, int value);
void cali_end(cali_id_t id);
void cali_begin_byname(const char* name);
void cali_begin_string_byname(const char* name, const char* value);
void cali_end_byname(const char* name);
}

namespace cali {
class Function {
 public:
  explicit Function(const char* name);
  ~Function();
};
class ScopeAnnotation {
 public:
  explicit ScopeAnnotation(const char* name);
  ~ScopeAnnotation();
};
}  // namespace cali
