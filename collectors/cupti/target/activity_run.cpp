#include "activity_run.hpp"

#include <cstdlib>

namespace roofmark::cupti {
namespace {

// The newest records of the headers: what CUPTI of the same major version gives begins like them.
#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
using CopyRecord = CUpti_ActivityMemcpy6;
#else
using KernelRecord = CUpti_ActivityKernel9;
using CopyRecord = CUpti_ActivityMemcpy5;
#endif
using PeerRecord = CUpti_ActivityMemcpyPtoP4;
using SetRecord = CUpti_ActivityMemset4;

constexpr std::size_t buffer_bytes = std::size_t{1} << 20, alignment = 64;
constexpr std::size_t most_spare_buffers = 8;

// CUPTI's callbacks carry no word of ours.
ActivityRun* the_run = nullptr;

/// Nothing may leave a callback of CUPTI.
template <class Work>
void guarded(Work work) noexcept {
  try {
    work();
  } catch (...) {
    the_run->ran_out_of_memory();
  }
}

void CUPTIAPI buffer_wanted(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *buffer = nullptr;
  *size = 0;
  *records = 0;  // as many as fit
  guarded([&] { the_run->lend_buffer(buffer, size); });
}

void CUPTIAPI buffer_filled(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                            std::size_t, std::size_t valid) {
  guarded([&] { the_run->take_buffer(context, stream, buffer, valid); });
}

std::uint64_t CUPTIAPI host_clock() {
  return static_cast<std::uint64_t>(now_ns());
}

CopyKind kind_of(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return CopyKind::host_to_device;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return CopyKind::device_to_host;
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return CopyKind::host_to_host;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return CopyKind::peer_to_peer;
    default:
      return CopyKind::device_to_device;
  }
}

std::uint32_t positive(std::int32_t value) {
  return value < 0 ? 0U : static_cast<std::uint32_t>(value);
}

}  // namespace

ActivityRun::ActivityRun(Recorder& recorder) : recorder_(recorder), tally_(recorder.plan.limits) {
  the_run = this;
}

/// Records then carry CLOCK_MONOTONIC. Else a constant is added, read once.
bool ActivityRun::take_host_clock() {
  const CuptiLibrary& cupti = recorder_.cupti;
  if (cupti.cuptiActivityRegisterTimestampCallback(host_clock) == CUPTI_SUCCESS) return true;
  std::uint64_t theirs = 0;
  const std::int64_t before = now_ns();
  if (const auto result = cupti.cuptiGetTimestamp(&theirs); result != CUPTI_SUCCESS) {
    recorder_.failed("cuptiGetTimestamp", result);
    return false;
  }
  const std::int64_t after = now_ns();
  clock_offset_ns_ = before + (after - before) / 2 - static_cast<std::int64_t>(theirs);
  recorder_.say("own_clock");
  return true;
}

std::int64_t ActivityRun::host_time(std::uint64_t of_record) const {
  return static_cast<std::int64_t>(of_record) + clock_offset_ns_;
}

bool ActivityRun::begin() {
  const CuptiLibrary& cupti = recorder_.cupti;
  if (!take_host_clock()) return false;
  if (const auto result = cupti.cuptiActivityRegisterCallbacks(buffer_wanted, buffer_filled);
      result != CUPTI_SUCCESS) {
    recorder_.failed("cuptiActivityRegisterCallbacks", result);
    return false;
  }
  // Not KIND_KERNEL, which lets one kernel run at a time.
  if (const auto result = cupti.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
      result != CUPTI_SUCCESS) {
    recorder_.failed("cuptiActivityEnable", result);
    return false;
  }
  for (const auto kind :
       {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET})
    if (const auto result = cupti.cuptiActivityEnable(kind); result != CUPTI_SUCCESS)
      recorder_.failed("cuptiActivityEnable", result);
  return true;
}

void ActivityRun::context_created(CUcontext context) {
  std::uint32_t ordinal = 0;
  if (recorder_.cupti.cuptiGetDeviceId(context, &ordinal) != CUPTI_SUCCESS) return;
  const std::uint32_t device = recorder_.device(ordinal);
  ROOFMARK_SIZED(CUpti_Device_GetChipName, chip, pChipName);
  chip->deviceIndex = ordinal;
  const auto result = call(recorder_.cupti.cuptiDeviceGetChipName, chip);
  if (result != CUPTI_SUCCESS)
    recorder_.failed("cuptiDeviceGetChipName", result, device);
  else if (chip->pChipName != nullptr)
    recorder_.set_chip(device, chip->pChipName);
}

void ActivityRun::context_ends(CUcontext) {}

void ActivityRun::call_begins(const DriverCall& call) {
  const std::int64_t now = now_ns();
  calls_.put(call.correlation, {recorder_.paths.here(), now});
  if (call.memory != nullptr) *call.memory = static_cast<std::uint64_t>(now);
}

void ActivityRun::runtime_call_begins(std::uint32_t correlation) {
  calls_.put(correlation, {recorder_.paths.here(), now_ns()});
}

void ActivityRun::call_ends(const DriverCall& call, bool done) {
  if (!done || call.memory == nullptr || call.kind == CallKind::copy) return;
  const std::int64_t ns = now_ns() - static_cast<std::int64_t>(*call.memory);
  const auto known = calls_.find(call.correlation);
  const std::uint32_t path = known ? known->path : recorder_.paths.here();
  const std::lock_guard lock(mutex_);
  if (call.kind == CallKind::launch || call.kind == CallKind::graph)
    tally_.add_launch_call(path, ns);
  else
    tally_.add_wait_call(path, ns);
}

void ActivityRun::lend_buffer(std::uint8_t** buffer, std::size_t* size) {
  {
    const std::lock_guard lock(pool_mutex_);
    if (!pool_.empty()) {
      *buffer = pool_.back();
      pool_.pop_back();
    }
  }
  if (*buffer == nullptr)
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
}

void ActivityRun::take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                              std::size_t valid) {
  const CuptiLibrary& cupti = recorder_.cupti;
  CUpti_Activity* record = nullptr;
  // CUPTI_ERROR_MAX_LIMIT_REACHED is the end of the buffer; anything else spoils the rest of it.
  while (valid > 0 && cupti.cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
    take_record(record);
  std::size_t dropped = 0;
  const bool asked =
      cupti.cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS;
  if (asked && dropped != 0) {
    const std::lock_guard lock(mutex_);
    dropped_ += dropped;
  }
  if (buffer == nullptr) return;
  const std::lock_guard lock(pool_mutex_);
  if (pool_.size() < most_spare_buffers)
    pool_.push_back(buffer);
  else
    std::free(buffer);
}

std::uint32_t ActivityRun::path_of(std::uint32_t correlation, std::optional<std::int64_t>* called) {
  const auto known = calls_.find(correlation);
  if (called != nullptr && known) *called = known->begin_ns;
  return known ? known->path : ~std::uint32_t{0};
}

template <class Record>
void ActivityRun::take_kernel(const Record& record) {
  // A forced flush also gives what still runs.
  if (record.start == 0 || record.end == 0) {
    const std::lock_guard lock(mutex_);
    ++unfinished_;
    return;
  }
  KernelRun run;
  run.name = record.name == nullptr ? "(unnamed)" : record.name;
  run.device = recorder_.device(record.deviceId);
  run.start_ns = host_time(record.start);
  run.end_ns = host_time(record.end);
  run.grid = {positive(record.gridX), positive(record.gridY), positive(record.gridZ)};
  run.block = {positive(record.blockX), positive(record.blockY), positive(record.blockZ)};
  run.context = record.contextId;
  run.stream = record.streamId;
  run.correlation = record.correlationId;
  run.graph = record.graphId;
  run.path = path_of(record.correlationId, &run.called_ns);
  const bool unknown = run.path == ~std::uint32_t{0};
  if (unknown) run.path = 0;
  const std::lock_guard lock(mutex_);
  unknown_ += unknown ? 1 : 0;
  recorder_.paths.with([&](const PathTable& paths) { tally_.add(run, paths); });
}

template <class Record>
void ActivityRun::take_copy(const Record& record, CopyKind kind,
                            std::optional<std::uint32_t> peer) {
  if (record.start == 0 || record.end == 0) return;
  CopyRun run;
  run.kind = kind;
  run.device = recorder_.device(record.deviceId);
  run.peer = peer;
  run.bytes = record.bytes;
  run.start_ns = host_time(record.start);
  run.end_ns = host_time(record.end);
  run.path = path_of(record.correlationId);
  if (run.path == ~std::uint32_t{0}) run.path = 0;
  const std::lock_guard lock(mutex_);
  tally_.add(run);
}

void ActivityRun::take_record(const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return take_kernel(*reinterpret_cast<const KernelRecord*>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = *reinterpret_cast<const CopyRecord*>(record);
      return take_copy(copy, kind_of(copy.copyKind), std::nullopt);
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
      const auto& copy = *reinterpret_cast<const PeerRecord*>(record);
      const std::uint32_t other =
          copy.deviceId == copy.srcDeviceId ? copy.dstDeviceId : copy.srcDeviceId;
      return take_copy(copy, CopyKind::peer_to_peer, recorder_.device(other));
    }
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return take_copy(*reinterpret_cast<const SetRecord*>(record), CopyKind::set, std::nullopt);
    default:
      return;
  }
}

void ActivityRun::look() {
  // Without force: what still runs stays with CUPTI.
  (void)recorder_.cupti.cuptiActivityFlushAll(0);
}

void ActivityRun::finish() {
  if (const auto result = recorder_.cupti.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
      result != CUPTI_SUCCESS)
    recorder_.failed("cuptiActivityFlushAll", result);
}

void ActivityRun::write(Snapshot& snapshot) {
  const std::lock_guard lock(mutex_);
  tally_.write(snapshot);
  snapshot.totals.launches_unfinished = unfinished_;
  snapshot.totals.records_dropped = dropped_;
  snapshot.totals.launches_of_unknown_path = unknown_;
}

}  // namespace roofmark::cupti
