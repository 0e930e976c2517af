// The reading half. What a field must be is said once, where it is read; the first field that is
// not becomes the Problem.
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "analysis/json/json_reader.hpp"
#include "analysis/json/strict_json.hpp"
#include "analysis/machine/machine_json.hpp"
#include "analysis/profile/profile_fields.hpp"
#include "analysis/profile/profile_json.hpp"
#include "analysis/profile/profile_json_shared.hpp"
#include "analysis/profile/profile_structure.hpp"
#include "analysis/text/bytes_text.hpp"

namespace roofmark {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* remedy = "give a file that `roofmark record` wrote";

double read_number(const JsonReader& json, const char* key, double otherwise = 0) {
  return json.number_or(key, otherwise);
}

double read_not_negative(const JsonReader& json, const char* key) {
  const double number = json.number_or(key, 0);
  if (number < 0) json.at(key).refuse("is negative");
  return number;
}

std::optional<double> read_optional(const JsonReader& json, const char* key) {
  if (!json.has(key)) return std::nullopt;
  return json.at(key).as_number();
}

/// What a compact file says once for all regions.
struct Shared {
  bool compact = false;
  Origins origins;
  std::vector<Missing> missing;
  /// Nothing where the field speaks for itself.
  const Origin* origin_of(const JsonReader& field, std::string_view quantity) const {
    if (!compact || field.has("source")) return nullptr;
    const auto found = origins.find(quantity);
    return found == origins.end() ? nullptr : &found->second;
  }
};

std::optional<Measure> read_measure(const JsonReader& json, const char* key, const Shared& shared,
                                    std::string_view quantity) {
  if (!json.has(key)) return std::nullopt;
  const JsonReader field = json.at(key);
  if (shared.compact && field.is_null()) return std::nullopt;
  Measure measure;
  measure.value = field.at("value").as_number();
  if (measure.value < 0) field.at("value").refuse("is negative");
  const Origin* origin = shared.origin_of(field, quantity);
  measure.source = origin ? origin->source : field.word<Source>("source");
  measure.low = read_optional(field, "low");
  if (measure.low && *measure.low < 0) field.at("low").refuse("is negative");
  measure.high = read_optional(field, "high");
  field.require_rising({"low", "high"});
  return measure;
}

Origin read_origin(const JsonReader& json) {
  Origin origin;
  origin.source = json.word<Source>("source");
  origin.collector = json.text_or("collector", "");
  if (json.has("scope")) origin.scope = json.word<Scope>("scope");
  origin.caveats = json.texts("caveats");
  return origin;
}

Count read_count(const JsonReader& json, const Shared& shared, std::string_view quantity) {
  Count count;
  count.value = json.count("value");
  const Origin* common = shared.origin_of(json, quantity);
  Origin origin = common ? *common : read_origin(json);
  count.source = origin.source;
  count.collector = std::move(origin.collector);
  count.scope = origin.scope;
  count.caveats = std::move(origin.caveats);
  if (json.has("low")) count.low = json.count("low");
  if (json.has("high")) count.high = json.count("high");
  json.require_rising({"low", "high"});
  return count;
}

std::optional<Count> read_optional_count(const JsonReader& json, const char* key,
                                         const Shared& shared, std::string_view quantity) {
  if (!json.has(key)) return std::nullopt;
  return read_count(json.at(key), shared, quantity);
}

std::vector<std::string> read_names(const JsonReader& json, const char* key,
                                    const char* bytes_key) {
  std::vector<std::string> names = json.texts(key);
  std::size_t index = 0;
  json.each(bytes_key, [&](const JsonReader& item) {
    const std::size_t here = index++;
    if (here >= names.size()) return item.refuse("has no name beside it");
    if (item.is_null()) return;
    if (auto bytes = from_hex(item.as_text()))
      names[here] = std::move(*bytes);
    else
      item.refuse("is not a string of hexadecimal bytes");
  });
  return names;
}

ComputeClass read_class(const JsonReader& json) {
  ComputeClass part;
  part.precision = json.word<Precision>("precision");
  part.width_bits = json.small_count_or("width_bits", 0);
  part.operation = json.word<Operation>("op");
  part.flop = json.count("flop");
  return part;
}

Work read_work(const JsonReader& json, const Shared& shared) {
  Work work;
  QuantityName name;
  work.wall_s = read_measure(json, "wall_s", shared, "wall_s");
  work.thread_s = read_measure(json, "thread_s", shared, "thread_s");
  json.each_member("flop", [&](const std::string& spelt, const JsonReader& count) {
    // A precision of a later version is a field we don't know.
    if (const auto precision = parse_word<Precision>(spelt))
      work.flop[*precision] = read_count(count, shared, name.of("flop", spelt));
  });
  json.each_member("bytes", [&](const std::string& level, const JsonReader& traffic) {
    Traffic& both = work.bytes[level];
    both.read = read_optional_count(traffic, "read", shared, name.of("bytes", level, "read"));
    both.write = read_optional_count(traffic, "write", shared, name.of("bytes", level, "write"));
    both.total = read_optional_count(traffic, "total", shared, name.of("bytes", level, "total"));
  });
  json.each_member("operations", [&](const std::string& spelt, const JsonReader& count) {
    work.operations[spelt] = read_count(count, shared, name.of("operations", spelt));
  });
  json.each_member("tensor", [&](const std::string& spelt, const JsonReader& count) {
    work.tensor[spelt] = read_count(count, shared, name.of("tensor", spelt));
  });
  json.each_member("events", [&](const std::string& spelt, const JsonReader& count) {
    work.events[spelt] = read_count(count, shared, name.of("events", spelt));
  });
  json.each("mix", [&](const JsonReader& item) { work.mix.push_back(read_class(item)); });
  if (json.has("declared")) {
    const JsonReader declared = json.at("declared");
    work.declared_flop = read_optional_count(declared, "flop", shared, "declared.flop");
    work.declared_bytes = read_optional_count(declared, "bytes", shared, "declared.bytes");
  }
  return work;
}

/// Verdicts and sides are conclusions that can be drawn again: an unknown one is not an error.
template <class Word>
Word read_conclusion(const JsonReader& json, const char* key, Word otherwise) {
  return parse_word<Word>(json.text_or(key, "")).value_or(otherwise);
}

Roofline read_roofline(const JsonReader& json) {
  Roofline roofline;
  roofline.locus = json.text_or("locus", "cpu");
  roofline.precision = json.text_or("precision", "");
  roofline.binding = json.text_or("binding", "");
  roofline.side = read_conclusion(json, "side", Side::unknown);
  roofline.side_as_written = read_conclusion(json, "side_as_written", Side::unknown);
  roofline.verdict = read_conclusion(json, "verdict", Verdict::undetermined);
  roofline.verdict_detail = json.text_or("verdict_detail", "");
  roofline.roof_flop_per_s = read_optional(json, "roof_flop_per_s");
  roofline.roof_as_written_flop_per_s = read_optional(json, "roof_as_written_flop_per_s");
  roofline.achieved_flop_per_s = read_optional(json, "achieved_flop_per_s");
  roofline.fraction = read_optional(json, "fraction");
  roofline.fraction_as_written = read_optional(json, "fraction_as_written");
  roofline.fraction_without_waiting = read_optional(json, "fraction_without_waiting");
  roofline.uncertainty = read_number(json, "uncertainty");
  roofline.explained_s = read_measure(json, "explained_s", Shared(), {});
  json.each_member("levels", [&](const std::string& level, const JsonReader& item) {
    roofline.levels[level] = {read_number(item, "intensity"), read_number(item, "roof_flop_per_s"),
                              read_number(item, "ridge"),
                              read_number(item, "bandwidth_bytes_per_s"),
                              read_number(item, "achieved_bytes_per_s")};
  });
  json.each("ladder", [&](const JsonReader& item) {
    roofline.ladder.push_back({item.text_or("name", ""), read_number(item, "gain", 1)});
  });
  roofline.notes = json.texts("notes");
  roofline.why = json.text_or("why", "");
  json.each("advice", [&](const JsonReader& item) {
    roofline.advice.push_back(
        {item.text_or("text", ""), item.text_or("falsifier", ""), read_optional(item, "gain")});
  });
  return roofline;
}

std::vector<Roofline> read_rooflines(const JsonReader& json) {
  std::vector<Roofline> rooflines;
  json.each("rooflines", [&](const JsonReader& item) { rooflines.push_back(read_roofline(item)); });
  return rooflines;
}

template <std::size_t N>
std::string unknown_fields(const Json& object, const std::array<std::string_view, N>& known) {
  Json unknown = Json::object();
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end()) unknown[key] = value;
  return unknown.empty() ? "" : unknown.dump();
}

Missing read_missing(const JsonReader& json) {
  return {json.text("quantity"), json.text_or("reason", ""), json.text_or("fix", "")};
}

/// In a compact file the number of an entry that many regions share.
void read_missing_of(const JsonReader& json, const Shared& shared, Region& region) {
  json.each("missing", [&](const JsonReader& item) {
    if (!shared.compact || !item.value().is_number())
      return region.missing.push_back(read_missing(item));
    if (shared.missing.empty()) return item.refuse("is the number of an entry that is absent");
    region.missing.push_back(shared.missing[item.as_count(shared.missing.size() - 1)]);
  });
}

std::optional<VisitTimes> read_visit_times(const JsonReader& json, const Shared& shared,
                                           const Region& region) {
  if (!json.has("visit_s"))
    return shared.compact && region.visits == 1 ? single_visit(region) : std::nullopt;
  const JsonReader times = json.at("visit_s");
  if (shared.compact && times.is_null()) return std::nullopt;
  times.require_rising({"min", "median", "max"});
  return VisitTimes{read_not_negative(times, "min"), read_not_negative(times, "median"),
                    read_not_negative(times, "max"), read_not_negative(times, "stddev"),
                    read_not_negative(times, "first")};
}

std::optional<RankSpread> read_spread(const JsonReader& json, const char* key) {
  if (!json.has(key)) return std::nullopt;
  const JsonReader item = json.at(key);
  RankSpread spread;
  spread.ranks = item.count("count");
  spread.min_s = read_not_negative(item, "min_s");
  spread.median_s = read_not_negative(item, "median_s");
  spread.mean_s = read_not_negative(item, "mean_s");
  spread.max_s = read_not_negative(item, "max_s");
  spread.min_rank = item.count("min_rank");
  spread.max_rank = item.count("max_rank");
  item.require_rising({"min_s", "median_s", "max_s"});
  item.require_rising({"min_s", "mean_s", "max_s"});
  spread.median_estimated = item.flag_or("median_estimated", false);
  return spread;
}

WorkShare::Part read_share_part(const JsonReader& json) {
  const auto count = [](const JsonReader& item) {
    return item.as_count(std::numeric_limits<std::uint64_t>::max());
  };
  WorkShare::Part part;
  part.wall_s = read_not_negative(json, "wall_s");
  json.each_member("flop", [&](const std::string& spelt, const JsonReader& item) {
    if (const auto precision = parse_word<Precision>(spelt)) part.flop[*precision] = count(item);
  });
  json.each_member("bytes", [&](const std::string& level, const JsonReader& item) {
    part.bytes[level] = count(item);
  });
  return part;
}

/// Of what a later version knows to share out, nothing is kept.
std::optional<WorkShares> read_shares(const JsonReader& json) {
  WorkShares shares;
  const std::string of = json.text("of");
  if (of != "threads" && of != "ranks") return std::nullopt;
  shares.of = of == "ranks" ? WorkShares::Of::ranks : WorkShares::Of::threads;
  shares.total = json.count("total");
  shares.two_runs = json.flag_or("two_runs", false);
  json.each("each", [&](const JsonReader& item) {
    if (shares.each.size() == most_shares) return item.refuse("is one too many");
    WorkShare& share = shares.each.emplace_back();
    share.number = item.count("number");
    share.work = read_share_part(item);
    share.self = item.has("self") ? read_share_part(item.at("self")) : share.work;
  });
  if (shares.each.size() > shares.total) json.at("total").refuse("is less than there are");
  json.each("left_out", [&](const JsonReader& item) {
    shares.left_out.push_back(
        {item.count("count"), item.text_or("reason", ""), item.text_or("fix", "")});
  });
  return shares;
}

std::vector<double> read_run_times(const JsonReader& json) {
  std::vector<double> times;
  if (!json.has("runs_wall_s")) return times;
  json.each("runs_wall_s", [&](const JsonReader& item) {
    const double seconds = item.as_number();
    if (seconds < 0) item.refuse("is negative");
    times.push_back(seconds);
  });
  return times;
}

CodePlace read_code(const JsonReader& json) {
  CodePlace code;
  code.object = json.text("object");
  code.file = json.text_or("file", "");
  if (json.has("first_line")) code.first_line = json.count("first_line");
  if (json.has("last_line")) code.last_line = json.count("last_line");
  json.require_rising({"first_line", "last_line"});
  return code;
}

std::array<std::uint32_t, 3> read_three(const JsonReader& json, const char* key) {
  std::array<std::uint32_t, 3> numbers{};
  std::size_t at = 0;
  json.each(key, [&](const JsonReader& item) {
    if (at >= numbers.size()) return item.refuse("is one too many");
    numbers[at++] = static_cast<std::uint32_t>(item.as_count(0xffffffffU));
  });
  return numbers;
}

KernelFacts read_kernel(const JsonReader& json) {
  KernelFacts kernel;
  kernel.device = json.text("device");
  kernel.symbol = json.text_or("symbol", "");
  kernel.grid = read_three(json, "grid");
  kernel.block = read_three(json, "block");
  kernel.shapes_differ = json.flag_or("shapes_differ", false);
  if (json.has("graph_launches")) kernel.graph_launches = json.count("graph_launches");
  return kernel;
}

GpuCalls read_calls(const JsonReader& json) {
  return {json.count("launches"), read_not_negative(json, "launch_s"), json.count("waits"),
          read_not_negative(json, "wait_s")};
}

GpuShare read_share(const JsonReader& json, const Shared& shared) {
  GpuShare share;
  share.device = json.text("device");
  share.launches = json.count("launches");
  share.busy_s = read_measure(json, "busy_s", Shared(), {});
  share.span_s = read_measure(json, "span_s", Shared(), {});
  share.idle_s = read_measure(json, "idle_s", Shared(), {});
  share.overlap_s = read_measure(json, "overlap_s", Shared(), {});
  if (json.has("calls")) share.calls = read_calls(json.at("calls"));
  json.each_member("copies", [&](const std::string& kind, const JsonReader& item) {
    share.copies[kind] = {item.count("count"), item.count("bytes"),
                          read_not_negative(item, "time_s")};
  });
  if (!json.has("flop")) return share;
  share.work = read_work(json, shared);
  Region missing;
  read_missing_of(json, shared, missing);
  share.missing = std::move(missing.missing);
  return share;
}

void read_gpu(const JsonReader& json, const Shared& shared, Region& region) {
  if (json.has("kernel")) region.kernel = read_kernel(json.at("kernel"));
  json.each("gpu", [&](const JsonReader& item) { region.gpu.push_back(read_share(item, shared)); });
  if (json.has("gpu_calls")) region.gpu_calls = read_calls(json.at("gpu_calls"));
}

CalledFunction read_function(const JsonReader& json) {
  CalledFunction function;
  function.object = json.text("object");
  function.timed_by = json.text_or("timed_by", "");
  function.counted_by = json.text_or("counted_by", "");
  if (json.has("cost_s")) function.cost_s = read_not_negative(json, "cost_s");
  return function;
}

Region read_region(const JsonReader& json, const Shared& shared) {
  Region region;
  region.path = read_names(json, "path", "name_bytes");
  region.found_by = json.text_or("found_by", "");
  // They may be among the missing, which are read last.
  if (json.has("visits") ||
      (region.found_by.empty() && !json.has("function") && !json.has("missing")))
    region.visits = json.count("visits");
  // An empty one is the whole program's: a missing one must not become it.
  if (!json.has("path")) json.refuse("has no `path`");
  region.visits_source = read_conclusion(json, "visits_source", Source::measured);
  if (json.has("code")) region.code = read_code(json.at("code"));
  if (json.has("function")) region.function = read_function(json.at("function"));
  region.threads = json.count("threads");
  for (std::string& flag : json.texts("flags")) region.flags.insert(std::move(flag));
  region.work = read_work(json, shared);
  if (shared.compact && region.threads == 1 && !json.has("thread_s"))
    region.work.thread_s = region.work.wall_s;
  region.marker_s = read_not_negative(json, "marker_s");
  region.visit_s = read_visit_times(json, shared, region);
  region.runs_wall_s = read_run_times(json);
  if (json.has("imbalance")) region.imbalance = read_not_negative(json, "imbalance");
  region.ranks = read_spread(json, "ranks");
  if (json.has("shares")) region.shares = read_shares(json.at("shares"));
  region.mpi_s = read_measure(json, "mpi_s", Shared(), {});
  region.mpi_ranks = read_spread(json, "mpi_ranks");
  region.off_cpu_s = read_measure(json, "off_cpu_s", Shared(), {});
  read_gpu(json, shared, region);
  region.cores_used = read_measure(json, "cores_used", shared, "cores_used");
  region.clock_hz = read_measure(json, "clock_hz", shared, "clock_hz");
  region.rooflines = read_rooflines(json);
  region.self_rooflines = region.rooflines;
  if (json.has("self")) {
    const JsonReader self = json.at("self");
    region.self = read_work(self, shared);
    if (self.has("rooflines")) region.self_rooflines = read_rooflines(self);
  } else if (shared.compact) {
    region.self = region.work;
  }
  read_missing_of(json, shared, region);
  if (!json.has("visits") && has_visits(region) && !json.has("function"))
    region.visits = json.count("visits");
  region.unknown_fields = unknown_fields(json.value(), region_fields);
  return region;
}

JobRanks read_job(const JsonReader& json) {
  JobRanks job;
  job.size = json.count("size");
  job.recorded = json.count("recorded");
  job.nodes = json.count("nodes");
  if (job.nodes == 0) json.at("nodes").refuse("is 0");
  if (json.has("rank")) job.rank = json.count("rank");
  if (json.has("on_node")) job.on_node = json.count("on_node");
  if (job.on_node == 0U) json.at("on_node").refuse("is 0");
  job.launcher = json.text_or("launcher", "");
  return job;
}

Program read_program(const JsonReader& json) {
  Program program;
  program.command = read_names(json, "command", "command_bytes");
  program.exit_status = unknown_exit_status;
  if (json.has("exit_status"))
    program.exit_status = static_cast<int>(json.at("exit_status").as_signed(-65536, 65535));
  program.started = json.text_or("started", "");
  program.host = json.text_or("host", "");
  if (json.has("large_page_share")) program.large_page_share = json.share("large_page_share");
  if (json.has("waited_share")) program.waited_share = json.share("waited_share");
  program.memory_kind = json.text_or("memory_kind", "");
  if (json.has("remote_memory_share"))
    program.remote_memory_share = json.share("remote_memory_share");
  if (json.has("ranks")) program.ranks = read_job(json.at("ranks"));
  return program;
}

Pass read_pass(const JsonReader& json) {
  Pass pass;
  pass.purpose = json.text("purpose");
  pass.collector = json.text("collector");
  if (json.has("exit_status"))
    pass.exit_status = static_cast<int>(json.at("exit_status").as_signed(-65536, 65535));
  pass.wall_s = read_not_negative(json, "wall_s");
  if (json.has("coverage")) pass.coverage = json.share("coverage");
  pass.note = json.text_or("note", "");
  return pass;
}

/// Nothing where this version reads the document.
std::optional<Problem> refusal(const Json& document, const std::string& name) {
  constexpr std::string_view family = "roofmark-profile/";
  const auto* spelt = document.is_object() && document.contains("schema")
                          ? document["schema"].get_ptr<const std::string*>()
                          : nullptr;
  if (!spelt || !spelt->starts_with(family))
    return Problem{
        "this is not a profile: it has no `schema` that begins with `" + std::string(family) + "`",
        name, remedy};
  if (*spelt == "roofmark-profile/1") return std::nullopt;
  const std::string version = spelt->substr(family.size());
  const bool is_number = !version.empty() && version.size() < 6 &&
                         version.find_first_not_of("0123456789") == version.npos;
  if (is_number && version != "0")
    return Problem{"its format is `" + *spelt + "`, later than what this roofmark reads", name,
                   "read it with the roofmark that wrote it, or a newer one"};
  return Problem{"its profile format has no version of the form roofmark-profile/1", name, remedy};
}

Shared read_shared(const JsonReader& json) {
  Shared shared;
  shared.compact = json.flag_or("compact", false);
  json.each_member("origins", [&](const std::string& quantity, const JsonReader& origin) {
    shared.origins[quantity] = read_origin(origin);
  });
  json.each("missing",
            [&](const JsonReader& item) { shared.missing.push_back(read_missing(item)); });
  return shared;
}

}  // namespace

Result<Profile> profile_from_json(std::string_view text, const std::string& name) {
  const auto document = parse_strictly(text, name);
  if (!document) return tl::unexpected(document.error());
  if (auto problem = refusal(*document, name)) return tl::unexpected(std::move(*problem));

  JsonProblems problems(name, remedy);
  const JsonReader json(*document, "", problems);
  Profile profile;
  profile.program = read_program(json.at("program"));
  if (json.has("machine")) {
    auto machine = machine_from_value(json.at("machine").value(), name);
    if (!machine) {
      machine.error().reason = "in `machine`, " + machine.error().reason;
      machine.error().remedy = remedy;
      return tl::unexpected(machine.error());
    }
    profile.machine = std::move(*machine);
  }
  json.each("passes", [&](const JsonReader& item) { profile.passes.push_back(read_pass(item)); });
  if (json.has("sampling")) {
    const JsonReader sampling = json.at("sampling");
    profile.sampling = {sampling.text("means"), sampling.count("samples"),
                        read_not_negative(sampling, "frequency_hz")};
  }
  profile.notes = json.texts("notes");
  if (!json.has("regions")) problems.add("regions", "is absent");
  const Shared shared = read_shared(json);
  json.each("regions",
            [&](const JsonReader& item) { profile.regions.push_back(read_region(item, shared)); });
  profile.unknown_fields = unknown_fields(*document, profile_fields);
  // Of fields that are none there is nothing to say.
  if (problems.empty())
    find_contradictions(profile, [&](const std::string& place, const std::string& reason) {
      problems.add(place, reason);
    });
  if (!problems.empty()) return tl::unexpected(problems.first());
  return profile;
}

}  // namespace roofmark
