package runtest

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/solvers"
)

// FaceFile writes the velocity (v, 0, 0) on the faces of a grid of n cells, in the plane if the last is 0, to a file in
// the format of numpy.savez. excess adds faces along x, for files of the wrong size.
func FaceFile(t testing.TB, path string, n [3]int, v float64, excess int) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(file)
	dim := 3
	if n[2] == 0 {
		dim, n[2] = 2, 1
	}
	for axis := range dim {
		w, err := archive.Create(string("uvw"[axis]) + ".npy")
		if err != nil {
			t.Fatal(err)
		}
		shape := n
		shape[axis]++
		shape[0] += excess
		extent := fmt.Sprintf("%d, %d, %d", shape[2], shape[1], shape[0])
		if dim == 2 {
			extent = fmt.Sprintf("%d, %d", shape[1], shape[0])
		}
		head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }", extent)
		head += strings.Repeat(" ", 117-len(head)) + "\n" // with the 10 bytes before it, 128 bytes
		data := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), 0)
		data = append(data, head...)
		for range shape[0] * shape[1] * shape[2] {
			value := 0.0
			if axis == 0 {
				value = v
			}
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(value))
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
}

// VelocitySeries tests a case with a series of velocity files: a grid of 12×10×8 cells, to t = 1, with u going from 0
// to 1 m/s and back to 0.5. The metrics at the end, except some, must be those of a constant velocity with the same
// factor in time, up to round-off. The state must be the same for any number of ranks.
func VelocitySeries(t *testing.T, text string, except ...string) {
	t.Helper()
	dir := t.TempDir()
	var files, times []string
	for n, v := range []float64{0, 1, .5} {
		path := filepath.Join(dir, fmt.Sprintf("%d.npz", n))
		FaceFile(t, path, [3]int{12, 10, 8}, v, 0)
		files, times = append(files, fmt.Sprintf("%q", path)), append(times, []string{"0", "0.5", "1"}[n])
	}
	series := fmt.Sprintf("velocity={faces=[%s], times=[%s]}", strings.Join(files, ","), strings.Join(times, ","))
	want, err := Run(t, text, 1, 1, Local, t.TempDir(), `velocity={u="1", v="0", w="0", factor="t < 0.5 ? 2*t : 1.5 - t"}`)
	if err != nil {
		t.Fatal(err)
	}
	hash := ""
	for _, ranks := range []int{1, 2} {
		got, err := Run(t, text, ranks, 1, Local, t.TempDir(), series)
		if err != nil {
			t.Fatal(err)
		}
		if hash == "" {
			hash = got.StateSHA256
		}
		if got.StateSHA256 != hash || got.Steps != want.Steps {
			t.Errorf("%d ranks: %d steps to state %.12s; want state %.12s and %d steps", ranks, got.Steps,
				got.StateSHA256, hash, want.Steps)
		}
		for name, expected := range want.Metrics {
			if v := got.Metrics[name]; !slices.Contains(except, name) && math.Abs(v-expected) > 1e-9*max(math.Abs(expected),
				1e-3) {
				t.Errorf("%d ranks: %s is %g, want %g as with a factor", ranks, name, v, expected)
			}
		}
	}
	for change, complaint := range map[string]string{
		"velocity.times=[0, 0.7, 0.5]": "0.5 follows 0.7",
		"velocity.times=[0, 1]":        "must be a list of 3 numbers",
	} {
		if _, err := solvers.Parse("case.toml", []byte(text), []string{series, change}); err == nil ||
			!strings.Contains(err.Error(), complaint) {
			t.Errorf("%s: error %v, want %q", change, err, complaint)
		}
	}
	if _, err := Run(t, text, 1, 1, Local, t.TempDir(), series, "time.end=1.5"); err == nil ||
		!strings.Contains(err.Error(), "0 to 1 do not cover the run") {
		t.Errorf("a series that is too short: error %v", err)
	}
}
