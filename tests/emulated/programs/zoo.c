/* Executes single instructions of the zoo: zoo INDEX... Each runs in a block of its own that ends
 * in int3, so that nothing of it is left out for what follows; whatever it does to memory or
 * raises, the next one starts from the same state. For comparing what a translator makes of each.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { slot_bytes = 32 };
extern const unsigned char roofmark_zoo[], roofmark_zoo_end[];

static sigjmp_buf back;
static char memory[1 << 16] __attribute__((aligned(64)));
char* zoo_memory = memory + sizeof memory / 2;
const unsigned char* zoo_slot;

static void caught(int number) {
  (void)number;
  siglongjmp(back, 1);
}

/* Bases point into the memory, indices are 0. Comes back through a signal. */
__attribute__((noinline, noreturn)) static void execute(void) {
  __asm__ volatile(
      "fninit\n"
      "mov zoo_memory(%%rip), %%rax\n"
      "mov %%rax, %%rdx\n mov %%rax, %%rsi\n mov %%rax, %%rdi\n mov %%rax, %%rbp\n"
      "mov %%rax, %%r8\n mov %%rax, %%r9\n mov %%rax, %%r10\n mov %%rax, %%r11\n"
      "mov %%rax, %%r12\n mov %%rax, %%r13\n mov %%rax, %%r14\n mov %%rax, %%r15\n"
      "xor %%ebx, %%ebx\n xor %%ecx, %%ecx\n"
      "jmp *zoo_slot(%%rip)\n"
      :
      :
      : "memory");
  __builtin_unreachable();
}

int main(int argc, char** argv) {
  const size_t bytes = (size_t)(roofmark_zoo_end - roofmark_zoo);
  unsigned char* code =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) return 2;
  memcpy(code, roofmark_zoo, bytes);
  if (mprotect(code, bytes, PROT_READ | PROT_EXEC) != 0) return 2;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = caught;
  action.sa_flags = SA_NODEFER;
  const int all[] = {SIGTRAP, SIGSEGV, SIGILL, SIGBUS, SIGFPE};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) sigaction(all[i], &action, NULL);
  for (volatile int i = 1; i < argc; ++i) {
    const size_t at = strtoul(argv[i], NULL, 10) * slot_bytes;
    if (at >= bytes) return 3;
    zoo_slot = code + at;
    if (sigsetjmp(back, 1) == 0) execute();
  }
  printf("%d\n", argc - 1);
  return 0;
}
