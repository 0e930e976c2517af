// A program, as the tests are, so that what is precompiled for it is of use to them.
int main() {
  return 0;
}
