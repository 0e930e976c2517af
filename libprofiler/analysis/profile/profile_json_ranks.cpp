// What ranks and threads had of a region, and the job that they are of.
#include "analysis/profile/field_writer.hpp"
#include "analysis/profile/profile_json_parts.hpp"

namespace roofmark {
namespace {

void put_share_part(FieldWriter& to, const WorkShare::Part& part) {
  to.put_number("wall_s", part.wall_s);
  to.key("flop");
  to.open_object();
  for (const auto& [precision, count] : part.flop) {
    to.key(spelling(precision));
    to.count(count);
  }
  to.close_object();
  to.key("bytes");
  to.open_object();
  for (const auto& [level, count] : part.bytes) {
    to.key(level);
    to.count(count);
  }
  to.close_object();
}

}  // namespace

void put_spread(FieldWriter& to, const char* key, const RankSpread& spread) {
  to.key(key);
  to.open_object();
  to.put_count("count", spread.ranks);
  to.put_number("min_s", spread.min_s);
  to.put_number("median_s", spread.median_s);
  to.put_number("mean_s", spread.mean_s);
  to.put_number("max_s", spread.max_s);
  to.put_count("min_rank", spread.min_rank);
  to.put_count("max_rank", spread.max_rank);
  if (spread.median_estimated) {
    to.key("median_estimated");
    to.raw("true");
  }
  to.close_object();
}

void put_shares(FieldWriter& to, const WorkShares& shares) {
  to.key("shares");
  to.open_object();
  to.put_text("of", shares.of == WorkShares::Of::ranks ? "ranks" : "threads");
  to.put_count("total", shares.total);
  if (shares.two_runs) {
    to.key("two_runs");
    to.raw("true");
  }
  to.key("each");
  to.open_array();
  for (const WorkShare& share : shares.each) {
    to.open_object();
    to.put_count("number", share.number);
    put_share_part(to, share.work);
    if (share.self != share.work) {
      to.key("self");
      to.open_object();
      put_share_part(to, share.self);
      to.close_object();
    }
    to.close_object();
  }
  to.close_array();
  to.key("left_out");
  to.open_array();
  for (const WorkShares::LeftOut& left : shares.left_out) {
    to.open_object();
    to.put_count("count", left.count);
    to.put_text("reason", left.reason);
    to.put_text_if_any("fix", left.fix);
    to.close_object();
  }
  to.close_array();
  to.close_object();
}

void put_job(FieldWriter& to, const JobRanks& job) {
  to.key("ranks");
  to.open_object();
  to.put_count("size", job.size);
  to.put_count("recorded", job.recorded);
  to.put_count("nodes", job.nodes);
  if (job.rank) to.put_count("rank", *job.rank);
  if (job.on_node) to.put_count("on_node", *job.on_node);
  to.put_text_if_any("launcher", job.launcher);
  to.close_object();
}

}  // namespace roofmark
