package backendtest

import (
	"errors"
	"slices"
	"testing"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend/primitives"
)

func (s *suite) gather(t *testing.T, n int) {
	r := random(n)
	index := make([]int32, n)
	for i, p := range r.Perm(n) {
		index[i] = int32(p)
	}
	gatherAs(t, s, index, generate(n, func() uint8 { return uint8(r.Uint32()) }))
	gatherAs(t, s, index, generate(n, func() [3]uint8 { return [3]uint8{uint8(r.Uint32()), 1, uint8(r.Uint32())} }))
	gatherAs(t, s, index, generate(n, func() uint16 { return uint16(r.Uint32()) }))
	gatherAs(t, s, index, generate(n, r.Float32))
	gatherAs(t, s, index, generate(n, r.Float64))
	gatherAs(t, s, index, generate(n, func() [6]float32 { return [6]float32{r.Float32(), 2, 3, 4, 5, r.Float32()} }))
	gatherAs(t, s, index, generate(n, func() [6]float64 { return [6]float64{r.Float64(), 2, 3, 4, 5, r.Float64()} }))
	gatherAs(t, s, index, generate(n, func() record {
		return record{A: r.Float64(), B: [3]int32{1, 2, r.Int32()},
			C: r.Uint32()}
	}))
}

func gatherAs[T comparable](t *testing.T, s *suite, index []int32, x []T) {
	t.Helper()
	dst, src, deviceIndex := upload(t, s, make([]T, len(x))), upload(t, s, x), upload(t, s, index)
	if err := primitives.Gather(s.workspace, dst, src, deviceIndex); err != nil {
		t.Fatal(err)
	}
	want := make([]T, len(x))
	for i, p := range index {
		want[i] = x[p]
	}
	if !slices.Equal(download(t, s, dst), want) {
		t.Fatalf("gather of %T differs", x)
	}
	if err := primitives.Scatter(s.workspace, src, dst, deviceIndex); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(download(t, s, src), x) {
		t.Fatalf("scatter of %T after gather differs", x)
	}
	if len(x) > 1 { // addresses that are only aligned to an element
		if err := primitives.Gather(s.workspace, dst[1:], src, deviceIndex[1:]); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(download(t, s, dst)[1:], want[1:]) {
			t.Fatalf("gather of %T to the second element differs", x)
		}
	}
}

func (s *suite) compact(t *testing.T, n int) {
	r := random(n)
	for _, share := range []float64{0, 0.01, 0.5, 1} {
		keep := generate(n, func() uint8 {
			if r.Float64() < share {
				return uint8(1 + r.IntN(255))
			}
			return 0
		})
		compactAs(t, s, keep, generate(n, r.Float64))
		compactAs(t, s, keep, generate(n, r.Int32))
		compactAs(t, s, keep, generate(n, func() [3]uint8 { return [3]uint8{uint8(r.Uint32()), 1, uint8(r.Uint32())} }))
		compactAs(t, s, keep, generate(n, func() record { return record{A: r.Float64(), C: r.Uint32()} }))
	}
}

func compactAs[T comparable](t *testing.T, s *suite, keep []uint8, x []T) {
	t.Helper()
	dst := upload(t, s, make([]T, len(x)))
	n, err := primitives.Compact(s.workspace, dst, upload(t, s, x), upload(t, s, keep))
	must(t, n, err)
	var want []T
	for i, k := range keep {
		if k != 0 {
			want = append(want, x[i])
		}
	}
	if n != len(want) || !slices.Equal(download(t, s, dst)[:n], want) {
		t.Fatalf("compact of %T keeps %d of %d and differs from the %d expected", x, n, len(x), len(want))
	}
}

// pack packs two fields into a buffer and unpacks them: the packed elements arrive, and no others change.
func (s *suite) pack(t *testing.T, n int) {
	r := random(n)
	a, b := generate(n, func() record { return record{A: r.Float64(), C: 1} }),
		generate(n, func() [3]uint8 { return [3]uint8{uint8(r.Uint32()), 2, 3} })
	var index []int32
	for i := range n {
		if r.IntN(3) == 0 {
			index = append(index, int32(i))
		}
	}
	indices := upload(t, s, index)
	for _, pitch := range []int{24 + 3, 24 + 8} { // elements have 24 and 3 bytes
		s.packWith(t, a, b, index, indices, pitch)
	}
}

func (s *suite) packWith(t *testing.T, a []record, b [][3]uint8, index, indices []int32, pitch int) {
	n := len(a)
	buf := upload(t, s, make([]byte, len(index)*pitch+24))
	newA, newB := upload(t, s, make([]record, n)), upload(t, s, make([][3]uint8, n))
	w := s.workspace
	err := errors.Join(primitives.Pack(w, buf, pitch, BytesOf(upload(t, s, a)), 24, indices),
		primitives.Pack(w, buf[24:], pitch, BytesOf(upload(t, s, b)), 3, indices),
		primitives.Unpack(w, BytesOf(newB), 3, indices, buf[24:], pitch),
		primitives.Unpack(w, BytesOf(newA), 24, indices, buf, pitch))
	if err != nil {
		t.Fatal(err)
	}
	gotA, gotB := download(t, s, newA), download(t, s, newB)
	for i := range n {
		var wantA record
		var wantB [3]uint8
		if _, sent := slices.BinarySearch(index, int32(i)); sent {
			wantA, wantB = a[i], b[i]
		}
		if gotA[i] != wantA || gotB[i] != wantB {
			t.Fatalf("element %d arrives as %v and %v, want %v and %v", i, gotA[i], gotB[i], wantA, wantB)
		}
	}
}

// BytesOf returns the bytes of an array.
func BytesOf[T any](a []T) []byte {
	var v T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), len(a)*int(unsafe.Sizeof(v)))
}
