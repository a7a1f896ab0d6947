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

	"pgregory.net/rapid"
)

func someSolution() *rapid.Generator[*Solution] {
	return rapid.Custom(func(t *rapid.T) *Solution {
		s := &Solution{Dim: rapid.IntRange(2, 3).Draw(t, "dim"), Vertices: rapid.IntRange(0, 9).Draw(t, "vertices")}
		for range rapid.IntRange(1, 4).Draw(t, "fields") {
			f := SolutionField{Kind: SolutionKind(rapid.IntRange(1, 3).Draw(t, "kind"))}
			n := s.Vertices * f.Kind.Components(s.Dim)
			f.Values = rapid.SliceOfN(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64), n, n).Draw(t, "values")
			s.Fields = append(s.Fields, f)
		}
		return s
	})
}

// A solution has the same bits after writing and reading, in text and binary.
func TestSolutionRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s := someSolution().Draw(t, "solution")
		for _, name := range []string{"m.sol", "m.solb"} {
			path := filepath.Join(dir, name)
			if err := WriteSolution(path, s); err != nil {
				t.Fatal(err)
			}
			back, err := ReadSolution(path)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(back, s) {
				t.Fatalf("%s: got %+v, want %+v", name, back, s)
			}
		}
	})
}

// planarTensor has the layout of files of the remesher Mmg.
const planarTensor = `MeshVersionFormatted 2

Dimension
2

SolAtVertices
2
2 1 3
7 100 -1 25  # the second field is a tensor
8 1e2 0.5 4

End
`

func TestReadsSolution(t *testing.T) {
	s, err := parseSolution([]byte(planarTensor))
	want := &Solution{2, 2, []SolutionField{{Scalar, []float64{7, 8}}, {Symmetric, []float64{100, -1, 25, 100, .5, 4}}}}
	if err != nil || !reflect.DeepEqual(s, want) {
		t.Errorf("error %v, solution %+v, want %+v", err, s, want)
	}
}

// solutionFile returns a binary file of a version and byte order, with a section to be skipped before that of vertices.
func solutionFile(version int, order binary.AppendByteOrder) []byte {
	var b []byte
	word := func(n ...int) {
		for _, x := range n {
			b = order.AppendUint32(b, uint32(x))
		}
	}
	next := func(bytes int) { // offset of the next section, where the body of this one has the given size
		if version >= 3 {
			b = order.AppendUint64(b, uint64(len(b)+8+bytes))
		} else {
			word(len(b) + 4 + bytes)
		}
	}
	real := func(x float64) {
		if version == 1 {
			word(int(math.Float32bits(float32(x))))
		} else {
			b = order.AppendUint64(b, math.Float64bits(x))
		}
	}
	word(1, version, 3)
	next(4)
	word(3)
	word(41)
	next(8)
	word(5, 6)
	word(62)
	size := 8
	if version == 1 {
		size = 4
	}
	count := 4
	if version == 4 {
		count = 8
	}
	next(count + 8 + 6*size)
	if version == 4 {
		b = order.AppendUint64(b, 1)
	} else {
		word(1)
	}
	word(1, 3)
	for k := range 6 {
		real(float64(k) + .5)
	}
	word(54)
	next(0)
	return b
}

func TestReadsBinarySolutions(t *testing.T) {
	want := &Solution{3, 1, []SolutionField{{Symmetric, []float64{.5, 1.5, 2.5, 3.5, 4.5, 5.5}}}}
	for version := 1; version <= 4; version++ {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			s, err := parseSolution(solutionFile(version, order))
			if err != nil || !reflect.DeepEqual(s, want) {
				t.Errorf("version %d, %v: error %v, solution %+v", version, order, err, s)
			}
		}
	}
}

func TestReadSolutionRefusals(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"another format":  {"MeshVersionFormatted", "solid", `line 1: "solid" is not MeshVersionFormatted`},
		"dimension":       {"Dimension\n2", "Dimension\n4", "line 3: dimension 4; give 2 or 3"},
		"dimension twice": {"SolAt", "Dimension 2 SolAt", "line 6: dimension 2; give 2 or 3, once"},
		"no dimension":    {"Dimension\n2", "", "line 5: SolAtVertices before Dimension"},
		"section":         {"SolAtVertices", "SolAtTriangles", `line 6: section "SolAtTriangles"`},
		"second section":  {"End", "SolAtVertices", "line 12: a second SolAtVertices"},
		"kind":            {"2 1 3", "2 1 5", "line 6: field 2 is of kind 5"},
		"no fields":       {"2 1 3", "0", "line 6: 0 fields"},
		"many fields":     {"2 1 3", "65", "line 6: 65 fields"},
		"count":           {"\n2\n2 1 3", "\n3\n2 1 3", `line 12: "End" is not a number`},
		"huge count":      {"\n2\n2 1 3", "\n2000000000\n2 1 3", "line 8: 2000000000 vertices with values are announced"},
		"negative count":  {"\n2\n2 1 3", "\n-2\n2 1 3", "line 8: negative number of vertices with values: -2"},
		"not a number":    {"0.5", "x", `line 10: "x" is not a number`},
		"NaN":             {"0.5", "NaN", "line 10: vertex 2 has the value NaN in field 2"},
		"infinite":        {"0.5", "-inf", "line 10: vertex 2 has the value -Inf in field 2"},
		"no section": {planarTensor[strings.Index(planarTensor, "Sol"):], "End",
			"line 6: the file has no SolAtVertices"},
	} {
		if strings.Count(planarTensor, c.old) == 0 {
			t.Fatalf("%s: planarTensor does not have %q", name, c.old)
		}
		_, err := parseSolution([]byte(strings.Replace(planarTensor, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", name, err, c.want)
		}
	}
	good := solutionFile(2, binary.LittleEndian)
	for name, c := range map[string]struct {
		offset int
		word   int32
		want   string
	}{
		"version":                     {4, 5, "byte offset 4: version 5"},
		"next section before":         {12, 3, "byte offset 8: section 3 gives the offset 3"},
		"next section beyond the end": {12, 1 << 20, "byte offset 8: section 3 gives the offset 1048576"},
		"dimension":                   {16, 7, "byte offset 8: dimension 7"},
		"too short":                   {40, 60, "byte offset 36: section 62 extends"},
		"count":                       {44, 1000, "byte offset 56: 1000 vertices with values are announced"},
		"kind":                        {52, 9, "byte offset 36: field 1 is of kind 9"},
	} {
		bad := bytes.Clone(good)
		binary.LittleEndian.PutUint32(bad[c.offset:], uint32(c.word))
		if _, err := parseSolution(bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", name, err, c.want)
		}
	}
	for n := range len(good) - 8 {
		if _, err := parseSolution(good[:n]); err == nil {
			t.Errorf("truncated to %d bytes: no error", n)
		}
	}
}

func TestWriteSolutionRefusals(t *testing.T) {
	for want, s := range map[string]*Solution{
		"fields in 4 dimensions":      {4, 0, []SolutionField{{Scalar, nil}}},
		"of 0 fields":                 {2, 0, nil},
		"has 3 numbers for 2":         {2, 2, []SolutionField{{Scalar, make([]float64, 3)}}},
		"kind 7":                      {2, 0, []SolutionField{{7, nil}}},
		"vertex 2 has the value +Inf": {2, 2, []SolutionField{{Scalar, []float64{0, math.Inf(1)}}}},
	} {
		path := filepath.Join(t.TempDir(), "m.sol")
		if err := WriteSolution(path, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: the file exists, want none after an error", want)
		}
	}
}

func FuzzReadSolution(f *testing.F) {
	f.Add([]byte(planarTensor))
	for version := 1; version <= 4; version++ {
		f.Add(solutionFile(version, binary.LittleEndian))
		f.Add(solutionFile(version, binary.BigEndian))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseSolution(data)
		if err != nil {
			if e := err.Error(); s != nil || !strings.HasPrefix(e, "byte offset ") && !strings.HasPrefix(e, "line ") {
				t.Fatalf("solution %v, error %q", s, e)
			}
			return
		}
		for _, field := range s.Fields {
			if cap(field.Values) > len(data) {
				t.Fatalf("%d numbers from %d bytes", cap(field.Values), len(data))
			}
		}
		if err := s.check(); err != nil {
			t.Fatalf("the solution cannot be written: %v", err)
		}
	})
}
