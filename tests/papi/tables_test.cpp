// The event tables' quantities by PAPI's names, with a libpapi that is played.
#include "collectors/papi/tables.hpp"

#include <algorithm>

#include "catch.hpp"
#include "collectors/papi/library.hpp"
#include "collectors/papi/plan_text.hpp"
#include "in_child.hpp"

using namespace roofmark;
using namespace roofmark::papi;

namespace {

CounterEvent event(const char* name, const char* pfm) {
  CounterEvent made;
  made.name = name;
  made.pfm = pfm;
  return made;
}

Formula formula(const char* quantity, std::vector<FormulaTerm> sum, Scope scope = Scope::process) {
  Formula made;
  made.quantity = quantity;
  made.scope = scope;
  made.sum = std::move(sum);
  return made;
}

EventTable table() {
  EventTable made;
  made.name = "made_up";
  made.events = {event("scalar", "cpu::FP:SCALAR"), event("packed", "cpu::FP:PACKED"),
                 event("lines", "cpu::LINES"), event("nameless", ""),
                 event("channel", "imc::READ")};
  made.events.back().pmu = "uncore_imc_*";
  made.formulas = {formula("flop.f64", {{1, "scalar", {}, ""}, {4, "packed", {}, ""}}),
                   formula("bytes.DRAM.read", {{64, "lines", {}, ""}}),
                   formula("instructions", {{1, "nameless", {}, ""}}),
                   formula("bytes.DRAM.write", {{64, "channel", {}, ""}}, Scope::socket)};
  return made;
}

/// Counts all but `refused`; `room` events fit at once.
Questions library(std::size_t room, std::string refused = "", std::string other_component = "") {
  return {[=](const std::vector<std::string>& names) -> Result<Probe> {
            Probe probe;
            for (const std::string& name : names) {
              Answer answer{name, Step::counted, 0,
                            name == other_component ? "perf_event_uncore" : "perf_event"};
              if (name == refused) answer = {name, Step::add, -7, "perf_event"};
              probe.events.push_back(answer);
            }
            return probe;
          },
          [=](const std::vector<std::string>& names) { return names.size() <= room; }};
}

const UnplannedQuantity* absent(const CounterPlan& plan, const std::string& quantity) {
  for (const UnplannedQuantity& entry : plan.absent)
    if (entry.quantity == quantity) return &entry;
  return nullptr;
}

}  // namespace

TEST_CASE("quantities of the cores are planned by PAPI's names") {
  const EventTable made = table();
  const auto planned = plan_table(made, {}, library(4));
  REQUIRE(planned.has_value());
  CHECK(planned->plan.passes == 1);
  REQUIRE(planned->texts.size() == 1);
  CHECK(planned->texts[0] ==
        "roofmark-papi/1\ngroup thread perf_event 3\nevent cpu::FP:SCALAR\nevent "
        "cpu::FP:PACKED\nevent cpu::LINES\nend 3\n");
  REQUIRE(planned->plan.groups.size() == 1);
  CHECK(planned->plan.groups[0].events[1].name == "packed");  // in the order of the text
  CHECK(planned->plan.formulas.size() == 2);
  REQUIRE(absent(planned->plan, "instructions") != nullptr);
  CHECK(absent(planned->plan, "instructions")
            ->problem.reason.find("no name for its event `nameless`") != std::string::npos);
  CHECK(absent(planned->plan, "bytes.DRAM.write") == nullptr);  // of a socket: not PAPI's
}

TEST_CASE("what does not fit one run gets another, and a formula is never torn") {
  const EventTable made = table();
  const auto planned = plan_table(made, {}, library(2));
  REQUIRE(planned.has_value());
  CHECK(planned->plan.passes == 2);
  REQUIRE(planned->plan.groups.size() == 2);
  CHECK(planned->plan.groups[0].events.size() == 2);
  CHECK(planned->plan.groups[1].pass == 1);
  CHECK(planned->plan.groups[1].events[0].name == "lines");
  const auto narrow = plan_table(made, {}, library(1));
  REQUIRE(narrow.has_value());
  REQUIRE(absent(narrow->plan, "flop.f64") != nullptr);
  CHECK(absent(narrow->plan, "flop.f64")->problem.reason.find("don't fit") != std::string::npos);
}

TEST_CASE("one event that PAPI does not count takes its formula, and the next one's turn comes") {
  EventTable made = table();
  const auto without = plan_table(made, {}, library(4, "cpu::FP:PACKED"));
  REQUIRE(without.has_value());
  REQUIRE(absent(without->plan, "flop.f64") != nullptr);
  CHECK(absent(without->plan, "flop.f64")->problem.reason.find("lists it and can't open it") !=
        std::string::npos);
  CHECK(without->plan.formulas.size() == 1);
  made.formulas.push_back(formula("flop.f64", {{2, "scalar", {}, ""}}));
  const auto second = plan_table(made, {}, library(4, "cpu::FP:PACKED"));
  CHECK(absent(second->plan, "flop.f64") == nullptr);
  const auto elsewhere = plan_table(table(), {}, library(4, "", "cpu::LINES"));
  CHECK(absent(elsewhere->plan, "bytes.DRAM.read")->problem.reason.find("not for a thread") !=
        std::string::npos);
}

TEST_CASE("only what is wanted is planned, and no library is one reason") {
  const EventTable made = table();
  const auto planned = plan_table(made, {{"bytes.DRAM.read", Scope::process}}, library(4));
  CHECK(planned->plan.formulas.size() == 1);
  CHECK(planned->plan.absent.empty());
  Questions none = library(4);
  none.each = [](const auto&) -> Result<Probe> {
    return tl::unexpected(Problem{"libpapi is not installed here", "", ""});
  };
  CHECK(plan_table(made, {}, none).error().reason == "libpapi is not installed here");
}

TEST_CASE("several kinds of cores are refused, since a thread has one running set of PAPI's") {
  const Problem problem = why_not_several_kinds("p, e");
  CHECK(problem.reason.find("several kinds of cores (p, e)") != std::string::npos);
  CHECK(problem.remedy == "--counters perf");
  // What the refusal says, of the libpapi that is here: in a process of its own, since its
  // components stay.
  enum : int { is_so, is_not_so, not_here };
  const int outcome = test::in_child([] {
    const auto papi = Library::load();
    if (!papi) return int{not_here};
    int sets[2] = {-1, -1};
    for (int& set : sets)
      if (papi->create_eventset(&set) != 0 || papi->add_named_event(set, "perf::PAGE-FAULTS") != 0)
        return int{not_here};
    if (papi->start(sets[0]) != 0) return int{not_here};
    return papi->start(sets[1]) != 0 ? int{is_so} : int{is_not_so};
  });
  if (outcome == not_here) {
    WARN("not tested here: PAPI counts no page faults");
    return;
  }
  CHECK(outcome == is_so);
}

TEST_CASE("events that were named go behind those of the table") {
  const std::string first = "roofmark-papi/1\ngroup thread perf_event 1\nevent A\nend 1\n";
  const std::string named = "roofmark-papi/1\ngroup process sde 1\nevent sde:::L::X\nend 1\n";
  CHECK(with_events(first, named, library(4)) ==
        "roofmark-papi/1\ngroup thread perf_event 1\nevent A\ngroup process sde 1\nevent "
        "sde:::L::X\nend 2\n");
  CHECK(with_events("", named, library(4)) == named);
  CHECK(with_events(first, "", library(4)) == first);
}

TEST_CASE("named events of the cores share the set: once each, and all of them or none") {
  const std::string first = "roofmark-papi/1\ngroup thread perf_event 2\nevent A\nevent B\nend 2\n";
  const std::string named =
      "roofmark-papi/1\ngroup thread perf_event 1\nevent B\ngroup thread perf_event 1\nevent "
      "C\nend 2\n";
  CHECK(with_events(first, named, library(3)) ==
        "roofmark-papi/1\ngroup thread perf_event 2\nevent A\nevent B\ngroup thread perf_event "
        "1\nevent C\nend 3\n");
  CHECK_FALSE(with_events(first, named, library(2)));
  // What takes no counter of the cores fits whatever they hold.
  const std::string rapl = "roofmark-papi/1\ngroup socket rapl 1\nevent R\nend 1\n";
  CHECK(with_events(first, rapl, library(0)));
  CHECK_FALSE(with_events(first, "no plan", library(4)));
  std::string full = "roofmark-papi/1\n";
  for (unsigned i = 0; i < papi::most_events; ++i)
    full += "group socket rapl 1\nevent R" + std::to_string(i) + "\n";
  full += "end " + std::to_string(papi::most_events) + "\n";
  CHECK_FALSE(with_events(first, full, library(4)));
}
