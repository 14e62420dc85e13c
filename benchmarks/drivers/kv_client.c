//===- kv_client.c - Load for the key-value server, timed -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: kv_client SOCKET CLIENTS (REQUESTS | SECONDSs) WARM_UP_SECONDS
//
// Each client sends requests over a connection of its own, the next when the
// last one is answered. A request changes a total, a number of the client, and
// two values: nine of ten times those of a twentieth of the client's keys. Then
// it ends the server by SIGTERM. After REQUESTS, which are the same in every
// run, it prints the server's total. After SECONDS it prints one object of
// JSON: requests answered after the warm-up, and how long they took.

#define _GNU_SOURCE

#include "../programs.h"
#include "kv_protocol.h"

#include <pthread.h>
#include <signal.h>

enum { MAX_CLIENTS = 16, KEYS = 2000, STEPS = 32, BUCKETS = 64 * STEPS };

struct client {
  pthread_t thread;
  int number, socket;
  int64_t sent, counted;
  uint64_t last_ns, most_ns;
  uint64_t bucket[BUCKETS];
};

static struct client clients[MAX_CLIENTS];
static int count;
static int64_t requests;
static uint64_t begin_ns, end_ns = UINT64_MAX;

// 32 steps for each doubling.
static size_t bucket_of(uint64_t ns) {
  if (ns < STEPS)
    return (size_t)ns;
  const int high = 63 - __builtin_clzll(ns);
  return (size_t)(high - 4) * STEPS + (size_t)(ns >> (high - 5) & (STEPS - 1));
}

static uint64_t time_of(size_t bucket) {
  if (bucket < STEPS)
    return bucket;
  const size_t high = bucket / STEPS + 4;
  return (STEPS + bucket % STEPS) << (high - 5);
}

static int key_of(uint64_t seed) {
  seed = (seed ^ seed >> 29) * UINT64_C(0x9e3779b97f4a7c15);
  return (int)((seed >> 33) % ((seed >> 20) % 10 ? KEYS / 20 : KEYS));
}

static void ask(struct client *client, const struct kv_request *request,
                struct kv_answer *answer) {
  if (!kv_ask(client->socket, request, answer))
    fail("kv_client: the server is gone");
  if (answer->status != 0) {
    fprintf(stderr, "kv_client: refused: %d\n", answer->status);
    exit(1);
  }
}

static void change(struct client *client) {
  struct kv_request request;
  struct kv_answer answer;
  const uint64_t seed =
      (uint64_t)++client->sent * UINT64_C(6364136223846793005);
  memset(&request, 0, sizeof request);
  request.kind = KV_CHANGE;
  request.count = 4;
  strcpy(request.changes[0].key, "total");
  request.changes[0].add = 1;
  for (int which = 0; which < 2; ++which) {
    struct kv_change *made = &request.changes[1 + which];
    snprintf(made->key, KEY_BYTES, "client %d key %d", client->number,
             key_of(seed + (uint64_t)which));
    uint64_t word = seed + (uint64_t)which;
    for (size_t i = 0; i + 1 < VALUE_BYTES; ++i) {
      word = word * UINT64_C(6364136223846793005) + 1442695040888963407u;
      made->value[i] = (char)('!' + (word >> 57) % 90);
    }
  }
  snprintf(request.changes[3].key, KEY_BYTES, "client %d", client->number);
  request.changes[3].add = 1;
  ask(client, &request, &answer);
}

static void *load(void *argument) {
  struct client *client = argument;
  uint64_t before = now_ns();
  while (before < end_ns && (!requests || client->sent < requests)) {
    change(client);
    const uint64_t after = now_ns();
    if (before >= begin_ns) {
      const uint64_t took = after - before;
      ++client->counted;
      ++client->bucket[bucket_of(took)];
      if (took > client->most_ns)
        client->most_ns = took;
      client->last_ns = after;
    }
    before = after;
  }
  return NULL;
}

static double share_us(int64_t all, double part) {
  int64_t rest = (int64_t)((double)all * part);
  for (size_t i = 0; i < BUCKETS; ++i)
    for (int c = 0; c < count; ++c)
      if ((rest -= (int64_t)clients[c].bucket[i]) < 0)
        return (double)time_of(i) / 1e3;
  return 0;
}

static void print_times(void) {
  int64_t all = 0;
  uint64_t most = 0, last = begin_ns;
  for (int c = 0; c < count; ++c) {
    all += clients[c].counted;
    most = clients[c].most_ns > most ? clients[c].most_ns : most;
    last = clients[c].last_ns > last ? clients[c].last_ns : last;
  }
  printf("{\"requests\": %lld, \"seconds\": %.6f, \"median_us\": %.1f, "
         "\"p99_us\": %.1f, \"p999_us\": %.1f, \"most_us\": %.1f}\n",
         (long long)all, (double)(last - begin_ns) / 1e9, share_us(all, 0.5),
         share_us(all, 0.99), share_us(all, 0.999), (double)most / 1e3);
}

static void print_total(void) {
  struct kv_request request;
  struct kv_answer answer;
  memset(&request, 0, sizeof request);
  request.kind = KV_GET;
  request.count = 1;
  strcpy(request.changes[0].key, "total");
  ask(&clients[0], &request, &answer);
  printf("total %lld\n", (long long)answer.number);
}

int main(int argc, char **argv) {
  if (argc != 5 || atoi(argv[2]) < 1 || atoi(argv[2]) > MAX_CLIENTS) {
    fprintf(stderr, "usage: kv_client SOCKET CLIENTS (REQUESTS | SECONDSs) "
                    "WARM_UP_SECONDS\n");
    return 2;
  }
  count = atoi(argv[2]);
  char *unit;
  const double work = strtod(argv[3], &unit);
  const int is_timed = *unit == 's';
  for (int c = 0; c < count; ++c) {
    clients[c].number = c;
    clients[c].socket = kv_connect(argv[1]);
    if (clients[c].socket < 0)
      fail(argv[1]);
  }
  begin_ns = now_ns() + (uint64_t)(atof(argv[4]) * 1e9);
  if (is_timed)
    end_ns = begin_ns + (uint64_t)(work * 1e9);
  else
    requests = (int64_t)work;
  for (int c = 0; c < count; ++c)
    if (pthread_create(&clients[c].thread, NULL, load, &clients[c]) != 0)
      fail("pthread_create");
  for (int c = 0; c < count; ++c)
    pthread_join(clients[c].thread, NULL);
  if (is_timed)
    print_times();
  else
    print_total();
  struct ucred server;
  socklen_t bytes = sizeof server;
  if (getsockopt(clients[0].socket, SOL_SOCKET, SO_PEERCRED, &server, &bytes) !=
          0 ||
      kill(server.pid, SIGTERM) != 0)
    fail("kv_client: the server cannot be ended");
  return 0;
}
