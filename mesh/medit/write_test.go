package medit

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

func bytesOf(t testing.TB, m *mesh.Mesh, inBinary bool) []byte {
	t.Helper()
	w, err := newWriter(m, inBinary)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := w.write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// completeMesh is a mesh that a Medit file represents completely: names of groups are their tags, and groups are in
// the order in which elements refer to them.
func completeMesh() *mesh.Mesh {
	return &mesh.Mesh{
		X: []float64{0, 1, 1. / 3, 0}, Y: []float64{0, 0, 1, 1e-300},
		Cells: [][3]int32{{0, 1, 2}, {0, 2, 3}}, Tagged: []mesh.TaggedEdge{{A: 0, B: 1, Group: 0}, {A: 2, B: 3, Group: 1}},
		Groups:    []mesh.Group{{Dim: 1, Tag: 3, Name: "3"}, {Dim: 1, Tag: -8, Name: "-8"}, {Dim: 2, Tag: 5, Name: "5"}},
		CellGroup: []int32{-1, 2}, VertexData: map[string][]float64{"z": {0, 0, 2, 0}},
	}
}

func TestRoundTrip(t *testing.T) {
	for _, name := range []string{"a.mesh", "a.meshb"} {
		for _, flat := range []bool{false, true} {
			m := completeMesh()
			if flat {
				m.VertexData = nil
			}
			path := filepath.Join(t.TempDir(), name)
			if err := Write(path, m); err != nil {
				t.Fatal(err)
			}
			got, err := Read(path)
			if err != nil || !reflect.DeepEqual(got, m) {
				t.Errorf("%s: %v\ngot  %+v\nwant %+v", name, err, got, m)
			}
			if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
				t.Errorf("the folder has %v, error %v; want one file", entries, err)
			}
		}
	}
}

// Files of version 3, with offsets of 8 bytes as needed from 2 GiB on, are written and read.
func TestVersion3RoundTrip(t *testing.T) {
	w, err := newWriter(completeMesh(), true)
	if err != nil || w.long {
		t.Fatal(err, w.long)
	}
	w.long = true
	var b bytes.Buffer
	if err := w.write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := parse(b.Bytes())
	if err != nil || !reflect.DeepEqual(got, completeMesh()) {
		t.Errorf("%v\n%+v", err, got)
	}
}

// Version 3 is chosen exactly if the offset of the section End does not fit into 4 bytes. That offset is computed
// before anything is written, from all sections including those of marks.
func TestVersionByOffsets(t *testing.T) {
	marked, err := parse([]byte(markedText))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*mesh.Mesh{completeMesh(), marked} {
		w, err := newWriter(m, true)
		if err != nil {
			t.Fatal(err)
		}
		const end = 8 // bytes of the section End
		if want := len(bytesOf(t, m, true)) - end; endOffset(w.sections) != int64(want) {
			t.Errorf("offset %d of the section End, want %d", endOffset(w.sections), want)
		}
	}
	entries := func(n int) []section { return []section{{key: 13, count: n, size: 1}} }
	fit := math.MaxInt32 - int(endOffset(entries(0)))
	if needs8Bytes(entries(fit)) || !needs8Bytes(entries(fit+1)) {
		t.Errorf("%d bytes of entries want offsets of 4 bytes, and one more of 8", fit)
	}
}

// Binary files of all versions and both byte orders give the same mesh. The coordinates are exact in the single
// precision of version 1.
func TestReadsVersions(t *testing.T) {
	m := completeMesh()
	m.VertexData = nil
	m.X[2], m.Y[3] = .25, 2
	m.Marks = &mesh.Marks{Refs: []int32{9, 9, 9, 9}, Skipped: []string{"section 200 of the binary file"}}
	for version := uint32(1); version <= 4; version++ {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			got, err := parse(binaryMedit(m, version, order))
			if err != nil || !reflect.DeepEqual(got, m) {
				t.Errorf("version %d, %v: %v\ngot  %+v\nwant %+v", version, order, err, got, m)
			}
		}
	}
}

// binaryMedit returns a file of any version, with a section of an unknown number.
func binaryMedit(m *mesh.Mesh, version uint32, order binary.AppendByteOrder) []byte {
	b := order.AppendUint32(order.AppendUint32(nil, 1), version)
	whole := func(n int) {
		if version == 4 {
			b = order.AppendUint64(b, uint64(n))
		} else {
			b = order.AppendUint32(b, uint32(n))
		}
	}
	section := func(key uint32, body func()) {
		b = order.AppendUint32(b, key)
		offset := len(b)
		width := 4
		if version >= 3 {
			width = 8
		}
		b = append(b, make([]byte, width)...)
		body()
		next := order.AppendUint32(nil, uint32(len(b)))
		if width == 8 {
			next = order.AppendUint64(nil, uint64(len(b)))
		}
		copy(b[offset:], next)
	}
	section(3, func() { b = order.AppendUint32(b, 2) })
	section(200, func() { b = append(b, "what is this?"...) })
	section(4, func() {
		whole(len(m.X))
		for v := range m.X {
			for _, x := range []float64{m.X[v], m.Y[v]} {
				if version == 1 {
					b = append(b, mustEncode(order, float32(x))...)
				} else {
					b = append(b, mustEncode(order, x)...)
				}
			}
			whole(9)
		}
	})
	section(5, func() {
		whole(len(m.Tagged))
		for _, e := range m.Tagged {
			whole(int(e.A) + 1)
			whole(int(e.B) + 1)
			whole(m.Groups[e.Group].Tag)
		}
	})
	section(6, func() {
		whole(len(m.Cells))
		for c, v := range m.Cells {
			for k := range v {
				whole(int(v[k]) + 1)
			}
			if g := m.CellGroup[c]; g >= 0 {
				whole(m.Groups[g].Tag)
			} else {
				whole(0)
			}
		}
	})
	return order.AppendUint32(b, 54)
}

func mustEncode(order binary.AppendByteOrder, v any) []byte {
	var b bytes.Buffer
	byteOrder := binary.ByteOrder(binary.LittleEndian)
	if order == binary.AppendByteOrder(binary.BigEndian) {
		byteOrder = binary.BigEndian
	}
	if err := binary.Write(&b, byteOrder, v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func TestBinaryRefusals(t *testing.T) {
	whole := bytesOf(t, completeMesh(), true)
	for n := range len(whole) - 8 { // the section End is not needed
		if m, err := parse(whole[:n]); err == nil && len(m.Cells) > 0 && n < len(whole)-12 {
			t.Fatalf("truncated to %d of %d bytes: no error", n, len(whole))
		}
	}
	for _, c := range []struct {
		offset int
		value  uint32
		want   string
	}{
		{4, 5, "byte offset 4: version 5"},
		{16, 4, "dimension 4"},
		{12, 1 << 30, "section 3 gives the offset 1073741824"},
		{12, 3, "section 3 gives the offset 3"},
		{28, 1 << 29, "vertices are announced"},
		{20, 8, "4 tetrahedra; a mesh must be of triangles"},
	} {
		b := bytes.Clone(whole)
		binary.LittleEndian.PutUint32(b[c.offset:], c.value)
		if _, err := parse(b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d at byte %d: error %v, want %q", c.value, c.offset, err, c.want)
		}
	}
}

func TestWriteRefusals(t *testing.T) {
	m := completeMesh()
	m.Groups[0].Tag = 0
	if err := Write(filepath.Join(t.TempDir(), "a.mesh"), m); err == nil || !strings.Contains(err.Error(), "tag 0") {
		t.Error(err)
	}
}
