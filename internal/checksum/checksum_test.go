package checksum

import (
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"
)

// random returns n bytes.
func random(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// TestJoin compares checksums of joined bytes with those of package crc32, also for lengths whose bytes would not fit
// into memory: zeros after zeros.
func TestJoin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		a, b := random(rng, rng.IntN(300)), random(rng, rng.IntN(300))
		want := crc32.Checksum(slices.Concat(a, b), castagnoli())
		if got := Join(Update(0, a), Update(0, b), int64(len(b))); got != want {
			t.Fatalf("%d and %d bytes: got %#x, want %#x", len(a), len(b), got, want)
		}
	}
	zeros := Update(0, make([]byte, 1<<10))
	for n := int64(1 << 10); n < 1<<50; n *= 2 { // (a a) a, then a (a a)
		twice := Join(zeros, zeros, n)
		if left, right := Join(twice, zeros, n), Join(zeros, twice, 2*n); left != right {
			t.Fatalf("%d bytes: got %#x and %#x", n, left, right)
		}
		zeros = twice
	}
}

// TestWritersInAnyOrder writes a file in parts, in any order and by several recorders as ranks do, some parts twice,
// and compares the sum of the joined parts with that of the file.
func TestWritersInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		file := make([]byte, 1+rng.IntN(500))
		cuts := []int{0, len(file)}
		for range rng.IntN(10) {
			cuts = append(cuts, rng.IntN(len(file)))
		}
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		order := rng.Perm(len(cuts) - 1)
		order = append(order, order[:rng.IntN(len(order))]...) // these are replaced
		ranks := make([]Recorder, 3)
		for _, k := range order {
			lo, hi := cuts[k], cuts[k+1]
			copy(file[lo:], random(rng, hi-lo))
			ranks[k%3].Put(int64(lo), file[lo:hi])
		}
		var messages []byte
		for k := range ranks {
			messages = append(messages, ranks[k].Parts().Joined(-1).Encode(len(cuts))...)
		}
		from := cuts[rng.IntN(len(cuts)-1)]
		all := Decode(messages)
		crc, end, known := all.Sum(0)
		if want := Update(0, file); !known || crc != want || end != int64(len(file)) {
			t.Fatalf("%v: got %#x of %d bytes, %v; want %#x of %d", all, crc, end, known, want, len(file))
		}
		var single Recorder
		for k := range len(cuts) - 1 {
			single.Put(int64(cuts[k]), file[cuts[k]:cuts[k+1]])
		}
		crc, _, known = single.Parts().Sum(int64(from))
		if want := Update(0, file[from:]); !known || crc != want {
			t.Fatalf("from %d of %v: got %#x, %v; want %#x", from, cuts, crc, known, want)
		}
	}
}

// TestUnknownParts checks that no sum is given of bytes that nobody wrote, or that two writes of different ranges have
// written.
func TestUnknownParts(t *testing.T) {
	b := make([]byte, 100)
	for name, f := range map[string]func(r *Recorder){
		"nothing":          func(*Recorder) {},
		"gap":              func(r *Recorder) { r.Put(0, b[:4]); r.Put(5, b[:4]) },
		"no beginning":     func(r *Recorder) { r.Put(1, b) },
		"overlap":          func(r *Recorder) { r.Put(0, b[:10]); r.Put(8, b[:10]) },
		"inside":           func(r *Recorder) { r.Put(0, b[:10]); r.Put(2, b[:2]) },
		"around":           func(r *Recorder) { r.Put(0, b[:5]); r.Put(5, b[:5]); r.Put(0, b[:10]) },
		"twice inside":     func(r *Recorder) { r.Put(0, b[:10]); r.Put(2, b[:2]); r.Put(2, b[:2]) },
		"over two":         func(r *Recorder) { r.Put(0, b[:4]); r.Put(4, b[:4]); r.Put(2, b[:4]) },
		"patched sequence": func(r *Recorder) { r.Follow(0, b[:4]); r.Follow(4, b[:4]); r.Put(0, b[:4]) },
		"longer":           func(r *Recorder) { r.Follow(0, b); r.Truncate(101) },
		"shorter":          func(r *Recorder) { r.Follow(0, b); r.Truncate(99) },
		"too many parts": func(r *Recorder) {
			var sent Recorder
			sent.Put(0, b[:1])
			sent.Put(2, b[:1])
			r.Add(Decode(sent.Parts().Joined(-1).Encode(1)))
		},
	} {
		var r Recorder
		f(&r)
		if crc, end, known := r.Parts().Sum(0); known {
			t.Errorf("%s: got %#x of %d bytes, want none", name, crc, end)
		}
	}
	var r Recorder
	r.Follow(0, b[:4])
	r.Follow(4, b[4:])
	r.Put(0, nil)
	r.Truncate(100)
	if crc, end, known := r.Parts().Sum(0); !known || end != 100 || crc != Update(0, b) || len(r.Parts()) != 1 {
		t.Errorf("a sequence: got %#x of %d bytes, %v, in %v", crc, end, known, r.Parts())
	}
	(*Recorder)(nil).Put(0, b)
	(*Recorder)(nil).Follow(0, b)
	(*Recorder)(nil).Truncate(0)
}
