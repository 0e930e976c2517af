// Ranks of a parallel job among the processes of one recording.
#include "libprofiler/analysis/join/join_ranks.hpp"
#include "catch.hpp"
#include "libprofiler/arena/rank.h"
#include "raw.hpp"

using namespace roofmark;
using namespace roofmark::test;

namespace {

/// `ranks` processes, each with one thread in `solve` for (rank + 1) seconds from a start of its
/// own.
std::vector<RawProcess> job(unsigned ranks) {
  std::vector<RawProcess> processes;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    RawProcess p = process(10 + static_cast<int>(rank), "/bin/solver");
    p.rank = rank;
    p.ranks = ranks;
    p.host = "node";
    RawThread main = thread(10 + static_cast<int>(rank), true);
    const std::uint64_t from = 100 * rank, length = 1000 * (rank + 1);
    add(main, top, "solve", 1, length, from, from + length);
    p.threads.push_back(main);
    processes.push_back(p);
  }
  return processes;
}

}  // namespace

TEST_CASE("ranks of a region are summed, it lasts while any is in it, and the slowest is named") {
  const Profile profile = joined(input_of(job(4)));
  const Region& solve = *find(profile, {"solve"});
  CHECK(solve.visits == 4);
  CHECK(solve.threads == 4);
  // At least as long as the slowest, at most from the first entry to the last exit.
  CHECK(*solve.work.wall_s->low == Approx(4));
  CHECK(*solve.work.wall_s->high == Approx(4.3));
  CHECK(solve.work.thread_s->value == Approx(10));
  REQUIRE(solve.ranks);
  CHECK(solve.ranks->ranks == 4);
  CHECK(solve.ranks->min_s == Approx(1));
  CHECK(solve.ranks->min_rank == 0);
  CHECK(solve.ranks->median_s == Approx(2.5));
  CHECK(solve.ranks->mean_s == Approx(2.5));
  CHECK(solve.ranks->max_s == Approx(4));
  CHECK(solve.ranks->max_rank == 3);
  CHECK(*solve.imbalance == Approx(1.6));
  REQUIRE(profile.program.ranks);
  CHECK(profile.program.ranks->size == 4);
  CHECK(profile.program.ranks->recorded == 4);
  CHECK(profile.program.ranks->nodes == 1);
}

TEST_CASE("ranks that never meet follow one another, and images of one rank are one rank") {
  std::vector<RawProcess> processes = job(2);
  // Rank 1 begins after rank 0 has left; rank 0 has a second image later on.
  processes[1].threads[0].nodes[0].first_entry = 3000;
  processes[1].threads[0].nodes[0].last_exit = 5000;
  RawProcess again = processes[0];
  again.sequence = 1;
  again.threads[0].nodes[0].first_entry = 6000;
  again.threads[0].nodes[0].last_exit = 7000;
  processes.push_back(again);
  const Profile profile = joined(input_of(processes));
  const Region& solve = *find(profile, {"solve"});
  CHECK(solve.work.wall_s->value == Approx(4));
  CHECK(solve.ranks->ranks == 2);
  CHECK(solve.ranks->min_s == Approx(2));
}

TEST_CASE("one rank alone has no spread, and processes without a rank are no job") {
  std::vector<RawProcess> processes = job(3);
  processes.resize(1);
  const Profile one = joined(input_of(processes));
  CHECK_FALSE(find(one, {"solve"})->ranks);
  CHECK(one.program.ranks->recorded == 1);
  CHECK(one.program.ranks->size == 3);
  processes[0].rank.reset();
  CHECK_FALSE(joined(input_of(processes)).program.ranks);
}

TEST_CASE("time in MPI calls is apart, by rank, with those that made none") {
  std::vector<RawProcess> processes = job(3);
  for (unsigned rank = 0; rank < 2; ++rank) {
    RawThread& main = processes[rank].threads[0];
    const auto call = add(main, 0, "MPI_Wait", 4, 100 * (rank + 1), 100 * rank, 900);
    add(main, call, "MPI_Test", 9, 50, 100 * rank, 900);  // inside: part of it
  }
  const Profile profile = joined(input_of(processes));
  const Region& solve = *find(profile, {"solve"});
  CHECK(solve.mpi_s->value == Approx(0.1));  // 0.1 s, 0.2 s and none, of a mean rank
  REQUIRE(solve.mpi_ranks);
  CHECK(solve.mpi_ranks->ranks == 3);
  CHECK(solve.mpi_ranks->min_s == 0);
  CHECK(solve.mpi_ranks->min_rank == 2);
  CHECK(solve.mpi_ranks->max_rank == 1);
  CHECK(find(profile, {"solve", "MPI_Wait"})->mpi_s->value == Approx(0.15));
  CHECK(profile.regions[0].mpi_s->value == Approx(0.15));
  CHECK_FALSE(joined(input_of(job(2))).regions[1].mpi_s);
}

TEST_CASE("sleep outside MPI calls is seen by looks, sleep in them is MPI time") {
  JoinInput input = input_of(job(2));
  for (RawProcess& process : input.native) add(process.threads[0], 0, "MPI_Wait", 1, 100, 100, 900);
  const std::uint64_t solve = path_key({"solve"}), wait = path_key({"solve", "MPI_Wait"});
  for (int i = 0; i < 100; ++i) {
    PlacementSample sample;
    sample.time_s = 0.01 * i;
    // Rank 0 sleeps in every other look, rank 1 waits in MPI.
    sample.threads = {{10, 10, 0, i % 2 == 0, solve, 1}, {11, 11, 1, false, wait, 1}};
    input.samples.push_back(sample);
  }
  const Region region = *find(joined(input), {"solve"});
  REQUIRE(region.off_cpu_s);
  CHECK(region.off_cpu_s->value == Approx(0.25 * *mean_rank_s(region)));
  CHECK(region.off_cpu_s->source == Source::estimated);
  // The job slept where its regions did, and outside of them nobody looked.
  const Profile whole = joined(input);
  REQUIRE(whole.regions[0].off_cpu_s);
  CHECK(whole.regions[0].off_cpu_s->value == Approx(region.off_cpu_s->value));
  CHECK(*whole.regions[0].off_cpu_s->low == Approx(*region.off_cpu_s->low));
  CHECK(*whole.regions[0].off_cpu_s->high ==
        Approx(*region.off_cpu_s->high + whole.regions[0].self.wall_s->value));
  CHECK_FALSE(find(joined(input), {"solve", "MPI_Wait"})->off_cpu_s);
}

TEST_CASE(
    "MPI time and sleep are parts of a mean rank's time, which is not how long any was there") {
  // One after the other: 1 s and 3 s, of which all but 0.1 s in MPI.
  std::vector<RawProcess> processes = job(2);
  for (RawProcess& process : processes) process.threads[0].nodes.clear();
  add(processes[0].threads[0], top, "solve", 1, 1000, 0, 1000);
  add(processes[0].threads[0], 0, "MPI_Barrier", 1, 900, 100, 1000);
  add(processes[1].threads[0], top, "solve", 1, 3000, 1000, 4000);
  add(processes[1].threads[0], 0, "MPI_Barrier", 1, 2900, 1100, 4000);
  const Profile profile = joined(input_of(processes));
  const Region& solve = *find(profile, {"solve"});
  CHECK(solve.work.wall_s->value == Approx(4));
  CHECK(*mean_rank_s(solve) == Approx(2));
  CHECK(solve.mpi_s->value == Approx(1.9));
  const Region& barrier = *find(profile, {"solve", "MPI_Barrier"});
  CHECK(barrier.mpi_s->value == Approx(*mean_rank_s(barrier)));
}

TEST_CASE("what the launcher counted is in no row, what a rank started is") {
  JoinInput input = input_of(job(2));
  CountedPass pass;
  pass.collector = "emulated";
  const auto image = [&](int pid, int ppid, const std::string& exe, std::uint64_t flop) {
    std::vector<RegionCounts> rows = {counted({}, 0, flop, 64)};
    if (exe == "/bin/solver") rows.push_back(counted({"solve"}, 1, 1000, 64));
    ProcessCounts counts = process_counts(rows, exe);
    counts.pid = pid;
    counts.ppid = ppid;
    pass.processes.push_back(counts);
  };
  image(20, 1, "/usr/bin/mpirun", 500);
  image(21, 20, "/bin/sh", 70);  // becomes rank 0
  image(21, 20, "/bin/solver", 1);
  image(22, 20, "/bin/solver", 2);
  image(23, 22, "/bin/gzip", 4);  // a rank's child
  input.counted = pass;
  CHECK(launchers(pass, input.native) == std::set<std::size_t>{0, 1});
  const Profile profile = joined(input);
  CHECK(profile.regions[0].self.flop.at(Precision::f64).value == 7);
  CHECK(find(profile, {"solve"})->work.flop.at(Precision::f64).value == 2000);
  CHECK(std::any_of(profile.notes.begin(), profile.notes.end(), [](const std::string& note) {
    return note.find("launcher (mpirun, sh)") != std::string::npos;
  }));
  // Without ranks every process is the program's.
  for (RawProcess& process : input.native) process.rank.reset();
  CHECK(launchers(pass, input.native).empty());
}

TEST_CASE("ranks are read from every launcher's variables, and from nothing else") {
  using Variables = std::map<std::string, std::string>;
  const auto read = [](const Variables& variables) {
    return arena::rank_of([&](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  };
  for (const arena::RankVariables& one : arena::rank_variables) {
    INFO(one.launcher << " " << one.rank);
    Variables variables = {{one.rank, "3"}, {one.ranks, "8"}};
    if (one.local_rank) variables[one.local_rank] = "1";
    if (one.local_ranks) variables[one.local_ranks] = "4(x2)";
    const arena::RankNumbers found = read(variables);
    CHECK(found.launcher == std::string(one.launcher));
    CHECK(found.rank == 3);
    CHECK(found.ranks == 8);
    CHECK(found.local_rank == (one.local_rank ? 1 : arena::no_number));
    CHECK(found.local_ranks == (one.local_ranks ? 4 : arena::no_number));
    for (const char* no_rank : {"", "x", "-1", "8", "3 ", "99999999999999999999"}) {
      variables[one.rank] = no_rank;
      CHECK(read(variables).launcher == nullptr);
    }
  }
  // A batch script of Slurm is no rank.
  CHECK(read({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "64"}}).launcher == nullptr);
  // mpirun inside a step of srun.
  CHECK(read({{"SLURM_PROCID", "0"},
              {"SLURM_STEP_NUM_TASKS", "1"},
              {"OMPI_COMM_WORLD_RANK", "5"},
              {"OMPI_COMM_WORLD_SIZE", "6"}})
            .rank == 5);
  // Nodes with different numbers of ranks: which one this is, is not known.
  CHECK(read({{"SLURM_PROCID", "0"},
              {"SLURM_STEP_NUM_TASKS", "7"},
              {"SLURM_STEP_TASKS_PER_NODE", "4,3"}})
            .local_ranks == arena::no_number);
}
