#include "rtl/cosim/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace covenant::rtl {

int run_process(const std::vector<std::string>& command, const std::filesystem::path& folder,
                const std::filesystem::path& log) {
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
    const int file = open(log_name.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (file < 0 || dup2(file, 1) < 0 || dup2(file, 2) < 0 || chdir(folder_name.c_str()) != 0) _exit(127);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 127;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace covenant::rtl
