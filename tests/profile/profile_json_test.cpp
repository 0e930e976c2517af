#include <clocale>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "analysis/profile/profile_json.hpp"
#include "catch.hpp"
#include "sample_profile.hpp"

namespace roofmark {
namespace {

using Json = nlohmann::ordered_json;

TEST_CASE("a profile comes back as it was written") {
  const Profile profile = test::sample_profile();
  const std::string text = to_json(profile);
  const auto back = profile_from_json(text, "sample");
  REQUIRE(back);
  REQUIRE(to_json(*back) == text);

  REQUIRE(back->program.command == profile.program.command);
  REQUIRE(back->program.exit_status == 139);
  REQUIRE(back->machine.compute.size() == 1);
  REQUIRE(back->passes.size() == 2);
  REQUIRE(!back->passes[1].exit_status);
  REQUIRE(back->regions.size() == 7);
  REQUIRE(back->regions[2].visits_source == Source::counted);
  REQUIRE(has_visits(back->regions[2]));
  REQUIRE_FALSE(has_visits(back->regions[3]));
  REQUIRE(Json::parse(text)["regions"][2]["visits_source"] == "counted");
  REQUIRE_FALSE(Json::parse(text)["regions"][3].contains("visits"));
  REQUIRE_FALSE(Json::parse(text)["regions"][0].contains("visits_source"));
  const Region& region = back->regions[1];
  REQUIRE(region.path == profile.regions[1].path);
  REQUIRE(region.flags == profile.regions[1].flags);
  REQUIRE(region.work.mix == profile.regions[1].work.mix);
  REQUIRE(region.work.wall_s->low == 0.12);
  REQUIRE(region.work.declared_bytes->value == 9);
  REQUIRE(region.work.bytes.at("DRAM").read->caveats ==
          std::vector<std::string>{"replacement policy"});
  REQUIRE(region.cores_used->value == 1.9);
  REQUIRE(region.clock_hz == Measure{2.1e9, Source::estimated, 2e9, 2.2e9});
  REQUIRE(region.rooflines[0].fraction == 2.0 / 3);
  REQUIRE(region.rooflines[0].levels.at("DRAM").ridge == 1.2);
  REQUIRE(region.rooflines[0].ladder[0].gain == 1.5);
  REQUIRE(region.rooflines[0].advice[1].text == "Or this.");
  REQUIRE(region.self_rooflines[0].verdict == Verdict::latency);
  REQUIRE(region.missing[0].fix == "count it");
  REQUIRE(region.shares == profile.regions[1].shares);
  REQUIRE(!back->regions[0].shares);
}

TEST_CASE("shares are bounded, and those of a later kind are skipped") {
  Profile profile = test::sample_profile();
  WorkShares& shares = *profile.regions[1].shares;
  shares.each.assign(most_shares + 1, shares.each[0]);
  shares.total = 100;
  const auto many = profile_from_json(to_json(profile), "sample");
  REQUIRE_FALSE(many);
  REQUIRE(many.error().reason.find("one too many") != std::string::npos);
  shares.each.resize(2);
  shares.each[1].number = 1;
  shares.total = 1;
  REQUIRE_FALSE(profile_from_json(to_json(profile), "sample"));
  shares.total = 3;  // one was left out
  std::string text = to_json(profile);
  REQUIRE(profile_from_json(text, "sample"));
  const std::string ours = "\"of\":\"threads\"";
  text.replace(text.find(ours), ours.size(), "\"of\":\"strands\"");
  const auto later = profile_from_json(text, "sample");
  REQUIRE(later);
  REQUIRE_FALSE(later->regions[1].shares);
}

TEST_CASE("absent stays absent, and a counted zero stays zero") {
  const auto back = profile_from_json(to_json(test::sample_profile()), "sample");
  REQUIRE(back);
  const Work& work = back->regions[1].work;
  REQUIRE(work.flop.at(Precision::f32).value == 0);
  REQUIRE(work.flop.count(Precision::f16) == 0);
  REQUIRE(!work.bytes.at("DRAM").write);
  REQUIRE(work.bytes.count("L2") == 0);
  REQUIRE(!back->regions[0].visit_s);
}

TEST_CASE("counts are whole numbers beyond 2^53") {
  const std::string text = to_json(test::sample_profile());
  REQUIRE(text.find("\"value\":9007199254740993,") != text.npos);
  REQUIRE(text.find("\"high\":18446744073709551615") != text.npos);
  const auto back = profile_from_json(text, "sample");
  REQUIRE(back);
  REQUIRE(back->regions[1].work.flop.at(Precision::f64).value == 9'007'199'254'740'993U);
  REQUIRE(back->regions[1].work.bytes.at("DRAM").read->high == 18'446'744'073'709'551'615U);
}

TEST_CASE("a name that is not UTF-8 has its bytes beside it") {
  const Json document = Json::parse(to_json(test::sample_profile()));
  const Json& region = document["regions"][1];
  REQUIRE(region["path"][2] == std::string("\xEF\xBF\xBD\0\x01", 5));
  REQUIRE(region["name_bytes"] == Json::parse(R"([null, null, "ff0001", null])"));
  REQUIRE(document["program"]["command_bytes"] == Json::parse(R"([null, null, "ff2e646174"])"));
  REQUIRE(!document["regions"][0].contains("name_bytes"));
}

TEST_CASE("no NaN and no infinity reach the file") {
  Profile profile = test::sample_profile();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  Region& region = profile.regions[1];
  region.work.wall_s->value = nan;
  region.work.thread_s->high = inf;
  region.marker_s = -inf;
  region.visit_s->stddev = nan;
  region.imbalance = inf;
  region.rooflines[0].fraction = nan;
  region.rooflines[0].uncertainty = inf;
  region.rooflines[0].levels["DRAM"].intensity = inf;
  region.rooflines[0].ladder[0].gain = inf;
  region.rooflines[0].advice[0].gain = nan;
  profile.passes[0].wall_s = nan;
  const std::string text = to_json(profile);
  REQUIRE(text.find("null") == text.find("null,null,\"ff"));  // only names that are UTF-8
  const auto back = profile_from_json(text, "sample");
  REQUIRE(back);
  REQUIRE(!back->regions[1].work.wall_s);
  REQUIRE(!back->regions[1].rooflines[0].fraction);
}

TEST_CASE("fields of a later version survive a rewrite") {
  Json document = Json::parse(to_json(test::sample_profile()));
  document["energy"] = {{"joule", 3}};
  document["regions"][1]["energy"] = 4;
  document["regions"][1]["flop"]["f12"] = {{"value", "what"}};
  const auto back = profile_from_json(document.dump(), "later");
  REQUIRE(back);
  const Json again = Json::parse(to_json(*back));
  REQUIRE(again["energy"]["joule"] == 3);
  REQUIRE(again["regions"][1]["energy"] == 4);
  REQUIRE(!again["regions"][0].contains("energy"));
}

TEST_CASE("a conclusion that this version does not know is undetermined") {
  Json document = Json::parse(to_json(test::sample_profile()));
  document["regions"][1]["rooflines"][0]["verdict"] = "quantum";
  const auto back = profile_from_json(document.dump(), "later");
  REQUIRE(back);
  REQUIRE(back->regions[1].rooflines[0].verdict == Verdict::undetermined);
}

TEST_CASE("a locale with decimal commas changes nothing") {
  const std::string text = to_json(test::sample_profile());
  const std::string before = std::setlocale(LC_ALL, nullptr);
  const char* chosen = nullptr;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"})
    if (!chosen) chosen = std::setlocale(LC_ALL, name);
  if (!chosen) {
    WARN("skipped: no locale with decimal commas is installed (de_DE, fr_FR)");
    return;
  }
  const std::string in_locale = to_json(test::sample_profile());
  const auto back = profile_from_json(text, "sample");
  std::setlocale(LC_ALL, before.c_str());
  REQUIRE(in_locale == text);
  REQUIRE(back);
  REQUIRE(back->regions[1].work.wall_s->value == 0.125);
}

}  // namespace
}  // namespace roofmark
