// The resctrl file system, on trees of plain files that look like it.
#include "collectors/resctrl/monitor_tree.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "collectors/resctrl/kernel_option.hpp"
#include "collectors/resctrl/program_traffic.hpp"

using namespace roofmark;
using namespace roofmark::resctrl;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class Tree {
 public:
  Tree() {
    std::string name = (fs::temp_directory_path() / "roofmark-resctrl-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root = name;
    write(root / "info/L3_MON/mon_features", "llc_occupancy\nmbm_total_bytes\nmbm_local_bytes\n");
    write(root / "info/L3_MON/num_rmids", "256\n");
    fs::create_directories(root / "mon_groups");
  }
  ~Tree() {
    fs::permissions(root, fs::perms::owner_all);
    fs::remove_all(root);
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  Result<Monitor> look() const { return resctrl::look(root, root / "own"); }
  Monitor monitor() const {
    auto found = look();
    REQUIRE(found.has_value());
    return *found;
  }
  std::vector<std::string> groups() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(root / "mon_groups"))
      names.push_back(entry.path().filename().string());
    return names;
  }

  fs::path root;
};

/// What the kernel puts into a new group.
void populate(const fs::path& group, const std::string& total, const std::string& local) {
  write(group / "tasks", "");
  for (const char* domain : {"mon_L3_00", "mon_L3_01"}) {
    write(group / "mon_data" / domain / "llc_occupancy", "4096\n");
    write(group / "mon_data" / domain / "mbm_total_bytes", total);
    write(group / "mon_data" / domain / "mbm_local_bytes", local);
  }
  fs::create_directories(group / "mon_data" / "mon_PERF_PKG_00");
}

/// A group of the kernel goes with its files.
void depopulate(const fs::path& group) {
  for (const auto& entry : fs::directory_iterator(group)) fs::remove_all(entry.path());
}

}  // namespace

TEST_CASE("what can be monitored is read from the tree") {
  Tree tree;
  const Monitor monitor = tree.monitor();
  CHECK(monitor.total);
  CHECK(monitor.local);
  CHECK(monitor.groups == "256");
  CHECK(monitor.control == tree.root);
  write(tree.root / "info/L3_MON/mon_features", "mbm_local_bytes\nmbm_local_bytes_config\n");
  CHECK_FALSE(tree.monitor().total);
  CHECK(tree.monitor().local);
}

TEST_CASE("why nothing can be monitored, each with its way out") {
  Tree tree;
  const auto refused = [&](const std::string& reason, const std::string& remedy) {
    const auto found = tree.look();
    REQUIRE_FALSE(found.has_value());
    INFO(to_line(found.error()));
    CHECK(found.error().reason.find(reason) != std::string::npos);
    CHECK(found.error().remedy.find(remedy) != std::string::npos);
  };
  write(tree.root / "info/L3_MON/mon_features", "llc_occupancy\n");
  refused("no traffic", "rdt=");
  write(tree.root / "info/L3_MON/mon_features", "mbm_total_bytes_config\n");
  refused("no traffic", "rdt=");
  fs::remove_all(tree.root / "info/L3_MON");
  refused("monitors no cache traffic", "server processor");
  fs::remove_all(tree.root / "info");
  refused("not mounted", "mount -t resctrl resctrl " + tree.root.string());
  const auto nowhere = look("/nonexistent/resctrl");
  REQUIRE_FALSE(nowhere.has_value());
  CHECK(nowhere.error().remedy == resctrl::kernel_with_resctrl);
}

TEST_CASE("a tree without room for groups is said") {
  Tree tree;
  fs::remove(tree.root / "mon_groups");
  const auto found = tree.look();
  REQUIRE_FALSE(found.has_value());
  CHECK(found.error().reason.find("can hold no monitor groups") != std::string::npos);
}

TEST_CASE("an ordinary user is told what to ask for") {
  if (geteuid() != 0) {
    WARN("not tested: only root can become another user");
    return;
  }
  Tree tree;
  chmod(tree.root.c_str(), 0755);
  const pid_t child = fork();
  if (child == 0) {
    if (setuid(65534) != 0) _exit(2);
    const auto found = resctrl::look(tree.root, tree.root / "own");
    const bool told = !found && found.error().remedy.find("chown") != std::string::npos &&
                      found.error().reason.find("ordinary user") != std::string::npos;
    _exit(told ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("the kernel's refusals of a new group have each a sentence and a fix") {
  Monitor monitor;
  monitor.root = monitor.control = "/r";
  monitor.groups = "256";
  CHECK(why_no_group(ENOSPC, monitor).reason ==
        "no monitor group is free of the 256 that the processor has");
  CHECK(why_no_group(ENOSPC, monitor).remedy.find("rmdir") != std::string::npos);
  CHECK(why_no_group(EBUSY, monitor).remedy.find("/r/info/L3_MON/max_threshold_occupancy") !=
        std::string::npos);
  CHECK(why_no_group(EACCES, monitor).remedy.find("chown \"$USER\" /r/mon_groups") !=
        std::string::npos);
  CHECK(why_no_group(EPERM, monitor).remedy == why_no_group(EACCES, monitor).remedy);
  CHECK(why_no_group(EROFS, monitor).remedy.find("remount,rw /r") != std::string::npos);
  CHECK(why_no_group(EIO, monitor).remedy == "cat /r/info/last_cmd_status");
}

TEST_CASE("the control group of this process is where its groups go") {
  CHECK(control_group_of("res:/\nmon:\n") == "");
  CHECK(control_group_of("res:/batch\nmon:old\n") == "/batch");
  CHECK(control_group_of("res:/batch") == "/batch");
  CHECK_FALSE(control_group_of("res:\nmon:\n").has_value());
  CHECK_FALSE(control_group_of("").has_value());
  CHECK_FALSE(control_group_of("res:/../../etc\n").has_value());
  Tree tree;
  fs::create_directories(tree.root / "batch/mon_groups");
  write(tree.root / "own", "res:/batch\nmon:\n");
  const auto group = Group::create(tree.monitor());
  REQUIRE(group.has_value());
  CHECK(group->path().parent_path() == tree.root / "batch/mon_groups");
}

TEST_CASE("a group is there while it is needed, and then nothing of it") {
  Tree tree;
  {
    auto group = Group::create(tree.monitor());
    auto other = Group::create(tree.monitor());
    REQUIRE(group.has_value());
    REQUIRE(other.has_value());
    CHECK(tree.groups().size() == 2);
    Group moved = std::move(*group);
    CHECK(tree.groups().size() == 2);
    CHECK_FALSE(moved.remove().has_value());
    CHECK_FALSE(moved.remove().has_value());
    CHECK(tree.groups().size() == 1);
  }
  CHECK(tree.groups().empty());
}

TEST_CASE("what can't be removed is said with its place") {
  Tree tree;
  auto group = Group::create(tree.monitor());
  REQUIRE(group.has_value());
  const fs::path path = group->path();
  write(path / "in the way", "");
  const auto problem = group->remove();
  REQUIRE(problem.has_value());
  CHECK(problem->where == path.string());
  CHECK(problem->remedy == "sudo rmdir " + path.string());
}

TEST_CASE("groups of recorders that were killed are removed, those of others are not") {
  Tree tree;
  const Monitor monitor = tree.monitor();
  struct stat space {};
  REQUIRE(stat("/proc/self/ns/pid", &space) == 0);
  const std::string mine = "roofmark-" + std::to_string(space.st_ino) + "-";
  const std::string me = std::to_string(getpid());
  const auto alive = Group::create(monitor);
  REQUIRE(alive.has_value());
  for (const std::string& name : {mine + "4194305-77-0",  // no process has this number
                                  mine + me + "-1-0",     // an earlier one with ours
                                  std::string("roofmark-1-4194305-77-0"),  // of another container
                                  std::string("roofmark"), std::string("roofmark-x"),
                                  mine + "4194305-77-0-more", std::string("prof")})
    fs::create_directory(tree.root / "mon_groups" / name);
  CHECK(remove_abandoned(monitor) == 2);
  CHECK(tree.groups().size() == 6);
  CHECK(fs::exists(alive->path()));
}

TEST_CASE("a group's files are read as they are") {
  Tree tree;
  const fs::path group = tree.root / "mon_groups" / "g";
  populate(group, "1000\n", "Unavailable\n");
  fs::remove(group / "mon_data/mon_L3_01/mbm_total_bytes");
  const Reading reading = read_group(group, 3);
  REQUIRE(reading.domains.size() == 2);
  CHECK(reading.domains.at(0).total.bytes == 1000);
  CHECK(reading.domains.at(0).local.state == State::unavailable);
  CHECK(reading.domains.at(1).total.state == State::absent);
  fs::remove(group / "mon_data/mon_L3_01/mbm_local_bytes");
  fs::create_directory(group / "mon_data/mon_L3_01/mbm_local_bytes");
  CHECK(read_group(group, 3).domains.at(1).local.state == State::unreadable);
  CHECK(read_group(tree.root / "nowhere", 3).domains.empty());
}

TEST_CASE("a child joins the group by its own number") {
  Tree tree;
  write(tree.root / "tasks", "");
  const pid_t child = fork();
  if (child == 0) _exit(join_group((tree.root / "tasks").c_str()));
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(text_of(tree.root / "tasks") == std::to_string(child));
  CHECK(join_group((tree.root / "absent").c_str()) == ENOENT);
}

TEST_CASE("a program that did not get into its group has no traffic, not zero") {
  Tree tree;
  auto begun = ProgramTraffic::begin(tree.monitor());
  REQUIRE(begun.has_value());
  REQUIRE(tree.groups().size() == 1);
  const fs::path group = tree.root / "mon_groups" / tree.groups().front();
  SECTION("never tried") {
    const Traffic traffic = begun->end();
    REQUIRE_FALSE(traffic.total.has_value());
    CHECK(traffic.total.error().reason.find("was not put into") != std::string::npos);
  }
  SECTION("refused") {
    begun->join();  // there is no `tasks`
    const Traffic traffic = begun->end();
    REQUIRE_FALSE(traffic.total.has_value());
    CHECK(traffic.total.error().reason.find("could not be put into") != std::string::npos);
  }
  SECTION("joined, but without a first look") {
    populate(group, "5\n", "5\n");
    begun->join();
    const Traffic traffic = begun->end();
    REQUIRE_FALSE(traffic.total.has_value());
    CHECK(traffic.total.error().reason.find("no last-level cache") != std::string::npos);
    CHECK(traffic.left_over.has_value());
    depopulate(group);
    fs::remove(group);
  }
  CHECK(tree.groups().empty());
}
