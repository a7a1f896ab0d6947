// The shadow of a launch's memory: a record of the turns that have accessed each byte. The compiler instruments the
// kernels as for ThreadSanitizer. This file replaces ThreadSanitizer's functions; its units are turns and barriers
// instead of threads.

namespace one_thread {

// A cell is the shadow of four bytes, or of one byte if a launch has smaller accesses: the last turn that wrote
// to them; whether atomic functions may have changed them; and of the turns that read them the first one, the last one,
// and the one before the last. Numbers of turns of earlier launches are ignored.
struct cell {
    uint32_t writer : 31, changed : 1;
    uint32_t readers[3];
};

// A change has, for each kind of atomic function, the first, the last and the last but one turn that changed the bytes
// of a cell by it.
struct change {
    uint32_t by[3][3];
};

// bytes is the size of the recorded memory, 0 while recording is off; first_turn is the number of the launch's first
// turn. A cell covers 1 << cell_shift bytes.
static uint64_t bytes;
static uint32_t first_turn;
static int cell_shift;

// unordered reports whether the order of an earlier turn, before, and the present one, self, is undefined: they belong
// to different blocks, or no barrier is between them. Turns before oldest do not matter.
PLAIN static inline bool unordered(uint32_t before, uint32_t self, uint32_t oldest) {
    return before >= oldest && before != self && (before < block || before >= last_barrier);
}

// first_unordered returns the first of three turns that is unordered with the present one, or 0.
PLAIN static inline uint32_t first_unordered(const uint32_t *three, uint32_t self, uint32_t oldest) {
    for (int n = 0; n < 3; n++)
        if (unordered(three[n], self, oldest)) return three[n];
    return 0;
}

// add_turn records an access by the present turn among the first, the last and the last but one.
PLAIN static inline void add_turn(uint32_t *three, uint32_t self, uint32_t oldest) {
    if (three[1] == self) return;
    if (three[0] < oldest) {
        three[0] = self, three[2] = 0;
    } else {
        three[2] = three[1];
    }
    three[1] = self;
}

CALLED static void report(uint64_t offset, uint32_t earlier, kind earlier_access, uint32_t self, kind access) {
    conflict &c = running->conflict;
    c.found = 1, c.offset = int64_t(offset);
    c.kinds[0] = earlier_access, c.kinds[1] = access;
    c.numbers[0] = earlier, c.numbers[1] = self;
    for (int n = 0; n < array_count; n++) {
        const array &a = arrays[n];
        if (c.offset < a.offset || c.offset >= a.offset + a.bytes) continue;
        name(c.array, a.name);
        c.at = c.offset - a.offset, c.element = a.element;
    }
    bytes = 0;
}

// record records an access of size bytes at an offset, and reports the first conflict.
CALLED static void record(uint64_t offset, uint64_t size, kind access, uint32_t self) {
    if ((offset | size) & ((1 << cell_shift) - 1)) {
        running->byte_cells = 1, bytes = 0;
        return;
    }
    // Shared memory belongs to one block, so that only turns of this block matter.
    const uint32_t oldest = int64_t(offset) >= running->argument_bytes ? block : first_turn;
    if (current.all_threads && (access == writes || access == adds)) return report(offset, self, access, self, access);
    for (uint64_t n = offset >> cell_shift; n < (offset + size) >> cell_shift; n++) {
        cell *c = running->shadow + n;
        uint32_t other = 0;
        if (access == reads && c->readers[1] == self) continue; // a conflict since then was reported for the other turn
        if (unordered(c->writer, self, oldest)) return report(n << cell_shift, c->writer, writes, self, access);
        if (access != reads && (other = first_unordered(c->readers, self, oldest)))
            return report(n << cell_shift, other, reads, self, access);
        for (uint32_t earlier_access = adds; c->changed && earlier_access <= maximises; earlier_access++)
            if (earlier_access != access && (other = first_unordered(running->changes[n].by[earlier_access - adds], self, oldest)))
                return report(n << cell_shift, other, kind(earlier_access), self, access);
        switch (access) {
        case reads:
            add_turn(c->readers, self, oldest);
            break;
        case writes:
            c->writer = self;
            break;
        default:
            add_turn(running->changes[n].by[access - adds], self, oldest);
            c->changed = 1;
        }
    }
}

// observe records an access if its address is in the launch's memory.
PLAIN static inline void observe(const void *p, uint64_t size, kind access) {
    if (!bytes) return;
    const uint64_t offset = uint64_t((const unsigned char *)p - running->memory);
    if (offset < bytes) record(offset, size, access, number);
}

// Asynchronous copies for which no loop has waited yet.
struct copy { void *to; const void *from; size_t size; };
static copy *copies;
static size_t copy_count, copy_capacity;

CALLED static void begin_copy(void *to, const void *from, size_t size) {
    if (copy_count == copy_capacity) {
        copy_capacity = 2 * copy_capacity + 64;
        copies = (copy *)realloc(copies, copy_capacity * sizeof *copies);
        if (!copies) abort();
    }
    copies[copy_count++] = {to, from, size};
    if (!bytes) return;
    record(uint64_t((const unsigned char *)from - running->memory), size, reads, number + 1);
    if (bytes) record(uint64_t((unsigned char *)to - running->memory), size, writes, number + 1);
}

CALLED static void finish_copies() {
    for (size_t n = 0; n < copy_count; n++) {
        const copy &c = copies[running->order == 1 ? copy_count - 1 - n : n];
        memcpy(c.to, c.from, c.size);
    }
    copy_count = 0;
    BARRIER;
}

// The indices of a launch: those of its box, and two beyond it along each axis, as a GPU has threads beyond the box.
struct indices {
    int64_t n[3];
    sequence all;

    CALLED indices(launch *l) : all(0, 0, 0) {
        running = l;
        number = uint32_t(l->turn_before);
        first_turn = number + 1;
        bytes = l->shadow ? uint64_t(l->size) : 0;
        cell_shift = l->byte_cells ? 0 : 2;
        for (int d = 0; d < 3; d++) n[d] = d >= l->dims ? 1 : l->box[2 * d + 1] - l->box[2 * d] + 2;
        all = sequence(n[0] > 0 ? n[0] * n[1] * n[2] : 0, l->order, 0);
    }

    CALLED bool next() {
        int64_t at = 0;
        const bool one = all.next(&at);
        if (one) {
            begin_block(at % n[0], at / n[0] % n[1], at / n[0] / n[1]);
        } else {
            BARRIER;
            bytes = 0;
            running->turn_after = number + 2;
        }
        return one;
    }
};

}

// The functions that instrumented code calls.
#define HOOKS(size) \
    extern "C" PLAIN void __tsan_read##size(void *p) { one_thread::observe(p, size, one_thread::reads); } \
    extern "C" PLAIN void __tsan_write##size(void *p) { one_thread::observe(p, size, one_thread::writes); } \
    extern "C" PLAIN void __tsan_unaligned_read##size(void *p) { one_thread::observe(p, size, one_thread::reads); } \
    extern "C" PLAIN void __tsan_unaligned_write##size(void *p) { one_thread::observe(p, size, one_thread::writes); }
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
extern "C" PLAIN void __tsan_read_range(void *p, long n) { one_thread::observe(p, n, one_thread::reads); }
extern "C" PLAIN void __tsan_write_range(void *p, long n) { one_thread::observe(p, n, one_thread::writes); }
extern "C" PLAIN void __tsan_func_entry(void *) {}
extern "C" PLAIN void __tsan_func_exit(void *) {}
extern "C" PLAIN void __tsan_init() {}
