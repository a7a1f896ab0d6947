package selafin

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/internal/meshtest"
)

// writer writes Fortran records.
type writer struct {
	bytes.Buffer
	order binary.ByteOrder
}

func (w *writer) record(values ...any) {
	var b bytes.Buffer
	for _, v := range values {
		if text, ok := v.(string); ok {
			v = []byte(text)
		}
		_ = binary.Write(&b, w.order, v)
	}
	_ = binary.Write(w, w.order, int32(b.Len()))
	w.Write(b.Bytes())
	_ = binary.Write(w, w.order, int32(b.Len()))
}

// square is a file of two triangles with two variables at two times.
func square(order binary.ByteOrder, double bool) []byte {
	w := &writer{order: order}
	format := "SERAFIN "
	if double {
		format = "SERAFIND"
	}
	real := func(values ...float64) any {
		if double {
			return values
		}
		narrow := make([]float32, len(values))
		for i, v := range values {
			narrow[i] = float32(v)
		}
		return narrow
	}
	w.record("a square" + strings.Repeat(" ", 64) + format)
	w.record([]int32{2, 0})
	w.record("BOTTOM          M               ")
	w.record("WATER DEPTH     M               ")
	w.record([]int32{1, 0, 500000, -100, 0, 0, 0, 4, 0, 1})
	w.record([]int32{2026, 1, 31, 12, 0, 0})
	w.record([]int32{2, 4, 3, 1})
	w.record([]int32{1, 2, 3, 1, 3, 4})
	w.record([]int32{1, 2, 3, 4})
	w.record(real(0, 2, 2, 0))
	w.record(real(0, 0, 1, 1))
	for t := range 2 {
		w.record(real(float64(t) * 60))
		w.record(real(-1, -2, -3, -4))
		w.record(real(0, 0, float64(t), 0.5))
	}
	return w.Bytes()
}

func TestRead(t *testing.T) {
	for _, order := range []binary.ByteOrder{binary.BigEndian, binary.LittleEndian} {
		for _, double := range []bool{false, true} {
			m, err := parse(square(order, double))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(m.X, []float64{500000, 500002, 500002, 500000}) ||
				!reflect.DeepEqual(m.Y, []float64{-100, -100, -99, -99}) ||
				!reflect.DeepEqual(m.Cells, [][3]int32{{0, 1, 2}, {0, 2, 3}}) || !reflect.DeepEqual(m.VertexData,
				map[string][]float64{"BOTTOM": {-1, -2, -3, -4}, "WATER DEPTH": {0, 0, 1, 0.5}}) {
				t.Errorf("%v, double %v: unexpected mesh %+v", order, double, m)
			}
		}
	}
}

// Truncated and invalid files are refused with an error that gives the reason and the byte offset.
func TestReadRefusals(t *testing.T) {
	whole := square(binary.BigEndian, false)
	changed := func(offset int, value int32) []byte {
		b := bytes.Clone(whole)
		binary.BigEndian.PutUint32(b[offset:], uint32(value))
		return b
	}
	const counts, names, parameters, size = 88, 104, 184, 264
	const corners, x = size + 24, size + 24 + 32 + 24
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"empty file", "byte offset 0: no title of 80 characters", nil},
		{"text file", "byte offset 0: no title of 80 characters", []byte("MeshVersionFormatted 2")},
		{"only the title", "byte offset 88: the file ends before the numbers of variables", whole[:88]},
		{"truncated title", "byte offset 0: the file ends within the title", whole[:60]},
		{"wrong record length", "byte offset 88: the record of the numbers of variables has 12 bytes, want 8",
			changed(counts, 12)},
		{"two record lengths", "byte offset 0: the record of the title has length 80 before and 81 after its data",
			changed(84, 81)},
		{"negative number of variables", "byte offset 88: -1 and 0 variables", changed(counts+4, -1)},
		{"repeated variable", `byte offset 144: a second variable "BOTTOM"`, bytes.Replace(whole, []byte("WATER DEPTH "),
			[]byte("BOTTOM      "), 1)},
		{"prisms", "byte offset 184: 5 planes: a mesh of prisms", changed(parameters+4+24, 5)},
		{"quadrangles", "byte offset 264: cells have 4 vertices; only triangles", changed(size+4+8, 4)},
		{"no triangles", "byte offset 264: 0 triangles and 4 vertices", changed(size+4, 0)},
		{"more triangles", "byte offset 288: the record of the vertices of triangles has 24 bytes, want 36",
			changed(size+4, 3)},
		{"vertex id out of range", "byte offset 288: triangle 1 refers to vertex 5; the file has vertices 1 to 4",
			changed(corners+4+8, 5)},
		{"NaN", "byte offset 344: x of vertex 2 is NaN", changed(x+4+4, 0x7fc00000)},
		{"truncated time", "the file ends within variable WATER DEPTH", whole[:len(whole)-6]},
	} {
		_, err := parse(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(square(binary.BigEndian, false))
	f.Add(square(binary.LittleEndian, true))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parse(data)
		meshtest.Fuzzed(t, data, m, err)
	})
}
