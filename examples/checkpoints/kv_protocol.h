/*===- kv_protocol.h - What kv_server and its clients say to each other -----===
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 * Packets over a socket of AF_UNIX (SOCK_SEQPACKET). A request is some changes,
 * of which all or none are made; or a question.
 *
 *===----------------------------------------------------------------------===*/

#ifndef PAGETIDE_EXAMPLES_KV_PROTOCOL_H
#define PAGETIDE_EXAMPLES_KV_PROTOCOL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { KEY_BYTES = 24, VALUE_BYTES = 96, MAX_CHANGES = 4 };

enum kv_kind {
  KV_CHANGE, /* answered when the changes are made */
  KV_GET,    /* the value of the first key */
  KV_SYNC    /* answered when what was made before is in a checkpoint */
};

struct kv_change {
  char key[KEY_BYTES];
  char value[VALUE_BYTES]; /* as a string */
  int64_t add;             /* if the value is empty: adds this to a number */
};

struct kv_request {
  uint32_t kind, count;
  struct kv_change changes[MAX_CHANGES];
};

struct kv_answer {
  int32_t status; /* 0; 1: there is no such key; -1: refused */
  int64_t number;
  char value[VALUE_BYTES];
};

static inline struct sockaddr_un kv_address(const char *path) {
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  return address;
}

/* A socket that is connected to the server. It tries for a minute, since the
 * server may have much to restore. -1: no server is there, see errno. */
static inline int kv_connect(const char *path) {
  const struct sockaddr_un address = kv_address(path);
  const int connected = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  for (int tries = 0; connect(connected, (const struct sockaddr *)&address,
                              sizeof address) != 0;
       ++tries) {
    if (tries == 12000)
      return -1;
    usleep(5000);
  }
  return connected;
}

/* 0: the server is gone. */
static inline int kv_ask(int connected, const struct kv_request *request,
                         struct kv_answer *answer) {
  return send(connected, request, sizeof *request, MSG_NOSIGNAL) > 0 &&
         recv(connected, answer, sizeof *answer, 0) == sizeof *answer;
}

#endif /* PAGETIDE_EXAMPLES_KV_PROTOCOL_H */
