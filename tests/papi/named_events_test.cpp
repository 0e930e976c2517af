// Counts of recordings -> columns of regions.
#include "analysis/join/named_events.hpp"

#include "catch.hpp"

using namespace roofmark;

namespace {

const char* const two_events =
    "roofmark-papi/1\ngroup thread perf_event 1\nevent cycles\ngroup process sde 1\nevent "
    "sde:::L::X\nend 2\n";

RawNode node(std::size_t parent, const char* name, std::uint64_t visits, std::uint64_t cycles,
             std::uint64_t flops) {
  RawNode made;
  made.parent = parent;
  made.name = name;
  made.visits = visits;
  made.events.emplace();
  for (const std::uint64_t value : {cycles, flops}) {
    RawEventGroup group;
    group.whole = visits;
    group.values = {value};
    made.events->groups.push_back(group);
  }
  return made;
}

RawThread thread(bool main, std::vector<RawNode> nodes) {
  RawThread made;
  made.main = main;
  made.nodes = std::move(nodes);
  if (!main)
    for (RawNode& one : made.nodes) one.events->groups[1] = {0, 0, 0, one.visits, 0, 0, {0}};
  return made;
}

RawProcess process(std::vector<RawThread> threads) {
  RawProcess made;
  made.executable = "/bin/app";
  made.counting.emplace();
  made.counting->plan = two_events;
  made.threads = std::move(threads);
  return made;
}

Profile profile_of(const std::vector<std::vector<std::string>>& paths) {
  Profile profile;
  for (const auto& path : paths) {
    Region region;
    region.path = path;
    region.visits = 1;
    profile.regions.push_back(region);
  }
  return profile;
}

std::optional<std::uint64_t> value(const std::map<std::string, Count>& events, const char* name) {
  const auto found = events.find(name);
  return found == events.end() ? std::nullopt : std::optional(found->second.value);
}

std::string why(const Region& region, const std::string& event) {
  std::string reasons;
  for (const Missing& missing : region.missing)
    if (missing.quantity == "events." + event) reasons += missing.reason;
  return reasons;
}

const NamedEvents both{{"cycles", "sde:::L::X"}, false};
constexpr std::size_t root = RawNode::no_parent;
using Paths = std::vector<std::vector<std::string>>;

}  // namespace

TEST_CASE("a region's counts are those of all threads, and its own are without its children's") {
  const RawProcess app =
      process({thread(true, {node(root, "solve", 2, 1000, 50), node(0, "part", 4, 300, 20)}),
               thread(false, {node(root, "solve", 0, 0, 0), node(0, "part", 8, 900, 0)})});
  Profile profile = profile_of({{}, {"solve"}, {"solve", "part"}});
  add_named_events({app}, "/bin/app", both, profile);
  const Region& solve = profile.regions[1];
  const Region& part = profile.regions[2];
  CHECK(value(solve.work.events, "cycles") == 1900U);  // the other thread's part is below it
  CHECK(value(solve.self.events, "cycles") == 700U);
  CHECK(value(part.work.events, "cycles") == 1200U);
  CHECK(solve.work.events.at("cycles").scope == Scope::thread);
  CHECK(solve.work.events.at("cycles").source == Source::measured);
  // What belongs to the process is read by the main thread, and never added up over threads.
  CHECK(value(solve.work.events, "sde:::L::X") == 50U);
  CHECK(value(solve.self.events, "sde:::L::X") == 30U);
  CHECK(value(part.work.events, "sde:::L::X") == 20U);
  CHECK(solve.work.events.at("sde:::L::X").scope == Scope::process);
  CHECK(profile.regions[0].work.events.empty());
  CHECK(profile.regions[0].missing.empty());
}

TEST_CASE("events of a plan that nobody named are the event table's, and no columns") {
  const RawProcess app = process({thread(true, {node(root, "solve", 2, 1000, 50)})});
  Profile profile = profile_of({{"solve"}});
  add_named_events({app}, "/bin/app", {{"sde:::L::X"}, false}, profile);
  CHECK(profile.regions[0].work.events.size() == 1);
  CHECK(profile.regions[0].missing.empty());
}

TEST_CASE("counts of a run of their own are brought to the timed run's visits") {
  const RawProcess app = process({thread(true, {node(root, "solve", 2, 1000, 50)})});
  Profile profile = profile_of({{"solve"}});
  profile.regions[0].visits = 5;
  add_named_events({app}, "/bin/app", {both.names, true}, profile);
  const Count& cycles = profile.regions[0].work.events.at("cycles");
  CHECK(cycles.value == 2500);
  CHECK(cycles.low == 1000U);
  CHECK(cycles.high == 2500U);
  CHECK(cycles.caveats == std::vector<std::string>{"visits differ"});
  CHECK(profile.regions[0].flags.count("visits_differ") == 1);
  // The main thread's visits alone read what belongs to the process: nothing to scale by.
  CHECK(value(profile.regions[0].work.events, "sde:::L::X") == 50U);
  profile = profile_of({{"solve"}});
  profile.regions[0].visits = 2;
  add_named_events({app}, "/bin/app", {both.names, true}, profile);
  CHECK_FALSE(profile.regions[0].work.events.at("cycles").low);
  CHECK(profile.regions[0].flags.empty());
}

TEST_CASE("what the markers count is taken out, and never more than there is") {
  RawProcess app =
      process({thread(true, {node(root, "solve", 2, 1000, 50), node(0, "part", 4, 300, 20)})});
  app.counting->inner = {{0, 0, 10}, {0, 0, 0}};
  app.counting->whole = {{0, 0, 25}, {0, 0, 0}};
  Profile profile = profile_of({{"solve"}, {"solve", "part"}});
  add_named_events({app}, "/bin/app", both, profile);
  CHECK(value(profile.regions[0].work.events, "cycles") == 1000U - 2 * 10 - 4 * 25);
  CHECK(value(profile.regions[1].work.events, "cycles") == 300U - 4 * 10);
  app.counting->inner[0][2] = 1e6;
  profile = profile_of({{"solve"}, {"solve", "part"}});
  add_named_events({app}, "/bin/app", both, profile);
  CHECK(value(profile.regions[1].work.events, "cycles") == 0U);
}

TEST_CASE("one visit that was not counted leaves no count, in the region and those around it") {
  const auto spoilt = [](auto change) {
    RawProcess app =
        process({thread(true, {node(root, "solve", 2, 1000, 50), node(0, "part", 4, 300, 20)})});
    change(app, app.threads[0].nodes[1]);
    Profile profile = profile_of({{"solve"}, {"solve", "part"}});
    add_named_events({app}, "/bin/app", both, profile);
    CHECK(value(profile.regions[1].work.events, "cycles") == std::nullopt);
    CHECK(value(profile.regions[0].work.events, "sde:::L::X") ==
          50U);  // the other event was counted
    return why(profile.regions[1], "cycles");
  };
  CHECK(spoilt([](auto&, RawNode& part) {
          part.events->groups[0].unread = 1;
        }).find("1 of its visits") == 0);
  CHECK(spoilt([](auto&, RawNode& part) {
          part.events->groups[0].missed = 2;
        }).find("2 of its visits") == 0);
  CHECK(spoilt([](auto&, RawNode& part) {
          part.events->blind_visits = 1;
        }).find("another thread") != std::string::npos);
  CHECK(spoilt([](auto&, RawNode& part) {
          part.events->groups[0].values[0] = ~std::uint64_t{0} - 5;
        }).find("backwards") != std::string::npos);
  CHECK(spoilt([](RawProcess& app, RawNode& part) {
          part.events->groups[0].unread = 4;
          app.threads[0].refusal = {-8, 0, 0};
        }).find("does not fit") != std::string::npos);
}

TEST_CASE("no room, no end and no process that counts are reasons") {
  RawProcess app = process({thread(true, {node(root, "a", 1, 10, 1), node(root, "b", 0, 0, 0)})});
  app.threads[0].nodes[0].events.reset();
  app.threads[0].nodes[1].open_since = 5;
  RawProcess other = process({thread(true, {node(root, "c", 1, 10, 1)})});
  other.counting.reset();
  Profile profile = profile_of({{"a"}, {"b"}, {"c"}});
  add_named_events({app, other}, "/bin/app", both, profile);
  CHECK(why(profile.regions[0], "cycles").find("no room") != std::string::npos);
  CHECK(why(profile.regions[1], "cycles").find("had not ended") != std::string::npos);
  CHECK(why(profile.regions[2], "cycles").find("counted nothing") != std::string::npos);
  for (const Region& region : profile.regions) CHECK(region.work.events.empty());
}

TEST_CASE("a process of another program keeps regions of its own") {
  RawProcess app = process({thread(true, {node(root, "solve", 1, 10, 1)})});
  RawProcess tool = process({thread(true, {node(root, "solve", 1, 7, 2)})});
  tool.executable = "/bin/tool";
  Profile profile = profile_of({{"solve"}, {"solve [tool]"}});
  add_named_events({app, tool}, "/bin/app", both, profile);
  CHECK(value(profile.regions[0].work.events, "cycles") == 10U);
  CHECK(value(profile.regions[1].work.events, "cycles") == 7U);
}

TEST_CASE("an event that is counted nowhere has its reason in every region") {
  Profile profile = profile_of({{}, {"solve"}});
  add_absent_event("X", {"PAPI knows no event of this name", "X", "papi_avail"}, profile);
  for (const Region& region : profile.regions) {
    CHECK(why(region, "X") == "PAPI knows no event of this name");
    CHECK(region.missing[0].fix == "papi_avail");
  }
}
