/* Prints what the processor says of itself: vendor, model, brand and caches, and which vector sets.
   The sub-leaf of a cache is asked in a block that then sets ECX anew. */
#include <cpuid.h>
#include <stdio.h>
#include <unistd.h>

static unsigned third_cache(unsigned leaf) {
  unsigned a, b, d;
  __asm__ volatile("mov $3, %%ecx\n\tcpuid\n\tmov $7, %%ecx"
                   : "=a"(a), "=b"(b), "=d"(d)
                   : "0"(leaf)
                   : "ecx");
  return a ^ b ^ d;
}

int main(void) {
  unsigned a, b, c, d;
  __cpuid(0, a, b, c, d);
  printf("identity %.4s%.4s%.4s ", (char*)&b, (char*)&d, (char*)&c);
  __cpuid(1, a, b, c, d);
  printf("%x ", a);
  for (unsigned leaf = 0x80000002; leaf < 0x80000005; ++leaf) {
    __cpuid(leaf, a, b, c, d);
    printf("%.4s%.4s%.4s%.4s", (char*)&a, (char*)&b, (char*)&c, (char*)&d);
  }
  printf(" %ld %ld %ld\n", sysconf(_SC_LEVEL1_DCACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE),
         sysconf(_SC_LEVEL3_CACHE_SIZE));
  printf("cache %x %x\n", third_cache(4) & 0x3FFF, third_cache(0x8000001D) & 0x3FFF);
  printf("avx2 %d avx512f %d\n", __builtin_cpu_supports("avx2") != 0,
         __builtin_cpu_supports("avx512f") != 0);
  return 0;
}
