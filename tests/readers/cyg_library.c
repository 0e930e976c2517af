#include "work.h"

void function_of_library(int n);
void function_of_library(int n) {
  work(n);
}
