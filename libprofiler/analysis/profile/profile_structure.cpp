#include "analysis/profile/profile_structure.hpp"

#include <analysis/profile/path_index.hpp>
#include <optional>
#include <set>
#include <vector>

#include "analysis/text/plain_text.hpp"

namespace roofmark {
namespace {

using Refuse = std::function<void(const std::string&, const std::string&)>;

std::string place_of(std::size_t region) {
  return "regions[" + std::to_string(region) + "]";
}

/// The first of a list whose key stood before.
template <class List, class KeyOf>
std::optional<std::size_t> first_repeated(const List& list, const KeyOf& key_of) {
  std::set<decltype(key_of(*list.begin()))> seen;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (!seen.insert(key_of(list[i])).second) return i;
  return std::nullopt;
}

/// Each path once, and below one that is there: else rows are added to the wrong ones.
void find_in_tree(const std::vector<Region>& regions, const Refuse& refuse) {
  const PathIndex index(regions);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const std::vector<std::string>& path = regions[i].path;
    if (const std::size_t last = index.last_of_path(i); last != i)
      return refuse(place_of(last) + ".path", "is that of `" + place_of(i) + "` too (" +
                                                  text::elided(text::path_text(path), 60) +
                                                  "): each path stands once");
    if (path.size() > 1 && index.parent(i) == PathIndex::none)
      return refuse(place_of(i) + ".path",
                    "has no region above it: `" +
                        text::elided(text::path_text({path.begin(), path.end() - 1}), 60) +
                        "` is not in the file");
  }
}

void find_in_spread(const std::optional<RankSpread>& spread, const std::string& place,
                    const std::optional<JobRanks>& job, const Refuse& refuse) {
  if (!spread) return;
  if (spread->ranks == 0) return refuse(place + ".count", "is 0");
  if (!job) return;
  const std::string size = "`program.ranks.size`, " + std::to_string(job->size);
  if (spread->ranks > job->size) refuse(place + ".count", "is above " + size);
  if (spread->min_rank >= job->size) refuse(place + ".min_rank", "is not below " + size);
  if (spread->max_rank >= job->size) refuse(place + ".max_rank", "is not below " + size);
}

void find_in_shares(const WorkShares& shares, const std::string& place, const Refuse& refuse) {
  const auto number_of = [](const WorkShare& share) { return share.number; };
  if (const auto again = first_repeated(shares.each, number_of))
    refuse(place + ".each[" + std::to_string(*again) + "].number", "stands twice");
  std::uint64_t room = shares.total - shares.each.size();  // the reader holds that it is not below
  for (std::size_t i = 0; i < shares.left_out.size(); ++i) {
    if (shares.left_out[i].count > room)
      return refuse(place + ".left_out[" + std::to_string(i) + "].count",
                    "makes more than `total`, " + std::to_string(shares.total));
    room -= shares.left_out[i].count;
  }
}

void find_in_region(const Region& region, const std::string& place,
                    const std::optional<JobRanks>& job, const Refuse& refuse) {
  const auto locus_of = [](const Roofline& roofline) { return roofline.locus; };
  const auto device_of = [](const GpuShare& share) { return share.device; };
  if (const auto again = first_repeated(region.rooflines, locus_of))
    refuse(place + ".rooflines[" + std::to_string(*again) + "].locus", "stands twice");
  if (const auto again = first_repeated(region.self_rooflines, locus_of))
    refuse(place + ".self.rooflines[" + std::to_string(*again) + "].locus", "stands twice");
  if (const auto again = first_repeated(region.gpu, device_of))
    refuse(place + ".gpu[" + std::to_string(*again) + "].device", "stands twice");
  find_in_spread(region.ranks, place + ".ranks", job, refuse);
  find_in_spread(region.mpi_ranks, place + ".mpi_ranks", job, refuse);
  if (region.shares) find_in_shares(*region.shares, place + ".shares", refuse);
}

void find_in_job(const JobRanks& job, const Refuse& refuse) {
  const std::string place = "program.ranks", size = "`size`, " + std::to_string(job.size);
  if (job.recorded > job.size) refuse(place + ".recorded", "is above " + size);
  if (job.nodes > job.size) refuse(place + ".nodes", "is above " + size);
  if (job.rank && *job.rank >= job.size) refuse(place + ".rank", "is not below " + size);
  if (job.on_node && *job.on_node > job.size) refuse(place + ".on_node", "is above " + size);
}

}  // namespace

void find_contradictions(const Profile& profile, const Refuse& refuse) {
  if (profile.program.ranks) find_in_job(*profile.program.ranks, refuse);
  const auto uuid_of = [](const Gpu& gpu) { return gpu.uuid; };
  if (const auto again = first_repeated(profile.machine.gpus, uuid_of))
    refuse("machine.gpus[" + std::to_string(*again) + "].uuid", "stands twice");
  find_in_tree(profile.regions, refuse);
  for (std::size_t i = 0; i < profile.regions.size(); ++i)
    find_in_region(profile.regions[i], place_of(i), profile.program.ranks, refuse);
}

}  // namespace roofmark
