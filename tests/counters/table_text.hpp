// A small table that tests bend out of shape.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

inline nlohmann::ordered_json small_table() {
  return nlohmann::ordered_json::parse(R"({
    "schema": "roofmark-events/1", "name": "small", "about": "a made-up processor",
    "match": [{"vendor": "GenuineIntel", "family": 6, "models": [1, [10, 12]], "steppings": [2, 4]}],
    "libpfm": "small",
    "counters": {"general": 4, "general_without_smt": 8, "limits": {"offcore_response": 1}},
    "variables": {"vectors": "vector length in units of 128 bits"},
    "events": {
      "cycles": {"config": "0x3c", "fixed": true, "watchdog": true},
      "scalar": {"pfm": "small::FP:SCALAR", "config": "0x1c7", "sysfs": "event=0xc7,umask=0x01"},
      "packed": {"config": 4295, "sysfs": "event=0xc7,umask=0x10"},
      "scaled": {"config": "0x2c7"},
      "fills": {"config": "0x1b7", "config1": "0x3fbc0007f7", "uses": ["offcore_response"]},
      "merged": {"config": "0x5b7", "uses": ["offcore_response"]},
      "imc_read": {"pmu": "uncore_imc_*", "alias": "cas_count_read", "scale": 6.103515625e-05, "unit": "MiB"}
    },
    "quantities": [
      {"quantity": "flop.f64", "scope": "process", "bound": "exact", "counts": "retired", "fma_weight": 2,
       "sum": [{"weight": 1, "event": "scalar", "width_bits": 0}, {"weight": 4, "event": "packed", "width_bits": 256}],
       "caveats": ["denormals"]},
      {"quantity": "flop.any", "scope": "process", "bound": "upper", "counts": "speculative",
       "sum": [{"weight": 1, "event": "scalar"}, {"weight": 1, "event": "scaled", "variable": "vectors"}]},
      {"quantity": "bytes.DRAM.read", "scope": "process", "bound": "lower", "counts": "lines",
       "sum": [{"weight": 64, "event": "fills"}, {"weight": -64, "event": "merged"}]},
      {"quantity": "bytes.DRAM.read", "scope": "socket", "bound": "exact", "counts": "lines",
       "sum": [{"weight": 64, "event": "imc_read"}]},
      {"quantity": "bytes.DRAM.read", "scope": "socket", "bound": "estimate", "counts": "lines",
       "sum": [{"weight": 128, "event": "fills"}]}
    ],
    "not_countable": [{"quantities": ["bytes.DRAM.write"], "reason": "no such event", "remedy": "count otherwise"}],
    "caveats": {"denormals": "denormal numbers count more than once"},
    "sources": ["made up"]
  })");
}
