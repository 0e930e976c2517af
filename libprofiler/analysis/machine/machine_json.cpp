#include "machine_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/json/json_reader.hpp"
#include "analysis/json/strict_json.hpp"
#include "analysis/machine/plausible.hpp"
#include "analysis/machine/within_range.hpp"

namespace roofmark {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view schema = "roofmark-machine/1";

/// JSON has no NaN and no infinity: such a number is absent.
void put(Json& object, const char* key, double value) {
  if (std::isfinite(value)) object[key] = value;
}

void put_positive(Json& object, const char* key, double value) {
  if (std::isfinite(value) && value > 0) object[key] = value;
}

Json to_value(const CacheLevel& cache) {
  Json value = {{"level", cache.name},
                {"bytes", cache.bytes},
                {"ways", cache.ways},
                {"line_bytes", cache.line_bytes},
                {"shared_by", cache.shared_by}};
  if (cache.confirmed_bytes) value["confirmed_bytes"] = *cache.confirmed_bytes;
  if (cache.latency_s) put(value, "latency_s", *cache.latency_s);
  return value;
}

Json to_value(const Topology& topology) {
  Json value = {{"sockets", topology.sockets},
                {"numa_nodes", topology.numa_nodes},
                {"cores", topology.cores},
                {"threads", topology.threads},
                {"smt", topology.smt}};
  value["caches"] = Json::array();
  for (const CacheLevel& cache : topology.caches) value["caches"].push_back(to_value(cache));
  value["core_kinds"] = Json::object();
  for (const auto& [kind, count] : topology.core_kinds) value["core_kinds"][kind] = count;
  value["scope_cores"] = Json::object();
  for (const auto& [scope, count] : topology.scope_cores) value["scope_cores"][scope] = count;
  value["memory_bytes"] = Json::object();
  for (const auto& [kind, bytes] : topology.memory_bytes) value["memory_bytes"][kind] = bytes;
  return value;
}

Json to_value(const ComputeCeiling& ceiling) {
  Json value = {{"kind", "compute"},
                {"precision", spelling(ceiling.precision)},
                {"isa", ceiling.isa},
                {"width_bits", ceiling.width_bits},
                {"op", spelling(ceiling.operation)},
                {"scope", ceiling.scope},
                {"threads", ceiling.threads}};
  put(value, "value", ceiling.flop_per_s);
  put_positive(value, "per_cycle", ceiling.flop_per_cycle);
  put(value, "low", ceiling.low);
  put(value, "high", ceiling.high);
  value["source"] = spelling(ceiling.source);
  value["sustained"] = ceiling.sustained;
  if (!ceiling.placement.empty()) value["placement"] = ceiling.placement;
  value["flags"] = ceiling.flags;
  return value;
}

Json to_value(const BandwidthCeiling& ceiling) {
  Json value = {{"kind", "bandwidth"}, {"level", ceiling.level}, {"pattern", ceiling.pattern},
                {"isa", ceiling.isa},  {"scope", ceiling.scope}, {"threads", ceiling.threads}};
  put(value, "interface_bytes_per_s", ceiling.interface_bytes_per_s);
  put(value, "program_bytes_per_s", ceiling.program_bytes_per_s);
  put(value, "low", ceiling.low);
  put(value, "high", ceiling.high);
  put_positive(value, "page_bytes", ceiling.page_bytes);
  value["source"] = spelling(ceiling.source);
  if (!ceiling.placement.empty()) value["placement"] = ceiling.placement;
  if (ceiling.memory_node) value["memory_node"] = *ceiling.memory_node;
  value["flags"] = ceiling.flags;
  return value;
}

Json to_value(const GpuCeiling& ceiling) {
  Json value = {{"quantity", ceiling.quantity}};
  if (!ceiling.pattern.empty()) value["pattern"] = ceiling.pattern;
  put(value, "value", ceiling.per_s);
  put_positive(value, "per_cycle", ceiling.per_cycle);
  put_positive(value, "low", ceiling.low);
  put_positive(value, "high", ceiling.high);
  value["source"] = spelling(ceiling.source);
  if (!ceiling.flags.empty()) value["flags"] = ceiling.flags;
  return value;
}

Json to_value(const Gpu& gpu) {
  Json value = {{"uuid", gpu.uuid},
                {"name", gpu.name},
                {"chip", gpu.chip},
                {"compute_capability", gpu.compute_capability},
                {"integrated", gpu.integrated},
                {"mig", gpu.mig},
                {"multiprocessors", gpu.multiprocessors},
                {"memory_bytes", gpu.memory_bytes}};
  if (gpu.l2_bytes > 0) value["l2_bytes"] = gpu.l2_bytes;
  if (gpu.sm_clock_hz) put_positive(value, "sm_clock_hz", *gpu.sm_clock_hz);
  if (gpu.memory_clock_hz) put_positive(value, "memory_clock_hz", *gpu.memory_clock_hz);
  value["ceilings"] = Json::array();
  for (const GpuCeiling& ceiling : gpu.ceilings) value["ceilings"].push_back(to_value(ceiling));
  value["notes"] = gpu.notes;
  return value;
}

std::uint64_t read_count(const JsonReader& field, plausible::Counts range) {
  const auto& value = field.value();
  if (value.is_number_unsigned() && value >= range.least && value <= range.most) return value;
  if (!value.is_number()) return field.as_count(range.most);  // says that it is none
  field.refuse(fmt::format("is {}, and no machine's: plausible are {} to {}", value.dump(),
                           range.least, range.most));
  return range.least;
}

unsigned read_small(const JsonReader& json, const char* key, plausible::Counts range,
                    unsigned otherwise) {
  if (!json.has(key)) return otherwise;
  return static_cast<unsigned>(read_count(json.at(key), range));
}

double read_number(const JsonReader& json, const char* key, plausible::Numbers range) {
  const JsonReader field = json.at(key);
  const double value = field.as_number();
  if (value < range.least || value > range.most)
    field.refuse(fmt::format("is {:.6g}, and no machine's: plausible are {:.6g} to {:.6g}", value,
                             range.least, range.most));
  return value;
}

double read_number_or(const JsonReader& json, const char* key, plausible::Numbers range,
                      double otherwise) {
  return json.has(key) ? read_number(json, key, range) : otherwise;
}

CacheLevel read_cache(const JsonReader& json) {
  CacheLevel cache;
  cache.name = json.text("level");
  cache.bytes = read_count(json.at("bytes"), plausible::cache_bytes);
  cache.ways = read_small(json, "ways", plausible::ways, 0);
  cache.line_bytes = read_small(json, "line_bytes", plausible::line_bytes, 64);
  cache.shared_by = read_small(json, "shared_by", plausible::shared_by, 1);
  if (json.has("confirmed_bytes"))
    cache.confirmed_bytes = read_count(json.at("confirmed_bytes"), plausible::cache_bytes);
  json.require_rising({"confirmed_bytes", "bytes"});
  if (json.has("latency_s")) cache.latency_s = read_number(json, "latency_s", plausible::latency_s);
  return cache;
}

Topology read_topology(const JsonReader& json) {
  Topology topology;
  topology.sockets = read_small(json, "sockets", plausible::sockets, 1);
  topology.numa_nodes = read_small(json, "numa_nodes", plausible::numa_nodes, 1);
  topology.cores = read_small(json, "cores", plausible::cores, 1);
  topology.threads = read_small(json, "threads", plausible::threads, 1);
  topology.smt = read_small(json, "smt", plausible::smt, 1);
  json.each("caches", [&](const JsonReader& item) { topology.caches.push_back(read_cache(item)); });
  json.each_member("core_kinds", [&](const std::string& kind, const JsonReader& count) {
    topology.core_kinds[kind] =
        static_cast<unsigned>(read_count(count, plausible::cores_of_a_kind));
  });
  json.each_member("scope_cores", [&](const std::string& scope, const JsonReader& count) {
    topology.scope_cores[scope] =
        static_cast<unsigned>(read_count(count, plausible::cores_of_a_kind));
  });
  json.each_member("memory_bytes", [&](const std::string& kind, const JsonReader& bytes) {
    topology.memory_bytes[kind] = read_count(bytes, plausible::memory_bytes);
  });
  return topology;
}

/// The spread of a ceiling may begin at 0. A value outside of it, which earlier versions wrote,
/// widens it: the file is as usable as it was.
double read_bound(const JsonReader& json, const char* key, plausible::Numbers range,
                  double otherwise) {
  return read_number_or(json, key, {0, range.most}, otherwise);
}

enum class Stands { as_roof, apart };

/// What stands apart says why; a roof that claimed the same would be none.
std::string read_placement(const JsonReader& json, Stands stands) {
  if (stands == Stands::as_roof) {
    if (json.has("placement")) json.at("placement").refuse("is of what stands in `apart` alone");
    return {};
  }
  std::string placement = json.text("placement");
  if (placement != "smt" && placement != "remote")
    json.at("placement").refuse("has the unknown value `" + placement + "`");
  return placement;
}

ComputeCeiling read_compute(const JsonReader& json, Stands stands) {
  ComputeCeiling ceiling;
  ceiling.precision = json.word<Precision>("precision");
  ceiling.isa = json.text("isa");
  ceiling.width_bits = read_small(json, "width_bits", plausible::width_bits, 0);
  ceiling.operation = json.word<Operation>("op");
  ceiling.scope = json.text("scope");
  ceiling.threads = read_small(json, "threads", plausible::threads, 1);
  ceiling.flop_per_s = read_number(json, "value", plausible::flop_per_s);
  ceiling.flop_per_cycle = read_number_or(json, "per_cycle", plausible::flop_per_cycle, 0);
  ceiling.low = read_bound(json, "low", plausible::flop_per_s, ceiling.flop_per_s);
  ceiling.high = read_bound(json, "high", plausible::flop_per_s, ceiling.flop_per_s);
  json.require_rising({"low", "high"});
  hold_within_range(ceiling);
  ceiling.source = json.word<Source>("source");
  ceiling.sustained = json.flag_or("sustained", false);
  ceiling.placement = read_placement(json, stands);
  ceiling.flags = json.texts("flags");
  return ceiling;
}

BandwidthCeiling read_bandwidth(const JsonReader& json, Stands stands) {
  BandwidthCeiling ceiling;
  ceiling.level = json.text("level");
  ceiling.pattern = json.text("pattern");
  ceiling.isa = json.text_or("isa", "");
  ceiling.scope = json.text("scope");
  ceiling.threads = read_small(json, "threads", plausible::threads, 1);
  ceiling.interface_bytes_per_s =
      read_number(json, "interface_bytes_per_s", plausible::bytes_per_s);
  ceiling.program_bytes_per_s = read_number(json, "program_bytes_per_s", plausible::bytes_per_s);
  ceiling.low = read_bound(json, "low", plausible::bytes_per_s, ceiling.interface_bytes_per_s);
  ceiling.high = read_bound(json, "high", plausible::bytes_per_s, ceiling.interface_bytes_per_s);
  json.require_rising({"low", "high"});
  hold_within_range(ceiling);
  ceiling.page_bytes = read_number_or(json, "page_bytes", plausible::page_bytes, 0);
  ceiling.source = json.word<Source>("source");
  ceiling.placement = read_placement(json, stands);
  if (json.has("memory_node"))
    ceiling.memory_node = read_small(json, "memory_node", plausible::node_number, 0);
  ceiling.flags = json.texts("flags");
  return ceiling;
}

GpuCeiling read_gpu_ceiling(const JsonReader& json) {
  GpuCeiling ceiling;
  ceiling.quantity = json.text("quantity");
  ceiling.pattern = json.text_or("pattern", "");
  ceiling.per_s = read_number(json, "value", plausible::gpu_per_s);
  ceiling.per_cycle = read_number_or(json, "per_cycle", plausible::gpu_per_cycle, 0);
  ceiling.low = read_bound(json, "low", plausible::gpu_per_s, 0);
  ceiling.high = read_bound(json, "high", plausible::gpu_per_s, 0);
  json.require_rising({"low", "high"});
  hold_within_range(ceiling);
  ceiling.source = json.word<Source>("source");
  ceiling.flags = json.texts("flags");
  return ceiling;
}

Gpu read_gpu(const JsonReader& json) {
  Gpu gpu;
  gpu.uuid = json.text("uuid");
  gpu.name = json.text_or("name", "");
  gpu.chip = json.text_or("chip", "");
  gpu.compute_capability = json.text_or("compute_capability", "");
  gpu.integrated = json.flag_or("integrated", false);
  gpu.mig = json.flag_or("mig", false);
  gpu.multiprocessors = read_small(json, "multiprocessors", plausible::multiprocessors, 0);
  if (json.has("memory_bytes"))
    gpu.memory_bytes = read_count(json.at("memory_bytes"), plausible::memory_bytes);
  if (json.has("l2_bytes")) gpu.l2_bytes = read_count(json.at("l2_bytes"), plausible::cache_bytes);
  if (json.has("sm_clock_hz"))
    gpu.sm_clock_hz = read_number(json, "sm_clock_hz", plausible::clock_hz);
  if (json.has("memory_clock_hz"))
    gpu.memory_clock_hz = read_number(json, "memory_clock_hz", plausible::clock_hz);
  json.each("ceilings",
            [&](const JsonReader& item) { gpu.ceilings.push_back(read_gpu_ceiling(item)); });
  gpu.notes = json.texts("notes");
  return gpu;
}

}  // namespace

Json machine_to_value(const Machine& machine) {
  Json value;
  value["schema"] = schema;
  value["measured_at"] = machine.measured_at;
  value["identity"] = Json::object();
  for (const auto& [key, text] : machine.identity) value["identity"][key] = text;
  value["topology"] = to_value(machine.topology);
  if (machine.clock_hz) put_positive(value, "clock_hz", *machine.clock_hz);
  if (machine.tsc_hz) put_positive(value, "tsc_hz", *machine.tsc_hz);
  value["ceilings"] = Json::array();
  for (const ComputeCeiling& ceiling : machine.compute)
    value["ceilings"].push_back(to_value(ceiling));
  for (const BandwidthCeiling& ceiling : machine.bandwidth)
    value["ceilings"].push_back(to_value(ceiling));
  // A machine without any says nothing of them; a reader that knows none takes none for a roof.
  for (const ComputeCeiling& ceiling : machine.apart_compute)
    value["apart"].push_back(to_value(ceiling));
  for (const BandwidthCeiling& ceiling : machine.apart_bandwidth)
    value["apart"].push_back(to_value(ceiling));
  // A machine without GPUs says nothing of them.
  for (const Gpu& gpu : machine.gpus) value["gpus"].push_back(to_value(gpu));
  value["notes"] = machine.notes;
  return value;
}

std::string to_json(const Machine& machine) {
  return machine_to_value(machine).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Machine> machine_from_value(const Json& value, const std::string& name) {
  JsonProblems problems(name, "give a file that `roofmark machine --json` wrote");
  const JsonReader json(value, "", problems);
  Machine machine;
  const std::string spelt = json.text("schema");
  if (!problems.empty()) return tl::unexpected(problems.first());
  if (spelt != schema)
    return tl::unexpected(
        Problem{"its schema is `" + spelt + "`, not `" + std::string(schema) + "`", name,
                "give a file that `roofmark machine --json` wrote"});
  machine.measured_at = json.text_or("measured_at", "");
  json.each_member("identity", [&](const std::string& key, const JsonReader& text) {
    machine.identity[key] = text.as_text();
  });
  if (json.has("topology")) machine.topology = read_topology(json.at("topology"));
  if (json.has("clock_hz")) machine.clock_hz = read_number(json, "clock_hz", plausible::clock_hz);
  if (json.has("tsc_hz")) machine.tsc_hz = read_number(json, "tsc_hz", plausible::clock_hz);
  json.each("ceilings", [&](const JsonReader& item) {
    const std::string kind = item.text("kind");
    // Kinds of a later version are not ours to judge by.
    if (kind == "compute") machine.compute.push_back(read_compute(item, Stands::as_roof));
    if (kind == "bandwidth") machine.bandwidth.push_back(read_bandwidth(item, Stands::as_roof));
  });
  json.each("apart", [&](const JsonReader& item) {
    const std::string kind = item.text("kind");
    if (kind == "compute") machine.apart_compute.push_back(read_compute(item, Stands::apart));
    if (kind == "bandwidth") machine.apart_bandwidth.push_back(read_bandwidth(item, Stands::apart));
  });
  json.each("gpus", [&](const JsonReader& item) { machine.gpus.push_back(read_gpu(item)); });
  machine.notes = json.texts("notes");
  if (!problems.empty()) return tl::unexpected(problems.first());
  return machine;
}

Result<Machine> machine_from_json(std::string_view text, const std::string& name) {
  auto value = parse_strictly(text, name);
  if (!value) {
    value.error().remedy = "give a file that `roofmark machine --json` wrote";
    return tl::unexpected(std::move(value.error()));
  }
  return machine_from_value(*value, name);
}

}  // namespace roofmark
