// A launch on one thread: the order of its turns (see the package comment of kerneltest), the present turn, and the
// shared memory of a block.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Functions of this file are not instrumented, since they are not part of the kernel.
#define PLAIN __attribute__((no_sanitize("thread")))
#define CALLED __attribute__((no_sanitize("thread"), noinline))

// A compiler barrier: no memory access moves from one turn to another.
#define BARRIER asm volatile("" ::: "memory")

namespace one_thread {

// Kinds of access: plain ones, and those by atomic functions. The numbers index accesses in report.go.
enum kind : uint32_t { reads, writes, adds, minimises, maximises };

// A turn is one index of a kernel; of a tile kernel, one iteration of a distributed loop of one tile, or the statements
// outside of such loops, which all threads execute.
struct turn {
    int64_t index[3];
    int64_t loop, k;   // number of the tile's loop, from 1 on, and the value of its variable
    int64_t all_threads;  // 1: statements after that loop, or before all loops if loop is 0
    char variable[40]; // the name of k
};

// A conflict is two unordered accesses of a byte. Turns have even numbers; the next number denotes the asynchronous
// copies of a turn, which are unordered with its other accesses.
struct conflict {
    int64_t found;
    int64_t offset;      // of the byte in memory
    int64_t kinds[2];    // of the earlier access and the later one
    int64_t numbers[2];  // of their turns; the same one if all threads of a block execute the access
    char array[40];      // shared memory that holds the byte
    int64_t at, element; // where in it, and the size of its elements
};

// A launch has the same layout as launch in launch.go.
struct launch {
    int64_t box[6];          // lo and hi of each index
    int64_t dims, tile;      // number of indices; whether an index is a tile
    int64_t order;           // 0 natural, 1 reverse, greater: the seed of a pseudo-random order
    int64_t fill;            // initial value of the bytes of shared memory
    unsigned char *memory;   // copies of the arguments' slices and structs, followed by shared memory
    int64_t argument_bytes, size;   // bytes of the copies, and of all memory
    struct cell *shadow;     // cells of all bytes, or null: nothing is recorded
    struct change *changes;  // changes of all bytes
    int64_t byte_cells;      // whether a cell covers one byte; set by the launch if that is necessary
    int64_t turn_before;     // number of the last turn before the launch
    int64_t turn_after;      // at the end: a number greater than those of all turns
    int64_t watched[2];      // numbers of the turns to be stored in watched_turns
    turn watched_turns[2];   // the turns with these numbers
    struct conflict conflict;
};

// The present launch and turn. number is the number of the turn, block that of the first turn of its block, and
// last_barrier that of the last barrier, which takes a number too.
static launch *running;
static turn current;
static const char *variable;
static uint32_t number, block, last_barrier;

struct cpu_dim { unsigned x, y, z; };
static const cpu_dim blockDim = {1, 1, 1}, threadIdx = {0, 0, 0};
static cpu_dim blockIdx;

// name copies a name and truncates it to the size of the array.
template <size_t capacity> PLAIN static void name(char (&to)[capacity], const char *from) {
    size_t n = 0;
    for (; n + 1 < capacity && from[n]; n++) to[n] = from[n];
    to[n] = 0;
}

CALLED static void begin_turn() {
    BARRIER;
    number += 2;
    for (int n = 0; n < 2; n++) {
        if (running->watched[n] != number) continue;
        running->watched_turns[n] = current;
        name(running->watched_turns[n].variable, variable);
    }
}

// barrier stands for __syncthreads.
CALLED static void barrier() {
    begin_turn();
    last_barrier = number;
}

// A sequence generates the numbers below count in the order of the launch. A pseudo-random order is the full period of a
// linear congruential generator (Knuth's MMIX) modulo a power of two: its numbers are mixed, and those that are too large
// are skipped.
struct sequence {
    uint64_t count, generated, mask, state, step;
    int64_t order;
    int shift;

    PLAIN sequence(int64_t n, int64_t order, uint64_t salt)
        : count(n > 0 ? n : 0), generated(0), mask(0), state(0), step(0), order(order), shift(1) {
        if (order < 2) return;
        while (mask + 1 < count) mask = 2 * mask + 1, shift++;
        shift = (shift + 1) / 2;
        state = (uint64_t(order) ^ salt << 32) * 0x9e3779b97f4a7c15;
        state ^= state >> 31;
        step = 2 * state + 1;
    }

    CALLED bool next(int64_t *k) {
        if (generated == count) return false;
        uint64_t at = order == 1 ? count - 1 - generated : generated;
        if (order > 1) do {
            state = (state * 6364136223846793005 + step) & mask;
            at = state ^ state >> shift;
        } while (at >= count);
        generated++;
        *k = int64_t(at);
        return true;
    }
};

// The iterations of a distributed loop.
struct turns {
    sequence all;
    int64_t at;

    CALLED turns(const char *name, int64_t count) : all(count, running->order, number), at(0) {
        current.loop++;
        variable = name;
    }

    CALLED bool next() {
        const bool one = all.next(&at);
        current.k = at, current.all_threads = !one;
        begin_turn();
        return one;
    }
};

// The shared arrays of a block, one after the other.
struct array {
    const char *name;
    int64_t offset, bytes, element;
};
static array arrays[64];
static int array_count;

CALLED static void *shared_array(const char *name, int64_t bytes, int64_t element) {
    int64_t offset = running->argument_bytes;
    if (array_count > 0) offset = arrays[array_count - 1].offset + (arrays[array_count - 1].bytes + 63) / 64 * 64;
    if (array_count == 64 || offset + bytes > running->size) abort(); // the kernel's entry declares less
    arrays[array_count++] = {name, offset, bytes, element};
    memset(running->memory + offset, int(running->fill), bytes);
    return running->memory + offset;
}

// begin_block begins an index: a tile of a tile kernel, or an index of any other kernel.
CALLED static void begin_block(int64_t x, int64_t y, int64_t z) {
    blockIdx = {unsigned(x), unsigned(y), unsigned(z)};
    current = {{running->box[0] + x, running->box[2] + y, running->box[4] + z}, 0, 0, running->tile, ""};
    variable = "";
    array_count = 0;
    barrier();
    block = number;
}

}
