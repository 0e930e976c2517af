#include <fmt/format.h>

#include <algorithm>
#include <analysis/functions/code_names.hpp>
#include <analysis/functions/find_functions.hpp>
#include <analysis/functions/function_parts.hpp>
#include <analysis/functions/loops.hpp>
#include <analysis/functions/range_claims.hpp>
#include <analysis/functions/share.hpp>
#include <analysis/functions/tally.hpp>
#include <analysis/symbols/names.hpp>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace roofmark::functions {
namespace {

using sampling::TimeSample;

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// A function, or all code of an object that no symbol names.
struct Group {
  std::uint32_t object = 0;
  std::optional<symbols::Function> function;
  std::vector<symbols::Extent> elsewhere;  ///< parts of it that the compiler put in other places
  Weights weights;
  double weight = 0;
};

class Finder {
 public:
  Finder(const sampling::SampledRun& run, const ProgramTime& time, const SymbolSource& symbols_of)
      : run_(run), time_(time), symbols_of_(symbols_of) {}

  FoundProgram find() {
    for (const TimeSample& sample : run_.samples) all_.add(sample);
    group();
    choose();
    for (const std::size_t index : chosen_) add_rows(groups_[index]);
    FoundCode rest;
    rest.path = {names_.take("(other)")};
    rest.is_rest = true;
    rest_row_ = add_row(std::move(rest), none);
    tally();
    return finish();
  }

 private:
  std::size_t group_of(std::uint32_t object, std::uint64_t offset) {
    const std::string& name = run_.objects[object];
    symbols::ObjectSymbols* const symbols =
        name.empty() || name.front() == '[' ? nullptr : symbols_of_(name);
    std::optional<symbols::Function> function;
    if (symbols != nullptr) function = symbols->function_at(offset);
    if (!function) return group_at({object, none}, object, std::nullopt);
    const std::string home = symbols::home_of_part(function->symbol);
    if (home == function->symbol)
      return group_at({object, function->extent.first}, object, std::move(function));
    for (const symbols::Function& other : symbols->functions()) {
      if (other.symbol != home) continue;
      const std::size_t group = group_at({object, other.extent.first}, object, other);
      std::vector<symbols::Extent>& parts = groups_[group].elsewhere;
      if (std::find(parts.begin(), parts.end(), function->extent) == parts.end())
        parts.push_back(function->extent);
      return group;
    }
    return group_at({object, function->extent.first}, object, std::move(function));
  }

  std::size_t group_at(const std::pair<std::uint32_t, std::uint64_t>& key, std::uint32_t object,
                       std::optional<symbols::Function> function) {
    const auto [found, is_new] = group_index_.try_emplace(key, groups_.size());
    if (is_new) groups_.push_back({object, std::move(function), {}, {}, 0});
    return found->second;
  }

  void group() {
    std::map<std::pair<std::uint32_t, std::uint64_t>, double> by_place;
    for (const TimeSample& sample : run_.samples)
      by_place[{sample.object, sample.offset}] += sample.period_s;
    for (const auto& [place, weight] : by_place) {
      Group& group = groups_[group_of(place.first, place.second)];
      group.weight += weight;
      group.weights[place.second] += weight;
    }
  }

  bool is_kernel(const Group& group) const {
    return run_.objects[group.object] == sampling::kernel_object;
  }

  void choose() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (groups_[i].weight >= least_share * all_.thread_s()) order.push_back(i);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return groups_[a].weight > groups_[b].weight; });
    if (order.size() > most_functions) order.resize(most_functions);
    chosen_ = order;
  }

  std::size_t add_row(FoundCode row, std::size_t parent) {
    rows_.push_back(std::move(row));
    parents_.push_back(parent);
    own_.emplace_back();
    return rows_.size() - 1;
  }

  void add_rows(const Group& group) {
    const std::string& object = run_.objects[group.object];
    FoundCode row;
    row.is_kernel = is_kernel(group);
    if (!group.function) {
      row.path = {names_.take(name_of_object(object))};
      const std::size_t index = add_row(std::move(row), none);
      if (!rows_[index].is_kernel) unnamed_.emplace_back(group.object, index);
      row_of_rest_[group.object] = index;
      return;
    }
    const symbols::Function& function = *group.function;
    symbols::ObjectSymbols* const symbols = symbols_of_(object);
    row.path = {names_.take(function.name, object)};
    const std::vector<symbols::CodeLine> layout = symbols->layout(function);
    const std::vector<symbols::Extent> loops =
        loops_in(symbols->x86_code(function), function.extent.first);
    const double least = least_share_of_part * all_.thread_s();
    std::vector<Part> parts = parts_of(function, layout, group.weights, least);
    for (Part& part : parts) add_loops(part, loops, layout, group.weights, least);
    const Part& rest = parts.back();
    // All of it was inlined from one place: there is nothing to tell apart.
    const bool one = parts.size() == 1;
    row.place = place_of(object, one || rest.lines.first != 0 ? rest.lines : parts.front().lines);
    const std::vector<std::string> path = row.path;
    const std::size_t index = add_row(std::move(row), none);
    UniqueNames names;
    for (const Part& part : parts) {
      std::size_t at = index;
      if (!part.name.empty()) {
        FoundCode inner;
        inner.path = path;
        inner.path.push_back(names.take(part.name));
        inner.place = place_of(object, part.lines);
        at = add_row(std::move(inner), index);
      }
      add_loop_rows(part, function, group.object, at);
      for (const symbols::Extent& extent : part.extents) claim(group.object, extent, at);
    }
    for (const symbols::Extent& extent : group.elsewhere) claim(group.object, extent, index);
    claim_relatives(group, *symbols, index);
  }

  void add_loop_rows(const Part& part, const symbols::Function& function, std::uint32_t object,
                     std::size_t parent) {
    UniqueNames names;
    for (const Part& loop : part.loops) {
      FoundCode row;
      row.path = rows_[parent].path;
      row.path.push_back(
          names.take(name_of_loop(loop.lines.file, loop.lines.first, loop.lines.last,
                                  loop.extents.front().first - function.extent.first)));
      row.place = place_of(run_.objects[object], loop.lines);
      const std::size_t at = add_row(std::move(row), parent);
      for (const symbols::Extent& extent : loop.extents) claim(object, extent, at);
    }
  }

  void claim(std::uint32_t object, const symbols::Extent& extent, std::size_t row) {
    for (const CodeRange& range : claims_.claim(run_.objects[object], extent)) {
      rows_[row].ranges.push_back(range);
      row_at_[object][range.first] = {range.end, row};
    }
  }

  /// The same function for other processors: the counted run may choose another one.
  void claim_relatives(const Group& group, const symbols::ObjectSymbols& symbols, std::size_t row) {
    const std::string stem = symbols::without_processor(group.function->symbol);
    if (stem.empty()) return;
    for (const symbols::Function& other : symbols.functions())
      if (group_index_.count({group.object, other.extent.first}) == 0 &&
          symbols::without_processor(other.symbol) == stem)
        claim(group.object, other.extent, row);
  }

  static std::optional<CodePlace> place_of(const std::string& object, const Lines& lines) {
    return CodePlace{object, lines.file, lines.first, lines.last};
  }

  std::size_t row_of(const TimeSample& sample) const {
    if (const auto ranges = row_at_.find(sample.object); ranges != row_at_.end()) {
      auto it = ranges->second.upper_bound(sample.offset);
      if (it != ranges->second.begin() && sample.offset < (--it)->second.first)
        return it->second.second;
    }
    // Code with a symbol, but without a row, is none of the code without symbols.
    const auto rest = row_of_rest_.find(sample.object);
    if (rest == row_of_rest_.end()) return rest_row_;
    const auto unnamed = group_index_.find({sample.object, none});
    return unnamed != group_index_.end() &&
                   groups_[unnamed->second].weights.count(sample.offset) != 0
               ? rest->second
               : rest_row_;
  }

  void tally() {
    for (const TimeSample& sample : run_.samples) own_[row_of(sample)].add(sample);
    // Functions of the object that have no row belong to "(other)", and not to its unnamed code.
    for (const auto& [object, row] : unnamed_) {
      if (!run_.objects[object].empty() && run_.objects[object].front() != '[')
        if (const symbols::ObjectSymbols* symbols = symbols_of_(run_.objects[object]))
          for (const symbols::Function& function : symbols->functions())
            claims_.claim(run_.objects[object], function.extent);
      rows_[row].ranges = claims_.claim_rest(run_.objects[object]);
    }
  }

  Measure scaled(double part_s, double tally_s, double whole_s) const {
    const Share share = share_of(part_s, all_.thread_s(), all_.effective_samples());
    // Wall time is processor time by the threads that were there at once.
    const double once = part_s > 0 ? tally_s / part_s : 1;
    Measure measure;
    measure.source = Source::estimated;
    measure.value = share.value * sampled_s() * once;
    measure.low = std::min(share.low * sampled_s() * once, whole_s);
    measure.high = std::min(share.high * sampled_s() * once, whole_s);
    measure.value = std::min(measure.value, whole_s);
    return measure;
  }

  /// The processor time that the samples stand for.
  double sampled_s() const {
    return run_.sees_kernel ? time_.user_s + time_.system_s : time_.user_s;
  }

  void set_times(FoundCode& row, const Tally& own, const Tally& inclusive) const {
    const double all_s = time_.user_s + time_.system_s;
    row.thread_s = scaled(inclusive.thread_s(), inclusive.thread_s(), all_s);
    row.wall_s = scaled(inclusive.thread_s(), inclusive.wall_s(), time_.wall_s);
    row.self_thread_s = scaled(own.thread_s(), own.thread_s(), all_s);
    row.self_wall_s = scaled(own.thread_s(), own.wall_s(), time_.wall_s);
    row.threads = std::max<std::uint64_t>(1, inclusive.threads_at_once());
    constexpr std::size_t enough_of_each = 25;
    if (row.threads > 1 && inclusive.samples() >= enough_of_each * row.threads)
      row.imbalance = inclusive.imbalance();
  }

  FoundProgram finish() {
    std::vector<Tally> inclusive = own_;
    for (std::size_t i = rows_.size(); i-- > 0;)
      if (parents_[i] != none) inclusive[parents_[i]].add(inclusive[i]);
    for (std::size_t i = 0; i < rows_.size(); ++i) set_times(rows_[i], own_[i], inclusive[i]);
    if (!run_.sees_kernel && time_.system_s > least_share * (time_.user_s + time_.system_s)) {
      FoundCode kernel;
      kernel.path = {names_.take("(kernel)")};
      kernel.is_kernel = true;
      kernel.threads = 1;
      // The kernel's own account.
      kernel.thread_s = kernel.self_thread_s = Measure{time_.system_s, Source::measured, {}, {}};
      kernel.wall_s = kernel.self_wall_s =
          Measure{std::min(time_.system_s, time_.wall_s), Source::estimated, {}, {}};
      rows_.push_back(std::move(kernel));
    }
    FoundProgram found;
    found.means = run_.means;
    found.samples = run_.samples.size();
    found.code = std::move(rows_);
    std::map<double, std::size_t> periods;
    for (const TimeSample& sample : run_.samples) ++periods[sample.period_s];
    const auto usual = std::max_element(periods.begin(), periods.end(),
                                        [](auto& a, auto& b) { return a.second < b.second; });
    found.frequency_hz = 1 / usual->first;
    found.notes = run_.notes;
    if (run_.lost > run_.samples.size() / 100)
      found.notes.push_back(
          fmt::format("{} samples were lost beside the {} that were taken: the recorder got no "
                      "core in time. Shares of functions may be off.",
                      run_.lost, run_.samples.size()));
    return found;
  }

  const sampling::SampledRun& run_;
  const ProgramTime& time_;
  const SymbolSource& symbols_of_;
  Tally all_;
  std::vector<Group> groups_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> group_index_;
  std::vector<std::size_t> chosen_;
  UniqueNames names_;
  RangeClaims claims_;
  std::vector<FoundCode> rows_;
  std::vector<std::size_t> parents_;
  std::vector<Tally> own_;
  /// By object: first byte -> end and row.
  std::map<std::uint32_t, std::map<std::uint64_t, std::pair<std::uint64_t, std::size_t>>> row_at_;
  std::map<std::uint32_t, std::size_t> row_of_rest_;
  std::vector<std::pair<std::uint32_t, std::size_t>> unnamed_;
  std::size_t rest_row_ = none;
};

}  // namespace

Result<FoundProgram> find_functions(const sampling::SampledRun& run, const ProgramTime& time,
                                    const SymbolSource& symbols_of) {
  if (run.samples.size() < fewest_samples) {
    std::string reason = fmt::format(
        "{} samples of the program's {:.2g} s of processor time are too few to tell functions "
        "apart",
        run.samples.size(), time.user_s + time.system_s);
    // What was not sampled may be why.
    for (const std::string& note : run.notes) reason += "; " + note.substr(0, note.size() - 1);
    return tl::unexpected(
        Problem{reason, "", "record a larger case, or annotate it: ROOFMARK_SCOPE(\"name\")"});
  }
  return Finder(run, time, symbols_of).find();
}

}  // namespace roofmark::functions
