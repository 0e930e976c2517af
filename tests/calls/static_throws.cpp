#include <cstdio>
int main(int count, char**) {
  try {
    if (count > 0) throw count;
  } catch (int caught) {
    std::printf("caught %d\n", caught);
  }
  return 0;
}
