#include "program_counters.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace roofmark {
namespace {

struct Header {
  std::uint32_t group = 0, count = 0;
};

/// A group's descriptors as one message.
void send_group(int socket, const Header& header, const int* descriptors) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * perf::most_events_per_group)> room{};
  Header copy = header;
  iovec data{&copy, sizeof copy};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = CMSG_SPACE(sizeof(int) * header.count);
  cmsghdr* const control = CMSG_FIRSTHDR(&message);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(sizeof(int) * header.count);
  std::memcpy(CMSG_DATA(control), descriptors, sizeof(int) * header.count);
  // The buffer of a new socket holds it; where it does not, the group is not counted.
  (void)sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool receive_group(int socket, Header& header, std::vector<int>& descriptors) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * perf::most_events_per_group)> room{};
  iovec data{&header, sizeof header};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  if (recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != ssize_t{sizeof header})
    return false;
  for (cmsghdr* control = CMSG_FIRSTHDR(&message); control != nullptr;
       control = CMSG_NXTHDR(&message, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    descriptors.resize(count);
    std::memcpy(descriptors.data(), CMSG_DATA(control), count * sizeof(int));
  }
  return true;
}

}  // namespace

ThreadGroups thread_groups(const CounterPlan& plan, unsigned pass) {
  CounterPlan of_threads = plan;
  of_threads.groups.clear();
  std::vector<std::size_t> indices;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    if (plan.groups[g].pass != pass || plan.groups[g].cpu >= 0) continue;
    indices.push_back(g);
    of_threads.groups.push_back(plan.groups[g]);
  }
  return {std::move(indices), flat_plan(of_threads, pass)};
}

ProgramCounters::ProgramCounters(const CounterPlan& plan, unsigned pass) {
  ThreadGroups groups = thread_groups(plan, pass);
  indices_ = std::move(groups.indices);
  int ends[2];
  if (!groups.flat || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
  flat_ = *groups.flat;
  child_end_ = Descriptor(ends[0]);
  own_end_ = Descriptor(ends[1]);
}

void ProgramCounters::open_in_child() const {
  if (child_end_.get() < 0) return;
  for (unsigned g = 0; g < flat_.group_count; ++g) {
    perf::Group group;
    if (perf::open_program_group(flat_, g, group)) continue;
    send_group(child_end_.get(), {g, group.count}, group.descriptors);
  }
}

void ProgramCounters::receive() {
  child_end_ = Descriptor();
  Header header;
  std::vector<int> descriptors;
  while (own_end_.get() >= 0 && receive_group(own_end_.get(), header, descriptors)) {
    One one{header.group < indices_.size() ? indices_[header.group] : 0, {}};
    for (const int descriptor : descriptors) one.descriptors.emplace_back(descriptor);
    if (header.group < indices_.size() && one.descriptors.size() == header.count)
      groups_.push_back(std::move(one));
  }
}

std::vector<GroupCounts> ProgramCounters::read() const {
  std::vector<GroupCounts> counts;
  for (const One& one : groups_) {
    perf::Group group;
    group.count = static_cast<unsigned>(one.descriptors.size());
    for (std::size_t i = 0; i < one.descriptors.size(); ++i)
      group.descriptors[i] = one.descriptors[i].get();
    perf::Reading zero, now;
    if (perf::read_group(group, false, now) != 0) continue;
    zero.count = now.count;
    for (unsigned i = 0; i < now.count; ++i) zero.values[i] = 0;
    counts.push_back({one.index, perf::difference(zero, now)});
  }
  return counts;
}

}  // namespace roofmark
