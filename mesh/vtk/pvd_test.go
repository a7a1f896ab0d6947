package vtk

import (
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestCollectionIsValidAfterEachFrame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.pvd")
	c := NewCollection(path)
	var want []Frame
	for i, time := range []float64{0, 0.1, 1e-3 + 0.1, 1e300} {
		f := Frame{time, filepath.Join("a & b", string(rune('a'+i))+".pvtu")}
		if err := c.Append(f); err != nil {
			t.Fatal(err)
		}
		want = append(want, f)
		got, err := ReadPVD(path)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("after %d frames: %v, %v; want %v", i+1, got, err, want)
		}
	}
}

func TestRestartReplacesLaterFrames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.pvd")
	if c, err := OpenCollection(path); err != nil || len(c.frames) != 0 {
		t.Fatalf("a new collection: %v, error %v; want no frames", c, err)
	}
	if err := WritePVD(path, []Frame{{0, "a"}, {1, "b"}, {2, "c"}}); err != nil {
		t.Fatal(err)
	}
	c, err := OpenCollection(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Append(Frame{1, "b2"}); err != nil {
		t.Fatal(err)
	}
	got, err := ReadPVD(path)
	if want := []Frame{{0, "a"}, {1, "b2"}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

func TestFrameRefusals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.pvd")
	for _, frames := range [][]Frame{
		{{math.NaN(), "a"}}, {{math.Inf(1), "a"}}, {{0, ""}}, {{0, "a"}, {1, "a"}}, {{1, "a"}, {1, "b"}},
		{{1, "a"}, {0, "b"}},
	} {
		if err := WritePVD(path, frames); err == nil {
			t.Errorf("WritePVD accepts the frames %v, want an error", frames)
		}
	}
	for _, c := range []struct{ body, want string }{
		{`<Collection><DataSet timestep="0"/></Collection>`, "the attribute file is missing"},
		{`<Collection><DataSet timestep="x" file="a"/></Collection>`, `timestep="x" is not a finite number`},
		{`<Collection><DataSet timestep="NaN" file="a"/></Collection>`, `timestep="NaN" is not a finite number`},
		{`<Collection><DataSet timestep="1" file="a"/><DataSet timestep="1" file="b"/></Collection>`, "not after"},
		{`<Collection><Frame/></Collection>`, "must have only DataSet"},
		{`<Collection/><Collection/>`, "a second element Collection in VTKFile"},
	} {
		_, err := parseFrames([]byte(`<VTKFile type="Collection">` + c.body + `</VTKFile>`))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.body, err, c.want)
		}
	}
}
