/*===- kv_load.c - Load for kv_server, and a check of what it kept ----------===
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 *   kv_load CLIENTS KILLS SEED SOCKET SERVER [WORD...]
 *
 * Starts SERVER WORD..., loads it from some threads, kills it at a random
 * moment and starts it again. Each client numbers its requests, and each
 * request changes the client's number, two keys of its own and a total of all
 * clients. A restarted server must have
 *
 *   - of each client the first so many requests, and nothing of the others:
 *     all its keys are as these requests left them;
 *   - all requests that were answered before a KV_SYNC that was answered;
 *   - the total of all these requests.
 *
 * The clients go on from there. In the end all of them sync, and nothing may be
 * missing after the last kill.
 *
 *===----------------------------------------------------------------------===*/

#include "kv_protocol.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { MAX_CLIENTS = 16, KEYS = 2000, REQUESTS_PER_SYNC = 300 };

struct client {
  int number, socket;
  int64_t sent;         /* the last request */
  int64_t acknowledged; /* the last one that was answered */
  int64_t durable;      /* the last one known to be in a checkpoint */
  int64_t syncs;
};

static struct client clients[MAX_CLIENTS];
static int count;

static void fail(const char *what, const struct client *client, int64_t found) {
  fprintf(stderr,
          "kv_load: %s: client %d, found %lld, sent %lld, acknowledged %lld, "
          "durable %lld (%s)\n",
          what, client->number, (long long)found, (long long)client->sent,
          (long long)client->acknowledged, (long long)client->durable,
          strerror(errno));
  exit(1);
}

/* Which two keys a request changes: most often one of a few. */
static int key_of(int64_t request, int which) {
  uint64_t seed = (uint64_t)(request * 2 + which) * 6364136223846793005u;
  seed ^= seed >> 29;
  seed *= 0x9e3779b97f4a7c15u;
  return (int)((seed >> 33) % ((seed >> 20) % 10 ? KEYS / 20 : KEYS));
}

static void name_key(char *name, const struct client *client, int key) {
  snprintf(name, KEY_BYTES, "client %d key %d", client->number, key);
}

/* Little of it can be compressed. */
static void write_value(char *value, int64_t request, int key) {
  uint64_t seed = (uint64_t)request * 2654435761u + (uint64_t)key;
  int at = snprintf(value, VALUE_BYTES, "%lld ", (long long)request);
  for (int i = 0; i < 4; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    at += snprintf(value + at, (size_t)(VALUE_BYTES - at), "%016llx",
                   (unsigned long long)(seed ^ seed >> 31));
  }
}

static void get(struct client *client, const char *key,
                struct kv_answer *answer) {
  struct kv_request request;
  memset(&request, 0, sizeof request);
  request.kind = KV_GET;
  request.count = 1;
  strcpy(request.changes[0].key, key);
  if (!kv_ask(client->socket, &request, answer) || answer->status < 0)
    fail("no answer", client, 0);
}

static int change(struct client *client) {
  const int64_t number = ++client->sent;
  struct kv_request request;
  struct kv_answer answer;
  memset(&request, 0, sizeof request);
  request.kind = KV_CHANGE;
  request.count = 4;
  strcpy(request.changes[0].key, "total");
  request.changes[0].add = 1;
  for (int which = 0; which < 2; ++which) {
    const int key = key_of(number, which);
    name_key(request.changes[1 + which].key, client, key);
    write_value(request.changes[1 + which].value, number, key);
  }
  snprintf(request.changes[3].key, KEY_BYTES, "client %d", client->number);
  request.changes[3].add = 1;
  if (!kv_ask(client->socket, &request, &answer))
    return 0;
  if (answer.status != 0)
    fail("refused", client, answer.status);
  client->acknowledged = number;
  return 1;
}

static int sync_client(struct client *client) {
  struct kv_request request;
  struct kv_answer answer;
  memset(&request, 0, sizeof request);
  request.kind = KV_SYNC;
  const int64_t acknowledged = client->acknowledged;
  if (!kv_ask(client->socket, &request, &answer))
    return 0;
  client->durable = acknowledged;
  ++client->syncs;
  return 1;
}

static void *load(void *argument) {
  struct client *client = (struct client *)argument;
  while (change(client))
    if (client->sent % REQUESTS_PER_SYNC == 0 && !sync_client(client))
      break;
  return NULL;
}

/* The restarted server has the client's first requests, and nothing else. */
static int64_t check(struct client *client) {
  static int64_t changed_by[KEYS];
  char name[KEY_BYTES], value[VALUE_BYTES];
  struct kv_answer answer;
  snprintf(name, sizeof name, "client %d", client->number);
  get(client, name, &answer);
  const int64_t kept = answer.number;
  if (kept < client->durable)
    fail("requests are lost that were in a checkpoint", client, kept);
  if (kept > client->sent)
    fail("requests are there that nobody sent", client, kept);
  memset(changed_by, 0, sizeof changed_by);
  for (int64_t request = 1; request <= kept; ++request)
    for (int which = 0; which < 2; ++which)
      changed_by[key_of(request, which)] = request;
  for (int key = 0; key < KEYS; ++key) {
    name_key(name, client, key);
    get(client, name, &answer);
    value[0] = '\0';
    if (changed_by[key])
      write_value(value, changed_by[key], key);
    if (strcmp(answer.value, value) != 0)
      fail("a request is half made", client, kept);
  }
  client->sent = client->acknowledged = client->durable = kept;
  return kept;
}

/* A server that does not answer for so long has failed. */
static const struct timeval kPatience = {.tv_sec = 60};

static void connect_clients(const char *path) {
  for (int i = 0; i < count; ++i) {
    clients[i].number = i;
    clients[i].socket = kv_connect(path);
    if (clients[i].socket < 0)
      fail("connect", &clients[i], 0);
    setsockopt(clients[i].socket, SOL_SOCKET, SO_RCVTIMEO, &kPatience,
               sizeof kPatience);
  }
}

static void check_all(void) {
  struct kv_answer answer;
  int64_t sum = 0;
  for (int i = 0; i < count; ++i)
    sum += check(&clients[i]);
  get(&clients[0], "total", &answer);
  if (answer.number != sum)
    fail("the total is of another moment", &clients[0], answer.number - sum);
}

static pid_t start_server(char **command) {
  const pid_t server = fork();
  if (server == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* also if a check fails */
    execv(command[0], command);
    perror(command[0]);
    _exit(1);
  }
  return server;
}

static void kill_server(pid_t server) {
  int status;
  kill(server, SIGKILL);
  if (waitpid(server, &status, 0) != server || !WIFSIGNALED(status) ||
      WTERMSIG(status) != SIGKILL)
    fail("the server ended by itself", &clients[0], status);
}

static void disconnect(void) {
  for (int i = 0; i < count; ++i)
    close(clients[i].socket);
}

int main(int argc, char **argv) {
  if (argc < 6 || atoi(argv[1]) < 1 || atoi(argv[1]) > MAX_CLIENTS) {
    fprintf(stderr, "usage: kv_load CLIENTS KILLS SEED SOCKET SERVER...\n");
    return 2;
  }
  count = atoi(argv[1]);
  const int kills = atoi(argv[2]);
  srand((unsigned)atoi(argv[3]));
  int64_t syncs = 0, lost = 0;
  for (int round = 0; round < kills; ++round) {
    const pid_t server = start_server(argv + 5);
    if (round % 4 == 3) { /* while it starts and restores */
      usleep((useconds_t)(rand() % 40) * 1000);
      kill_server(server);
      continue;
    }
    connect_clients(argv[4]);
    int64_t acknowledged[MAX_CLIENTS];
    for (int i = 0; i < count; ++i)
      acknowledged[i] = clients[i].acknowledged;
    check_all();
    pthread_t threads[MAX_CLIENTS];
    for (int i = 0; i < count; ++i) {
      lost += acknowledged[i] - clients[i].sent;
      if (pthread_create(&threads[i], NULL, load, &clients[i]) != 0)
        fail("pthread_create", &clients[i], 0);
    }
    usleep((useconds_t)(rand() % 400) * 1000);
    kill_server(server);
    for (int i = 0; i < count; ++i)
      pthread_join(threads[i], NULL);
    disconnect();
  }
  /* A last time, with a sync in the end: nothing may be lost. */
  pid_t server = start_server(argv + 5);
  connect_clients(argv[4]);
  check_all();
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < REQUESTS_PER_SYNC; ++k)
      change(&clients[i]);
    if (!sync_client(&clients[i]))
      fail("no sync", &clients[i], 0);
    syncs += clients[i].syncs;
  }
  kill_server(server);
  disconnect();
  unlink(argv[4]);
  server = start_server(argv + 5);
  connect_clients(argv[4]);
  int64_t kept = 0;
  for (int i = 0; i < count; ++i) {
    const int64_t acknowledged = clients[i].acknowledged;
    if (check(&clients[i]) != acknowledged)
      fail("requests are lost that were synced", &clients[i], acknowledged);
    kept += acknowledged;
  }
  check_all();
  kill_server(server);
  printf("%d kills, %lld requests kept, %lld lost after cuts, %lld syncs\n",
         kills, (long long)kept, (long long)lost, (long long)syncs);
  return 0;
}
