/*===- sqlite_memory.c - A database in memory that outlives the program -----===
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 *   sqlite_memory FOLDER [+]STEPS
 *
 * sqlite keeps the database in a buffer of ours (sqlite3_deserialize), which is
 * saved after each transaction. The buffer holds what a file would hold, and
 * may be at any address. What sqlite knows beside it is made anew.
 *
 *===----------------------------------------------------------------------===*/

#include "examples.h"

#include <sqlite3.h>

enum { CAPACITY = 64 << 20, ROWS = 40000, CHANGES_PER_STEP = 20 };

static struct {
  uint64_t step;
  uint64_t bytes; /* of the database */
} progress;
/* Aligned: a page of the database is a page of memory. */
static unsigned char database[CAPACITY] __attribute__((aligned(4096)));

static sqlite3 *open_database(void) {
  sqlite3 *db;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
      sqlite3_deserialize(db, "main", database, (sqlite3_int64)progress.bytes,
                          CAPACITY, 0) != SQLITE_OK) {
    fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(db));
    exit(1);
  }
  return db;
}

/* To be called between transactions: all that is committed is in the buffer. */
static void save(pagetide_checkpoint *checkpoint, sqlite3 *db) {
  sqlite3_int64 bytes = 0;
  sqlite3_serialize(db, "main", &bytes, SQLITE_SERIALIZE_NOCOPY);
  progress.bytes = (uint64_t)bytes;
  must(pagetide_checkpoint_protect(checkpoint, 2, database, progress.bytes));
  must(pagetide_checkpoint_save(checkpoint, NULL));
}

/* Whether there was something to go on from. */
static int restore(pagetide_checkpoint *checkpoint) {
  size_t bytes;
  const int status = pagetide_checkpoint_saved_bytes(checkpoint, 0, 2, &bytes);
  if (status == PAGETIDE_CHECKPOINT_NONE)
    return 0;
  must(status);
  must(pagetide_checkpoint_protect(checkpoint, 2, database, bytes));
  must(pagetide_checkpoint_restore(checkpoint, 0, NULL));
  return 1;
}

static void run(sqlite3 *db, const char *statement) {
  char *message;
  if (sqlite3_exec(db, statement, NULL, NULL, &message) != SQLITE_OK) {
    fprintf(stderr, "sqlite: %s: %s\n", statement, message);
    exit(1);
  }
}

static void fill(sqlite3 *db) {
  char statement[400];
  snprintf(statement, sizeof statement,
           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
           "LIMIT %d) INSERT INTO t SELECT i, i * 7919 %% 200003, "
           "printf('%%08x%%08x%%08x%%08x%%08x%%08x%%08x%%08x', i * 40503, "
           "i * 7919, i * 65537, i * 31337, i * 50021, i * 2654435, i * 83492, "
           "i * 193939) FROM n",
           ROWS);
  run(db, "CREATE TABLE t(id INTEGER PRIMARY KEY, number INTEGER, text TEXT);"
          "CREATE INDEX t_number ON t(number)");
  run(db, statement);
}

/* One transaction: some rows here and there. */
static void advance(sqlite3 *db) {
  uint64_t seed = ++progress.step * 2654435761u;
  char statement[200];
  run(db, "BEGIN");
  for (int i = 0; i < CHANGES_PER_STEP; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    snprintf(statement, sizeof statement,
             "UPDATE t SET text = 'step %llu, ' || substr(text, 1, 60) "
             "WHERE id = %u",
             (unsigned long long)progress.step,
             (unsigned)(seed >> 33) % ROWS + 1);
    run(db, statement);
  }
  snprintf(statement, sizeof statement,
           "INSERT INTO t(number, text) VALUES(%u, 'new');"
           "DELETE FROM t WHERE id = %llu",
           (unsigned)(seed >> 40), (unsigned long long)progress.step % ROWS);
  run(db, statement);
  run(db, "COMMIT");
}

/* Of the database as sqlite gives it. */
static uint64_t digest_of(sqlite3 *db) {
  sqlite3_int64 bytes;
  unsigned char *copy = sqlite3_serialize(db, "main", &bytes, 0);
  if (!copy)
    exit(1);
  const uint64_t result = digest((uint64_t)bytes, copy, (size_t)bytes);
  sqlite3_free(copy);
  return result;
}

static int say_answer(void *unused, int columns, char **values, char **names) {
  (void)unused, (void)columns, (void)names;
  printf("integrity %s\n", values[0]);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: sqlite_memory FOLDER [+]STEPS\n");
    return 2;
  }
  pagetide_checkpoint *checkpoint = open_folder(argv[1]);
  must(pagetide_checkpoint_protect(checkpoint, 1, &progress, sizeof progress));
  const int goes_on = restore(checkpoint);
  sqlite3 *db = open_database();
  if (goes_on) {
    say("going on from", progress.step, digest_of(db));
    sqlite3_exec(db, "PRAGMA integrity_check", say_answer, NULL, NULL);
  } else {
    fill(db);
  }
  for (const uint64_t last = last_step(argv[2], progress.step);
       progress.step < last;) {
    advance(db);
    say("saving", progress.step, digest_of(db));
    save(checkpoint, db);
  }
  say("ended at", progress.step, digest_of(db));
  return 0;
}
