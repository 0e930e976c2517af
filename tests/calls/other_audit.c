/* Another user of the loader's auditing interface: it counts what is bound, and stands in front of
 * half(). */
#define _GNU_SOURCE
#include <link.h>
#include <string.h>

static float (*real_half)(float);
static float doubled_half(float a) {
  return 2 * real_half(a);
}
unsigned la_version(unsigned version) {
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}
unsigned la_objopen(struct link_map* map, Lmid_t space, uintptr_t* cookie) {
  (void)map, (void)space, (void)cookie;
  return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}
uintptr_t la_symbind64(Elf64_Sym* symbol, unsigned index, uintptr_t* from, uintptr_t* to,
                       unsigned* flags, const char* name) {
  (void)index, (void)from, (void)to, (void)flags;
  if (strcmp(name, "half") != 0) return symbol->st_value;
  real_half = (float (*)(float))symbol->st_value;
  return (uintptr_t)doubled_half;
}
