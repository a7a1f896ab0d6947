// The data-parallel primitives of package primitives. All results are independent of the order in which blocks and
// threads run. Every parameter takes 8 bytes.

typedef int int32;
typedef long long int64;
typedef unsigned char uint8;
typedef unsigned int uint32;
typedef unsigned long long uint64;

#define DEVICE static __device__ __forceinline__
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS)

const int THREADS = 256;  // of a block
const int WARPS = THREADS / 32;
const int ITEMS = 8;      // of a thread in a scan
const int TILE = THREADS * ITEMS;
const uint32 ALL_LANES = 0xffffffffu;

// ---- scans within a block

template <typename T> DEVICE T warp_inclusive(T v) {
    const int lane = threadIdx.x % 32;
    for (int step = 1; step < 32; step *= 2) {
        T before = __shfl_up_sync(ALL_LANES, v, step);
        if (lane >= step) v += before;
    }
    return v;
}

// block_exclusive returns the sum of v over the threads before this one, and stores the sum over all threads in total.
template <typename T> DEVICE T block_exclusive(T v, T &total) {
    __shared__ T sums[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T upto = warp_inclusive(v);
    __syncthreads();  // the sums of an earlier call have been read
    if (lane == 31) sums[warp] = upto;
    __syncthreads();
    T before = 0;
    total = 0;
    for (int w = 0; w < WARPS; w++) {
        if (w == warp) before = total;
        total += sums[w];
    }
    return before + upto - v;
}

// ---- minimum and maximum: the number with the greatest image (see backend.Kind)

DEVICE uint64 image(int64 v) { return uint64(v) ^ 1ull << 63; }
DEVICE uint64 image(int32 v) { return image(int64(v)); }
DEVICE uint64 image(uint64 v) { return v; }
DEVICE uint64 image(uint32 v) { return v; }
DEVICE uint64 image(double v) {
    const uint64 bits = uint64(__double_as_longlong(v));
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}
DEVICE uint64 image(float v) { return image(double(v)); }

template <typename T> DEVICE bool is_nan(T v) { return v != v; }

template <typename T, bool LEAST> DEVICE void reduce(int64 n, const T *x, uint64 *result) {
    __shared__ uint64 greatest[WARPS];
    uint64 key = 0;
    for (int64 i = int64(blockIdx.x) * THREADS + threadIdx.x; i < n; i += int64(gridDim.x) * THREADS) {
        const T v = x[i];
        uint64 k = LEAST ? ~image(v) : image(v);
        if (is_nan(v)) k = ~0ull;
        key = k > key ? k : key;
    }
    for (int step = 16; step > 0; step /= 2) {
        const uint64 other = __shfl_down_sync(ALL_LANES, key, step);
        key = other > key ? other : key;
    }
    if (threadIdx.x % 32 == 0) greatest[threadIdx.x / 32] = key;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < WARPS; w++) key = greatest[w] > key ? greatest[w] : key;
        atomicMax(result, key);
    }
}

#define REDUCE(T, suffix) \
    KERNEL reduce_min_##suffix(int64 n, const T *x, uint64 *result) { reduce<T, true>(n, x, result); } \
    KERNEL reduce_max_##suffix(int64 n, const T *x, uint64 *result) { reduce<T, false>(n, x, result); }
REDUCE(int32, i32)
REDUCE(int64, i64)
REDUCE(uint32, u32)
REDUCE(uint64, u64)
REDUCE(float, f32)
REDUCE(double, f64)

// ---- exact sum: int64 words, each a multiple of its own power of 2^32 (see backend.SumWords)

const int LIMBS = 68;
const int WORDS = LIMBS + 3;

// A thread accumulates the three words to which it adds its latest number in registers. It adds them to the words of
// its warp only when the next number belongs to other words: numbers of similar magnitude belong to the same words.
struct Sum {
    int first;  // index of w0 in words
    int64 w0, w1, w2;

    __device__ __forceinline__ void flush(uint64 *words) {
        if (w0) atomicAdd(&words[first], uint64(w0));
        if (w1) atomicAdd(&words[first + 1], uint64(w1));
        if (w2) atomicAdd(&words[first + 2], uint64(w2));
        w0 = w1 = w2 = 0;
    }

    __device__ __forceinline__ void add(double x, uint64 *words) {
        const uint64 bits = uint64(__double_as_longlong(x));
        int exponent = int(bits >> 52) & 0x7ff;
        uint64 mantissa = bits & ((1ull << 52) - 1);
        if (exponent == 0x7ff) {
            atomicAdd(&words[LIMBS + (mantissa ? 0 : bits >> 63 ? 2 : 1)], 1ull);
            return;
        }
        if (exponent) mantissa |= 1ull << 52;
        else exponent = 1;
        const int to = (exponent - 1) / 32, shift = (exponent - 1) % 32;
        if (to != first) {
            flush(words);
            first = to;
        }
        const uint64 lo = mantissa << shift, hi = shift ? mantissa >> (64 - shift) : 0;
        const int64 sign = int64(bits) >> 63;  // 0 or -1: (v ^ sign) - sign is v or -v
        w0 += (int64(lo & 0xffffffffu) ^ sign) - sign;
        w1 += (int64(lo >> 32) ^ sign) - sign;
        w2 += (int64(hi) ^ sign) - sign;
    }
};

template <typename T> DEVICE void sum(int64 n, const T *x, uint64 *result) {
    __shared__ uint64 words[WARPS][WORDS];
    for (int i = threadIdx.x; i < WARPS * WORDS; i += THREADS) words[i / WORDS][i % WORDS] = 0;
    __syncthreads();
    uint64 *mine = words[threadIdx.x / 32];
    Sum s = {0, 0, 0, 0};
    const int64 stride = int64(gridDim.x) * THREADS;
    int64 i = int64(blockIdx.x) * THREADS + threadIdx.x;
    for (; i + 3 * stride < n; i += 4 * stride) {  // four loads in flight at a time
        const T a = x[i], b = x[i + stride], c = x[i + 2 * stride], d = x[i + 3 * stride];
        s.add(a, mine);
        s.add(b, mine);
        s.add(c, mine);
        s.add(d, mine);
    }
    for (; i < n; i += stride) s.add(x[i], mine);
    s.flush(mine);
    __syncthreads();
    if (threadIdx.x < WORDS) {
        uint64 total = 0;
        for (int w = 0; w < WARPS; w++) total += words[w][threadIdx.x];
        if (total) atomicAdd(&result[threadIdx.x], total);
    }
}

KERNEL sum_f32(int64 n, const float *x, uint64 *result) { sum(n, x, result); }
KERNEL sum_f64(int64 n, const double *x, uint64 *result) { sum(n, x, result); }

// ---- exclusive scan: sum each tile, scan the sums in one block, then scan each tile from its prefix sum

template <typename T> DEVICE void scan_sums(int64 n, const T *src, int64 *sums) {
    const int64 base = int64(blockIdx.x) * TILE;
    int64 mine = 0, total;
    for (int k = 0; k < ITEMS; k++) {
        const int64 i = base + k * THREADS + threadIdx.x;
        if (i < n) mine += src[i];
    }
    block_exclusive(mine, total);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

// scan_spine replaces n sums by their exclusive prefix sums, and stores their total behind them. It runs as one block.
KERNEL scan_spine(int64 n, int64 *sums) {
    int64 before = 0;
    for (int64 base = 0; base < n; base += TILE) {
        const int64 first = base + threadIdx.x * ITEMS;
        int64 v[ITEMS], mine = 0, total;
        for (int k = 0; k < ITEMS; k++) {
            v[k] = first + k < n ? sums[first + k] : 0;
            mine += v[k];
        }
        int64 prefix = before + block_exclusive(mine, total);
        for (int k = 0; k < ITEMS; k++) {
            if (first + k < n) sums[first + k] = prefix;
            prefix += v[k];
        }
        before += total;
    }
    if (threadIdx.x == 0) sums[n] = before;
}

template <typename T> DEVICE void scan_tiles(int64 n, const T *src, T *dst, const int64 *sums) {
    __shared__ T tile[TILE + TILE / ITEMS];  // one unused value after each thread's items avoids bank conflicts
    const int64 base = int64(blockIdx.x) * TILE;
    for (int k = threadIdx.x; k < TILE; k += THREADS) tile[k + k / ITEMS] = base + k < n ? src[base + k] : T(0);
    __syncthreads();
    T *mine = tile + threadIdx.x * (ITEMS + 1);
    int64 sum = 0, total;
    for (int k = 0; k < ITEMS; k++) sum += mine[k];
    int64 prefix = sums[blockIdx.x] + block_exclusive(sum, total);
    for (int k = 0; k < ITEMS; k++) {
        const T v = mine[k];
        mine[k] = T(prefix);
        prefix += v;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < TILE; k += THREADS)
        if (base + k < n) dst[base + k] = tile[k + k / ITEMS];
}

#define SCAN(T, suffix) \
    KERNEL scan_sums_##suffix(int64 n, const T *src, int64 *sums) { scan_sums(n, src, sums); } \
    KERNEL scan_tiles_##suffix(int64 n, const T *src, T *dst, const int64 *sums) { scan_tiles(n, src, dst, sums); }
SCAN(int32, i32)
SCAN(int64, i64)

// ---- compact: count the kept elements of each tile, scan the counts, copy the elements

DEVICE uint32 kept(int64 base, int64 n, const uint8 *keep) {
    uint32 bits = 0;
    for (int k = 0; k < ITEMS; k++)
        if (base + k < n && keep[base + k]) bits |= 1u << k;
    return bits;
}

KERNEL compact_count(int64 n, const uint8 *keep, int64 *sums) {
    const int64 base = int64(blockIdx.x) * TILE + threadIdx.x * ITEMS;
    int total;
    block_exclusive(__popc(kept(base, n, keep)), total);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

// list_kept writes the positions of a tile's kept elements to list, in order, and returns their number.
DEVICE int list_kept(int64 n, const uint8 *keep, uint32 *list) {
    const int64 base = int64(blockIdx.x) * TILE + threadIdx.x * ITEMS;
    const uint32 bits = kept(base, n, keep);
    int total;
    int rank = block_exclusive(__popc(bits), total);
    for (int k = 0; k < ITEMS; k++)
        if (bits >> k & 1) list[rank++] = threadIdx.x * ITEMS + k;
    __syncthreads();
    return total;
}

KERNEL compact_index(int64 n, const uint8 *keep, const int64 *sums, int32 *dst) {
    __shared__ uint32 list[TILE];
    const int total = list_kept(n, keep, list);
    for (int k = threadIdx.x; k < total; k += THREADS)
        dst[sums[blockIdx.x] + k] = int32(int64(blockIdx.x) * TILE + list[k]);
}

// The number of words of type W in an element is per.
template <typename W> DEVICE void compact_move(int64 n, const uint8 *keep, const int64 *sums, int64 per, const W *src, W *dst) {
    __shared__ uint32 list[TILE];
    const int total = list_kept(n, keep, list);
    const int64 from = int64(blockIdx.x) * TILE * per, to = sums[blockIdx.x] * per;
    const uint32 words = uint32(per);
    for (int64 k = threadIdx.x; k < total * per; k += THREADS) {
        const int64 element = k / words, part = k % words;
        dst[to + k] = src[from + list[element] * per + part];
    }
}

// ---- gather, scatter and packing of elements: the number of words of type W in an element is per

// Position says where word k of an array is: it is the word with index part of an element.
struct Position {
    int64 element, part;
    __device__ __forceinline__ Position(int64 k, int64 words, int64 per) {
        if (per == 1) {
            element = k, part = 0;
        } else if (words <= 0xffffffffll) {
            element = uint32(k) / uint32(per), part = uint32(k) % uint32(per);
        } else {
            element = k / per, part = k % per;
        }
    }
};

// Elements of dst begin pitch words apart.
template <typename W>
DEVICE void gather(int64 words, int64 per, int64 pitch, const W *src, const int32 *index, W *dst) {
    const int64 k = int64(blockIdx.x) * THREADS + threadIdx.x;
    if (k >= words) return;
    const Position p(k, words, per);
    dst[p.element * pitch + p.part] = src[int64(index[p.element]) * per + p.part];
}

// Elements of src begin pitch words apart.
template <typename W>
DEVICE void scatter(int64 words, int64 per, int64 pitch, const W *src, const int32 *index, W *dst) {
    const int64 k = int64(blockIdx.x) * THREADS + threadIdx.x;
    if (k >= words) return;
    const Position p(k, words, per);
    dst[int64(index[p.element]) * per + p.part] = src[p.element * pitch + p.part];
}

// Elements of src begin stride words apart; in dst they lie one after the other.
template <typename W> DEVICE void pack(int64 words, int64 per, int64 stride, const W *src, W *dst) {
    const int64 k = int64(blockIdx.x) * THREADS + threadIdx.x;
    if (k >= words) return;
    const Position p(k, words, per);
    dst[k] = src[p.element * stride + p.part];
}

#define MOVE(W, bytes) \
    KERNEL gather_##bytes(int64 words, int64 per, int64 pitch, const W *src, const int32 *index, W *dst) { \
        gather(words, per, pitch, src, index, dst); \
    } \
    KERNEL scatter_##bytes(int64 words, int64 per, int64 pitch, const W *src, const int32 *index, W *dst) { \
        scatter(words, per, pitch, src, index, dst); \
    } \
    KERNEL pack_##bytes(int64 words, int64 per, int64 stride, const W *src, W *dst) { \
        pack(words, per, stride, src, dst); \
    } \
    KERNEL compact_move_##bytes(int64 n, const uint8 *keep, const int64 *sums, int64 per, const W *src, W *dst) { \
        compact_move(n, keep, sums, per, src, dst); \
    }
MOVE(uint8, 1)
MOVE(unsigned short, 2)
MOVE(uint32, 4)
MOVE(uint64, 8)
MOVE(uint4, 16)

// ---- radix sort by 8 bits at a time: count the digits of each tile, scan the counts, move the keys and values

const int DIGITS = 256;
const int SORT_ITEMS = 16;
const int SORT_TILE = THREADS * SORT_ITEMS;
const int SORT_WARP = 32 * SORT_ITEMS;  // consecutive keys that one warp takes

// digit_of returns the digit of a key that starts at bit shift.
template <typename K> DEVICE int digit_of(K key, int64 shift) { return int(key >> shift & (DIGITS - 1)); }

// The counts are ordered by digit, then by tile, so that their scan is the first position of each tile's keys of a
// digit.
template <typename K> DEVICE void sort_count(int64 n, const K *keys, int64 shift, int64 tiles, int32 *counts) {
    __shared__ int32 count[DIGITS];
    count[threadIdx.x] = 0;
    __syncthreads();
    const int64 base = int64(blockIdx.x) * SORT_TILE;
    for (int k = threadIdx.x; k < SORT_TILE; k += THREADS)
        if (base + k < n) atomicAdd(&count[digit_of(keys[base + k], shift)], 1);
    __syncthreads();
    counts[threadIdx.x * tiles + blockIdx.x] = count[threadIdx.x];
}

// sort_move sorts a tile in shared memory first, so that consecutive threads write to consecutive addresses.
template <typename K> DEVICE void sort_move(int64 n, const K *keys, const uint32 *values, int64 shift, int64 tiles,
                                            const int32 *positions, K *sorted, uint32 *moved) {
    __shared__ int32 count[WARPS][DIGITS];
    __shared__ int32 offset[DIGITS];  // of a digit: position in the sorted array minus position in the tile
    __shared__ K tile[SORT_TILE];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int w = 0; w < WARPS; w++) count[w][threadIdx.x] = 0;
    __syncthreads();

    // Each warp counts its keys in order: the position of a key is the number of the warp's earlier keys of the same
    // digit.
    const int64 base = int64(blockIdx.x) * SORT_TILE;
    const int size = int(n - base < SORT_TILE ? n - base : SORT_TILE), first = warp * SORT_WARP + lane;
    K key[SORT_ITEMS];
    int32 position[SORT_ITEMS];
#pragma unroll
    for (int k = 0; k < SORT_ITEMS; k++)
        if (first + 32 * k < size) key[k] = keys[base + first + 32 * k];
#pragma unroll
    for (int k = 0; k < SORT_ITEMS; k++) {
        const bool mine = first + 32 * k < size;
        const uint32 active = __ballot_sync(ALL_LANES, mine);
        if (mine) {
            const int digit = digit_of(key[k], shift);
            const uint32 peers = __match_any_sync(active, digit);
            const int32 seen = count[warp][digit];
            __syncwarp(active);
            const int before = __popc(peers & ((1u << lane) - 1));
            if (before == 0) count[warp][digit] = seen + __popc(peers);
            position[k] = seen + before;
            __syncwarp(active);
        }
    }
    __syncthreads();

    // Thread d replaces the counts of digit d by the position in the tile of each warp's first key of that digit.
    int32 sum = 0, total;
    for (int w = 0; w < WARPS; w++) {
        const int32 here = count[w][threadIdx.x];
        count[w][threadIdx.x] = sum;
        sum += here;
    }
    const int32 start = block_exclusive(sum, total);
    for (int w = 0; w < WARPS; w++) count[w][threadIdx.x] += start;
    offset[threadIdx.x] = positions[threadIdx.x * tiles + blockIdx.x] - start;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < SORT_ITEMS; k++) {
        if (first + 32 * k < size) {
            position[k] += count[warp][digit_of(key[k], shift)];
            tile[position[k]] = key[k];
        }
    }
    __syncthreads();
    int32 to[SORT_ITEMS];
#pragma unroll
    for (int k = 0; k < SORT_ITEMS; k++) {
        const int i = threadIdx.x + k * THREADS;
        if (i < size) {
            to[k] = offset[digit_of(tile[i], shift)] + i;
            sorted[to[k]] = tile[i];
        }
    }
    __syncthreads();
    uint32 *carried = (uint32 *)tile;  // the values replace the keys in shared memory
#pragma unroll
    for (int k = 0; k < SORT_ITEMS; k++)
        if (first + 32 * k < size) carried[position[k]] = values[base + first + 32 * k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < SORT_ITEMS; k++) {
        const int i = threadIdx.x + k * THREADS;
        if (i < size) moved[to[k]] = carried[i];
    }
}

// ---- runs of equal keys

template <typename K> DEVICE void heads(int64 n, const K *keys, uint8 *head) {
    const int64 i = int64(blockIdx.x) * THREADS + threadIdx.x;
    if (i < n) head[i] = i == 0 || keys[i] != keys[i - 1];
}

#define KEYS(K, suffix) \
    KERNEL sort_count_##suffix(int64 n, const K *keys, int64 shift, int64 tiles, int32 *counts) { \
        sort_count(n, keys, shift, tiles, counts); \
    } \
    KERNEL sort_move_##suffix(int64 n, const K *keys, const uint32 *values, int64 shift, int64 tiles, \
                              const int32 *positions, K *sorted, uint32 *moved) { \
        sort_move(n, keys, values, shift, tiles, positions, sorted, moved); \
    } \
    KERNEL heads_##suffix(int64 n, const K *keys, uint8 *head) { heads(n, keys, head); }
KEYS(uint32, u32)
KEYS(uint64, u64)

// canonical_nan replaces every NaN by Go's math.NaN: the bits of a NaN that arithmetic produces differ between
// processors.
DEVICE float canonical_nan(float v) { return v != v ? __int_as_float(0x7fc00000) : v; }
DEVICE double canonical_nan(double v) { return v != v ? __longlong_as_double(0x7ff8000000000001ll) : v; }
DEVICE int32 canonical_nan(int32 v) { return v; }
DEVICE int64 canonical_nan(int64 v) { return v; }

// Signed integers wrap around in Go; in C++ their overflow is undefined.
template <typename T> DEVICE T add(T a, T b) { return a + b; }
template <> __device__ __forceinline__ int32 add(int32 a, int32 b) { return int32(uint32(a) + uint32(b)); }
template <> __device__ __forceinline__ int64 add(int64 a, int64 b) { return int64(uint64(a) + uint64(b)); }

enum Op { LEAST, GREATEST, SUM };

template <typename T> DEVICE T combine(Op op, T a, T b) {
    if (op == SUM) return add(a, b);
    if (is_nan(a) || is_nan(b)) return is_nan(a) ? a : b;
    return (op == LEAST) == (image(b) < image(a)) ? b : a;
}

// One thread reduces a run in order, so that rounded sums have the same bits on every device.
template <typename T> DEVICE void runs(Op op, int64 count, int64 n, const int32 *starts, const T *values, T *out) {
    const int64 r = int64(blockIdx.x) * THREADS + threadIdx.x;
    if (r >= count) return;
    const int64 end = r + 1 < count ? starts[r + 1] : n;
    T v = values[starts[r]];
    for (int64 i = starts[r] + 1; i < end; i++) v = combine(op, v, values[i]);
    out[r] = canonical_nan(v);
}

#define RUNS(T, suffix) \
    KERNEL runs_min_##suffix(int64 count, int64 n, const int32 *starts, const T *values, T *out) { \
        runs(LEAST, count, n, starts, values, out); \
    } \
    KERNEL runs_max_##suffix(int64 count, int64 n, const int32 *starts, const T *values, T *out) { \
        runs(GREATEST, count, n, starts, values, out); \
    } \
    KERNEL runs_sum_##suffix(int64 count, int64 n, const int32 *starts, const T *values, T *out) { \
        runs(SUM, count, n, starts, values, out); \
    }
RUNS(int32, i32)
RUNS(int64, i64)
RUNS(float, f32)
RUNS(double, f64)

// ---- small copies

// A kernel copies a few numbers from or to pinned memory of the host sooner than the GPU's copy engine, for which the
// stream waits.
KERNEL copy_words(int64 n, const uint64 *src, uint64 *dst) {
    const int64 i = int64(blockIdx.x) * THREADS + threadIdx.x;
    if (i < n) dst[i] = src[i];
}

// ---- the order of cells

KERNEL count_up(int64 n, int32 *dst) {
    const int64 i = int64(blockIdx.x) * THREADS + threadIdx.x;
    if (i < n) dst[i] = int32(i);
}

// starts[c] is the first index of sorted whose cell is c or more.
KERNEL cell_starts(int64 cells, int64 n, const uint32 *sorted, int32 *starts) {
    const int64 c = int64(blockIdx.x) * THREADS + threadIdx.x;
    if (c > cells) return;
    int64 lo = 0, hi = n;
    while (lo < hi) {
        const int64 mid = (lo + hi) / 2;
        if (sorted[mid] < uint32(c)) lo = mid + 1;
        else hi = mid;
    }
    starts[c] = int32(lo);
}
