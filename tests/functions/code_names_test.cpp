#include <analysis/functions/code_names.hpp>

#include "catch.hpp"

using namespace roofmark::functions;

TEST_CASE("what is no file is named for what it is, and a file by its name") {
  CHECK(name_of_object("") == "(code made at run time)");
  CHECK(name_of_object("[kernel]") == "(kernel)");
  CHECK(name_of_object("[vdso]") == "[vdso]");
  CHECK(name_of_object("/usr/lib/libm.so.6") == "[libm.so.6]");
}

TEST_CASE("functions of one name are told apart by their files, and by numbers") {
  UniqueNames names;
  CHECK(names.take("f", "/bin/a") == "f");
  CHECK(names.take("f", "/lib/b.so") == "f [b.so]");
  CHECK(names.take("f", "/lib/b.so") == "f [b.so] #2");
  CHECK(names.take("f") == "f #2");
  CHECK(names.take("g", "/bin/a") == "g");
}
