// What a region or a kernel did.
#include "analysis/profile/field_writer.hpp"
#include "analysis/profile/profile_json_parts.hpp"

namespace roofmark {
namespace {

void put_mix(FieldWriter& to, const std::vector<ComputeClass>& mix) {
  to.key("mix");
  to.open_array();
  for (const ComputeClass& part : mix) {
    to.open_object();
    to.put_text("precision", spelling(part.precision));
    if (!to.is_compact() || part.width_bits > 0) to.put_count("width_bits", part.width_bits);
    to.put_text("op", spelling(part.operation));
    to.put_count("flop", part.flop);
    to.close_object();
  }
  to.close_array();
}

}  // namespace

void put_work(FieldWriter& to, const Work& work, bool thread_time) {
  to.put_measure("wall_s", work.wall_s, "wall_s");
  if (thread_time) to.put_measure("thread_s", work.thread_s, "thread_s");
  to.key("flop");
  to.open_object();
  for (const auto& [precision, count] : work.flop)
    to.put_counted(spelling(precision), count, to.quantity_of("flop", spelling(precision)));
  to.close_object();
  to.key("bytes");
  to.open_object();
  for (const auto& [level, traffic] : work.bytes) {
    to.key(level);
    to.open_object();
    to.put_counted("read", traffic.read, to.quantity_of("bytes", level, "read"));
    to.put_counted("write", traffic.write, to.quantity_of("bytes", level, "write"));
    to.put_counted("total", traffic.total, to.quantity_of("bytes", level, "total"));
    to.close_object();
  }
  to.close_object();
  if (!work.operations.empty()) {
    to.key("operations");
    to.open_object();
    for (const auto& [name, count] : work.operations)
      to.put_counted(name, count, to.quantity_of("operations", name));
    to.close_object();
  }
  if (!work.tensor.empty()) {
    to.key("tensor");
    to.open_object();
    for (const auto& [type, count] : work.tensor)
      to.put_counted(type, count, to.quantity_of("tensor", type));
    to.close_object();
  }
  if (!work.events.empty()) {
    to.key("events");
    to.open_object();
    for (const auto& [name, count] : work.events)
      to.put_counted(name, count, to.quantity_of("events", name));
    to.close_object();
  }
  if (!work.mix.empty()) put_mix(to, work.mix);
  if (work.declared_flop || work.declared_bytes) {
    to.key("declared");
    to.open_object();
    to.put_counted("flop", work.declared_flop, "declared.flop");
    to.put_counted("bytes", work.declared_bytes, "declared.bytes");
    to.close_object();
  }
}

}  // namespace roofmark
