/*===- kv_server.c - A key-value server that survives kills -----------------===
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 *   kv_server FOLDER SOCKET MILLISECONDS [save]
 *
 * A thread for each connection. Every so many milliseconds the table is saved
 * in the background, and these threads go on. With `save`, a thread of the
 * program's own saves it, and changes wait meanwhile. KV_SYNC waits for a
 * checkpoint that has all changes which were answered before. SIGTERM ends the
 * server when the checkpoint under way is complete.
 *
 *===----------------------------------------------------------------------===*/

#include "examples.h"
#include "kv_protocol.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { SHARDS = 16, SLOTS = 2048 };

struct slot {
  char key[KEY_BYTES]; /* empty: free */
  int64_t number;
  char value[VALUE_BYTES];
};

/* The data: without pointers, so it may be at any address. */
static struct slot table[SHARDS][SLOTS];
/* Locks are not protected. After a restart they are free. */
static pthread_mutex_t locks[SHARDS];

static uint64_t hash_of(const char *key) {
  uint64_t hash = 14695981039346656037u;
  for (; *key; ++key)
    hash = (hash ^ (unsigned char)*key) * 1099511628211u;
  return hash ^ hash >> 32;
}

static unsigned shard_of(const char *key) {
  return (unsigned)(hash_of(key) % SHARDS);
}

/* The key's slot, or the one to put it; NULL: the shard is full. */
static struct slot *find(const char *key) {
  struct slot *slots = table[shard_of(key)];
  for (uint64_t i = 0, at = hash_of(key) / SHARDS; i < SLOTS; ++i, ++at) {
    struct slot *slot = &slots[at % SLOTS];
    if (slot->key[0] == '\0' || strcmp(slot->key, key) == 0)
      return slot;
  }
  return NULL;
}

/* One bit for each shard that the request needs. */
static unsigned shards_of(const struct kv_request *request) {
  unsigned shards = 0;
  for (uint32_t i = 0; i < request->count; ++i)
    shards |= 1u << shard_of(request->changes[i].key);
  return shards;
}

static void lock_shards(unsigned shards) {
  for (unsigned i = 0; i < SHARDS; ++i) /* in one order: no deadlock */
    if (shards >> i & 1)
      pthread_mutex_lock(&locks[i]);
}

static void unlock_shards(unsigned shards) {
  for (unsigned i = 0; i < SHARDS; ++i)
    if (shards >> i & 1)
      pthread_mutex_unlock(&locks[i]);
}

static void make(const struct kv_change *change) {
  struct slot *slot = find(change->key);
  if (!slot)
    return;
  if (slot->key[0] == '\0')
    strcpy(slot->key, change->key);
  if (change->value[0])
    strcpy(slot->value, change->value);
  else
    slot->number += change->add;
}

/* No checkpoint has a part of the changes, or a lock that is held. */
static void make_all(const struct kv_request *request) {
  pagetide_update_begin();
  const unsigned shards = shards_of(request);
  lock_shards(shards);
  for (uint32_t i = 0; i < request->count; ++i)
    make(&request->changes[i]);
  unlock_shards(shards);
  pagetide_update_end();
}

static void get(const struct kv_request *request, struct kv_answer *answer) {
  const unsigned shards = shards_of(request);
  lock_shards(shards);
  const struct slot *slot = find(request->changes[0].key);
  answer->status = !slot || slot->key[0] == '\0';
  if (answer->status == 0) {
    answer->number = slot->number;
    strcpy(answer->value, slot->value);
  }
  unlock_shards(shards);
}

/*===- Saves --------------------------------------------------------------===*/

static pthread_mutex_t cut_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cut_is_newer = PTHREAD_COND_INITIALIZER;
/* What was changed before this moment is in a checkpoint. */
static uint64_t newest_cut;

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void note_cut(uint64_t cut) {
  pthread_mutex_lock(&cut_lock);
  newest_cut = cut;
  pthread_cond_broadcast(&cut_is_newer);
  pthread_mutex_unlock(&cut_lock);
}

/* Returns when all changes that were answered before are in a checkpoint. */
static void wait_for_cut(void) {
  const uint64_t wanted = now();
  pthread_mutex_lock(&cut_lock);
  while (newest_cut < wanted)
    pthread_cond_wait(&cut_is_newer, &cut_lock);
  pthread_mutex_unlock(&cut_lock);
}

/* The checkpoint is of one moment between updates. */
static void note_checkpoint(void *unused, int status, const char *message,
                            const pagetide_checkpoint_result *result) {
  (void)unused;
  if (status == PAGETIDE_CHECKPOINT_OK)
    note_cut(result->cut_ns);
  else /* The next one takes what is missing. */
    fprintf(stderr, "kv_server: no checkpoint: %s\n", message);
}

struct saver {
  pagetide_checkpoint *checkpoint;
  useconds_t interval;
};

static void *save_again_and_again(void *argument) {
  const struct saver *saver = (const struct saver *)argument;
  for (;;) {
    usleep(saver->interval);
    const uint64_t cut = now();
    if (pagetide_checkpoint_save(saver->checkpoint, NULL) == 0)
      note_cut(cut);
    else
      fprintf(stderr, "kv_server: %s\n", pagetide_checkpoint_message());
  }
  return NULL;
}

/*===- Connections --------------------------------------------------------===*/

static int is_valid(const struct kv_request *request, ssize_t bytes) {
  if (bytes != sizeof *request || request->count > MAX_CHANGES ||
      (request->kind == KV_GET && request->count != 1))
    return 0;
  for (uint32_t i = 0; i < request->count; ++i)
    if (request->changes[i].key[0] == '\0' ||
        !memchr(request->changes[i].key, 0, KEY_BYTES) ||
        !memchr(request->changes[i].value, 0, VALUE_BYTES))
      return 0;
  return 1;
}

static void *serve(void *argument) {
  const int client = (int)(intptr_t)argument;
  struct kv_request request;
  ssize_t bytes;
  while ((bytes = recv(client, &request, sizeof request, 0)) > 0) {
    struct kv_answer answer;
    memset(&answer, 0, sizeof answer);
    if (!is_valid(&request, bytes))
      answer.status = -1;
    else if (request.kind == KV_CHANGE)
      make_all(&request);
    else if (request.kind == KV_GET)
      get(&request, &answer);
    else
      wait_for_cut();
    if (send(client, &answer, sizeof answer, MSG_NOSIGNAL) < 0)
      break;
  }
  close(client);
  return NULL;
}

static void start(void *(*run)(void *), void *argument) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, argument) != 0) {
    perror("pthread_create");
    exit(1);
  }
  pthread_detach(thread);
}

/* exit() waits for the checkpoint that is being made. */
static void *end_when_told(void *signals) {
  int number;
  sigwait((const sigset_t *)signals, &number);
  exit(0);
}

int main(int argc, char **argv) {
  const int saves = argc == 5 && strcmp(argv[4], "save") == 0;
  if (argc != 4 + saves) {
    fprintf(stderr, "usage: kv_server FOLDER SOCKET MILLISECONDS [save]\n");
    return 2;
  }
  for (int i = 0; i < SHARDS; ++i)
    pthread_mutex_init(&locks[i], NULL);
  static sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ending, NULL); /* in all threads */
  start(end_when_told, &ending);
  static struct saver saver;
  saver.interval = (useconds_t)atoi(argv[3]) * 1000;
  saver.checkpoint = open_folder(argv[1]);
  must(pagetide_checkpoint_protect(saver.checkpoint, 1, table, sizeof table));
  const int status = pagetide_checkpoint_restore(saver.checkpoint, 0, NULL);
  if (status != PAGETIDE_CHECKPOINT_NONE)
    must(status);

  const struct sockaddr_un address = kv_address(argv[2]);
  const int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  unlink(argv[2]);
  if (listener < 0 ||
      bind(listener, (const struct sockaddr *)&address, sizeof address) != 0 ||
      listen(listener, 64) != 0) {
    perror(argv[2]);
    return 1;
  }
  if (saves)
    start(save_again_and_again, &saver);
  else
    must(pagetide_checkpoint_every(saver.checkpoint,
                                   (uint64_t)saver.interval * 1000,
                                   note_checkpoint, NULL));
  for (;;) {
    const int client = accept(listener, NULL, NULL);
    if (client >= 0)
      start(serve, (void *)(intptr_t)client);
  }
}
