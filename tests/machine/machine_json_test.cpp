#include <clocale>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "analysis/machine/machine_json.hpp"
#include "catch.hpp"

using namespace roofmark;

namespace {

Machine sample() {
  Machine machine;
  machine.identity = {{"cpu_model", "Some \"CPU\" @ 2,5 GHz"}, {"cores_allowed", "0-1"}};
  machine.measured_at = "2026-01-02T03:04:05Z";
  machine.clock_hz = 2.5451e9;
  machine.tsc_hz = 2.0e9;
  machine.topology.cores = 2;
  machine.topology.threads = 4;
  machine.topology.smt = 2;
  machine.topology.caches = {{"L1", 49152, 12, 64, 1, 45000, 1.6e-9},
                             {"L3", 503316480, 20, 64, 2, std::nullopt, std::nullopt}};
  machine.topology.core_kinds = {{"P", 1}, {"E", 1}};
  machine.topology.scope_cores = {{"core", 1}, {"machine", 2}};
  machine.topology.memory_bytes = {{"DRAM", std::uint64_t{1} << 53}, {"HBM", 7}};
  ComputeCeiling compute;
  compute.isa = "avx2";
  compute.width_bits = 256;
  compute.flop_per_s = 2.03e10;
  compute.flop_per_cycle = 8;
  compute.low = 1.9e10;
  compute.high = 2.03e10;
  compute.sustained = true;
  compute.flags = {"noisy"};
  machine.compute = {compute};
  BandwidthCeiling bandwidth;
  bandwidth.level = "DRAM";
  bandwidth.pattern = "triad";
  bandwidth.isa = "avx2";
  bandwidth.scope = "machine";
  bandwidth.threads = 2;
  bandwidth.interface_bytes_per_s = 2.1e10;
  bandwidth.program_bytes_per_s = 1.6e10;
  bandwidth.low = 2e10;
  bandwidth.high = 2.1e10;
  bandwidth.page_bytes = 2097152;
  machine.bandwidth = {bandwidth};
  Gpu gpu;
  gpu.uuid = "GPU-1";
  gpu.name = "Some card";
  gpu.chip = "GH100";
  gpu.compute_capability = "9.0";
  gpu.multiprocessors = 132;
  gpu.memory_bytes = std::uint64_t{80} << 30;
  gpu.l2_bytes = std::uint64_t{50} << 20;
  gpu.sm_clock_hz = 1.98e9;
  gpu.ceilings = {
      {"tensor.bf16", "wgmma", 7e14, 4096.0 * 132, 6.5e14, 7e14, Source::measured, {"noisy"}},
      {"bytes.HBM", "", 3.35e12, 0, 0, 0, Source::theoretical, {}}};
  gpu.notes = {"its own note"};
  machine.gpus = {gpu};
  compute.placement = bandwidth.placement = "smt";
  bandwidth.threads = compute.threads = 2;
  bandwidth.scope = "core";
  BandwidthCeiling remote = bandwidth;
  remote.placement = "remote";
  remote.memory_node = 1;
  machine.apart_compute = {compute};
  machine.apart_bandwidth = {bandwidth, remote};
  machine.notes = {"a note"};
  return machine;
}

std::string reason(std::string_view text) {
  const Result<Machine> machine = machine_from_json(text, "m.json");
  REQUIRE_FALSE(machine.has_value());
  CHECK(machine.error().where.rfind("m.json", 0) == 0);
  CHECK_FALSE(machine.error().remedy.empty());
  return machine.error().reason;
}

}  // namespace

TEST_CASE("a machine survives the way to JSON and back") {
  const std::string text = to_json(sample());
  const Result<Machine> back = machine_from_json(text, "m.json");
  REQUIRE(back.has_value());
  CHECK(to_json(*back) == text);
  CHECK(back->topology.caches[0].confirmed_bytes == 45000U);
  CHECK_FALSE(back->topology.caches[1].confirmed_bytes.has_value());
  CHECK(back->topology.memory_bytes.at("DRAM") == std::uint64_t{1} << 53);
  CHECK(back->compute[0].flop_per_s == 2.03e10);
  CHECK(back->compute[0].sustained);
  CHECK(back->bandwidth[0].program_bytes_per_s == 1.6e10);
  CHECK(back->identity == sample().identity);
}

TEST_CASE("GPUs survive the way to JSON and back; a machine without any says nothing of them") {
  const auto back = machine_from_json(to_json(sample()), "m.json");
  REQUIRE(back);
  CHECK(back->gpus == sample().gpus);
  Machine none = sample();
  none.gpus.clear();
  CHECK(to_json(none).find("gpus") == std::string::npos);
}

TEST_CASE("what stands apart is among no ceilings that are roofs, in the file as in memory") {
  const Machine machine = sample();
  const auto value = nlohmann::json::parse(to_json(machine));
  REQUIRE(value["ceilings"].size() == 2);
  REQUIRE(value["apart"].size() == 3);
  for (const auto& ceiling : value["ceilings"]) CHECK_FALSE(ceiling.contains("placement"));
  CHECK(value["apart"][0]["kind"] == "compute");
  CHECK(value["apart"][0]["placement"] == "smt");
  CHECK_FALSE(value["apart"][1].contains("memory_node"));
  CHECK(value["apart"][2]["memory_node"] == 1);
  const auto back = machine_from_json(to_json(machine), "m.json");
  REQUIRE(back);
  CHECK(back->bandwidth.size() == 1);
  REQUIRE(back->apart_bandwidth.size() == 2);
  CHECK(back->apart_bandwidth[1].memory_node == 1U);
  CHECK(back->apart_compute.front().placement == "smt");
  // A file of before that, and a machine that has none.
  Machine none = machine;
  none.apart_compute.clear();
  none.apart_bandwidth.clear();
  CHECK(to_json(none).find("apart") == std::string::npos);
  CHECK(machine_from_json(to_json(none), "m.json")->apart_bandwidth.empty());
}

TEST_CASE("what stands apart says why, in a word that is known, and no roof says so") {
  const auto refusal = [](const char* list, std::size_t at, const char* placement) {
    auto value = nlohmann::json::parse(to_json(sample()));
    auto& ceiling = value[list][at];
    ceiling.erase("placement");
    if (placement != nullptr) ceiling["placement"] = placement;
    return reason(value.dump());
  };
  for (const std::size_t at : {0U, 1U}) {  // of compute, of bandwidth
    const std::string place = "[" + std::to_string(at) + "].placement` ";
    CHECK(refusal("apart", at, nullptr) == "`apart" + place + "is not a string");
    CHECK(refusal("apart", at, "") == "`apart" + place + "has the unknown value ``");
    CHECK(refusal("apart", at, "far") == "`apart" + place + "has the unknown value `far`");
    CHECK(refusal("ceilings", at, "smt") ==
          "`ceilings" + place + "is of what stands in `apart` alone");
  }
}

TEST_CASE("the fields are spelt as the format says") {
  const auto value = nlohmann::json::parse(to_json(sample()));
  CHECK(value["schema"] == "roofmark-machine/1");
  const auto& compute = value["ceilings"][0];
  CHECK(compute["kind"] == "compute");
  CHECK(compute["precision"] == "f64");
  CHECK(compute["op"] == "fma");
  CHECK(compute["value"] == 2.03e10);
  CHECK(compute["per_cycle"] == 8.0);
  CHECK(value["ceilings"][1]["interface_bytes_per_s"] == 2.1e10);
}

TEST_CASE("a number that JSON can't hold is absent") {
  Machine machine = sample();
  machine.clock_hz = std::numeric_limits<double>::quiet_NaN();
  machine.compute[0].flop_per_cycle = std::numeric_limits<double>::infinity();
  const auto value = nlohmann::json::parse(to_json(machine));
  CHECK_FALSE(value.contains("clock_hz"));
  CHECK_FALSE(value["ceilings"][0].contains("per_cycle"));
}

TEST_CASE("bytes that are not UTF-8 become replacement characters") {
  Machine machine = sample();
  machine.identity["cpu_model"] = "bad \xff byte";
  REQUIRE(machine_from_json(to_json(machine), "m.json").has_value());
}

TEST_CASE("a locale with decimal commas changes nothing") {
  const std::string text = to_json(sample());
  for (const char* locale : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"}) {
    if (std::setlocale(LC_ALL, locale) == nullptr) continue;
    CHECK(to_json(sample()) == text);
    const Result<Machine> back = machine_from_json(text, "m.json");
    REQUIRE(back.has_value());
    CHECK(back->clock_hz == 2.5451e9);
  }
  std::setlocale(LC_ALL, "C");
}

TEST_CASE("what is not a machine file is refused with its place") {
  CHECK(reason("") == "it is empty");
  CHECK(reason("{\"schema\": \"roofmark-mach").rfind("this is not JSON: ", 0) == 0);
  CHECK(reason("[]") == "`schema` is not a string");
  CHECK(reason("3") == "`schema` is not a string");
  CHECK(reason(R"({"schema": "roofmark-machine/9"})").find("roofmark-machine/9") !=
        std::string::npos);
  const std::string head = R"({"schema": "roofmark-machine/1", )";
  CHECK(reason(head + R"("ceilings": {}})") == "`ceilings` is not an array");
  CHECK(reason(head + R"("ceilings": [7]})") == "`ceilings[0].kind` is not a string");
  CHECK(reason(head + R"("clock_hz": -1})") ==
        "`clock_hz` is -1, and no machine's: plausible are 1000 to 1e+12");
  CHECK(reason(head + R"("clock_hz": "fast"})") == "`clock_hz` is not a finite number");
  CHECK(reason(head + R"("topology": {"cores": -2}})").find("`topology.cores`") == 0);
  CHECK(reason(head + R"("topology": {"cores": 4294967296}})").find("`topology.cores`") == 0);
  CHECK(reason(head + R"("topology": {"caches": [{"level": 1}]}})")
            .find("`topology.caches[0].level`") == 0);
  CHECK(reason(head + R"("identity": {"cpu_model": [1]}})") ==
        "`identity.cpu_model` is not a string");
  CHECK(reason(head + R"("notes": [null]})") == "`notes[0]` is not a string");
  CHECK(reason(head + R"("ceilings": [{"kind": "compute", "precision": "f65"}]})") ==
        "`ceilings[0].precision` has the unknown value `f65`");
}

TEST_CASE(
    "what is no number, stands twice, is too deep or of no thread is refused with its place") {
  const auto refusal = [](std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    REQUIRE(at != text.npos);
    text.replace(at, from.size(), to);
    const Result<Machine> machine = machine_from_json(text, "m.json");
    return machine ? std::string() : to_line(machine.error());
  };
  auto value = nlohmann::json::parse(to_json(sample()));
  value.erase("apart");  // the first of each field is the one that is changed
  const std::string good = value.dump();
  const auto holds = [](const std::string& line, const std::string& part) {
    INFO(part << " in " << line);
    CHECK(line.find(part) != line.npos);
    CHECK(line.find("roofmark machine --json") != line.npos);
  };
  holds(refusal(good, "\"threads\":", "\"threads\":0,\"threads\":"), "m.json:1:");
  holds(refusal(good, "\"threads\":", "\"threads\":1,\"threads\":"), "`threads` stands twice");
  holds(refusal(good, "20300000000.0", "NaN"), "m.json:1:");
  holds(refusal(good, "20300000000.0", "1e999"), "m.json:1:");
  holds(refusal(good, "20300000000.0", std::string(100'000, '[')), "nested deeper");
  holds(refusal(good, "\"value\":20300000000.0", "\"value\":-1"),
        "`ceilings[0].value` is -1, and no machine's");
  holds(refusal(good, "\"high\":", "\"high\":-1,\"x\":"), "`ceilings[0].high` is -1, and");
  holds(refusal(good, "\"roofmark-machine/1\"", "\"\xff\""), "m.json:1:");
  auto none = nlohmann::json::parse(good);
  none["ceilings"][1]["threads"] = 0;
  holds(refusal(none.dump(), "{", "{"), "`ceilings[1].threads` is 0, and");
}

TEST_CASE("a number that no machine has is refused in one line, with file, place and range") {
  using Json = nlohmann::json;
  const Json good = Json::parse(to_json(sample()));
  const auto refusal = [&](const std::string& place, const Json& value) {
    Json changed = good;
    REQUIRE(changed.contains(Json::json_pointer(place)));
    changed[Json::json_pointer(place)] = value;
    const Result<Machine> machine = machine_from_json(changed.dump(), "m.json");
    return machine ? "accepted" : to_line(machine.error());
  };
  for (const auto& [place, value] : std::vector<std::pair<std::string, Json>>{
           {"/topology/sockets", 0},
           {"/topology/numa_nodes", 0},
           {"/topology/cores", 0},
           {"/topology/cores", 4000000000U},
           {"/topology/cores", -1},
           {"/topology/cores", 2.5},
           {"/topology/cores", 1e18},
           {"/topology/threads", 0},
           {"/topology/smt", 0},
           {"/topology/caches/0/bytes", 0},
           {"/topology/caches/0/bytes", std::uint64_t{1} << 60},
           {"/topology/caches/0/ways", 4000000000U},
           {"/topology/caches/0/line_bytes", 0},
           {"/topology/caches/0/shared_by", 0},
           {"/topology/caches/0/confirmed_bytes", 1'000'000'000'000'000'000U},
           {"/topology/caches/0/confirmed_bytes", 0},
           {"/topology/caches/0/latency_s", 0},
           {"/topology/caches/0/latency_s", 1e300},
           {"/topology/core_kinds/P", 4000000000U},
           {"/topology/scope_cores/core", 4000000000U},
           {"/topology/memory_bytes/DRAM", ~std::uint64_t{0}},
           {"/clock_hz", 1e308},
           {"/tsc_hz", 1e-308},
           {"/ceilings/0/value", 1e308},
           {"/ceilings/0/value", 1e-308},
           {"/ceilings/0/low", -1},
           {"/ceilings/0/high", 1e308},
           {"/ceilings/0/per_cycle", 1e308},
           {"/ceilings/0/width_bits", 4000000000U},
           {"/ceilings/0/threads", 0},
           {"/ceilings/1/interface_bytes_per_s", 1e308},
           {"/ceilings/1/program_bytes_per_s", 1e-308},
           {"/ceilings/1/low", 1e308},
           {"/ceilings/1/high", 1e308},
           {"/ceilings/1/page_bytes", -1},
           {"/apart/0/value", 1e308},
           {"/apart/1/low", 1e308},
           {"/apart/2/memory_node", 4000000000U}}) {
    const std::string line = refusal(place, value);
    INFO(place << ": " << line);
    CHECK(line.find("m.json: `") == 0);
    CHECK(line.find(place.substr(place.rfind('/') + 1) + "` is " + value.dump().substr(0, 2)) !=
          line.npos);
    CHECK(line.find("no machine's: plausible are ") != line.npos);
    CHECK(line.find('\n') == line.npos);
    CHECK(line.size() < 250);
  }
  CHECK(refusal("/topology/cores", "two").find("is not a whole number") != std::string::npos);
}

TEST_CASE("every damaged form of a good file gives a machine or a problem, never a crash") {
  const std::string text = to_json(sample());
  for (std::size_t length = 0; length < text.size(); length += 7)
    (void)machine_from_json(text.substr(0, length), "m.json");
  for (std::size_t i = 0; i < text.size(); i += 3) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x15);
    (void)machine_from_json(damaged, "m.json");
  }
  std::string deep(200000, '[');
  CHECK_FALSE(machine_from_json(deep, "m.json").has_value());
}

TEST_CASE("kinds of ceilings and fields of a later version are ignored") {
  const Result<Machine> machine = machine_from_json(
      R"({"schema": "roofmark-machine/1", "new": 1, "ceilings": [{"kind": "latency", "x": []}]})",
      "m.json");
  REQUIRE(machine.has_value());
  CHECK(machine->compute.empty());
  CHECK(machine->bandwidth.empty());
}
