// From names of events to a plan, with a libpapi that is played.
#include "collectors/papi/events.hpp"

#include <memory>

#include "catch.hpp"
#include "collectors/papi/library.hpp"
#include "collectors/papi/refusals.hpp"

using namespace roofmark;
using namespace roofmark::papi;

namespace {

/// A libpapi that knows what it is told.
Result<Probe> answers(std::vector<Answer> events) {
  Probe probe;
  probe.version = "7.0.0.0";
  probe.events = std::move(events);
  return probe;
}

}  // namespace

TEST_CASE("a list of events is taken apart") {
  CHECK(split_events("A").value() == std::vector<std::string>{"A"});
  CHECK(split_events("A,b::C:u=1,sde:::X::Y").value() ==
        std::vector<std::string>{"A", "b::C:u=1", "sde:::X::Y"});
  CHECK(split_events("A,B,A").value() == std::vector<std::string>{"A", "B"});  // once is enough
  for (const char* list : {"", ",", "A,", ",A", "A B", "A,\tB", "A\nB"}) {
    INFO(list);
    CHECK_FALSE(split_events(list).has_value());
  }
}

TEST_CASE("what PAPI counts is planned, the rest is absent with its reason") {
  const EventPlan plan =
      plan_events({"PAPI_TOT_CYC", "perf::PAGE-FAULTS", "rapl:::E", "NOSUCH"}, [](const auto&) {
        return answers({{"PAPI_TOT_CYC", Step::add, -7, "perf_event"},
                        {"perf::PAGE-FAULTS", Step::counted, 0, "perf_event"},
                        {"rapl:::E", Step::counted, 0, "rapl"},
                        {"NOSUCH", Step::name, -18, ""}});
      });
  CHECK(plan.text ==
        "roofmark-papi/1\ngroup thread perf_event 1\nevent perf::PAGE-FAULTS\n"
        "group socket rapl 1\nevent rapl:::E\nend 2\n");
  REQUIRE(plan.absent.size() == 2);
  CHECK(plan.absent[0].first == "PAPI_TOT_CYC");
  CHECK(plan.absent[0].second.reason.find("lists it and can't open it") != std::string::npos);
  CHECK(plan.absent[0].second.remedy.find("roofmark check") != std::string::npos);
  CHECK(plan.absent[1].second.reason.find("no event of this name") != std::string::npos);
}

TEST_CASE("events that the program defines are asked of the program") {
  const EventPlan plan = plan_events({"sde:::LIB::X"}, [](const auto&) {
    return answers({{"sde:::LIB::X", Step::name, -17, ""}});
  });
  CHECK(plan.text == "roofmark-papi/1\ngroup process sde 1\nevent sde:::LIB::X\nend 1\n");
  CHECK(plan.absent.empty());
}

TEST_CASE("without libpapi there is no plan and one reason") {
  const EventPlan plan = plan_events({"A", "sde:::B::C"}, [](const auto&) -> Result<Probe> {
    return tl::unexpected(Problem{"libpapi is not installed here", "PAPI", "install it"});
  });
  CHECK(plan.text.empty());
  REQUIRE(plan.absent.size() == 2);
  for (const auto& [event, problem] : plan.absent) CHECK(problem.remedy == "install it");
}

TEST_CASE("an answer that is missing or odd is no count") {
  const EventPlan plan = plan_events({"A", "B"}, [](const auto&) {
    return answers({{"A", Step::counted, 0, "two words"}});
  });
  CHECK(plan.text.empty());
  CHECK(plan.absent.size() == 2);
}

TEST_CASE("whose work is counted hangs on the component") {
  CHECK(scope_of(extent_of("perf_event")) == Scope::thread);
  CHECK(scope_of(extent_of("sde")) == Scope::process);
  CHECK(scope_of(extent_of("rapl")) == Scope::socket);
  CHECK(scope_of(extent_of("perf_event_uncore")) == Scope::socket);
  CHECK(scope_of(extent_of("nvml")) == Scope::device);  // and all that are not known
}

TEST_CASE("each refusal has a sentence and a way out") {
  for (const int error : {-1, -2, -3, -4, -7, -8, -10, -15, -16, -17, -25, -26, -99, not_additive,
                          not_whole, not_a_sum, wrong_component}) {
    INFO(error);
    const Problem problem = explain_in_program(error, "E");
    CHECK_FALSE(problem.reason.empty());
    CHECK_FALSE(problem.remedy.empty());
  }
  CHECK(explain_in_program(-10, "E").reason.find("counts by PAPI itself") != std::string::npos);
  CHECK(explain_in_program(-8, "E").reason.find("does not fit") != std::string::npos);
  CHECK(explain_in_program(not_additive, "E").reason.find("division") != std::string::npos);
  CHECK(explain_in_program(-7, "sde:::L::X").reason.find("the program has no such event") !=
        std::string::npos);
}

TEST_CASE("a library's version is in its name") {
  CHECK(version_number("/usr/lib/libpapi.so.7.0.0.0") == 0x07000000);
  CHECK(version_number("/usr/lib/libpapi.so.6.1") == 0x06010000);
  CHECK(version_number("/usr/lib/libpapi.so.7") == 0);
  CHECK(version_number("/usr/lib/libpapi.so") == 0);
  CHECK(version_number("/usr/lib/libpapi.so.7.999") == 0);
}
