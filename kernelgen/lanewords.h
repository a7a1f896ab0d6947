
// Structs in memory. Each lane loads and stores its struct in pieces of up to four words, and the pieces are transposed
// between lanes in registers. This takes a third of the instructions of loading word by word.

// Words has N words for each lane: at[k] is word k of all lanes.
template <typename W, int N> struct Words { Vector<W> at[N]; };

template <typename T, T... I> struct Sequence {};
template <typename X, int... I> INLINE auto chosen(X a, X b, auto which, Sequence<int, I...>) {
    return __builtin_shufflevector(a, b, which(I)...);
}
// chosen returns a vector of N elements: element i is element which(i) of a followed by b.
template <int N, typename X> INLINE auto chosen(X a, X b, auto which) {
    return chosen(a, b, which, __make_integer_seq<Sequence, int, N>{});
}

// A Piece has WORDS words of one lane. joined concatenates the pieces of COUNT lanes, every STEP-th one.
template <typename W, int WORDS> using Piece = W __attribute__((vector_size(sizeof(W) * WORDS)));
template <typename W, int WORDS, int COUNT, int STEP, typename P> INLINE auto joined(const P &place, int first, int64 offset) {
    if constexpr (COUNT == 1) {
        Piece<W, WORDS> one;
        __builtin_memcpy(&one, place.lane(first, offset), sizeof one);
        return one;
    } else {
        const auto a = joined<W, WORDS, COUNT / 2, STEP>(place, first, offset);
        const auto b = joined<W, WORDS, COUNT / 2, STEP>(place, first + COUNT / 2 * STEP, offset);
        return chosen<COUNT * WORDS>(a, b, [](int i) constexpr { return i; });
    }
}

// mixed shuffles two vectors within groups of SIZE elements: element i of a group of the result is element at[i] of the
// group of a, or element at[i] - SIZE of the group of b.
template <int SIZE, int... AT> INLINE auto mixed(auto a, auto b) {
    return chosen<LANES>(a, b, [](int i) constexpr {
        const int at[] = {AT...};
        const int k = at[i % SIZE];
        return i / SIZE * SIZE + k % SIZE + (k < SIZE ? 0 : LANES);
    });
}

// crossed transposes square matrices, whose rows are the groups of 2 or 4 elements of as many vectors.
template <typename W> INLINE void crossed(Vector<W> (&z)[2]) {
    const auto a = mixed<2, 0, 2>(z[0], z[1]), b = mixed<2, 1, 3>(z[0], z[1]);
    z[0] = a, z[1] = b;
}
template <typename W> INLINE void crossed(Vector<W> (&z)[4]) {
    const auto a = mixed<4, 0, 4, 2, 6>(z[0], z[1]), b = mixed<4, 1, 5, 3, 7>(z[0], z[1]);
    const auto c = mixed<4, 0, 4, 2, 6>(z[2], z[3]), d = mixed<4, 1, 5, 3, 7>(z[2], z[3]);
    z[0] = mixed<4, 0, 1, 4, 5>(a, c), z[1] = mixed<4, 0, 1, 4, 5>(b, d);
    z[2] = mixed<4, 2, 3, 6, 7>(a, c), z[3] = mixed<4, 2, 3, 6, 7>(b, d);
}

// read_piece loads SIZE words of each lane, write_piece stores them.
template <int SIZE, typename W, typename P> INLINE void read_piece(Vector<W> *to, const P &place, int64 offset) {
    Vector<W> z[SIZE];
    for (int r = 0; r < SIZE; r++) z[r] = joined<W, SIZE, LANES / SIZE, SIZE>(place, r, offset);
    crossed<W>(z);
    for (int r = 0; r < SIZE; r++) to[r] = z[r];
}
template <int SIZE, typename W, typename P> INLINE void write_piece(const Vector<W> *from, const P &place, int64 offset) {
    Vector<W> z[SIZE];
    for (int r = 0; r < SIZE; r++) z[r] = from[r];
    crossed<W>(z);
    for (int r = 0; r < SIZE; r++)
        for (int g = 0; g < LANES / SIZE; g++)
            __builtin_memcpy(place.lane(r + g * SIZE, offset), (const char *)&z[r] + g * SIZE * sizeof(W), SIZE * sizeof(W));
}

// pieces calls f<SIZE>(k) for pieces that cover N words. The last one may overlap the one before.
template <int N> INLINE void pieces(auto f) {
    for (int k = 0; k + 4 <= N; k += 4) f.template operator()<4>(k);
    if constexpr (N % 4 == 3 && N > 4) f.template operator()<4>(N - 4);
    else if constexpr (N % 4 == 3) f.template operator()<2>(0);
    if constexpr (N % 4 != 0 && (N % 4 != 3 || N < 4)) f.template operator()<2>(N - 2);
}
template <typename W, int N, typename P> INLINE Words<W, N> words(const P &place, int64 offset) {
    Words<W, N> all;
    if constexpr (N == 1) {
        for (int l = 0; l < LANES; l++) all.at[0][l] = *(const W *)place.lane(l, offset);
    } else {
        pieces<N>([&]<int SIZE>(int k) INLINED { read_piece<SIZE, W>(all.at + k, place, offset + k * sizeof(W)); });
    }
    return all;
}
template <typename W, int N, typename P> INLINE void keep_words(All, const Words<W, N> &all, const P &place, int64 offset) {
    if constexpr (N == 1) {
        for (int l = 0; l < LANES; l++) *(W *)place.lane(l, offset) = all.at[0][l];
    } else {
        pieces<N>([&]<int SIZE>(int k) INLINED { write_piece<SIZE, W>(all.at + k, place, offset + k * sizeof(W)); });
    }
}
template <typename W, int N, typename P> INLINE void keep_words(Mask m, const Words<W, N> &all, const P &place, int64 offset) {
    const uint32 which = bits(m);
    if (which == (1ull << LANES) - 1) return keep_words(All{}, all, place, offset);
    W each[LANES][N];
    keep_words(All{}, all, Stride<N * sizeof(W)>{(char *)each}, 0);
    for (int l = 0; l < LANES; l++)
        if (which >> l & 1) __builtin_memcpy(place.lane(l, offset), each[l], sizeof each[l]);
}

// part returns the number, struct or array at an offset of the words, in bytes; keep_part stores it.
template <typename T> struct Kept {};
template <typename T, typename W, int N> requires number<T> INLINE V<T> part(Kept<T>, const Words<W, N> &all, int64 offset) {
    const auto word = (Vector<Integer<W>>)all.at[offset / sizeof(W)];
    if constexpr (sizeof(T) == sizeof(W)) return V<T>::of(word);
    else return V<T>::of((Vector<T>)__builtin_convertvector(word >> offset % sizeof(W) * 8, Vector<Integer<T>>));
}
template <typename W, int N> INLINE Mask part(Kept<bool>, const Words<W, N> &all, int64 offset) {
    return part(Kept<uint8>{}, all, offset) != uint8(0);
}
template <typename T, int64 K, typename W, int N> INLINE Array<Lanes<T>, K> part(Kept<Array<T, K>>, const Words<W, N> &all, int64 offset) {
    Array<Lanes<T>, K> to;
    for (int64 k = 0; k < K; k++) to.at[k] = part(Kept<T>{}, all, offset + k * sizeof(T));
    return to;
}
template <typename T, typename W, int N> requires number<T> INLINE void keep_part(Kept<T>, Words<W, N> &all, int64 offset, const V<T> &x) {
    static_assert(sizeof(T) == sizeof(W));
    all.at[offset / sizeof(W)] = (Vector<W>)x.v;
}
template <typename T, int64 K, typename W, int N> INLINE void keep_part(Kept<Array<T, K>>, Words<W, N> &all, int64 offset, const Array<Lanes<T>, K> &x) {
    for (int64 k = 0; k < K; k++) keep_part(Kept<T>{}, all, offset + k * sizeof(T), x.at[k]);
}

// fetch returns a pointer to a copy of an element for each lane. No kernel writes to the element at the same time.
template <typename T> struct Fetched {
    Lanes<T> all;
    MEMBER const Lanes<T> *operator->() const { return &all; }
    MEMBER const Lanes<T> &operator*() const { return all; }
};
template <typename M, typename T, typename I> requires(!laned<I>) INLINE const T *fetch(M, const Slice<T> &x, I i) { return x.data + i; }
template <typename M, typename T, typename I> requires laned<I> INLINE Fetched<T> fetch(M m, const Slice<T> &x, const I &i) {
    return {value(at(m, x, i))};
}
