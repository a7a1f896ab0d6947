package runtest

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// OutputChangesNothing tests that a case of a solver that advances in time ends with the same bits for any frequency of
// output, and that with exact_times each frame but the last is at a multiple of the interval every.
func OutputChangesNothing(t *testing.T, text string, every float64, sets ...string) {
	t.Helper()
	var want string
	for _, output := range [][]string{
		{"output.every=0"},
		{"output.every=" + number(every)},
		{"output.every=" + number(every/7), "output.conservation_every=1"},
		{"output.every=" + number(every), "gauge=[{name='a', at=[0.4, 0.4], every=" + number(every/3) + "}]"},
	} {
		dir := t.TempDir()
		s, err := Run(t, text, 2, 1, Local, dir, append(output, sets...)...)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = s.StateSHA256
		}
		if s.StateSHA256 != want {
			t.Errorf("%v: state %s, want %s", output, s.StateSHA256, want)
		}
	}
	dir := t.TempDir()
	exact := append(sets, "output.every="+number(every), "output.exact_times=true")
	if _, err := Run(t, text, 1, 1, Local, dir, exact...); err != nil {
		t.Fatal(err)
	}
	frames, err := vtk.ReadPVD(filepath.Join(dir, "case.pvd"))
	if err != nil || len(frames) < 4 {
		t.Fatalf("frames %v, %v", frames, err)
	}
	for k, f := range frames[:len(frames)-1] {
		if f.Time != float64(k)*every {
			t.Errorf("frame %d is at %v, want %v", k, f.Time, float64(k)*every)
		}
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
