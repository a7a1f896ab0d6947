package flow

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/grid"
)

// array is an .npy file of version 1.
func array(header string, numbers any) []byte {
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	for (len(header)+11)%64 != 0 {
		header += " "
	}
	header += "\n"
	binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	b.WriteString(header)
	binary.Write(&b, binary.LittleEndian, numbers)
	return b.Bytes()
}

func header(descr, order, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr, order, shape)
}

func archive(t testing.TB, files map[string][]byte) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(data)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// small has 2×3 cells.
var small = &grid.Grid{Dim: 2, N: [3]int{2, 3, 1}, Hi: [3]float64{1, 1, 0}}

func TestFacesOfAFile(t *testing.T) {
	u, v := make([]float64, 9), make([]float32, 8)
	for c := range u {
		u[c] = float64(c)
	}
	for c := range v {
		v[c] = float32(-c)
	}
	path := filepath.Join(t.TempDir(), "flow.npz")
	data := archive(t, map[string][]byte{"u.npy": array(header("<f8", "False", "3, 3"), u),
		"v.npy": array(header("<f4", "False", "4, 2"), v)})
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := FacesFile(small, path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		axis, i, j int
		want       float64
	}{{0, 0, 0, 0}, {0, 2, 0, 2}, {0, 1, 2, 7}, {1, 1, 0, -1}, {1, 0, 3, -6}, {0, -2, 1, 3}, {0, 9, 9, 8},
		{1, 5, -1, -1}} {
		if got := f.Face(c.axis, c.i, c.j, 0); got != c.want {
			t.Errorf("axis %d, face (%d, %d): %v, want %v", c.axis, c.i, c.j, got, c.want)
		}
	}
	if _, err := FacesFile(small, path+"x"); err == nil {
		t.Error("a missing file was accepted")
	}
	space := &grid.Grid{Dim: 3, N: [3]int{1, 1, 2}, Hi: [3]float64{1, 1, 1}, Periodic: [3]bool{false, false, true}}
	body := map[string][]byte{"u.npy": array(header("<f8", "False", "2, 1, 2"), make([]float64, 4)),
		"v.npy": array(header("<f8", "False", "2, 2, 1"), make([]float64, 4)),
		"w.npy": array(header("<f8", "False", "3, 1, 1"), []float64{1, 2, 1})}
	data = archive(t, body)
	if f, err = Faces(space, bytes.NewReader(data), int64(len(data))); err != nil || f.Face(2, 0, 0, 1) != 2 {
		t.Errorf("in space: error %v", err)
	}
	body["w.npy"] = array(header("<f8", "False", "3, 1, 1"), []float64{1, 2, 3})
	data = archive(t, body)
	if _, err = Faces(space, bytes.NewReader(data), int64(len(data))); err == nil ||
		!strings.Contains(err.Error(), "axis z is periodic") {
		t.Errorf("different velocities at a periodic boundary: error %v", err)
	}
}

func TestRefusedFaces(t *testing.T) {
	good := array(header("<f8", "False", "3, 3"), make([]float64, 9))
	nan := make([]float64, 9)
	nan[4] = math.NaN()
	version := bytes.Clone(good)
	version[6] = 9
	long := bytes.Clone(good)
	long[8], long[9] = 0xff, 0xff
	for want, u := range map[string][]byte{
		"grid needs (3, 3)":                 array(header("<f8", "False", "3, 2"), make([]float64, 9)),
		"array ends after 8 of 9":           good[:len(good)-8],
		"extra bytes after":                 append(bytes.Clone(good), 0),
		"Fortran order":                     array(header("<f8", "True", "3, 3"), make([]float64, 9)),
		"type \">f8\"":                      array(header(">f8", "False", "3, 3"), make([]float64, 9)),
		"face (1, 1, 0) is NaN":             array(header("<f8", "False", "3, 3"), nan),
		"lacks descr":                       array("{}", make([]float64, 9)),
		"magic string":                      []byte("hello, world"),
		"version 9":                         version,
		"the header has 65535 bytes":        long,
		"header: unexpected EOF":            good[:20],
		"write it with numpy.savez(file, u": nil,
	} {
		files := map[string][]byte{"v.npy": array(header("<f8", "False", "4, 2"), make([]float64, 8))}
		if u != nil {
			files["u.npy"] = u
		}
		data := archive(t, files)
		if _, err := Faces(small, bytes.NewReader(data), int64(len(data))); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
	if _, err := Faces(small, strings.NewReader("text"), 4); err == nil ||
		!strings.Contains(err.Error(), "not an archive") {
		t.Errorf("no archive: error %v", err)
	}
}

// FuzzFaces proves that arbitrary bytes neither make the reader panic nor yield another number of velocities than the
// grid has faces across the axis.
func FuzzFaces(f *testing.F) {
	f.Add(array(header("<f8", "False", "3, 3"), make([]float64, 9)))
	f.Add([]byte("\x93NUMPY\x02\x00\x04\x00\x00\x00{}  "))
	f.Fuzz(func(t *testing.T, data []byte) {
		u, err := facesAcross(small, 0, bytes.NewReader(data))
		if err == nil && len(u) != 9 {
			t.Errorf("%d velocities", len(u))
		}
	})
}
