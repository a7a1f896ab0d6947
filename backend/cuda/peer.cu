// Messages, maxima and sums between GPUs that access each other's memory. The ranks wait for each other in the kernels, by
// counters in their memory; the host takes no part. Ranks of one process read messages where they lie; those of several
// processes know no addresses of each other, and read messages from slots in memory that the sender shares with them.
// peer.go has the same structs.

typedef long long int64;
typedef unsigned int uint32;
typedef unsigned long long uint64;

#define DEVICE static __device__ __forceinline__
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS)

const int THREADS = 256;    // of a block
const int MAX_RANKS = 32;   // of a communicator
const int MAX_WORDS = 512;  // of a maximum or sum

// What a rank's memory holds about another rank, the peer.
struct Pair {
    // Written by the peer: the number of messages that it has offered to this rank, with the address and length of the
    // last one; the number of messages of this rank that it has read; and the number of reductions for which its words
    // are here, in turn in the two halves of words.
    uint64 offered, address, bytes, taken, reductions;
    uint64 words[2][MAX_WORDS];
    // Written by this rank: the number of its messages that the peer has read, and of those that it has read.
    uint64 sent, received;
};

struct Control {
    uint64 blocks;  // of the running kernel that have ended
    uint64 reductions;  // computed so far
    Pair pairs[MAX_RANKS];
};

// Written by the host and by kernels, in the host's memory.
struct Status {
    uint32 aborted;   // 1: kernels no longer wait
    uint32 mismatch;  // 1: a message did not have the length that its receiver expected
};

DEVICE uint64 load_acquire(const uint64 *p) {
    uint64 v;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

DEVICE void store_release(uint64 *p, uint64 v) {
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

// wait_for waits until a counter has reached a value. It returns false if the host has given up.
DEVICE bool wait_for(const uint64 *counter, uint64 value, const volatile Status *status) {
    for (uint32 n = 1; load_acquire(counter) < value; n++)
        if (n % 1024 == 0 && status->aborted) return false;
    return true;
}

// A message to or from a peer: the record of the peer in this rank's memory, and of this rank in the peer's. slot is
// where this rank finds the sender's slot for the message, 0 for a message that is read where it lies.
struct Transfer {
    uint64 data, bytes, slot;
    Pair *own, *remote;
};

struct Exchange {
    Control *control;
    volatile Status *status;
    int64 sends, receives;
    Transfer send[MAX_RANKS], receive[MAX_RANKS];
};

template <typename T> DEVICE void copy_units(uint64 to, uint64 from, uint64 bytes) {
    T *dst = reinterpret_cast<T *>(to);
    const T *src = reinterpret_cast<const T *>(from);
    const uint64 n = bytes / sizeof(T), stride = uint64(gridDim.x) * THREADS;
    uint64 i = uint64(blockIdx.x) * THREADS + threadIdx.x;
    for (; i + 3 * stride < n; i += 4 * stride) {  // four loads at a time hide the latency of the link
        const T a = src[i], b = src[i + stride], c = src[i + 2 * stride], d = src[i + 3 * stride];
        dst[i] = a;
        dst[i + stride] = b;
        dst[i + 2 * stride] = c;
        dst[i + 3 * stride] = d;
    }
    for (; i < n; i += stride) dst[i] = src[i];
}

DEVICE void copy_bytes(uint64 to, uint64 from, uint64 bytes) {
    const uint64 alignment = to | from | bytes;
    if (alignment % 16 == 0) copy_units<uint4>(to, from, bytes);
    else if (alignment % 8 == 0) copy_units<uint64>(to, from, bytes);
    else if (alignment % 4 == 0) copy_units<uint32>(to, from, bytes);
    else copy_units<unsigned char>(to, from, bytes);
}

// fill_slots copies messages to the slots from which their receivers read them. The blocks with blockIdx.y = s copy
// message s.
KERNEL fill_slots(const __grid_constant__ Exchange x) {
    const Transfer &m = x.send[blockIdx.y];
    copy_bytes(m.slot, m.data, m.bytes);
}

// exchange_messages offers all messages to their receivers, and reads those of other ranks from their memory. It ends
// when all messages of this rank have been read, so that their memory may change. The blocks with blockIdx.y = r read
// message r.
KERNEL exchange_messages(const __grid_constant__ Exchange x) {
    __shared__ uint64 from;
    __shared__ bool last;
    const int t = threadIdx.x;
    if (blockIdx.x == 0 && blockIdx.y == 0 && t < x.sends) {
        const Transfer &m = x.send[t];
        m.remote->address = m.slot ? 0 : m.data;  // relative to the slot
        m.remote->bytes = m.bytes;
        store_release(&m.remote->offered, m.own->sent + 1);
    }
    if (x.receives > 0) {
        const Transfer &m = x.receive[blockIdx.y];
        if (t == 0) {
            from = 0;
            if (wait_for(&m.own->offered, m.own->received + 1, x.status)) {
                if (m.own->bytes == m.bytes) from = m.slot + m.own->address;
                else x.status->mismatch = 1;
            }
        }
        __syncthreads();
        if (from) copy_bytes(m.data, from, m.bytes);
    }
    __threadfence();
    __syncthreads();
    if (t == 0) last = atomicAdd(&x.control->blocks, 1ull) == uint64(gridDim.x) * gridDim.y - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    if (t == 0) x.control->blocks = 0;
    if (t < x.receives) {
        const Transfer &m = x.receive[t];
        store_release(&m.remote->taken, ++m.own->received);
    }
    if (t < x.sends) {
        const Transfer &m = x.send[t];
        wait_for(&m.own->taken, ++m.own->sent, x.status);
    }
}

struct Reduction {
    Control *control;
    volatile Status *status;
    int64 ranks, rank, count;
    int64 adds;  // 1 for sums, 0 for maxima
    uint64 *words;
    Pair *remote[MAX_RANKS];  // records of this rank in the memory of each rank
};

// reduce_words replaces each word by its maximum or sum over all ranks. A rank writes its words to the memory of all
// others, in one of two halves: no rank is two reductions ahead of another, since each waits for the words of all.
KERNEL reduce_words(const __grid_constant__ Reduction x) {
    const int t = threadIdx.x;
    const uint64 round = x.control->reductions;
    for (int i = t; i < x.ranks * x.count; i += THREADS) {
        const int r = i / int(x.count), k = i % int(x.count);
        if (r != x.rank) x.remote[r]->words[round % 2][k] = x.words[k];
    }
    __threadfence_system();
    __syncthreads();
    if (t < x.ranks && t != x.rank) {
        store_release(&x.remote[t]->reductions, round + 1);
        wait_for(&x.control->pairs[t].reductions, round + 1, x.status);
    }
    __syncthreads();
    for (int k = t; k < x.count; k += THREADS) {
        uint64 result = x.words[k];
        for (int r = 0; r < x.ranks; r++) {
            if (r == x.rank) continue;
            const uint64 word = x.control->pairs[r].words[round % 2][k];
            if (x.adds) result += word;
            else if (word > result) result = word;
        }
        x.words[k] = result;
    }
    if (t == 0) x.control->reductions = round + 1;
}
