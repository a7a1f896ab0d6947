// A launch on one thread: in which order the indices and the turns of a tile's loops go, which turn is at hand, and
// where the memory is.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// What follows is not instrumented: it is none of the kernel's.
#define PLAIN __attribute__((no_sanitize("thread")))
#define CALLED __attribute__((no_sanitize("thread"), noinline))

// The compiler keeps nothing in registers over it, so that no access moves from one turn to another.
#define BARRIER asm volatile("" ::: "memory")

namespace one_thread {

// Accesses, as package kerneltest names them: plain ones, and those by atomic functions.
enum kind : uint32_t { reads, writes, adds, minimises, maximises };

// A turn is one index of a kernel; of a tile kernel, one turn of a shared loop of one tile, or what all threads do
// together outside of such loops.
struct turn {
    int64_t index[3];
    int64_t loop, k;   // the number of the tile's loop, from 1 on, and its variable
    int64_t together;  // whether it is outside of loops, after that one; loop 0: before all
    char variable[40]; // the name of k
};

// A conflict is two accesses of a byte whose order is open. Turns have even numbers; the next number is that of the
// copies of a turn, for which its other accesses do not wait.
struct conflict {
    int64_t found;
    int64_t offset;      // of the byte in memory
    int64_t kinds[2];    // of the earlier access and the later one
    int64_t numbers[2];  // of their turns; the same one: all threads do it
    char array[40];      // shared memory that holds the byte
    int64_t at, element; // where in it, and the size of its elements
};

// A launch is known to package kerneltest by this layout.
struct launch {
    int64_t box[6];          // lo and hi of each index
    int64_t dims, tile;      // how many indices there are; whether each is a tile
    int64_t order;           // 0 as they are, 1 from the last to the first, more: the seed of a pseudo-random order
    int64_t fill;            // the byte that a block's memory holds when it begins
    unsigned char *memory;   // what the arguments lead to, and behind it what a block shares
    int64_t reached, size;   // bytes of the former, and of both
    struct cell *shadow;     // of all bytes, or null: nothing is recorded
    struct change *changes;  // of all bytes
    int64_t fine;            // whether a cell is of one byte; set where one has to be
    int64_t first, number;   // of the turn before the launch; at its end, of one after the last
    int64_t watched[2];      // numbers of turns to tell about
    turn told[2];
    struct conflict conflict;
};

// The launch at hand. A block's turns have consecutive numbers, and so have those between two barriers.
static launch *here;
static turn current;
static const char *variable;
static uint32_t number, block, phase;

struct cpu_dim { unsigned x, y, z; };
static const cpu_dim blockDim = {1, 1, 1}, threadIdx = {0, 0, 0};
static cpu_dim blockIdx;

// name copies a name as far as there is room.
template <size_t room> PLAIN static void name(char (&to)[room], const char *from) {
    size_t n = 0;
    for (; n + 1 < room && from[n]; n++) to[n] = from[n];
    to[n] = 0;
}

CALLED static void begin_turn() {
    BARRIER;
    number += 2;
    for (int n = 0; n < 2; n++) {
        if (here->watched[n] != number) continue;
        here->told[n] = current;
        name(here->told[n].variable, variable);
    }
}

// barrier is where all threads of a block have come to the same place.
CALLED static void barrier() {
    begin_turn();
    phase = number;
}

// A sequence gives the numbers below count in the order of the launch. A pseudo-random order is the full period of a
// linear congruential generator modulo a power of two, mixed, without the numbers that are too large.
struct sequence {
    uint64_t count, done, mask, state, step;
    int64_t order;
    int shift;

    PLAIN sequence(int64_t n, int64_t order, uint64_t salt)
        : count(n > 0 ? n : 0), done(0), mask(0), state(0), step(0), order(order), shift(1) {
        if (order < 2) return;
        while (mask + 1 < count) mask = 2 * mask + 1, shift++;
        shift = (shift + 1) / 2;
        state = (uint64_t(order) ^ salt << 32) * 0x9e3779b97f4a7c15;
        state ^= state >> 31;
        step = 2 * state + 1;
    }

    CALLED bool next(int64_t *k) {
        if (done == count) return false;
        uint64_t at = order == 1 ? count - 1 - done : done;
        if (order > 1) do {
            state = (state * 6364136223846793005 + step) & mask;
            at = state ^ state >> shift;
        } while (at >= count);
        done++;
        *k = int64_t(at);
        return true;
    }
};

// The turns of a shared loop.
struct turns {
    sequence all;
    int64_t at;

    CALLED turns(const char *name, int64_t count) : all(count, here->order, number), at(0) {
        current.loop++;
        variable = name;
    }

    CALLED bool next() {
        const bool one = all.next(&at);
        current.k = at, current.together = !one;
        begin_turn();
        return one;
    }
};

// Memory that a block shares, one array after the other.
struct array {
    const char *name;
    int64_t offset, bytes, element;
};
static array arrays[64];
static int array_count;

CALLED static void *shared_array(const char *name, int64_t bytes, int64_t element) {
    int64_t offset = here->reached;
    if (array_count > 0) offset = arrays[array_count - 1].offset + (arrays[array_count - 1].bytes + 63) / 64 * 64;
    if (array_count == 64 || offset + bytes > here->size) abort(); // the kernel's entry declares less
    arrays[array_count++] = {name, offset, bytes, element};
    memset(here->memory + offset, int(here->fill), bytes);
    return here->memory + offset;
}

// begin_block begins an index, which is a tile's or that of a thread.
CALLED static void begin_block(int64_t x, int64_t y, int64_t z) {
    blockIdx = {unsigned(x), unsigned(y), unsigned(z)};
    current = {{here->box[0] + x, here->box[2] + y, here->box[4] + z}, 0, 0, here->tile, ""};
    variable = "";
    array_count = 0;
    barrier();
    block = number;
}

}
