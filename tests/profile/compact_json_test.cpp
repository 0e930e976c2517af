// The file of a large profile says once what repeats: it reads back as the profile it was.
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/profile/profile_json.hpp"
#include "analysis/profile/profile_json_shared.hpp"
#include "catch.hpp"
#include "sample_profile.hpp"

namespace roofmark {
namespace {

using Json = nlohmann::ordered_json;

bool near(const std::optional<Measure>& a, const std::optional<Measure>& b) {
  if (!a || !b) return !a && !b;
  return std::abs(a->value - b->value) <= 1e-9 * a->value && a->source == b->source;
}

void require_same(const Work& a, const Work& b) {
  REQUIRE(near(a.wall_s, b.wall_s));
  REQUIRE(near(a.thread_s, b.thread_s));
  REQUIRE(a.flop == b.flop);
  REQUIRE(a.bytes == b.bytes);
  REQUIRE(a.mix == b.mix);
}

TEST_CASE("a large profile comes back as it was written") {
  const Profile profile = test::large_profile(compact_above + 200);
  const std::string text = to_json(profile);
  const auto back = profile_from_json(text, "large");
  REQUIRE(back);
  REQUIRE(back->unknown_fields.empty());
  REQUIRE(back->regions.size() == profile.regions.size());
  for (std::size_t i = 0; i < profile.regions.size(); ++i) {
    const Region& was = profile.regions[i];
    const Region& is = back->regions[i];
    REQUIRE(is.path == was.path);
    require_same(is.work, was.work);
    require_same(is.self, was.self);
    REQUIRE(is.missing == was.missing);
    REQUIRE(is.visit_s.has_value() == was.visit_s.has_value());
    REQUIRE(is.rooflines.size() == was.rooflines.size());
    if (was.rooflines.empty()) continue;
    REQUIRE(is.rooflines[0].verdict == was.rooflines[0].verdict);
    REQUIRE(is.self_rooflines[0].verdict == was.self_rooflines[0].verdict);
    REQUIRE(std::abs(*is.rooflines[0].fraction - *was.rooflines[0].fraction) < 1e-5);
  }
  REQUIRE(to_json(*back) == text);
}

TEST_CASE("the regions with the most time keep their rooflines whole") {
  const Json document = Json::parse(to_json(test::large_profile(whole_rooflines + 500)));
  REQUIRE(document["regions"][1]["rooflines"][0].contains("why"));
  REQUIRE(!document["regions"].back()["rooflines"][0].contains("why"));
  REQUIRE(document["regions"].back()["rooflines"][0]["verdict"] == "memory");
}

TEST_CASE("a small profile spells everything out") {
  const Json small = Json::parse(to_json(test::large_profile(compact_above - 1)));
  REQUIRE(!small.contains("compact"));
  REQUIRE(small["regions"][1]["flop"]["f64"]["source"] == "counted");
  REQUIRE(small["regions"][1].contains("self"));
  REQUIRE(small["regions"][1]["missing"][0]["reason"] == "not counted");
}

TEST_CASE("a large profile takes little room for each region") {
  const auto bytes = [](std::size_t regions) {
    return to_json(test::large_profile(regions)).size();
  };
  const std::size_t spelt_out = bytes(compact_above - 1) / (compact_above - 1);
  const std::size_t compact = (bytes(9000) - bytes(5000)) / 4000;
  INFO(spelt_out << " and " << compact << " bytes a region");
  REQUIRE(2 * compact < spelt_out);
}

TEST_CASE("what a compact file refers to must be there") {
  const std::string valid = to_json(test::large_profile(compact_above + 1));
  const auto refused = [&](const char* pointer, const Json& value) {
    Json document = Json::parse(valid);
    document[Json::json_pointer(pointer)] = value;
    const auto profile = profile_from_json(document.dump(), "bad.json");
    return profile ? std::string() : to_line(profile.error());
  };
  const auto holds = [](const std::string& line, const char* part) {
    return line.find(part) != line.npos;
  };
  REQUIRE(holds(refused("/regions/1/missing/0", 99), "`regions[1].missing[0]`"));
  REQUIRE(holds(refused("/regions/1/missing/0", -1), "`regions[1].missing[0]`"));
  REQUIRE(holds(refused("/missing", Json::array()), "`regions[1].missing[0]`"));
  REQUIRE(holds(refused("/missing", 3), "`missing`"));
  REQUIRE(holds(refused("/origins", Json::object()), "`regions[0].wall_s.source`"));
  REQUIRE(holds(refused("/origins/wall_s/source", "guessed"), "`origins.wall_s.source`"));
  REQUIRE(holds(refused("/compact", "yes"), "`compact`"));
  REQUIRE(holds(refused("/compact", false), "`regions[0]"));
}

TEST_CASE("a file that is not compact may not leave an origin out") {
  Json document = Json::parse(to_json(test::sample_profile()));
  document["regions"][1]["flop"]["f64"].erase("source");
  const auto profile = profile_from_json(document.dump(), "bad.json");
  REQUIRE(!profile);
  REQUIRE(profile.error().reason.find("`regions[1].flop.f64.source`") != std::string::npos);
}

}  // namespace
}  // namespace roofmark
