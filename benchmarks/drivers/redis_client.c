//===- redis_client.c - The work of a Redis server, by hiredis ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: redis_client SOCKET ROUNDS
//
// Connects many times, and sends requests on all connections before it reads
// the replies, so that the server's threads have much to read and to write at
// once and seldom wait: they spin meanwhile. Each connection has keys of its
// own, so its replies do not depend on the others. Prints a checksum of all
// replies, how many keys there are, and the digest of the server's data. Then
// it shuts the server down.

#include "../kernels/kernel.h"

#include "hiredis.h"

#include <errno.h>
#include <time.h>

enum {
  kConnections = 48,
  kRequests = 16, // of a connection at once
  kKeys = 64,     // of a kind, for each connection
  kMaxValue = 2048,
  kPatienceMs = 30000, // for a server that starts slowly, in an emulator
};

static int fail(const char *what, const char *why) {
  fprintf(stderr, "redis_client: %s: %s\n", what, why);
  return 1;
}

/// Connects once the server listens.
static redisContext *connect_to(const char *path) {
  const struct timespec pause = {0, 1000000};
  redisContext *context = NULL;
  for (int waited_ms = 0; waited_ms < kPatienceMs; ++waited_ms) {
    context = redisConnectUnix(path);
    if (context == NULL || context->err == 0)
      return context;
    redisFree(context);
    context = NULL;
    nanosleep(&pause, NULL);
  }
  errno = ETIMEDOUT;
  return context;
}

/// A sum over a reply's parts: a set's have no order.
static uint64_t reply_sum(const redisReply *reply) {
  uint64_t sum = mix((uint64_t)reply->type, (uint64_t)reply->integer);
  if (reply->type == REDIS_REPLY_ARRAY) {
    for (size_t i = 0; i < reply->elements; ++i)
      sum += reply_sum(reply->element[i]);
    return sum;
  }
  for (size_t i = 0; reply->str != NULL && i < reply->len; i += 4)
    sum = mix(sum, (unsigned char)reply->str[i]);
  return sum;
}

static char filler[kMaxValue];

/// Puts a request of that connection into its buffer.
static void request(redisContext *context, int owner, uint64_t *state) {
  const int key = (int)random_below(state, kKeys);
  const int number = (int)random_below(state, 1000);
  const size_t size = random_below(state, 200) + (key == 0 ? 1500 : 16);
  switch (random_below(state, 16)) {
  case 0:
  case 1:
    redisAppendCommand(context, "SET text:%d:%d %b", owner, key,
                       filler + number % 100, size);
    return;
  case 2:
  case 3:
    redisAppendCommand(context, "GET text:%d:%d", owner, key);
    return;
  case 4:
    redisAppendCommand(context, "INCRBY sum:%d:%d %d", owner, key, number);
    return;
  case 5:
    redisAppendCommand(context, "HSET hash:%d:%d field%d %b other %d", owner,
                       key, number % 200, filler + number % 50, size / 4,
                       number);
    return;
  case 6:
    redisAppendCommand(context, "HGETALL hash:%d:%d", owner, key % 8);
    return;
  case 7:
    redisAppendCommand(context, "RPUSH list:%d:%d %b %d", owner, key, filler,
                       size / 2, number);
    return;
  case 8:
    redisAppendCommand(context, "LRANGE list:%d:%d 0 20", owner, key);
    return;
  case 9:
    redisAppendCommand(context, "LTRIM list:%d:%d -50 -1", owner, key);
    return;
  case 10:
    redisAppendCommand(context, "SADD set:%d:%d %d member%d", owner, key,
                       number, number % 300);
    return;
  case 11:
    redisAppendCommand(context, "SINTER set:%d:%d set:%d:%d", owner, key, owner,
                       (key + 1) % kKeys);
    return;
  case 12:
    redisAppendCommand(context, "ZADD order:%d:%d %d name%d", owner, key,
                       number * 7 % 1000, number);
    return;
  case 13:
    redisAppendCommand(context, "ZRANGEBYSCORE order:%d:%d %d %d WITHSCORES",
                       owner, key, number / 2, number);
    return;
  case 14:
    redisAppendCommand(context, "EVAL %s 1 sum:%d:%d",
                       "local n = tonumber(redis.call('GET', KEYS[1]) or '0') "
                       "for i = 1, 20 do n = (n * 31 + i) % 65536 end "
                       "return {n, tostring(n)}",
                       owner, key);
    return;
  default:
    redisAppendCommand(context, "DEL text:%d:%d set:%d:%d", owner, key, owner,
                       key);
    return;
  }
}

static int send_round(redisContext **connections, uint64_t *states) {
  for (int i = 0; i < kConnections; ++i) {
    for (int n = 0; n < kRequests; ++n)
      request(connections[i], i, &states[i]);
    for (int done = 0; !done;)
      if (redisBufferWrite(connections[i], &done) != REDIS_OK)
        return fail("request", connections[i]->errstr);
  }
  return 0;
}

static int read_round(redisContext **connections, uint64_t *sum) {
  for (int i = 0; i < kConnections; ++i)
    for (int n = 0; n < kRequests; ++n) {
      void *reply = NULL;
      if (redisGetReply(connections[i], &reply) != REDIS_OK)
        return fail("reply", connections[i]->errstr);
      const redisReply *const answer = reply;
      if (answer->type == REDIS_REPLY_ERROR)
        return fail("reply", answer->str);
      *sum = mix(*sum, reply_sum(answer));
      freeReplyObject(reply);
    }
  return 0;
}

/// What the server holds in the end.
static int print_data(redisContext *context) {
  static const char *const kCommands[] = {"DBSIZE", "DEBUG DIGEST"};
  for (int i = 0; i < 2; ++i) {
    redisReply *reply = redisCommand(context, kCommands[i]);
    if (reply == NULL)
      return fail(kCommands[i], context->errstr);
    if (reply->type == REDIS_REPLY_ERROR)
      return fail(kCommands[i], reply->str);
    if (reply->type == REDIS_REPLY_INTEGER)
      printf("%s %lld\n", kCommands[i], reply->integer);
    else
      printf("%s %s\n", kCommands[i], reply->str);
    freeReplyObject(reply);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s SOCKET ROUNDS\n",
            argc > 0 ? argv[0] : "redis_client");
    return 2;
  }
  const uint64_t rounds = kernel_number(argv[2]);
  for (int i = 0; i < kMaxValue; ++i)
    filler[i] = (char)('a' + i * 7 % 26);
  redisContext *connections[kConnections];
  uint64_t states[kConnections];
  for (int i = 0; i < kConnections; ++i) {
    connections[i] = connect_to(argv[1]);
    if (connections[i] == NULL)
      return fail(argv[1], strerror(errno));
    states[i] = (uint64_t)i + 1;
  }
  uint64_t sum = 0;
  // The server works on a round while the replies of the one before are read.
  for (uint64_t round = 0; round <= rounds; ++round) {
    if (round < rounds && send_round(connections, states) != 0)
      return 1;
    if (round > 0 && read_round(connections, &sum) != 0)
      return 1;
  }
  print_checksum("replies", sum);
  if (print_data(connections[0]) != 0)
    return 1;
  // The server answers by closing the connection.
  redisReply *reply = redisCommand(connections[0], "SHUTDOWN NOSAVE");
  if (reply != NULL)
    return fail("SHUTDOWN", reply->str);
  for (int i = 0; i < kConnections; ++i)
    redisFree(connections[i]);
  return 0;
}
