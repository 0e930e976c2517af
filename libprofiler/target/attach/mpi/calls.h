/* The MPI calls that may wait, move data or start either: C name, Fortran name, number of arguments
   in C (MPI-3.1). Fortran has one more, the error code, but for those that are listed apart. */

#define ROOFMARK_MPI_CALLS(X)                        \
  X(Finalize, finalize, 0)                           \
  X(Send, send, 6)                                   \
  X(Bsend, bsend, 6)                                 \
  X(Ssend, ssend, 6)                                 \
  X(Rsend, rsend, 6)                                 \
  X(Recv, recv, 7)                                   \
  X(Isend, isend, 7)                                 \
  X(Ibsend, ibsend, 7)                               \
  X(Issend, issend, 7)                               \
  X(Irsend, irsend, 7)                               \
  X(Irecv, irecv, 7)                                 \
  X(Sendrecv, sendrecv, 12)                          \
  X(Sendrecv_replace, sendrecv_replace, 9)           \
  X(Probe, probe, 4)                                 \
  X(Iprobe, iprobe, 5)                               \
  X(Mprobe, mprobe, 5)                               \
  X(Improbe, improbe, 6)                             \
  X(Mrecv, mrecv, 5)                                 \
  X(Imrecv, imrecv, 5)                               \
  X(Wait, wait, 2)                                   \
  X(Waitany, waitany, 4)                             \
  X(Waitall, waitall, 3)                             \
  X(Waitsome, waitsome, 5)                           \
  X(Test, test, 3)                                   \
  X(Testany, testany, 5)                             \
  X(Testall, testall, 4)                             \
  X(Testsome, testsome, 5)                           \
  X(Start, start, 1)                                 \
  X(Startall, startall, 2)                           \
  X(Barrier, barrier, 1)                             \
  X(Bcast, bcast, 5)                                 \
  X(Gather, gather, 8)                               \
  X(Gatherv, gatherv, 9)                             \
  X(Scatter, scatter, 8)                             \
  X(Scatterv, scatterv, 9)                           \
  X(Allgather, allgather, 7)                         \
  X(Allgatherv, allgatherv, 8)                       \
  X(Alltoall, alltoall, 7)                           \
  X(Alltoallv, alltoallv, 9)                         \
  X(Alltoallw, alltoallw, 9)                         \
  X(Reduce, reduce, 7)                               \
  X(Allreduce, allreduce, 6)                         \
  X(Reduce_scatter, reduce_scatter, 6)               \
  X(Reduce_scatter_block, reduce_scatter_block, 6)   \
  X(Scan, scan, 6)                                   \
  X(Exscan, exscan, 6)                               \
  X(Ibarrier, ibarrier, 2)                           \
  X(Ibcast, ibcast, 6)                               \
  X(Igather, igather, 9)                             \
  X(Igatherv, igatherv, 10)                          \
  X(Iscatter, iscatter, 9)                           \
  X(Iscatterv, iscatterv, 10)                        \
  X(Iallgather, iallgather, 8)                       \
  X(Iallgatherv, iallgatherv, 9)                     \
  X(Ialltoall, ialltoall, 8)                         \
  X(Ialltoallv, ialltoallv, 10)                      \
  X(Ialltoallw, ialltoallw, 10)                      \
  X(Ireduce, ireduce, 8)                             \
  X(Iallreduce, iallreduce, 7)                       \
  X(Ireduce_scatter, ireduce_scatter, 7)             \
  X(Ireduce_scatter_block, ireduce_scatter_block, 7) \
  X(Iscan, iscan, 7)                                 \
  X(Iexscan, iexscan, 7)                             \
  X(Neighbor_allgather, neighbor_allgather, 7)       \
  X(Neighbor_allgatherv, neighbor_allgatherv, 8)     \
  X(Neighbor_alltoall, neighbor_alltoall, 7)         \
  X(Neighbor_alltoallv, neighbor_alltoallv, 9)       \
  X(Neighbor_alltoallw, neighbor_alltoallw, 9)       \
  X(Ineighbor_allgather, ineighbor_allgather, 8)     \
  X(Ineighbor_allgatherv, ineighbor_allgatherv, 9)   \
  X(Ineighbor_alltoall, ineighbor_alltoall, 8)       \
  X(Ineighbor_alltoallv, ineighbor_alltoallv, 10)    \
  X(Ineighbor_alltoallw, ineighbor_alltoallw, 10)    \
  X(Comm_dup, comm_dup, 2)                           \
  X(Comm_split, comm_split, 4)                       \
  X(Comm_split_type, comm_split_type, 5)             \
  X(Comm_create, comm_create, 3)                     \
  X(Comm_free, comm_free, 1)                         \
  X(Cart_create, cart_create, 6)                     \
  X(Win_create, win_create, 6)                       \
  X(Win_allocate, win_allocate, 6)                   \
  X(Win_allocate_shared, win_allocate_shared, 6)     \
  X(Win_free, win_free, 1)                           \
  X(Win_fence, win_fence, 2)                         \
  X(Win_start, win_start, 3)                         \
  X(Win_complete, win_complete, 1)                   \
  X(Win_post, win_post, 3)                           \
  X(Win_wait, win_wait, 1)                           \
  X(Win_test, win_test, 2)                           \
  X(Win_lock, win_lock, 4)                           \
  X(Win_unlock, win_unlock, 2)                       \
  X(Win_lock_all, win_lock_all, 2)                   \
  X(Win_unlock_all, win_unlock_all, 1)               \
  X(Win_flush, win_flush, 2)                         \
  X(Win_flush_all, win_flush_all, 1)                 \
  X(Win_flush_local, win_flush_local, 2)             \
  X(Win_flush_local_all, win_flush_local_all, 1)     \
  X(Put, put, 8)                                     \
  X(Get, get, 8)                                     \
  X(Accumulate, accumulate, 9)                       \
  X(Get_accumulate, get_accumulate, 12)              \
  X(Fetch_and_op, fetch_and_op, 7)                   \
  X(Compare_and_swap, compare_and_swap, 7)           \
  X(Rput, rput, 9)                                   \
  X(Rget, rget, 9)                                   \
  X(Raccumulate, raccumulate, 10)                    \
  X(File_close, file_close, 1)                       \
  X(File_set_size, file_set_size, 2)                 \
  X(File_sync, file_sync, 1)                         \
  X(File_read, file_read, 5)                         \
  X(File_write, file_write, 5)                       \
  X(File_read_all, file_read_all, 5)                 \
  X(File_write_all, file_write_all, 5)               \
  X(File_read_at, file_read_at, 6)                   \
  X(File_write_at, file_write_at, 6)                 \
  X(File_read_at_all, file_read_at_all, 6)           \
  X(File_write_at_all, file_write_at_all, 6)

/* C alone: of Fortran's the arguments differ. */
#define ROOFMARK_MPI_C_CALLS(X)  \
  X(Init, init, 2)               \
  X(Init_thread, init_thread, 4) \
  X(File_open, file_open, 5)     \
  X(Comm_spawn, comm_spawn, 8)

/* Fortran's own: number of arguments in Fortran. */
#define ROOFMARK_MPI_FORTRAN_CALLS(X) \
  X(Init, init, 1)                    \
  X(Init_thread, init_thread, 3)
