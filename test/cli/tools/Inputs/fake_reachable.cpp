// Plays a process with libpagetide that `pagetide ctl` may reach.
// usage: fake_reachable [marks] [library] [marker|older-marker] [ignores]
//                       [replies|refuses|silent|keeps]
//   marks      has a mapping like the shadow's
//   library    has a mapping of a file called libpagetide.so
//   ignores    the signal has no handler
//   silent     does nothing on the signal
//   keeps      takes the request and does not reply
// Prints "ready", then what it is asked.

#include "pagetide/control.h"
#include "pagetide/shadow_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace pagetide;

static bool refuses, silent, keeps;
static control::Request request;
static control::Reply reply;

static void on_signal(int, siginfo_t *info, void *) {
  printf("signal with %d\n", info->si_value.sival_int);
  if (silent)
    return;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  snprintf(address.sun_path, sizeof(address.sun_path), "%s%u/%s%d",
           shadow_file::kRunDirectory, geteuid(), control::kSocketPrefix,
           info->si_value.sival_int);
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  if (connect(fd, (sockaddr *)&address, sizeof(address)) != 0) {
    printf("cannot connect\n");
    return;
  }
  if (recv(fd, &request, sizeof(request), 0) != sizeof(request) ||
      request.magic != control::kRequestMagic ||
      request.version != control::kVersion) {
    printf("no request\n");
    return;
  }
  printf("operation %u says %u period %llu per_thread %u checksum %u relative %u "
         "unstable %u unit %u window %llu every %llu trace '%s'\n",
         (unsigned)request.operation, request.says, (unsigned long long)request.period_ns,
         request.per_thread, request.checksum, request.checksum_relative, request.unstable,
         request.unit_shift, (unsigned long long)request.window_ns,
         (unsigned long long)request.every_ns, request.trace_path);
  if (keeps)
    return;
  reply.magic = control::kReplyMagic;
  reply.version = control::kVersion;
  reply.refused = refuses;
  reply.marks_on = 1;
  strcpy(reply.reason, refuses ? "it has other work" : "");
  if (!refuses && request.operation == control::Operation::kStart) {
    reply.recording = 1;
    reply.marks_late = 1;
    strcpy(reply.trace_path, request.trace_path);
  }
  if (!refuses && request.operation == control::Operation::kStop)
    reply.recording = 0;
  if (request.period_ns)
    reply.period_ns = request.period_ns;
  reply.window_ns = request.window_ns;
  reply.every_ns = request.every_ns;
  reply.periods += 5;
  send(fd, &reply, sizeof(reply), MSG_NOSIGNAL);
  close(fd);
}

static void map_memfd(const char *name) {
  const int fd = memfd_create(name, MFD_CLOEXEC);
  if (ftruncate(fd, 4096) != 0 ||
      mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
    perror(name);
  close(fd);
}

int main(int argc, char **argv) {
  constexpr int kSignal = 60;
  bool ignores = false;
  for (int i = 1; i < argc; ++i) {
    const bool older = strcmp(argv[i], "older-marker") == 0;
    if (older || strcmp(argv[i], "marker") == 0) {
      void *const wanted = reinterpret_cast<void *>(
          control::marker_address(control::kVersion - older, kSignal));
      if (mmap(wanted, control::kMarkerBytes, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
               0) != wanted)
        perror("marker");
    }
    if (strcmp(argv[i], "marks") == 0)
      map_memfd("pagetide-shadow");
    if (strcmp(argv[i], "library") == 0) {
      const int fd = open("libpagetide.so", O_RDWR | O_CREAT, 0644);
      if (mmap(nullptr, 1, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
        perror("libpagetide.so");
    }
    ignores |= strcmp(argv[i], "ignores") == 0;
    refuses |= strcmp(argv[i], "refuses") == 0;
    silent |= strcmp(argv[i], "silent") == 0;
    keeps |= strcmp(argv[i], "keeps") == 0;
  }
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  if (!ignores)
    sigaction(kSignal, &action, nullptr);
  setvbuf(stdout, nullptr, _IOLBF, 0);
  printf("ready\n");
  for (;;)
    pause();
}
