#include "program_traffic.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

namespace roofmark::resctrl {
namespace {

/// Without this look, traffic of somebody else would be said to be the program's: none at all.
Problem not_joined(int state, const std::string& tasks) {
  if (state == 0) return {"the program was not put into its monitor group", tasks, ""};
  Problem problem{
      std::string("the program could not be put into its monitor group: ") + std::strerror(-state),
      tasks, "run it as root"};
  if (state == -EINVAL) problem.remedy = "start it from the control group that it belongs to";
  return problem;
}

}  // namespace

void ProgramTraffic::Unmap::operator()(Shared* shared) const {
  munmap(shared, sizeof *shared);
}

ProgramTraffic::ProgramTraffic(const Monitor& monitor, Group group,
                               std::unique_ptr<Shared, Unmap> shared)
    : monitor_(monitor),
      group_(std::move(group)),
      before_(group_.read()),
      shared_(std::move(shared)) {}

Result<ProgramTraffic> ProgramTraffic::begin(const Monitor& monitor) {
  void* const memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return tl::unexpected(
        Problem{std::string("no memory for the monitor group: ") + std::strerror(errno), "", ""});
  std::unique_ptr<Shared, Unmap> shared(static_cast<Shared*>(memory));
  auto group = Group::create(monitor);
  if (!group) return tl::unexpected(group.error());
  return ProgramTraffic(monitor, std::move(*group), std::move(shared));
}

void ProgramTraffic::join() const noexcept {
  const int error = join_group(group_.tasks().c_str());
  __atomic_store_n(&shared_->state, error == 0 ? 1 : -error, __ATOMIC_RELEASE);
}

Traffic ProgramTraffic::end() {
  const int state = __atomic_load_n(&shared_->state, __ATOMIC_ACQUIRE);
  const std::string root = monitor_.root.string();
  const Reading after = group_.read();
  const auto between = [&](Event event, bool there) -> Result<std::uint64_t> {
    if (state != 1) return tl::unexpected(not_joined(state, group_.tasks()));
    if (!there)
      return tl::unexpected(Problem{"this processor has no such counter", name_of(event), ""});
    return traffic(before_, after, event, root);
  };
  Traffic result{between(Event::total, monitor_.total), between(Event::local, monitor_.local), {}};
  result.left_over = group_.remove();
  return result;
}

}  // namespace roofmark::resctrl
