/* Another tool's hooks. */
#include <stdio.h>

static long entered, left;

void __cyg_profile_func_enter(void* function, void* site);
void __cyg_profile_func_enter(void* function, void* site) {
  (void)function;
  (void)site;
  ++entered;
}
void __cyg_profile_func_exit(void* function, void* site);
void __cyg_profile_func_exit(void* function, void* site) {
  (void)function;
  (void)site;
  ++left;
}
__attribute__((destructor)) static void tell(void) {
  printf("the other tool saw %ld and %ld\n", entered, left);
}
