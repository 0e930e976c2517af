// A stand-in for Caliper's library: the functions of its public headers, which note what was
// called. Its C++ classes call its C functions by their exported names, which must not be read
// twice.
#include "caliper_client.hpp"

#include <cstdio>
#include <cstring>

namespace {
void note(const char* function, const char* text) {
  std::printf("%s %s\n", function, text);
  std::fflush(stdout);
}
const char* const attributes[] = {"", "loop", "iteration#main", "my phase"};
}  // namespace

cali_id_t cali_loop_attr_id = 1;

extern "C" {
void cali_begin_region(const char* name) {
  note("cali_begin_region", name);
}
void cali_end_region(const char* name) {
  note("cali_end_region", name);
}
void cali_begin_phase(const char* name) {
  note("cali_begin_phase", name);
}
void cali_end_phase(const char* name) {
  note("cali_end_phase", name);
}
void cali_begin_comm_region(const char* name) {
  note("cali_begin_comm_region", name);
}
void cali_end_comm_region(const char* name) {
  note("cali_end_comm_region", name);
}
cali_id_t cali_make_loop_iteration_attribute(const char*) {
  return 2;
}
int cali_attribute_properties(cali_id_t id) {
  return id == 1 ? 256 + 20 : 1;
}
void cali_begin_string(cali_id_t id, const char* value) {
  note(attributes[id], value);
}
void cali_begin_int(cali_id_t id, int) {
  note("int", attributes[id]);
}
void cali_end(cali_id_t id) {
  note("end", attributes[id]);
}
void cali_begin_byname(const char* name) {
  note("byname", name);
}
void cali_begin_string_byname(const char* name, const char*) {
  note("string_byname", name);
}
void cali_end_byname(const char* name) {
  note("end_byname", name);
}
}

namespace cali {
Function::Function(const char* name) {
  cali_begin_region(name);
}
Function::~Function() {
  cali_end_region("function");
}
ScopeAnnotation::ScopeAnnotation(const char* name) {
  cali_begin_region(name);
}
ScopeAnnotation::~ScopeAnnotation() {
  cali_end_region("scope");
}
}  // namespace cali
