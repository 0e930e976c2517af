#include <analysis/sampling/address_spaces.hpp>
#include <analysis/sampling/sampled_run.hpp>

#include "catch.hpp"

using namespace roofmark::sampling;

namespace {

std::string name(const AddressSpaces& spaces, const Place& place) {
  return spaces.objects()[place.object];
}

}  // namespace

TEST_CASE("an address is an offset in the file that lies there") {
  AddressSpaces spaces;
  spaces.map(7, 0x1000, 0x1000, 0x3000, "/bin/a");
  const Place place = spaces.find(7, 0x1234);
  CHECK(name(spaces, place) == "/bin/a");
  CHECK(place.offset == 0x3234);
  CHECK(name(spaces, spaces.find(7, 0x2000)).empty());
  CHECK(spaces.find(7, 0x2000).offset == 0x2000);
  CHECK(name(spaces, spaces.find(8, 0x1234)).empty());
}

TEST_CASE("what is mapped later takes the place, and what lies around it stays") {
  AddressSpaces spaces;
  spaces.map(1, 0x1000, 0x5000, 0, "/lib/old");
  spaces.map(1, 0x2000, 0x1000, 0x8000, "/lib/new");
  CHECK(name(spaces, spaces.find(1, 0x1fff)) == "/lib/old");
  CHECK(name(spaces, spaces.find(1, 0x2000)) == "/lib/new");
  CHECK(spaces.find(1, 0x2fff).offset == 0x8fff);
  CHECK(name(spaces, spaces.find(1, 0x3000)) == "/lib/old");
  CHECK(spaces.find(1, 0x3000).offset == 0x2000);
  spaces.map(1, 0x1000, 0x5000, 0, "/lib/third");
  CHECK(name(spaces, spaces.find(1, 0x2000)) == "/lib/third");
}

TEST_CASE("memory of no file is no object, at its address") {
  AddressSpaces spaces;
  spaces.map(1, 0x1000, 0x1000, 0, "//anon");
  CHECK(name(spaces, spaces.find(1, 0x1010)) == no_object);
  CHECK(spaces.find(1, 0x1010).offset == 0x1010);
  spaces.map(1, 0x5000, 0x1000, 0, "[vdso]");
  CHECK(name(spaces, spaces.find(1, 0x5010)) == "[vdso]");
}

TEST_CASE("a child has what its parent had, and a program that is executed nothing") {
  AddressSpaces spaces;
  spaces.map(1, 0x1000, 0x1000, 0, "/bin/a");
  spaces.forked(1, 2);
  spaces.forked(1, 1);  // a thread
  spaces.map(2, 0x1000, 0x1000, 0, "/bin/b");
  CHECK(name(spaces, spaces.find(1, 0x1000)) == "/bin/a");
  CHECK(name(spaces, spaces.find(2, 0x1000)) == "/bin/b");
  spaces.replaced(1);
  CHECK(name(spaces, spaces.find(1, 0x1000)).empty());
  spaces.ended(2);
  CHECK(name(spaces, spaces.find(2, 0x1000)).empty());
}
