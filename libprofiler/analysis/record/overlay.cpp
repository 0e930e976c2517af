#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <analysis/files/descriptor.hpp>
#include <analysis/record/mounts.hpp>
#include <analysis/record/output_file.hpp>
#include <analysis/record/overlay.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <sstream>

namespace roofmark {
namespace {

namespace fs = std::filesystem;

std::string failed(const std::string& step) {
  return step + ": " + std::strerror(errno);
}

bool write_to(const char* path, const std::string& text) {
  Descriptor fd(open(path, O_WRONLY | O_CLOEXEC));
  return fd && write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// A mount namespace of our own: directly as root, else in a user namespace where we keep our ids.
std::string enter_namespace(bool& in_user_namespace) {
  in_user_namespace = false;
  if (unshare(CLONE_NEWNS) != 0) {
    const uid_t uid = geteuid();
    const gid_t gid = getegid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return failed("no private mount namespace");
    in_user_namespace = true;
    write_to("/proc/self/setgroups", "deny");  // absent before Linux 3.19
    const auto map = [](unsigned id) {
      return std::to_string(id) + " " + std::to_string(id) + " 1";
    };
    if (!write_to("/proc/self/uid_map", map(uid)) || !write_to("/proc/self/gid_map", map(gid)))
      return failed("the user namespace gets no ids");
  }
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return failed("mounts can't be made private");
  return "";
}

struct MountSource {
  Mount mount;
  Descriptor fd;
  bool is_directory = false;
};

/// The mounts that can be reached by their path, each held open: later mounts will hide them.
std::vector<MountSource> visible_mounts() {
  std::ifstream file("/proc/self/mountinfo");
  std::ostringstream text;
  text << file.rdbuf();
  std::vector<MountSource> sources;
  for (Mount& mount : parse_mountinfo(text.str())) {
    MountSource source{std::move(mount), Descriptor{}, false};
    source.fd = Descriptor(open(source.mount.point.c_str(), O_PATH | O_CLOEXEC));
    struct statx status {};
    if (!source.fd ||
        statx(source.fd.get(), "", AT_EMPTY_PATH, STATX_TYPE | STATX_MNT_ID, &status) != 0)
      continue;
    if ((status.stx_mask & STATX_MNT_ID) != 0 &&
        status.stx_mnt_id != static_cast<std::uint64_t>(source.mount.id))
      continue;  // another mount lies over it
    source.is_directory = S_ISDIR(status.stx_mode);
    sources.push_back(std::move(source));
  }
  return sources;
}

std::string path_of(const Descriptor& fd) {
  return "/proc/self/fd/" + std::to_string(fd.get());
}

/// Where the changes go: memory, so that they vanish with the namespace whatever ends the pass.
class Changes {
 public:
  explicit Changes(bool in_user_namespace) : in_user_namespace_(in_user_namespace) {}

  /// On the first directory that takes it; what it hides shows again through the overlay.
  std::string mount_on_any(const std::vector<fs::path>& directories) {
    std::string problem = "no directory for the changes";
    for (const fs::path& directory : directories) {
      if (!directory.is_absolute()) continue;
      if (mount("tmpfs", directory.c_str(), "tmpfs", 0, "mode=0700,size=50%") == 0) {
        place_ = directory.string();
        base_ = Descriptor(open(place_.c_str(), O_PATH | O_CLOEXEC));
        if (base_) return "";
      }
      problem = failed("no tmpfs for the changes on " + directory.string());
    }
    return problem;
  }

  const std::string& place() const { return place_; }

  bool overlay(const Descriptor& lower, const std::string& point) {
    const std::string number = std::to_string(count_++);
    const std::string upper = path_of(base_) + "/upper" + number;
    const std::string work = path_of(base_) + "/work" + number;
    struct stat status {};
    if (fstat(lower.get(), &status) != 0) return false;
    if (mkdir(upper.c_str(), 0700) != 0 || mkdir(work.c_str(), 0700) != 0) return false;
    // The merged root directory shows the upper one's owner and mode.
    [[maybe_unused]] const int owned = chown(upper.c_str(), status.st_uid, status.st_gid);
    chmod(upper.c_str(), status.st_mode & 07777);
    std::string options = "lowerdir=" + path_of(lower) + ",upperdir=" + upper + ",workdir=" + work;
    if (in_user_namespace_) options += ",userxattr";
    return mount("overlay", point.c_str(), "overlay", 0, options.c_str()) == 0;
  }

 private:
  bool in_user_namespace_;
  std::string place_;
  Descriptor base_;
  int count_ = 0;
};

bool bind_tree(const Descriptor& fd, const std::string& point) {
  return mount(path_of(fd).c_str(), point.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

bool is_below(const std::string& path, const std::string& directory) {
  return path.size() > directory.size() && path.compare(0, directory.size(), directory) == 0 &&
         (directory.back() == '/' || path[directory.size()] == '/');
}

bool writable(const Descriptor& fd) {
  return faccessat(fd.get(), "", W_OK, AT_EMPTY_PATH) == 0;
}

using Exposed = std::vector<std::string>;

/// As root: a new root that shows the old one through an overlay, with every mount in its place.
std::string assemble_root(Changes& changes, const std::vector<MountSource>& sources,
                          const std::string& root, Exposed& exposed) {
  std::vector<std::string> brought;  // with what lies below them
  for (const MountSource& source : sources) {
    const Mount& mount = source.mount;
    const std::string point = root + (mount.point == "/" ? "" : mount.point);
    const bool is_root = mount.point == "/";
    const bool has_come =
        std::any_of(brought.begin(), brought.end(),
                    [&](const std::string& above) { return is_below(mount.point, above); });
    const bool of_kernel = is_below(mount.point, "/sys") || is_below(mount.point, "/proc");
    if (of_kernel && has_come) continue;
    if (source.is_directory && (is_root || (!mount.read_only && holds_files(mount.type)))) {
      if (changes.overlay(source.fd, point)) continue;
      if (is_root) return failed("no overlay of the root");
      if (writable(source.fd)) exposed.push_back(mount.point);
    }
    if (has_come) continue;
    if (bind_tree(source.fd, point)) brought.push_back(mount.point);
  }
  return "";
}

/// In a user namespace the kernel refuses an overlay over a directory with mounts below it (they
/// are locked in place): its directories are covered one by one, as high up as possible.
class PieceByPiece {
 public:
  PieceByPiece(Changes& changes, const std::vector<MountSource>& sources, Exposed& exposed)
      : changes_(changes), exposed_(exposed) {
    for (const MountSource& source : sources) points_.push_back(source.mount.point);
  }

  /// Notes what is to be covered. Nothing is mounted yet: a mount would hide what is not noted.
  void note(const std::string& directory) {
    Descriptor fd(open(directory.c_str(), O_PATH | O_CLOEXEC | O_NOFOLLOW));
    if (!fd) return;
    const bool has_mounts =
        std::any_of(points_.begin(), points_.end(),
                    [&](const std::string& point) { return is_below(point, directory); });
    if (!has_mounts) {
      pieces_.push_back({directory, std::move(fd)});
      return;
    }
    if (writable(fd)) exposed_.push_back(directory);
    std::error_code unreadable;
    for (const auto& entry : fs::directory_iterator(directory, unreadable)) {
      std::error_code unknown;
      const bool is_directory = entry.is_directory(unknown) && !entry.is_symlink(unknown);
      const bool is_mount =
          std::find(points_.begin(), points_.end(), entry.path()) != points_.end();
      if (is_directory && !is_mount) note(entry.path().string());
    }
  }

  void cover() {
    for (const Piece& piece : pieces_)
      if (!changes_.overlay(piece.fd, piece.directory) && writable(piece.fd))
        exposed_.push_back(piece.directory);
  }

 private:
  struct Piece {
    std::string directory;
    Descriptor fd;
  };
  Changes& changes_;
  Exposed& exposed_;
  std::vector<std::string> points_;
  std::vector<Piece> pieces_;
};

/// In a user namespace a directory of somebody else's can't be copied up, so that a target that may
/// write there would find that it can't.
std::string check_writable(const std::string& directory, bool was_writable) {
  if (!was_writable) return "";
  std::string name = directory + "/.roofmark-XXXXXX";
  const int fd = mkstemp(name.data());
  if (fd < 0 && errno == EOVERFLOW)
    return directory + " can't be written privately: it belongs to another user";
  if (fd < 0) return failed(directory + " can't be written privately");
  close(fd);
  unlink(name.c_str());
  return "";
}

/// Leaves the old root behind. pivot_root and not chroot: a process in a chroot may not make user
/// namespaces, and some targets do.
std::string change_root(const std::string& root, const std::string& directory) {
  if (chdir(root.c_str()) != 0) return failed("the overlay's root can't be entered");
  if (syscall(SYS_pivot_root, ".", ".") != 0) return failed("the root can't be changed");
  if (umount2(".", MNT_DETACH) != 0) return failed("the old root can't be left");
  if (chdir("/") != 0 || chdir(directory.c_str()) != 0)
    return failed("the working directory is not in the overlay");
  return "";
}

}  // namespace

std::string enter_overlay(const OverlayOptions& options, std::vector<std::string>* exposed) {
  std::error_code unknown;
  const fs::path directory = fs::current_path(unknown);
  if (unknown) return "the working directory is gone";
  const bool directory_writable = access(directory.c_str(), W_OK) == 0;
  bool in_user_namespace = false;
  if (std::string problem = enter_namespace(in_user_namespace); !problem.empty()) return problem;

  const std::vector<MountSource> sources = visible_mounts();
  std::vector<Descriptor> shared;
  for (const fs::path& path : options.shared) {
    shared.emplace_back(open(path.c_str(), O_PATH | O_CLOEXEC));
    if (!shared.back()) return failed("what both runs share is not there");
  }
  const auto keep_shared = [&](const std::string& root) -> std::string {
    for (std::size_t i = 0; i < shared.size(); ++i)
      if (!bind_tree(shared[i], root + options.shared[i].string()))
        return failed("what both runs share can't be kept");
    return "";
  };

  Exposed none;
  Exposed& open_to_changes = exposed != nullptr ? *exposed : none;
  Changes changes(in_user_namespace);
  const std::vector<fs::path> places = fallback_directories();
  if (in_user_namespace) {
    PieceByPiece pieces(changes, sources, open_to_changes);
    for (const MountSource& source : sources)
      if (source.is_directory && !source.mount.read_only && holds_files(source.mount.type) &&
          !is_below(source.mount.point, "/sys") && !is_below(source.mount.point, "/proc"))
        pieces.note(source.mount.point);
    if (std::string problem = changes.mount_on_any(places); !problem.empty()) return problem;
    pieces.cover();
    if (std::string problem = keep_shared(""); !problem.empty()) return problem;
    // By its path: the directory we stand in is the one below the overlay.
    if (chdir("/") != 0 || chdir(directory.c_str()) != 0)
      return failed("the working directory is not in the overlay");
    return check_writable(directory.string(), directory_writable);
  }
  if (std::string problem = changes.mount_on_any(places); !problem.empty()) return problem;
  const std::string root = changes.place() + "/root";
  if (mkdir(root.c_str(), 0700) != 0) return failed("no directory for the changes");
  if (std::string problem = assemble_root(changes, sources, root, open_to_changes);
      !problem.empty())
    return problem;
  if (std::string problem = keep_shared(root); !problem.empty()) return problem;
  if (std::string problem = change_root(root, directory.string()); !problem.empty()) return problem;
  return check_writable(directory.string(), directory_writable);
}

OverlayTrial try_overlay(const OverlayOptions& options) {
  OverlayTrial trial;
  const auto refuse = [&](const std::string& reason) {
    trial.refused = Problem{reason, "", "run as root, or where user namespaces are allowed"};
  };
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    refuse(failed("no pipe"));
    return trial;
  }
  Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  const pid_t pid = fork();
  if (pid == 0) {
    try {
      std::vector<std::string> exposed;
      const std::string problem = enter_overlay(options, &exposed);
      std::string text = problem;
      for (const std::string& point : exposed) text += '\0' + point;
      [[maybe_unused]] const ssize_t written = write(writer.get(), text.data(), text.size());
      _exit(problem.empty() ? 0 : 1);
    } catch (const std::exception&) {  // this is not the process that may go on
      _exit(1);
    }
  }
  writer.close();
  if (pid < 0) {
    refuse(failed("no process can be made"));
    return trial;
  }
  std::string text;
  char buffer[4096];
  ssize_t got = 0;
  while ((got = read(reader.get(), buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR))
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  std::istringstream parts(text);
  std::string part;
  std::getline(parts, part, '\0');
  if (!part.empty())
    refuse(part);
  else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    refuse("the trial of a private overlay ended badly");
  while (std::getline(parts, part, '\0')) trial.exposed.push_back(part);
  return trial;
}

}  // namespace roofmark
