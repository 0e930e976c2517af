#include "events_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/text/plain_text.hpp"
#include "analysis/text/text_table.hpp"

namespace roofmark {
namespace {

using Json = nlohmann::ordered_json;

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(separator)) + word;
  return text;
}

/// The PMU that counts the event: a pattern, or the core's own.
const std::string& pmu_of(const CounterEvent& event, const TableMatch& match) {
  return event.pmu.empty() ? match.core_pmu : event.pmu;
}

std::vector<std::string> pmus_of(const Formula& formula, const TableMatch& match) {
  std::vector<std::string> patterns;
  for (const FormulaTerm& term : formula.sum)
    if (const CounterEvent* event = match.table->event(term.event))
      if (const std::string& pmu = pmu_of(*event, match);
          std::find(patterns.begin(), patterns.end(), pmu) == patterns.end())
        patterns.push_back(pmu);
  return patterns;
}

/// Whether the kernel has all PMUs of a formula. That an event opens is another matter.
bool has_pmus(const Formula& formula, const TableMatch& match, const PmuNames& pmus) {
  const std::vector<std::string> patterns = pmus_of(formula, match);
  return std::none_of(patterns.begin(), patterns.end(),
                      [&](const std::string& pattern) { return pmus_like(pattern, pmus).empty(); });
}

/// "f64_scalar + 2 f64_128 - 256 l2_swaps"
std::string sum_text(const Formula& formula) {
  std::string text;
  for (const FormulaTerm& term : formula.sum) {
    const bool minus = term.weight < 0;
    if (!text.empty())
      text += minus ? " - " : " + ";
    else if (minus)
      text += "-";
    if (const double size = minus ? -term.weight : term.weight; size != 1)
      text += fmt::format("{:g} ", size);
    text += term.event;
    if (!term.variable.empty()) text += " x " + term.variable;
  }
  return text;
}

/// Footnotes [a], [b], ..., each sentence once.
class Footnotes {
 public:
  std::string marks(const std::vector<std::string>& sentences) {
    std::string marks;
    for (const std::string& sentence : sentences) {
      auto found = std::find(sentences_.begin(), sentences_.end(), sentence);
      if (found == sentences_.end()) found = sentences_.insert(sentences_.end(), sentence);
      marks +=
          (marks.empty() ? "" : " ") + mark(static_cast<std::size_t>(found - sentences_.begin()));
    }
    return marks;
  }
  std::string text(std::size_t width) const {
    std::string out;
    for (std::size_t i = 0; i < sentences_.size(); ++i)
      out += text::indented(mark(i) + " " + sentences_[i], 2, 6, width);
    return out;
  }

 private:
  static std::string mark(std::size_t index) {
    std::string letters;
    for (++index; index > 0; index = (index - 1) / 26)
      letters.insert(letters.begin(), static_cast<char>('a' + (index - 1) % 26));
    return "[" + letters + "]";
  }
  std::vector<std::string> sentences_;
};

std::string table_text(const TableMatch& match, const CountableEvents& events,
                       const EventsTextOptions& options) {
  const EventTable& table = *match.table;
  std::string out =
      "\n" + text::indented("Table " + table.name + ": " + table.about, 0, 2, options.width) +
      text::indented(table.file, 2, 2, options.width) + "\n";
  text::TextTable rows({{"Quantity", false},
                        {"Scope", false},
                        {"Bound", false},
                        {"Here", false},
                        {"Notes", false, 24},
                        {"PMU", false, 24, 2},
                        {"Counted from", false, 200, 0, true}});
  Footnotes notes;
  for (const Formula& formula : table.formulas)
    rows.add({{formula.quantity, ""},
              {std::string(spelling(formula.scope)), ""},
              {std::string(spelling(formula.bound)), ""},
              {has_pmus(formula, match, events.pmus) ? "yes" : "-", ""},
              {notes.marks(formula.caveats), ""},
              {joined(pmus_of(formula, match), " "), ""},
              {sum_text(formula), ""}});
  out += rows.render(options.width, options.utf8, false);
  const std::string sentences = notes.text(options.width);
  if (!sentences.empty()) out += "\n" + sentences;
  if (!table.not_countable.empty()) out += "\nNot countable for a process\n";
  for (const NotCountable& entry : table.not_countable)
    out +=
        text::indented(joined(entry.quantities, ", ") + ": " + entry.reason + "; " + entry.remedy,
                       2, 4, options.width);
  return out;
}

Json to_value(const Formula& formula, const TableMatch& match, const PmuNames& pmus) {
  Json terms = Json::array();
  for (const FormulaTerm& term : formula.sum) {
    Json value = {{"weight", term.weight}, {"event", term.event}};
    if (!term.variable.empty()) value["variable"] = term.variable;
    terms.push_back(value);
  }
  return {{"quantity", formula.quantity},
          {"unit", unit_of_quantity(formula.quantity).value_or("")},
          {"scope", spelling(formula.scope)},
          {"bound", spelling(formula.bound)},
          {"pmus", pmus_of(formula, match)},
          {"pmus_there", has_pmus(formula, match, pmus)},
          {"sum", terms},
          {"caveats", formula.caveats}};
}

}  // namespace

std::optional<Problem> why_nothing(const CountableEvents& events) {
  if (events.cpus.empty())
    return Problem{"/proc/cpuinfo names no processor that is known by tables", "hardware counters",
                   "use --counters emulated, or declare the work in the annotation"};
  if (events.matches.empty())
    return Problem{"no event table is for this processor (" + to_text(events.cpus.front()) + ")",
                   "hardware counters", "write one (docs/events.md), or use --counters emulated"};
  std::vector<std::string> wanted;
  for (const TableMatch& match : events.matches) {
    if (!match.pmus.empty()) return std::nullopt;
    if (std::find(wanted.begin(), wanted.end(), match.core_pmu) == wanted.end())
      wanted.push_back(match.core_pmu);
  }
  const bool is_virtual = events.matches.front().cpu.hypervisor;
  return Problem{"the kernel has no PMU `" + joined(wanted, "` or `") + "`" +
                     (is_virtual ? ": this virtual machine was given none" : ""),
                 "hardware counters",
                 is_virtual
                     ? "ask for a virtual PMU where the machine is made, or use --counters emulated"
                     : "use a kernel with perf events for this processor, or --counters emulated"};
}

bool counts_anything(const CountableEvents& events) {
  return std::any_of(events.matches.begin(), events.matches.end(), [&](const TableMatch& match) {
    const std::vector<Formula>& formulas = match.table->formulas;
    return std::any_of(formulas.begin(), formulas.end(), [&](const Formula& formula) {
      return has_pmus(formula, match, events.pmus);
    });
  });
}

std::string render_events_text(const CountableEvents& events, const EventsTextOptions& options) {
  std::string out;
  for (const CpuIdentity& cpu : events.cpus) {
    std::string line = cpu.title.empty() ? to_text(cpu) : cpu.title + ", " + to_text(cpu);
    line += fmt::format(", {} hardware thread{}", cpu.processors, cpu.processors == 1 ? "" : "s");
    out += text::indented(line, 0, 2, options.width);
  }
  if (const auto problem = why_nothing(events))
    out +=
        text::indented((counts_anything(events) ? "Of a program nothing can be counted here, only "
                                                  "of a whole socket: "
                                                : "Nothing can be counted here: ") +
                           problem->reason + "; " + problem->remedy,
                       0, 2, options.width);
  for (const TableMatch& match : events.matches) out += table_text(match, events, options);
  if (!events.matches.empty())
    out += "\n" + text::indented(
                      "Here: the kernel has the PMU; whether the events may be opened "
                      "depends on permissions too.",
                      0, 0, options.width);
  return out;
}

std::string render_events_json(const CountableEvents& events) {
  Json root = {{"schema", "roofmark-events-list/1"}};
  root["processors"] = Json::array();
  for (const CpuIdentity& cpu : events.cpus)
    root["processors"].push_back({{"title", text::printable(cpu.title)},
                                  {"identity", text::printable(to_text(cpu))},
                                  {"hardware_threads", cpu.processors}});
  if (const auto problem = why_nothing(events))
    root["nothing"] = {{"of", counts_anything(events) ? "process" : "all"},
                       {"reason", problem->reason},
                       {"fix", problem->remedy}};
  root["tables"] = Json::array();
  for (const TableMatch& match : events.matches) {
    Json table = {{"name", match.table->name},   {"about", match.table->about},
                  {"file", match.table->file},   {"core_type", match.table->core_type},
                  {"core_pmu", match.core_pmu},  {"pmus", match.pmus},
                  {"quantities", Json::array()}, {"not_countable", Json::array()}};
    for (const Formula& formula : match.table->formulas)
      table["quantities"].push_back(to_value(formula, match, events.pmus));
    for (const NotCountable& entry : match.table->not_countable)
      table["not_countable"].push_back(
          {{"quantities", entry.quantities}, {"reason", entry.reason}, {"fix", entry.remedy}});
    root["tables"].push_back(table);
  }
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace roofmark
