// Which process of a parallel job this is, as its launcher says in the environment. Known to the
// target and to the analysis; freestanding.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace roofmark::arena {

/// A launcher's variables; null: it has none for it.
struct RankVariables {
  const char* launcher;
  const char* rank;
  const char* ranks;        // in the job
  const char* local_rank;   // on this node
  const char* local_ranks;  // on this node
};

// The first whose rank and number are both there holds: a launcher that another one started comes
// before that. Of Slurm's variables the number of the step: SLURM_PROCID and SLURM_NTASKS are there
// in a batch script, too, which is no rank. Sources: mpirun(1) of Open MPI, "Environment
// Variables"; Hydra's and PMI's of MPICH and Intel MPI; the MVAPICH2 user guide; srun(1), "OUTPUT
// ENVIRONMENT VARIABLES"; flux-environment(7).
inline constexpr RankVariables rank_variables[] = {
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"MVAPICH2", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK",
     "MV2_COMM_WORLD_LOCAL_SIZE"},
    {"PMI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"PMIx", "PMIX_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"},
    {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"},
    {"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID", nullptr},
};

inline constexpr int64_t no_number = -1;

struct RankNumbers {
  const char* launcher = nullptr;  // null: this is no rank of a job
  int64_t rank = no_number, ranks = no_number;
  int64_t local_rank = no_number, local_ranks = no_number;
};

/// A decimal number, also followed by Slurm's "(x3)", which says that three nodes have as many;
/// anything else is none.
inline int64_t rank_number(const char* text) {
  if (text == nullptr || *text < '0' || *text > '9') return no_number;
  int64_t number = 0;
  for (; *text >= '0' && *text <= '9'; ++text) {
    number = number * 10 + (*text - '0');
    if (number > 1000000000) return no_number;
  }
  if (text[0] == '(' && text[1] == 'x') {
    for (text += 2; *text >= '0' && *text <= '9';) ++text;
    if (*text == ')') ++text;
  }
  return *text == '\0' ? number : no_number;
}

/// `value_of(NAME)`: the variable's text or null.
template <class ValueOf>
RankNumbers rank_of(ValueOf value_of) {
  for (const RankVariables& variables : rank_variables) {
    const int64_t rank = rank_number(value_of(variables.rank));
    const int64_t ranks = rank_number(value_of(variables.ranks));
    if (rank == no_number || ranks <= rank) continue;
    const auto local = [&](const char* name) {
      return name != nullptr ? rank_number(value_of(name)) : no_number;
    };
    RankNumbers found{variables.launcher, rank, ranks, local(variables.local_rank),
                      local(variables.local_ranks)};
    if (found.local_ranks == 0 || found.local_ranks > ranks) found.local_ranks = no_number;
    return found;
  }
  return {};
}

}  // namespace roofmark::arena
