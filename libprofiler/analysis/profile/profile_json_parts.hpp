// The parts of a profile's document, one file each.
#pragma once

#include <roofmark/profile.hpp>
#include <vector>

namespace roofmark {

class FieldWriter;

void put_work(FieldWriter& to, const Work& work, bool thread_time);
void put_rooflines(FieldWriter& to, const std::vector<Roofline>& rooflines, bool whole);
void put_spread(FieldWriter& to, const char* key, const RankSpread& spread);
void put_shares(FieldWriter& to, const WorkShares& shares);
void put_job(FieldWriter& to, const JobRanks& job);
void put_gpu(FieldWriter& to, const Region& region);

}  // namespace roofmark
