// Terms of sysfs are laid into the bits that the PMU's format names.
#include "analysis/counters/sysfs_terms.hpp"
#include "catch.hpp"

using namespace roofmark;

namespace {

const PmuFormat amd = {
    {"event", "config:0-7,32-35"}, {"umask", "config:8-15"}, {"edge", "config:18"}};
const PmuFormat intel = {{"event", "config:0-7"},
                         {"umask", "config:8-15"},
                         {"offcore_rsp", "config1:0-63"},
                         {"ldlat", "config2:0-15"}};

AttributeNumbers encoded(const char* terms, const PmuFormat& format) {
  const auto numbers = encode_terms(terms, format, "test");
  if (!numbers) FAIL(to_line(numbers.error()));
  return *numbers;
}

}  // namespace

TEST_CASE("terms become numbers") {
  CHECK(encoded("event=0xc7,umask=0x01", intel) == AttributeNumbers{0x1c7, 0, 0});
  CHECK(encoded("event=183,umask=1,offcore_rsp=0xffffffffffffffff", intel) ==
        AttributeNumbers{0x1b7, ~std::uint64_t{0}, 0});
  CHECK(encoded("event=0xcd,ldlat=0x3", intel) == AttributeNumbers{0xcd, 0, 3});
  // A field in two pieces, and a term without a value.
  CHECK(encoded("event=0x120,umask=0x01", amd) == AttributeNumbers{0x100000120, 0, 0});
  CHECK(encoded("event=0x76,edge", amd) == AttributeNumbers{0x40076, 0, 0});
}

TEST_CASE("what does not fit the format is refused") {
  for (const char* terms : {"", "event=0x1c7", "umask=0x100", "event=", "event=0x", "event=c7",
                            "events=1", ",", "event=1,,umask=1", "event=1=2"}) {
    INFO(terms);
    const auto numbers = encode_terms(terms, intel, "uncore_imc_0");
    REQUIRE_FALSE(numbers);
    CHECK(numbers.error().where == "uncore_imc_0");
    CHECK_FALSE(numbers.error().remedy.empty());
  }
  for (const char* layout : {"", "config", "config:", "config3:0-7", "config:7-0", "config:0-64",
                             "config:a-b", "config:0-7,x"}) {
    INFO(layout);
    CHECK_FALSE(encode_terms("event=0xc7", {{"event", layout}}, "test"));
  }
}
