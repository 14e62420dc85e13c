/*===- lua_arena.c - A Lua script that goes on after a crash ----------------===
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 *   lua_arena FOLDER [+]PAUSES SCRIPT
 *
 * Runs a script that knows nothing of checkpoints, in a coroutine. A hook
 * pauses it every 10,000 instructions of Lua's machine, and the heap is saved
 * every fifth time. At the last pause, prints what the script's function
 * result() returns.
 *
 * All of Lua's data is in the arena. It has pointers to functions and constants
 * of this executable, so these must be at one address too: link with -no-pie.
 *
 *===----------------------------------------------------------------------===*/

#include "arena.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

enum { INSTRUCTIONS = 10000, PAUSES_PER_SAVE = 5 };

struct run {
  lua_State *main, *script;
  lua_Alloc code; /* where the executable had its code */
  uint64_t pauses;
};

/* lua_Alloc. Lua tells the size of what it frees. */
static void *lua_memory(void *unused, void *block, size_t old_bytes,
                        size_t bytes) {
  (void)unused;
  if (bytes == 0) {
    if (block)
      arena_free(block, old_bytes);
    return NULL;
  }
  void *fresh = arena_allocate(bytes);
  if (!block)
    return fresh;
  if (!fresh) /* A block that shrinks may stay: Lua relies on that. */
    return bytes <= old_bytes ? block : NULL;
  memcpy(fresh, block, bytes < old_bytes ? bytes : old_bytes);
  arena_free(block, old_bytes);
  return fresh;
}

/* Between two instructions of the script. If a C function has called the script
 * (table.sort, gsub), the script cannot be paused, and is at the next time. A
 * coroutine of the script has this hook too, and is not what is to be paused.
 */
static void pause_script(lua_State *state, lua_Debug *unused) {
  (void)unused;
  const struct run *run = (const struct run *)arena->root;
  if (state == run->script && lua_isyieldable(state))
    lua_yield(state, 0);
}

static struct run *begin(const char *script) {
  /* Not io and package: they have pointers to streams of libc and to loaded
   * libraries. */
  static const luaL_Reg libraries[] = {
      {LUA_GNAME, luaopen_base},       {LUA_COLIBNAME, luaopen_coroutine},
      {LUA_TABLIBNAME, luaopen_table}, {LUA_STRLIBNAME, luaopen_string},
      {LUA_MATHLIBNAME, luaopen_math}, {LUA_OSLIBNAME, luaopen_os},
      {LUA_UTF8LIBNAME, luaopen_utf8},
  };
  struct run *run = (struct run *)arena_allocate(sizeof *run);
  arena->root = run;
  run->code = lua_memory;
  run->pauses = 0;
  run->main = lua_newstate(lua_memory, NULL);
  if (!run->main)
    exit(1);
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; ++i) {
    luaL_requiref(run->main, libraries[i].name, libraries[i].func, 1);
    lua_pop(run->main, 1);
  }
  run->script = lua_newthread(run->main); /* stays on main's stack */
  if (luaL_loadfile(run->script, script) != LUA_OK) {
    fprintf(stderr, "%s\n", lua_tostring(run->script, -1));
    exit(1);
  }
  lua_sethook(run->script, pause_script, LUA_MASKCOUNT, INSTRUCTIONS);
  return run;
}

static uint64_t heap_bytes(struct run *run) {
  return (uint64_t)lua_gc(run->main, LUA_GCCOUNT) * 1024 +
         (uint64_t)lua_gc(run->main, LUA_GCCOUNTB);
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: lua_arena FOLDER [+]PAUSES SCRIPT\n");
    return 2;
  }
  arena_map((size_t)1 << 30);
  pagetide_checkpoint *checkpoint = open_folder(argv[1]);
  struct run *run;
  if (arena_restore(checkpoint)) {
    run = (struct run *)arena->root;
    if (run->code != lua_memory) {
      fprintf(stderr,
              "%s: the checkpoint is of an executable whose code was "
              "elsewhere. Was this one built anew, or without -no-pie?\n",
              argv[0]);
      return 1;
    }
    say("going on from", run->pauses, heap_bytes(run));
  } else {
    run = begin(argv[3]);
  }
  const uint64_t last = last_step(argv[2], run->pauses);
  int results, status = LUA_YIELD;
  while (status == LUA_YIELD && run->pauses < last) {
    status = lua_resume(run->script, run->main, 0, &results);
    ++run->pauses;
    /* No function of Lua is on the C stack now. */
    if (status == LUA_YIELD && run->pauses % PAUSES_PER_SAVE == 0) {
      say("saving", run->pauses, heap_bytes(run));
      arena_protect(checkpoint);
      must(pagetide_checkpoint_save(checkpoint, NULL));
    }
  }
  if (status != LUA_OK && status != LUA_YIELD) {
    fprintf(stderr, "%s\n", lua_tostring(run->script, -1));
    return 1;
  }
  say("ended at", run->pauses, heap_bytes(run));
  if (lua_getglobal(run->main, "result") == LUA_TFUNCTION) {
    lua_call(run->main, 0, 1);
    printf("%s\n", lua_tostring(run->main, -1));
  }
  return 0;
}
