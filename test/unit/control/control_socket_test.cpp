//===- control_socket_test.cpp - Asking a process that a thread plays -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "control/control_socket.h"
#include "socket_testing.h"
#include "support/failure.h"
#include "trace_testing.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

namespace pagetide::tools {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLong(20000);
constexpr milliseconds kShort(50);

UniqueFd pidfd_of(pid_t pid) {
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

control::Reply good_reply() {
  control::Reply reply = {};
  reply.magic = control::kReplyMagic;
  reply.version = control::kVersion;
  reply.recording = 1;
  reply.periods = 12;
  std::strcpy(reply.trace_path, "/trace");
  return reply;
}

class ControlSocketTest : public testing::Test {
protected:
  std::string directory() const { return scratch_.file("run"); }
  const std::string &socket_path() const { return socket_path_; }
  ControlPeer peer() const {
    return {::getpid(),           ::geteuid(),    pidfd_.get(),
            "process 1 (played)", "it is silent", [] {}};
  }
  std::unique_ptr<ControlSocket> new_socket() const {
    return std::make_unique<ControlSocket>(directory(), ::geteuid(),
                                           ::getegid());
  }

  /// Asks a process that connects and does the rest itself.
  void ask(const std::function<void(const UniqueFd &connection)> &play,
           milliseconds patience = kLong) {
    const std::unique_ptr<ControlSocket> socket = new_socket();
    std::thread process([&] {
      const UniqueFd connection = connect_to(socket_path());
      request_.emplace();
      got_ = ::recv(connection.get(), &*request_, sizeof(*request_), 0);
      play(connection);
    });
    failure_.clear();
    try {
      control::Request request = {};
      request.magic = control::kRequestMagic;
      request.version = control::kVersion;
      request.operation = control::Operation::kFlush;
      const UniqueFd connection = socket->accept(peer(), kLong, -1);
      reply_ = ask_process(connection, request, peer(), patience, -1);
    } catch (const Failure &failure) {
      failure_ = failure.what();
    }
    process.join();
  }
  static void send(const UniqueFd &connection, const void *bytes,
                   std::size_t count) {
    EXPECT_EQ(::send(connection.get(), bytes, count, MSG_NOSIGNAL),
              static_cast<ssize_t>(count));
  }

  ScratchDirectory scratch_;
  std::string socket_path_ = fmt::format("{}/ctl-{}", directory(), ::getpid());
  UniqueFd pidfd_ = pidfd_of(::getpid());
  std::optional<control::Request> request_;
  ssize_t got_ = 0;
  control::Reply reply_ = {};
  std::string failure_;
};

TEST_F(ControlSocketTest, IsTheUsersAloneWhileItLives) {
  {
    const std::unique_ptr<ControlSocket> socket = new_socket();
    EXPECT_EQ(socket->number(), ::getpid());
    struct stat status;
    ASSERT_EQ(::lstat(socket_path().c_str(), &status), 0);
    EXPECT_TRUE(S_ISSOCK(status.st_mode));
    EXPECT_EQ(status.st_mode & 07777, 0600u);
    ASSERT_EQ(::lstat(directory().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0700u);
    EXPECT_TRUE(socket->is_seen_by(::getpid()));
  }
  EXPECT_FALSE(std::filesystem::exists(directory()));
}

TEST_F(ControlSocketTest, LeavesADirectoryThatOthersUse) {
  ASSERT_EQ(::mkdir(directory().c_str(), 0700), 0);
  scratch_.write("run/1.1", {});
  {
    const std::unique_ptr<ControlSocket> socket = new_socket();
  }
  EXPECT_TRUE(std::filesystem::exists(directory() + "/1.1"));
  EXPECT_FALSE(std::filesystem::exists(socket_path()));
}

TEST_F(ControlSocketTest, RefusesADirectoryOpenToOthers) {
  ASSERT_EQ(::mkdir(directory().c_str(), 0700), 0);
  ASSERT_EQ(::chmod(directory().c_str(), 0750), 0);
  EXPECT_THROW(new_socket(), Failure);
  ASSERT_EQ(::chmod(directory().c_str(), 0700), 0);
  std::filesystem::rename(directory(), scratch_.file("other"));
  std::filesystem::create_symlink(scratch_.file("other"), directory());
  EXPECT_THROW(new_socket(), Failure);
}

TEST_F(ControlSocketTest, RemovesWhatDeadOnesLeft) {
  ASSERT_EQ(::mkdir(directory().c_str(), 0700), 0);
  // A child that has been reaped: its number is free.
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(0);
  ::waitpid(child, nullptr, 0);
  const std::string dead = fmt::format("{}/ctl-{}", directory(), child);
  const std::string alive = fmt::format("{}/ctl-{}", directory(), ::getppid());
  for (const std::string &path : {dead, alive, socket_path()}) {
    const UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    ASSERT_LT(path.size(), sizeof(address.sun_path));
    std::strcpy(address.sun_path, path.c_str());
    ASSERT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr *>(&address),
                     sizeof(address)),
              0);
  }
  const std::unique_ptr<ControlSocket> socket = new_socket();
  EXPECT_FALSE(std::filesystem::exists(dead));
  EXPECT_TRUE(std::filesystem::exists(alive));
  EXPECT_TRUE(connect_to(socket_path()));
}

TEST_F(ControlSocketTest, GetsTheReply) {
  ask([](const UniqueFd &connection) {
    const control::Reply reply = good_reply();
    send(connection, &reply, sizeof(reply));
  });
  EXPECT_EQ(failure_, "");
  EXPECT_EQ(got_, static_cast<ssize_t>(sizeof(control::Request)));
  EXPECT_EQ(request_->operation, control::Operation::kFlush);
  EXPECT_EQ(reply_.periods, 12u);
  EXPECT_STREQ(reply_.trace_path, "/trace");
}

TEST_F(ControlSocketTest, ReadsAReplyOfAProcessThatHasEndedSince) {
  const std::unique_ptr<ControlSocket> socket = new_socket();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const UniqueFd connection = connect_to(socket_path());
    const control::Reply reply = good_reply();
    ::send(connection.get(), &reply, sizeof(reply), MSG_NOSIGNAL);
    // The request must find the connection open.
    control::Request request;
    ::recv(connection.get(), &request, sizeof(request), 0);
    ::_exit(0);
  }
  const UniqueFd pidfd = pidfd_of(child);
  const ControlPeer of_child = {child,   ::geteuid(), pidfd.get(),
                                "child", "",          [] {}};
  const UniqueFd connection = socket->accept(of_child, kLong, -1);
  const control::Request request = {};
  EXPECT_EQ(ask_process(connection, request, of_child, kLong, -1).periods, 12u);
  ::waitpid(child, nullptr, 0);
}

TEST_F(ControlSocketTest, GetsARefusal) {
  ask([](const UniqueFd &connection) {
    control::Reply reply = good_reply();
    reply.refused = 1;
    std::strcpy(reply.reason, "no");
    send(connection, &reply, sizeof(reply));
  });
  EXPECT_EQ(failure_, "");
  EXPECT_EQ(reply_.refused, 1u);
  EXPECT_STREQ(reply_.reason, "no");
}

TEST_F(ControlSocketTest, EndsTextsThatDoNotEnd) {
  ask([](const UniqueFd &connection) {
    control::Reply reply = good_reply();
    std::memset(reply.trace_path, 'x', sizeof(reply.trace_path));
    std::memset(reply.reason, 'y', sizeof(reply.reason));
    send(connection, &reply, sizeof(reply));
  });
  EXPECT_EQ(failure_, "");
  EXPECT_EQ(std::strlen(reply_.trace_path), sizeof(reply_.trace_path) - 1);
  EXPECT_EQ(std::strlen(reply_.reason), sizeof(reply_.reason) - 1);
}

TEST_F(ControlSocketTest, NamesBothVersions) {
  for (const std::size_t bytes :
       {sizeof(control::Reply), std::size_t{12}, std::size_t{100}}) {
    ask([bytes](const UniqueFd &connection) {
      control::Reply reply = good_reply();
      reply.version = control::kVersion + 1;
      send(connection, &reply, bytes);
    });
    EXPECT_NE(
        failure_.find(fmt::format("replied in version {} of the "
                                  "protocol, and this pagetide has "
                                  "version {}",
                                  control::kVersion + 1, control::kVersion)),
        std::string::npos)
        << failure_;
  }
}

TEST_F(ControlSocketTest, RefusesWhatIsNoReply) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{12}, sizeof(control::Reply) - 1,
        sizeof(control::Reply) + 1}) {
    ask([bytes](const UniqueFd &connection) {
      std::vector<char> message(bytes);
      const control::Reply reply = good_reply();
      std::memcpy(message.data(), &reply, std::min(bytes, sizeof(reply)));
      send(connection, message.data(), bytes);
    });
    EXPECT_NE(failure_.find("that are no reply"), std::string::npos) << bytes;
  }
  ask([](const UniqueFd &connection) {
    control::Reply reply = good_reply();
    reply.magic = control::kRequestMagic;
    send(connection, &reply, sizeof(reply));
  });
  EXPECT_NE(failure_.find("that are no reply"), std::string::npos);
}

TEST_F(ControlSocketTest, NoticesAClosedConnection) {
  ask([](const UniqueFd &connection) {
    ::shutdown(connection.get(), SHUT_RDWR);
  });
  EXPECT_EQ(failure_, fmt::format("process 1 (played) has closed the "
                                  "connection without a reply; see pagetide "
                                  "ctl {} status",
                                  ::getpid()));
}

TEST_F(ControlSocketTest, DoesNotWaitForeverForAReply) {
  char end;
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const UniqueFd done(pipe[0]);
  UniqueFd asking(pipe[1]);
  const std::unique_ptr<ControlSocket> socket = new_socket();
  std::thread process([&] {
    const UniqueFd connection = connect_to(socket_path());
    EXPECT_EQ(::read(done.get(), &end, 1), 0);
  });
  const UniqueFd connection = socket->accept(peer(), kLong, -1);
  const control::Request request = {};
  try {
    ask_process(connection, request, peer(), kShort, -1);
    ADD_FAILURE();
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.what(),
              fmt::format("process 1 (played) took the request, and has not "
                          "replied within 50ms; it may do later what was "
                          "asked: see pagetide ctl {} status",
                          ::getpid()));
  }
  asking.reset();
  process.join();
}

TEST_F(ControlSocketTest, DoesNotWaitForeverForAConnection) {
  const std::unique_ptr<ControlSocket> socket = new_socket();
  try {
    socket->accept(peer(), kShort, -1);
    ADD_FAILURE();
  } catch (const Failure &failure) {
    EXPECT_STREQ(failure.what(),
                 "process 1 (played) has not answered within 50ms: it is "
                 "silent; the request is withdrawn, and nothing will happen "
                 "later");
  }
}

TEST_F(ControlSocketTest, KnocksAgain) {
  const std::unique_ptr<ControlSocket> socket = new_socket();
  int knocks = 0;
  UniqueFd played;
  ControlPeer deaf = peer();
  deaf.knock = [&] {
    if (++knocks == 2)
      played = connect_to(socket_path());
  };
  EXPECT_TRUE(socket->accept(deaf, kLong, -1));
  EXPECT_EQ(knocks, 2);
}

TEST_F(ControlSocketTest, NoticesTheEndOfTheProcess) {
  const std::unique_ptr<ControlSocket> socket = new_socket();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0)
    ::_exit(0);
  const UniqueFd pidfd = pidfd_of(child);
  const ControlPeer of_child = {child,   ::geteuid(), pidfd.get(),
                                "child", "",          [] {}};
  try {
    socket->accept(of_child, kLong, -1);
    ADD_FAILURE();
  } catch (const Failure &failure) {
    EXPECT_STREQ(failure.what(), "child has ended before it took the request");
  }
  ::waitpid(child, nullptr, 0);
}

TEST_F(ControlSocketTest, AnswersNoOtherProcess) {
  const std::unique_ptr<ControlSocket> socket = new_socket();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // Turned away: the other end is closed, and nothing was sent.
    const UniqueFd connection = connect_to(socket_path());
    char byte;
    ::_exit(connection && ::recv(connection.get(), &byte, 1, 0) <= 0 ? 0 : 1);
  }
  // The child's end interrupts the wait.
  const UniqueFd child_ended = pidfd_of(child);
  EXPECT_THROW(socket->accept(peer(), kLong, child_ended.get()),
               ControlInterrupted);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ControlPeer of_other_user = peer();
  ++of_other_user.user;
  const UniqueFd connection = connect_to(socket_path());
  EXPECT_THROW(socket->accept(of_other_user, kShort, -1), Failure);
}

TEST_F(ControlSocketTest, CanBeInterrupted) {
  const std::unique_ptr<ControlSocket> socket = new_socket();
  const UniqueFd interrupts(::eventfd(1, EFD_CLOEXEC));
  try {
    socket->accept(peer(), kLong, interrupts.get());
    ADD_FAILURE();
  } catch (const ControlInterrupted &interrupted) {
    EXPECT_FALSE(interrupted.was_asked);
  }
  const UniqueFd played = connect_to(socket_path());
  const UniqueFd connection = socket->accept(peer(), kLong, -1);
  const control::Request request = {};
  try {
    ask_process(connection, request, peer(), kLong, interrupts.get());
    ADD_FAILURE();
  } catch (const ControlInterrupted &interrupted) {
    EXPECT_TRUE(interrupted.was_asked);
  }
}

} // namespace
} // namespace pagetide::tools
