// A region's kernels, its share of GPUs and its calls of their driver.
#include "analysis/profile/field_writer.hpp"
#include "analysis/profile/profile_json_parts.hpp"

namespace roofmark {
namespace {

void put_three(FieldWriter& to, const char* key, const std::array<std::uint32_t, 3>& numbers) {
  to.key(key);
  to.open_array();
  for (const std::uint32_t number : numbers) to.count(number);
  to.close_array();
}

void put_kernel(FieldWriter& to, const KernelFacts& kernel) {
  to.key("kernel");
  to.open_object();
  to.put_text("device", kernel.device);
  to.put_text("symbol", kernel.symbol);
  put_three(to, "grid", kernel.grid);
  put_three(to, "block", kernel.block);
  if (kernel.shapes_differ) {
    to.key("shapes_differ");
    to.raw("true");
  }
  if (kernel.graph_launches > 0) to.put_count("graph_launches", kernel.graph_launches);
  to.close_object();
}

void put_calls(FieldWriter& to, const char* key, const GpuCalls& calls) {
  to.key(key);
  to.open_object();
  to.put_count("launches", calls.launches);
  to.put_number("launch_s", calls.launch_s);
  to.put_count("waits", calls.waits);
  to.put_number("wait_s", calls.wait_s);
  to.close_object();
}

void put_share(FieldWriter& to, const GpuShare& share, bool of_kernel) {
  to.open_object();
  to.put_text("device", share.device);
  to.put_count("launches", share.launches);
  to.put_measure("busy_s", share.busy_s, {});
  to.put_measure("span_s", share.span_s, {});
  to.put_measure("idle_s", share.idle_s, {});
  to.put_measure("overlap_s", share.overlap_s, {});
  if (share.calls) put_calls(to, "calls", *share.calls);
  if (!share.copies.empty()) {
    to.key("copies");
    to.open_object();
    for (const auto& [kind, copies] : share.copies) {
      to.key(kind);
      to.open_object();
      to.put_count("count", copies.count);
      to.put_count("bytes", copies.bytes);
      to.put_number("time_s", copies.time_s);
      to.close_object();
    }
    to.close_object();
  }
  if (!of_kernel) {
    put_work(to, share.work, false);
    if (!share.missing.empty()) to.put_missing(share.missing);
  }
  to.close_object();
}

}  // namespace

void put_gpu(FieldWriter& to, const Region& region) {
  if (region.kernel) put_kernel(to, *region.kernel);
  if (!region.gpu.empty()) {
    to.key("gpu");
    to.open_array();
    for (const GpuShare& share : region.gpu) put_share(to, share, region.kernel.has_value());
    to.close_array();
  }
  if (region.gpu_calls) put_calls(to, "gpu_calls", *region.gpu_calls);
}

}  // namespace roofmark
