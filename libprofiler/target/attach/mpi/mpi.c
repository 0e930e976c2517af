/* Each MPI call is a region below the one that is open, by standing in front of MPI's own function,
   as PMPI is made for, and calling on to it.

   One library serves every MPI, though a communicator is an int in MPICH and a pointer in Open MPI:
   every argument is an integer or a pointer, and both of our targets' calling conventions (System V
   on x86-64, AAPCS64) give each of those a register or a stack slot of 8 bytes, whose upper half
   the callee of an int does not look at. So all are passed on as words, unseen; the number of them
   has to be right, and a test holds it to mpi.h. */
#include <dlfcn.h>
#include <link.h>
#include <roofmark/roofmark.h>
#include <stdint.h>
#include <string.h>

#include "calls.h"

#define EXPORT __attribute__((visibility("default")))

typedef uintptr_t word;

/* The outermost call of this thread: what an MPI calls of its own inside is no region. It is known
   to be open by the mark that its wrapper has in its frame, since a call may be left by longjmp. */
static __thread const volatile word* outermost __attribute__((tls_model("initial-exec")));

static word mark_of(const volatile word* place) {
  return (word)place ^ (word)0x52f17ac3d90b46e8u;
}

struct visit {
  roofmark_token token;
  volatile word mark;
  int is_outermost;
};

__attribute__((noinline)) static void begin(struct visit* visit, roofmark_site* site) {
  const volatile word* const outer = outermost;
  visit->is_outermost = 0;
  visit->token.node = 0;
  /* A frame around this one lies above it. */
  if (outer != 0 && outer > &visit->mark && *outer == mark_of(outer)) return;
  visit->is_outermost = 1;
  visit->mark = mark_of(&visit->mark);
  outermost = &visit->mark;
  const roofmark_api* const api = roofmark_runtime_();
  if (api != 0) visit->token = api->enter(site);
}

static void end(struct visit* visit) {
  if (!visit->is_outermost) return;
  visit->mark = 0;
  outermost = 0;
  roofmark_end(visit->token);
}

struct search {
  int left; /* so many are passed over */
  char name[4096];
};

static int copy_name(struct dl_phdr_info* object, size_t size, void* to) {
  struct search* const search = to;
  (void)size;
  const char* const name = object->dlpi_name;
  if (name == 0 || strstr(name, "libmpi") == 0 || strlen(name) >= sizeof search->name) return 0;
  if (search->left-- > 0) return 0;
  strcpy(search->name, name);
  return 1;
}

/* The next MPI_X, which may be another tool's; where MPI was loaded for a module alone
   (RTLD_LOCAL), its PMPI_X. A library may not be opened while the loader lists them. */
__attribute__((noinline, cold)) static void* find(const char* symbol, const char* original) {
  void* found = dlsym(RTLD_NEXT, symbol);
  struct search search;
  for (int i = 0; found == 0; ++i) {
    search.left = i;
    if (dl_iterate_phdr(copy_name, &search) == 0) break;
    void* const library = dlopen(search.name, RTLD_LAZY | RTLD_NOLOAD);
    if (library != 0) found = dlsym(library, original);
  }
  return found;
}

/* No MPI at all, though somebody calls it: an error is all that can be returned. MPI_ERR_OTHER of
   MPICH, MPI_ERR_UNKNOWN or its like elsewhere. */
enum { no_mpi = 15 };

#define PARAMETERS_0 void
#define PARAMETERS_1 word a1
#define PARAMETERS_2 PARAMETERS_1, word a2
#define PARAMETERS_3 PARAMETERS_2, word a3
#define PARAMETERS_4 PARAMETERS_3, word a4
#define PARAMETERS_5 PARAMETERS_4, word a5
#define PARAMETERS_6 PARAMETERS_5, word a6
#define PARAMETERS_7 PARAMETERS_6, word a7
#define PARAMETERS_8 PARAMETERS_7, word a8
#define PARAMETERS_9 PARAMETERS_8, word a9
#define PARAMETERS_10 PARAMETERS_9, word a10
#define PARAMETERS_11 PARAMETERS_10, word a11
#define PARAMETERS_12 PARAMETERS_11, word a12
#define PARAMETERS_13 PARAMETERS_12, word a13
#define ARGUMENTS_0
#define ARGUMENTS_1 a1
#define ARGUMENTS_2 ARGUMENTS_1, a2
#define ARGUMENTS_3 ARGUMENTS_2, a3
#define ARGUMENTS_4 ARGUMENTS_3, a4
#define ARGUMENTS_5 ARGUMENTS_4, a5
#define ARGUMENTS_6 ARGUMENTS_5, a6
#define ARGUMENTS_7 ARGUMENTS_6, a7
#define ARGUMENTS_8 ARGUMENTS_7, a8
#define ARGUMENTS_9 ARGUMENTS_8, a9
#define ARGUMENTS_10 ARGUMENTS_9, a10
#define ARGUMENTS_11 ARGUMENTS_10, a11
#define ARGUMENTS_12 ARGUMENTS_11, a12
#define ARGUMENTS_13 ARGUMENTS_12, a13

#define WRAPPER(function, original, region, n)                                \
  EXPORT word function(PARAMETERS_##n);                                       \
  EXPORT word function(PARAMETERS_##n) {                                      \
    static roofmark_site site = {region, sizeof(region) - 1, 0, {0, 0}};      \
    static word (*known)(PARAMETERS_##n);                                     \
    word (*next)(PARAMETERS_##n) = __atomic_load_n(&known, __ATOMIC_ACQUIRE); \
    if (__builtin_expect(next == 0, 0)) {                                     \
      void* const address = find(#function, #original);                       \
      if (address == 0) return no_mpi;                                        \
      memcpy(&next, &address, sizeof next);                                   \
      __atomic_store_n(&known, next, __ATOMIC_RELEASE);                       \
    }                                                                         \
    struct visit visit;                                                       \
    begin(&visit, &site);                                                     \
    const word result = next(ARGUMENTS_##n);                                  \
    end(&visit);                                                              \
    return result;                                                            \
  }

#define C_WRAPPER(name, fortran, n) WRAPPER(MPI_##name, PMPI_##name, "MPI_" #name, n)
ROOFMARK_MPI_CALLS(C_WRAPPER)
ROOFMARK_MPI_C_CALLS(C_WRAPPER)

/* Open MPI's Fortran functions call PMPI: they are wrapped themselves. Of MPICH's, which call C's,
   the outer call is the region, under the same name. */
#define NEXT_0 1
#define NEXT_1 2
#define NEXT_2 3
#define NEXT_3 4
#define NEXT_4 5
#define NEXT_5 6
#define NEXT_6 7
#define NEXT_7 8
#define NEXT_8 9
#define NEXT_9 10
#define NEXT_10 11
#define NEXT_11 12
#define NEXT_12 13
#define WRAPPER_EXPANDED(function, original, region, n) WRAPPER(function, original, region, n)
#define FORTRAN_WRAPPER(name, fortran, n) \
  WRAPPER_EXPANDED(mpi_##fortran##_, pmpi_##fortran##_, "MPI_" #name, NEXT_##n)
ROOFMARK_MPI_CALLS(FORTRAN_WRAPPER)
#define FORTRAN_OWN_WRAPPER(name, fortran, n) \
  WRAPPER(mpi_##fortran##_, pmpi_##fortran##_, "MPI_" #name, n)
ROOFMARK_MPI_FORTRAN_CALLS(FORTRAN_OWN_WRAPPER)
