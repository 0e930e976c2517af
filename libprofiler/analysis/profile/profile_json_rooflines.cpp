// What the model makes of a region.
#include <cmath>

#include "analysis/profile/field_writer.hpp"
#include "analysis/profile/profile_json_parts.hpp"

namespace roofmark {
namespace {

void put_level(FieldWriter& to, const LevelPlacement& level) {
  to.open_object();
  if (level.intensity > 0) {  // else no FLOPs: there is no point on the chart
    to.put_number("intensity", level.intensity);
    to.put_number("roof_flop_per_s", level.roof_flop_per_s);
    to.put_number("ridge", level.ridge);
  }
  to.put_number("bandwidth_bytes_per_s", level.bandwidth_bytes_per_s);
  to.put_number("achieved_bytes_per_s", level.achieved_bytes_per_s);
  to.close_object();
}

void put_conclusion(FieldWriter& to, const Roofline& roofline) {
  to.put_text("locus", roofline.locus);
  to.put_text_if_any("precision", roofline.precision);
  to.put_text_if_any("binding", roofline.binding);
  to.put_text("side", spelling(roofline.side));
  to.put_text("side_as_written", spelling(roofline.side_as_written));
  to.put_text("verdict", spelling(roofline.verdict));
  to.put_text_if_any("verdict_detail", roofline.verdict_detail);
  to.put_number("fraction", roofline.fraction);
  to.put_number("fraction_as_written", roofline.fraction_as_written);
  to.put_number("fraction_without_waiting", roofline.fraction_without_waiting);
}

void put_evidence(FieldWriter& to, const Roofline& roofline) {
  to.put_number("roof_flop_per_s", roofline.roof_flop_per_s);
  to.put_number("roof_as_written_flop_per_s", roofline.roof_as_written_flop_per_s);
  to.put_number("achieved_flop_per_s", roofline.achieved_flop_per_s);
  to.put_number("uncertainty", roofline.uncertainty);
  to.put_measure("explained_s", roofline.explained_s, {});
  to.key("levels");
  to.open_object();
  for (const auto& [level, placement] : roofline.levels) {
    to.key(level);
    put_level(to, placement);
  }
  to.close_object();
  to.key("ladder");
  to.open_array();
  for (const Rung& rung : roofline.ladder) {
    if (!std::isfinite(rung.gain)) continue;
    to.open_object();
    to.put_text("name", rung.name);
    to.put_number("gain", rung.gain);
    to.close_object();
  }
  to.close_array();
  if (!roofline.notes.empty()) {
    to.key("notes");
    to.put_texts(roofline.notes);
  }
  to.put_text_if_any("why", roofline.why);
  to.key("advice");
  to.open_array();
  for (const Advice& advice : roofline.advice) {
    to.open_object();
    to.put_text("text", advice.text);
    to.put_text_if_any("falsifier", advice.falsifier);
    to.put_number("gain", advice.gain);
    to.close_object();
  }
  to.close_array();
}

}  // namespace

void put_rooflines(FieldWriter& to, const std::vector<Roofline>& rooflines, bool whole) {
  to.write_conclusions();
  to.key("rooflines");
  to.open_array();
  for (const Roofline& roofline : rooflines) {
    to.open_object();
    put_conclusion(to, roofline);
    if (whole) put_evidence(to, roofline);
    to.close_object();
  }
  to.close_array();
  to.write_times();
}

}  // namespace roofmark
