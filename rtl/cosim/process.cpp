#include "rtl/cosim/process.h"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace covenant::rtl {
namespace {

constexpr auto kPause = std::chrono::milliseconds(20);

/// The status of a process once it has ended; less than 0: it cannot be known.
int status_of(pid_t child, const std::function<bool()>& goes_on) {
  int status = 0;
  while (true) {
    const pid_t ended = waitpid(child, &status, goes_on ? WNOHANG : 0);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return -1;
    if (ended != 0) continue;
    if (!goes_on()) {
      kill(-child, SIGKILL);
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      return status;
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

int run_process(const std::vector<std::string>& command, const std::filesystem::path& folder,
                const std::filesystem::path& log, const std::function<bool()>& goes_on) {
  // Everything that allocates happens before the fork.
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string folder_name = folder.string();
  const std::string log_name = log.string();
  const pid_t child = fork();
  if (child < 0) return 127;
  if (child == 0) {
    if (goes_on) setpgid(0, 0);  // a group of its own: all of it can be ended
    prctl(PR_SET_PDEATHSIG,
          SIGTERM);  // a killed process leaves no compilers behind; Make ends those that it has started
    const int file = open(log_name.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (file < 0 || dup2(file, 1) < 0 || dup2(file, 2) < 0 || chdir(folder_name.c_str()) != 0) _exit(127);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  if (goes_on) setpgid(child, child);  // whichever of the two is first
  const int status = status_of(child, goes_on);
  if (status < 0) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kEnded;
}

}  // namespace covenant::rtl
