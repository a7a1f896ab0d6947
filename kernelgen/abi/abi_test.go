package abi

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

type mesh struct {
	scale  float32
	cells  []int32
	levels [2][]float64
	n      int8
}

func TestParameters(t *testing.T) {
	m := &mesh{scale: 1.5, cells: []int32{1, 2, 3}, n: 7}
	m.levels[1] = []float64{9}
	x, count := []uint16{5, 6}, int32(-2)
	l := Launch{Symbol: "F", Args: []Arg{ConstantOf("m", m), ElementsOf("x", x), PointerTo("p", &count),
		ValueOf("n", &count), ElementsOf("none", []float64(nil))}}
	sizes := map[unsafe.Pointer]uintptr{}
	got, err := l.Parameters(func(host unsafe.Pointer, size uintptr) (uint64, error) {
		sizes[host] = size
		return 0xd000 + uint64(size), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	words := func(b []byte, at uintptr) (w [3]uint64) {
		for i := range w {
			w[i] = binary.LittleEndian.Uint64(b[at+uintptr(8*i):])
		}
		return w
	}
	for what, pair := range map[string][2][3]uint64{
		"slice in a struct":          {words(got[0], unsafe.Offsetof(m.cells)), {0xd00c, 3, 3}},
		"empty slice in an array":    {words(got[0], unsafe.Offsetof(m.levels)), {0, 0, 0}},
		"slice in an array":          {words(got[0], unsafe.Offsetof(m.levels)+24), {0xd008, 1, 1}},
		"slice of the parameters":    {words(got[1], 0), {0xd004, 2, 2}},
		"slice without any elements": {words(got[4], 0), {0, 0, 0}},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %x, want %x", what, pair[0], pair[1])
		}
	}
	if len(got[0]) != int(unsafe.Sizeof(*m)) || got[0][unsafe.Offsetof(m.n)] != 7 ||
		binary.LittleEndian.Uint64(got[2]) != 0xd004 || !slices.Equal(got[3], []byte{0xfe, 0xff, 0xff, 0xff}) {
		t.Errorf("parameters %x", got)
	}
	if len(sizes) != 4 || sizes[unsafe.Pointer(&m.cells[0])] != 12 {
		t.Errorf("device addresses were requested of %v, want 4 arrays", sizes)
	}
}

func TestParameterErrors(t *testing.T) {
	nowhere := func(unsafe.Pointer, uintptr) (uint64, error) { return 0, errors.New("not on the device") }
	for _, c := range []struct {
		arg  Arg
		want string
	}{
		{PointerTo[mesh]("clock", nil), "kernel F, argument clock (pointer): is nil"},
		{ConstantOf[mesh]("m", nil), "kernel F, argument m (constant): is nil"},
		{ElementsOf("w", []int{1}), "kernel F, argument w (slice): not on the device"},
		{ConstantOf("m", &mesh{cells: []int32{1}}), "argument m (constant): its cells: not on the device"},
	} {
		l := Launch{Symbol: "F", Args: []Arg{c.arg}}
		if _, err := l.Parameters(nowhere); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// TestRows proves that rows visit each element of a box once and in order if the range is split in two.
func TestRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b Box
		for d := range b.Lo {
			b.Lo[d] = rapid.IntRange(-3, 3).Draw(t, "lo")
			b.Hi[d] = b.Lo[d] + rapid.IntRange(0, 5).Draw(t, "n")
		}
		var want, got [][3]int
		for k := b.Lo[2]; k < b.Hi[2]; k++ {
			for j := b.Lo[1]; j < b.Hi[1]; j++ {
				for i := b.Lo[0]; i < b.Hi[0]; i++ {
					want = append(want, [3]int{i, j, k})
				}
			}
		}
		if b.Size() != len(want) {
			t.Fatalf("size %d, want %d", b.Size(), len(want))
		}
		cut := rapid.IntRange(0, len(want)).Draw(t, "cut")
		for _, part := range [][2]int{{0, cut}, {cut, len(want)}} {
			for lo := part[0]; lo < part[1]; {
				i, j, k, n := b.Row(lo, part[1])
				for x := range n {
					got = append(got, [3]int{i + x, j, k})
				}
				lo += n
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("visited %v, want %v", got, want)
		}
	})
}

// TestUncompiled proves that the error of a module without PTX is one line that names the package and says what to do.
func TestUncompiled(t *testing.T) {
	if err := CompiledPTX(Uncompiled("example.com/decay") + "\n"); err == nil ||
		!strings.HasPrefix(err.Error(), "no PTX of example.com/decay, ") ||
		!strings.HasSuffix(err.Error(), "then go generate example.com/decay") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	if err := CompiledPTX("// sha256 of options and source: 00\n.version 8.4\n"); err != nil {
		t.Errorf("compiled: %v", err)
	}
}
