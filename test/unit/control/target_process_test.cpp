//===- target_process_test.cpp - What /proc says of a process -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "control/target_process.h"
#include "support/failure.h"

#include "pagetide/control.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>

namespace pagetide::tools {
namespace {

constexpr char kStatus[] = "Name:\ta (b) \\n \n"
                           "Umask:\t0022\n"
                           "State:\tS (sleeping)\n"
                           "Tgid:\t4711\n"
                           "Pid:\t4712\n"
                           "Uid:\t1000\t1001\t1002\t1003\n"
                           "Gid:\t100\t101\t102\t103\n"
                           "Threads:\t3\n"
                           "SigQ:\t0/31358\n"
                           "SigBlk:\t0800000000000002\n"
                           "SigIgn:\t0000000000001000\n"
                           "SigCgt:\t0800000000000001\n";

TEST(ProcessStatus, IsRead) {
  const auto status = read_process_status(kStatus);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->name, "a (b) \\n ");
  EXPECT_EQ(status->state, 'S');
  EXPECT_EQ(status->process, 4711);
  EXPECT_EQ(status->threads, 3u);
  EXPECT_EQ(status->real_user, 1000u);
  EXPECT_EQ(status->effective_user, 1001u);
  EXPECT_EQ(status->effective_group, 101u);
  EXPECT_FALSE(status->has_ended());
  EXPECT_TRUE(status->catches(1));
  EXPECT_TRUE(status->catches(60));
  EXPECT_FALSE(status->catches(13));
  EXPECT_FALSE(status->catches(59));
  EXPECT_FALSE(status->catches(64));
  EXPECT_TRUE(status->blocks(2));
  EXPECT_TRUE(status->blocks(60));
  EXPECT_FALSE(status->blocks(1));
}

TEST(ProcessStatus, NeedsAllItsFields) {
  const std::string whole = kStatus;
  for (const char *field : {"Name:", "State:", "Tgid:", "Uid:", "Gid:",
                            "Threads:", "SigCgt:", "SigBlk:"}) {
    std::string text = whole;
    text.replace(text.find(field), 1, "X");
    EXPECT_FALSE(read_process_status(text)) << field;
  }
  std::string text = whole;
  text.replace(text.find("4711"), 4, "47x1");
  EXPECT_FALSE(read_process_status(text));
  EXPECT_FALSE(read_process_status(""));
  EXPECT_FALSE(read_process_status("Uid:\t1000\n"));
}

TEST(ProcessStatus, TellsWhoHasEnded) {
  std::string text = kStatus;
  text.replace(text.find("S (sleeping)"), 12, "Z (zombie)");
  ASSERT_TRUE(read_process_status(text));
  EXPECT_TRUE(read_process_status(text)->has_ended());
}

std::string line_of(const std::string &name) {
  return "7f0000000000-7f0000001000 rw-s 00000000 00:01 1026 " +
         std::string(19, ' ') + name + "\n";
}

std::string line_of(std::uint64_t start, std::uint64_t bytes,
                    const std::string &access) {
  return fmt::format("{:x}-{:x} {} 00000000 00:00 0 \n", start, start + bytes,
                     access);
}

std::string marker_line(std::uint32_t version, std::uint32_t signal) {
  return line_of(control::marker_address(version, signal),
                 control::kMarkerBytes, "---p");
}

TEST(ControlMaps, KnowsTheMarker) {
  const ControlMaps maps = read_control_maps(
      "00400000-00401000 r-xp 00000000 08:01 12                       /bin/a "
      "b\n"
      "54500013c000-54500013d000 ---p 00000000 00:00 0 \n" +
      line_of(0x7f0000000000, 4096, "rw-p") +
      line_of("/usr/lib/libpagetide.so.1 (deleted)"));
  EXPECT_TRUE(maps.has_runtime);
  EXPECT_FALSE(maps.has_shadow);
  ASSERT_TRUE(maps.marker);
  EXPECT_EQ(maps.marker->version, 1u);
  EXPECT_EQ(maps.marker->signal, 60);
}

TEST(ControlMaps, KnowsTheMarkerOfEachSignal) {
  for (const std::uint32_t signal : {1u, 34u, 64u}) {
    const ControlMaps maps = read_control_maps(marker_line(4095, signal));
    ASSERT_TRUE(maps.marker) << signal;
    EXPECT_EQ(maps.marker->version, 4095u);
    EXPECT_EQ(maps.marker->signal, static_cast<int>(signal));
  }
}

TEST(ControlMaps, KnowsTheShadow) {
  const ControlMaps maps =
      read_control_maps(line_of("/memfd:pagetide-shadow (deleted)"));
  EXPECT_TRUE(maps.has_shadow);
  EXPECT_FALSE(maps.has_runtime);
  EXPECT_FALSE(maps.marker);
}

TEST(ControlMaps, KnowsTheShadowOfAForkedChild) {
  for (const auto &[start, has_shadow] :
       {std::pair{"7fff0000", true}, {"7fff1000", false}}) {
    const ControlMaps maps = read_control_maps(fmt::format(
        "{}-1007fff0000 rw-s 00000000 00:01 4567264      /dev/zero (deleted)\n",
        start));
    EXPECT_EQ(maps.has_shadow, has_shadow);
  }
}

TEST(ControlMaps, TakesNothingElseForThem) {
  const std::uint64_t marker = control::marker_address(control::kVersion, 60);
  const std::uint64_t page = control::kMarkerBytes;
  for (const std::string &line :
       {line_of("/tmp/memfd:pagetide-shadow (deleted)"),
        line_of("/memfd:pagetide-shadows"),
        line_of("/libpagetide.so.d/other.so"), line_of("[heap]"), line_of(""),
        line_of(marker, page, "r--p"), line_of(marker, page, "---s"),
        line_of(marker, 2 * page, "---p"),
        line_of(control::kMarkerEnd, page, "---p"),
        line_of(control::kMarkerBase - page, page, "---p"),
        marker_line(control::kVersion, 0), marker_line(control::kVersion, 65),
        marker_line(0, 60), std::string("545000\n"), std::string("-\n"),
        std::string("545000000000-x ---p\n")}) {
    const ControlMaps maps = read_control_maps(line);
    EXPECT_FALSE(maps.has_runtime) << line;
    EXPECT_FALSE(maps.has_shadow) << line;
    EXPECT_FALSE(maps.marker) << line;
  }
  EXPECT_FALSE(read_control_maps("").marker);
}

TEST(ControlMaps, PrefersOurVersion) {
  const std::string ours = marker_line(control::kVersion, 60);
  const std::string other = marker_line(77, 61);
  EXPECT_EQ(read_control_maps(ours + other).marker->version, control::kVersion);
  EXPECT_EQ(read_control_maps(other + ours).marker->version, control::kVersion);
  EXPECT_EQ(read_control_maps(other).marker->version, 77u);
}

TEST(WhyNotAllowed, OnlyTheUserAndRoot) {
  ProcessStatus status;
  status.real_user = status.effective_user = 1000;
  EXPECT_EQ(why_not_allowed(status, 1000), "");
  EXPECT_EQ(why_not_allowed(status, 0), "");
  EXPECT_EQ(why_not_allowed(status, 1001),
            "belongs to user 1000; only that user and root reach it");
  status.effective_user = 0;
  EXPECT_EQ(why_not_allowed(status, 1000),
            "has the rights of user 0 and was started by user 1000; only root "
            "reaches such a process");
  status.real_user = 1001;
  status.effective_user = 1000;
  EXPECT_NE(why_not_allowed(status, 1000), "");
}

TEST(WhyUnreachable, SaysWhatIsMissing) {
  ProcessStatus status;
  ControlMaps maps;
  EXPECT_NE(why_unreachable(status, maps).find("control_signal=0"),
            std::string::npos);
  maps.marker = ControlMarker{control::kVersion + 1, 60};
  status.caught = std::uint64_t{1} << 59;
  EXPECT_NE(why_unreachable(status, maps)
                .find(fmt::format("has version {} of the protocol, and this "
                                  "pagetide has version {}",
                                  control::kVersion + 1, control::kVersion)),
            std::string::npos);
  maps.marker->version = control::kVersion;
  EXPECT_EQ(why_unreachable(status, maps), "");
  status.caught = ~status.caught;
  EXPECT_NE(why_unreachable(status, maps).find("the handler of signal 60"),
            std::string::npos);
}

std::string failure_of(pid_t pid) {
  try {
    const TargetProcess target(pid);
    return {};
  } catch (const Failure &failure) {
    return failure.what();
  }
}

TEST(TargetProcess, IsNoZombie) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0)
    ::_exit(0);
  siginfo_t info;
  ASSERT_EQ(::waitid(P_PID, child, &info, WEXITED | WNOWAIT), 0);
  const std::string ended = failure_of(child);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(ended, fmt::format("there is no process {}: it has ended", child));
  EXPECT_EQ(failure_of(child), fmt::format("there is no process {}", child));
}

TEST(TargetProcess, IsAProcessAndNoThread) {
  std::string failure;
  pid_t tid = 0;
  std::thread([&] {
    tid = ::gettid();
    failure = failure_of(tid);
  }).join();
  EXPECT_EQ(failure, fmt::format("{0} is a thread of process {1}; give the "
                                 "process: pagetide ctl {1}",
                                 tid, ::getpid()));
}

TEST(TargetProcess, MayHaveLostItsFirstThread) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const int first_ended = ready[1];
    std::thread([first_ended] {
      // Until the first thread is a zombie.
      for (;;) {
        std::string text(4096, '\0');
        FILE *file =
            std::fopen(fmt::format("/proc/{}/status", ::getpid()).c_str(), "r");
        text.resize(file ? std::fread(text.data(), 1, text.size(), file) : 0);
        if (file)
          std::fclose(file);
        const auto status = read_process_status(text);
        if (status && status->has_ended())
          break;
        ::usleep(1000);
      }
      if (::write(first_ended, "x", 1) == 1)
        ::pause();
    }).detach();
    ::syscall(SYS_exit, 0);
  }
  char byte;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const std::string failure = failure_of(child);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  EXPECT_NE(failure.find("has no instrumented code"), std::string::npos)
      << failure;
}

} // namespace
} // namespace pagetide::tools
