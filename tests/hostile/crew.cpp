// Jobs in processes of their own.
#include "crew.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <vector>

namespace hostile {
namespace {

constexpr unsigned kWaiting = 10; // times the processor time that a job may take: one that waits for ever ends too

/// A process at work, and the end of the pipe through which it will answer.
struct Worker {
    std::size_t number = 0;
    pid_t process = 0;
    int pipe = -1;
    std::string said;
};

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

void write_all(int file, const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
        const ssize_t written = write(file, text.data() + at, text.size() - at);
        if (written <= 0) {
            std::_Exit(1);
        }
        at += static_cast<std::size_t>(written);
    }
}

Worker start(std::size_t number, unsigned seconds, const std::function<std::string(std::size_t)>& job) {
    int ends[2];
    if (pipe(ends) != 0) {
        fail("A worker's pipe could not be made");
    }
    std::fflush(nullptr); // or both would write what is waiting
    const pid_t process = fork();
    if (process < 0) {
        fail("A worker could not be started");
    }
    if (process == 0) {
        close(ends[0]);
        const rlimit most{seconds, seconds + 1};
        setrlimit(RLIMIT_CPU, &most);
        alarm(kWaiting * seconds);
        write_all(ends[1], job(number));
        std::exit(0); // in good order, so that sanitizers look for leaks
    }
    close(ends[1]);
    return {number, process, ends[0], {}};
}

/// Reads what has come. Returns false once there will be no more.
bool listen(Worker& worker) {
    char some[4096];
    const ssize_t count = read(worker.pipe, some, sizeof some);
    if (count > 0) {
        worker.said.append(some, static_cast<std::size_t>(count));
    }
    return count > 0 || (count < 0 && errno == EINTR);
}

Answer take_leave(Worker& worker, unsigned seconds) {
    close(worker.pipe);
    int status = 0;
    while (waitpid(worker.process, &status, 0) < 0) {
        if (errno != EINTR) {
            fail("A worker was lost");
        }
    }
    Answer answer{std::move(worker.said), {}};
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM)) {
        answer.ended = "It did not come to an end within " + std::to_string(seconds) + " s of processor time.";
    } else if (WIFSIGNALED(status)) {
        answer.ended = "Its process was ended by signal " + std::to_string(WTERMSIG(status)) + ".";
    } else if (WEXITSTATUS(status) != 0) {
        answer.ended = "Its process ended with exit code " + std::to_string(WEXITSTATUS(status)) + ".";
    }
    return answer;
}

} // namespace

void run_in_processes(std::size_t count, unsigned workers, unsigned seconds,
                      const std::function<std::string(std::size_t)>& job,
                      const std::function<void(std::size_t, const Answer&)>& done) {
    std::vector<Worker> at_work;
    std::vector<std::optional<Answer>> answers(count);
    std::size_t next = 0;
    std::size_t told = 0;
    while (told < count) {
        while (next < count && at_work.size() < workers) {
            at_work.push_back(start(next++, seconds, job));
        }
        std::vector<pollfd> pipes;
        for (const Worker& worker : at_work) {
            pipes.push_back({worker.pipe, POLLIN, 0});
        }
        if (poll(pipes.data(), pipes.size(), -1) < 0 && errno != EINTR) {
            fail("No worker could be waited for");
        }
        for (std::size_t i = at_work.size(); i-- > 0;) {
            if (pipes[i].revents != 0 && !listen(at_work[i])) {
                answers[at_work[i].number] = take_leave(at_work[i], seconds);
                at_work.erase(at_work.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
        for (; told < count && answers[told]; ++told) {
            done(told, *answers[told]);
            answers[told]->said.clear();
        }
    }
}

} // namespace hostile
