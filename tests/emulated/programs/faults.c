/* A program that handles faults of its memory and goes on: what it sees, and what of it is counted.
 */
#define _GNU_SOURCE
#include <roofmark/roofmark.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { pages = 1000, page = 4096 };
static char* memory;
static int faults;
static sigjmp_buf before;

static void open_page(int signal_number, siginfo_t* info, void* context) {
  (void)signal_number, (void)context;
  ++faults;
  mprotect((void*)((uintptr_t)info->si_addr & ~(uintptr_t)(page - 1)), page,
           PROT_READ | PROT_WRITE);
}
static void leave(int signal_number) {
  (void)signal_number;
  siglongjmp(before, 1);
}
static int wrong;
static void check(int is_right, const char* what) {
  if (is_right) return;
  fprintf(stderr, "wrong: %s, %d faults\n", what, faults);
  ++wrong;
}
static void close_all(void) {
  mprotect(memory, (size_t)pages * page, PROT_NONE);
}

#define ADD "addsd %%xmm1, %%xmm0\n\t"
#define ADD4 ADD ADD ADD ADD
#define ADD16 ADD4 ADD4 ADD4 ADD4

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = open_page;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, NULL);
  memory = mmap(NULL, (size_t)pages * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  /* A register that is set just before the fault, and counts the turns behind it. */
  ROOFMARK_BEGIN("set before");
  for (int i = 0; i < pages; ++i)
    __asm__ volatile("mov $1000, %%ecx\n\tmov $5, %%ecx\n\tmovq $1, (%0)\n1:\n\t" ADD
                     "dec %%ecx\n\tjnz 1b"
                     :
                     : "r"(memory + (size_t)i * page)
                     : "memory", "xmm0", "ecx", "cc");
  ROOFMARK_END("set before");
  check(faults == pages, "set before");

  close_all();
  faults = 0;
  ROOFMARK_BEGIN("around");
  for (int i = 0; i < pages; ++i)
    __asm__ volatile(ADD16 "movq $1, (%0)\n\t" ADD16
                     :
                     : "r"(memory + (size_t)i * page)
                     : "memory", "xmm0");
  ROOFMARK_END("around");
  check(faults == pages, "around");

  /* A loop over closed memory: one fault for each page, whatever the loop was made of. */
  close_all();
  faults = 0;
  for (char* at = memory; at < memory + 64 * page; at += 16)
    __asm__ volatile("movups %%xmm0, (%0)" : : "r"(at) : "memory");
  check(faults == 64, "a loop over pages");
  close_all();
  faults = 0;
  void* to = memory;
  uint64_t n = 16 * page;
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(7) : "memory");
  check(faults == 16, "pages of a string");
  check(n == 0 && to == memory + 16 * page && memory[16 * page - 1] == 7, "a string");

  signal(SIGSEGV, leave);
  close_all();
  ROOFMARK_BEGIN("left");
  for (volatile int i = 0; i < pages; ++i)
    if (sigsetjmp(before, 1) == 0)
      __asm__ volatile(ADD16 "movq $1, (%0)\n\t" ADD16 : : "r"(memory) : "memory", "xmm0");
  ROOFMARK_END("left");
  return wrong;
}
