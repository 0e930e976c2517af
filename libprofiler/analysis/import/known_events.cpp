#include "known_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/import/event_name.hpp"
#include "analysis/profile/count_sum.hpp"
#include "analysis/text/parsing.hpp"

namespace roofmark::import {
namespace {

bool is_core_event(const CounterEvent& event) {
  return event.pmu.empty();
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

/// How perf is asked for an event.
std::string asked(const CounterEvent& event) {
  if (!event.pmu.empty()) {
    const std::string pmu =
        event.pmu.substr(0, std::min(event.pmu.find("_["), event.pmu.find_first_of("*?[")));
    return pmu + "/" + (event.alias.empty() ? event.sysfs : event.alias) + "/";
  }
  return event.sysfs.empty() ? event.name : "cpu/" + event.sysfs + "/";
}

}  // namespace

std::optional<CpuIdentity> cpu_of(const Machine& machine) {
  const auto at = [&](const char* key) {
    const auto found = machine.identity.find(key);
    return found == machine.identity.end() ? std::string() : found->second;
  };
  CpuIdentity cpu;
  const std::string vendor = at("cpu_vendor"), version = at("cpu_version");
  if (vendor.empty() || version.empty()) return std::nullopt;
  if (const std::size_t slash = version.find('/'); slash != std::string::npos) {
    const std::size_t second = version.find('/', slash + 1);
    if (second == std::string::npos) return std::nullopt;
    cpu.vendor = vendor;
    cpu.family = text::whole_number<std::uint64_t>(std::string_view(version).substr(0, slash));
    cpu.model = text::whole_number<std::uint64_t>(
        std::string_view(version).substr(slash + 1, second - slash - 1));
    cpu.stepping = text::whole_number<std::uint64_t>(std::string_view(version).substr(second + 1));
    if (!cpu.family || !cpu.model) return std::nullopt;
  } else {
    // Of Arm: "0xd0c" with the revision behind it.
    constexpr std::size_t part_digits = 5;
    cpu.implementer = text::code_number(vendor);
    cpu.part = text::code_number(std::string_view(version).substr(0, part_digits));
    if (!cpu.implementer || !cpu.part) return std::nullopt;
  }
  cpu.title = at("cpu_model");
  return cpu;
}

void put_quantity(Work& work, const std::string& quantity, Count count) {
  if (quantity.rfind("flop.", 0) == 0) {
    if (const auto precision = parse_word<Precision>(quantity.substr(5)))
      work.flop.insert_or_assign(*precision, std::move(count));
    return;
  }
  if (quantity.rfind("bytes.", 0) != 0) {
    work.operations.insert_or_assign(quantity, std::move(count));
    return;
  }
  const std::size_t first = quantity.find('.') + 1, second = quantity.find('.', first);
  Traffic& traffic = work.bytes[quantity.substr(first, second - first)];
  const std::string direction = second == std::string::npos ? "total" : quantity.substr(second + 1);
  auto& place = direction == "read"    ? traffic.read
                : direction == "write" ? traffic.write
                                       : traffic.total;
  // A count of the program comes before one of all programs.
  if (!place || place->scope == Scope::socket) place = std::move(count);
}

KnownEvents::KnownEvents(EventTables tables, const std::vector<CpuIdentity>& cpus)
    : tables_(std::make_shared<EventTables>(std::move(tables))),
      matches_(match_tables(tables_->tables, cpus, {})) {}

std::string KnownEvents::title() const {
  std::string text;
  for (const TableMatch& match : matches_)
    text += (text.empty() ? "" : " and ") + match.table->name;
  return text;
}

std::vector<KnownEvents::Found> KnownEvents::find(const std::string& printed,
                                                  const EventReading& reading) const {
  std::vector<Found> found;
  const EventName name = event_name(printed);
  if (name.kernel_alone) return found;
  for (std::size_t m = 0; m < matches_.size(); ++m) {
    // Of several kinds of cores a name without its PMU does not say which counted.
    const bool this_kind = is_pmu(matches_[m].core_pmu, name.pmu) ||
                           (matches_.size() == 1 && (name.pmu.empty() || name.pmu == "cpu"));
    for (const CounterEvent& event : matches_[m].table->events) {
      if (is_core_event(event)) {
        if (this_kind && reading.unit.empty() && means(name, event))
          found.push_back({m, &event, 1});
      } else if (is_pmu(event.pmu, name.pmu) ||
                 (name.pmu.empty() && reading.unit == event.unit && !reading.unit.empty())) {
        const bool by_alias = !event.alias.empty() && name.core == event.alias;
        const bool by_terms = !event.sysfs.empty() && !name.pmu.empty() &&
                              terms_of(name.core) == terms_of(event.sysfs);
        if (!by_alias && !by_terms) continue;
        if (reading.unit.empty())
          found.push_back({m, &event, 1});
        else if (event.scale && *event.scale > 0 && reading.unit == event.unit)
          found.push_back({m, &event, 1 / *event.scale});
      }
    }
  }
  return found;
}

bool KnownEvents::has_socket_events(const EventReadings& readings) const {
  for (const auto& [name, reading] : readings)
    for (const Found& found : find(name, reading))
      if (!reading.problem && !is_core_event(*found.event)) return true;
  return false;
}

/// What a quantity is, or what it lacks, over the kinds of cores.
struct KnownEvents::Sum {
  std::optional<Count> count;
  std::optional<Missing> missing;

  void add(Count other) {
    if (!count) {
      count = std::move(other);
      return;
    }
    count->value += other.value;
    count->source = std::max(count->source, other.source);
    for (const std::string& caveat : other.caveats) add_once(count->caveats, caveat);
  }
};

KnownEvents::Readings KnownEvents::by_table(const EventReadings& readings) const {
  Readings all(matches_.size());
  for (const auto& [name, reading] : readings)
    for (const Found& one : find(name, reading)) {
      const auto [place, fresh] = all[one.match].try_emplace(one.event->name);
      EventReading& sum = place->second;
      // Two names of one event of the cores count the same; PMUs of a socket add up.
      if (!fresh && is_core_event(*one.event)) continue;
      sum.value += reading.value * one.factor;
      sum.running = std::min(sum.running, reading.running);
      for (const std::string& caveat : reading.caveats) add_once(sum.caveats, caveat);
      if (reading.problem) sum.problem = name + ": " + *reading.problem;
    }
  return all;
}

Missing KnownEvents::missing(const CountedQuantity& quantity, const EventTable& table,
                             const std::map<std::string, EventReading>& readings,
                             const std::string& ask) {
  Missing made{quantity.quantity, quantity.value.error().reason, quantity.value.error().remedy};
  if (quantity.formula == nullptr) return made;
  std::string list;
  for (const FormulaTerm& term : quantity.formula->sum) {
    if (const CounterEvent* event = table.event(term.event))
      list += (list.empty() ? "" : ",") + asked(*event);
    const auto reading = readings.find(term.event);
    if (reading != readings.end() && reading->second.problem)
      made.reason = *reading->second.problem;
  }
  made.fix = fmt::format(fmt::runtime(ask), list);
  return made;
}

Count KnownEvents::count_of(const CountedQuantity& quantity,
                            const std::map<std::string, EventReading>& readings, const Use& use) {
  Count count;
  count.value = *quantity.value;
  count.source = Source::measured;
  count.collector = use.collector;
  count.scope = quantity.scope == Scope::socket ? Scope::socket : use.scope;
  const Formula& formula = *quantity.formula;
  if (formula.bound == Bound::lower) count.low = count.value;
  if (formula.bound == Bound::upper) count.high = count.value;
  if (formula.bound != Bound::exact)
    count.caveats.push_back(formula.bound == Bound::estimate
                                ? std::string("estimate")
                                : std::string(spelling(formula.bound)) + " bound");
  double running = 1;
  for (const FormulaTerm& term : formula.sum) {
    const EventReading& reading = readings.at(term.event);
    running = std::min(running, reading.running);
    for (const std::string& caveat : reading.caveats) add_once(count.caveats, caveat);
  }
  if (running < 1) {
    count.source = Source::estimated;
    count.caveats.push_back(
        fmt::format("multiplexed: counted for {:.0f} % of the time and scaled", 100 * running));
  }
  for (const std::string& caveat : formula.caveats) add_once(count.caveats, caveat);
  return count;
}

void KnownEvents::put_unknown(const EventReadings& readings, const Use& use, Region& region) const {
  for (const auto& [name, reading] : readings) {
    if (reading.problem || !reading.unit.empty() || !find(name, reading).empty()) continue;
    Count count;
    count.value = rounded_count(reading.value);
    count.source = reading.running < 1 ? Source::estimated : Source::measured;
    count.collector = use.collector;
    count.scope = reading.of_socket ? Scope::socket : use.scope;
    count.caveats = reading.caveats;
    region.work.events.insert_or_assign(name, std::move(count));
  }
}

void KnownEvents::put(const EventReadings& readings, const Use& use, Region& region) const {
  put_unknown(readings, use, region);
  using Key = std::pair<std::string, Scope>;
  std::map<Key, Sum> sums;
  std::vector<Key> order;
  const Readings by_match = by_table(readings);
  for (std::size_t m = 0; m < matches_.size(); ++m) {
    EventCounts counts;
    for (const auto& [event, reading] : by_match[m])
      if (!reading.problem) counts[event] = rounded_count(reading.value);
    for (const CountedQuantity& quantity :
         evaluate_all(*matches_[m].table, counts, use.variables)) {
      // Kinds of cores have their socket in common.
      if (quantity.scope == Scope::socket && m > 0) continue;
      const auto [place, fresh] = sums.try_emplace({quantity.quantity, quantity.scope});
      if (fresh) order.push_back(place->first);
      if (quantity.value)
        place->second.add(count_of(quantity, by_match[m], use));
      else if (!place->second.missing)
        place->second.missing = missing(quantity, *matches_[m].table, by_match[m], use.ask);
    }
  }
  std::set<std::string> said;
  for (const Key& key : order) {
    Sum& sum = sums.at(key);
    if (sum.missing || !sum.count) continue;
    said.insert(key.first);
    put_quantity(region.work, key.first, std::move(*sum.count));
  }
  for (const Key& key : order) {
    const Sum& sum = sums.at(key);
    const bool shown = key.first.rfind("flop.", 0) == 0 || key.first.rfind("bytes.", 0) == 0;
    if (sum.missing && shown && said.insert(key.first).second)
      region.missing.push_back(*sum.missing);
  }
}

}  // namespace roofmark::import
