/* Copies and fills by one instruction: what they leave in memory and in the registers, where they
   fault, and the same bytes by words. Exit status: how many were wrong. */
#define _GNU_SOURCE
#include <roofmark/roofmark.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { size = 1 << 18, page = 4096 };
static unsigned char memory[size] __attribute__((aligned(4096)));
static unsigned char expected[size];
static int wrong;

static void check(int is_right, const char* what) {
  if (is_right) return;
  fprintf(stderr, "wrong: %s\n", what);
  ++wrong;
}

struct registers {
  uint64_t si, di, cx;
};

#define STRING(name, instruction)                                        \
  static struct registers name(void* to, const void* from, uint64_t n) { \
    struct registers r = {(uint64_t)from, (uint64_t)to, n};              \
    __asm__ volatile(instruction                                         \
                     : "+S"(r.si), "+D"(r.di), "+c"(r.cx)                \
                     : "a"(0x1122334455667788)                           \
                     : "memory", "cc");                                  \
    return r;                                                            \
  }
STRING(copy_b, "rep movsb")
STRING(copy_w, "rep movsw")
STRING(copy_l, "rep movsl")
STRING(copy_q, "rep movsq")
STRING(fill_b, "rep stosb")
STRING(fill_w, "rep stosw")
STRING(fill_l, "rep stosl")
STRING(fill_q, "rep stosq")
STRING(copy_down, "std\n\trep movsb\n\tcld")

/* Element by element, as the manual defines it. */
static void by_definition(size_t to, size_t from, uint64_t n, size_t element, int fills) {
  static const uint64_t value = 0x1122334455667788;
  for (uint64_t i = 0; i < n; ++i, to += element, from += element)
    memmove(expected + to, fills ? (const unsigned char*)&value : expected + from, element);
}

static void compare(void) {
  static const struct {
    const char* name;
    struct registers (*run)(void*, const void*, uint64_t);
    size_t element;
    int fills;
  } kinds[] = {{"movsb", copy_b, 1, 0}, {"movsw", copy_w, 2, 0}, {"movsl", copy_l, 4, 0},
               {"movsq", copy_q, 8, 0}, {"stosb", fill_b, 1, 1}, {"stosw", fill_w, 2, 1},
               {"stosl", fill_l, 4, 1}, {"stosq", fill_q, 8, 1}};
  static const uint64_t counts[] = {0, 1, 2, 15, 16, 17, 100, 4096, 9000};
  static const struct {
    size_t to, from;
  } places[] = {{100000, 0}, {0, 100000}, {1001, 1000}, {1000, 1001}, {5003, 5000}, {77, 77}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
      for (size_t p = 0; p < sizeof places / sizeof *places; ++p) {
        for (size_t i = 0; i < size; ++i)
          memory[i] = expected[i] = (unsigned char)(i * 7 + i / 251);
        const size_t bytes = kinds[k].element * counts[c];
        by_definition(places[p].to, places[p].from, counts[c], kinds[k].element, kinds[k].fills);
        const struct registers r =
            kinds[k].run(memory + places[p].to, memory + places[p].from, counts[c]);
        check(memcmp(memory, expected, size) == 0, kinds[k].name);
        check(r.cx == 0 && r.di == (uint64_t)(memory + places[p].to + bytes), kinds[k].name);
        check(r.si == (uint64_t)(memory + places[p].from + (kinds[k].fills ? 0 : bytes)),
              kinds[k].name);
      }
  for (size_t i = 0; i < size; ++i) memory[i] = expected[i] = (unsigned char)i;
  copy_down(memory + 5999, memory + 999, 1000);
  memmove(expected + 5000, expected, 1000);
  check(memcmp(memory, expected, size) == 0, "movsb backwards");
}

/* A fault half-way is one that the program sees, at the right place and with all before it done. */
static volatile uint64_t fault_address;
static sigjmp_buf before;
static void leave(int signal_number, siginfo_t* info, void* context) {
  (void)signal_number, (void)context;
  fault_address = (uint64_t)info->si_addr;
  siglongjmp(before, 1);
}
static void fault(void) {
  unsigned char* pages =
      mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = leave;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, NULL);
  unsigned char* closed = pages + page;
  mprotect(closed, page, PROT_NONE);
  if (sigsetjmp(before, 1) == 0) {
    fill_b(pages + 96, NULL, 2 * page);
    check(0, "no fault");
  }
  check(fault_address == (uint64_t)closed, "address of the fault");
  fault_address = 0;
  if (sigsetjmp(before, 1) == 0) {
    copy_b(memory, pages + 96, 2 * page);
    check(0, "no fault of a read");
  }
  check(fault_address == (uint64_t)closed, "address of the read");
  int filled = 0;
  for (int i = 96; i < page; ++i) filled += pages[i] == 0x88 && memory[i - 96] == 0x88;
  check(filled == page - 96, "done before the fault");
  signal(SIGSEGV, SIG_DFL);
}

static void stream(size_t bytes, int repetitions, int alone) {
  char* from = aligned_alloc(page, bytes);
  char* to = aligned_alloc(page, bytes);
  memset(from, 1, bytes);
  memset(to, 2, bytes);
  ROOFMARK_BEGIN("by string");
  for (int i = 0; i < repetitions; ++i) copy_b(to, from, bytes);
  ROOFMARK_END("by string");
  if (alone) return;
  ROOFMARK_BEGIN("by words");
  for (int i = 0; i < repetitions; ++i) {
    uint64_t n = bytes / 8, word;
    const char* s = from;
    char* d = to;
    __asm__ volatile(
        "1:\n\tmov (%1), %3\n\tmov %3, (%2)\n\tadd $8, %1\n\tadd $8, %2\n\tdec %0\n\tjnz 1b"
        : "+r"(n), "+r"(s), "+r"(d), "=&r"(word)
        :
        : "memory", "cc");
  }
  ROOFMARK_END("by words");
  ROOFMARK_BEGIN("filled");
  for (int i = 0; i < repetitions; ++i) fill_q(to, NULL, bytes / 8);
  ROOFMARK_END("filled");
}

int main(int count, char** arguments) {
  if (count > 2) {
    stream(strtoul(arguments[1], NULL, 10), atoi(arguments[2]), count > 3);
    return 0;
  }
  compare();
  fault();
  return wrong;
}
