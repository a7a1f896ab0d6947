package adaptation

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/solvers"
)

// TestSameFileOnDevice: a device writes the file that processors write, for metrics that it evaluates itself and for
// those that processors evaluate for it, with a level, fields and a target.
func TestSameFileOnDevice(t *testing.T) {
	in := square(t, "in.vtu", 60)
	for _, flags := range [][]string{{"size", ".1"}, {"hessian", "tanh(20*(x - y))", "target", "200", "gradation", "1.5"},
		{"width", ".05 + .2*x", "height", ".1"}, {"size", ".15", "level", "hypot(x - .5, y - .5) - .3"}} {
		gpu := backendtest.NewFakeGPU(cpu.New(1), 1<<28)
		one, other := filepath.Join(t.TempDir(), "one.vtu"), filepath.Join(t.TempDir(), "other.vtu")
		if _, err := adapted(t, in, one, flags...); err != nil {
			t.Fatal(err)
		}
		if err := adaptedOnDevice(t, gpu, 1, in, other, flags...); err != nil {
			t.Fatal(err)
		}
		a, err := os.ReadFile(one)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(other); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%v: another file, or %v", flags, err)
		}
		if gpu.PeakUsed == 0 || gpu.Used != 0 {
			t.Errorf("%v: %d bytes were used, %d are not freed", flags, gpu.PeakUsed, gpu.Used)
		}
		gpu.Close()
	}
}

// adaptedOnDevice runs the command on ranks with a device.
func adaptedOnDevice(t *testing.T, gpu *backendtest.FakeGPU, ranks int, in, out string, flags ...string) error {
	t.Helper()
	_, err := local.Each(ranks, func(comm dist.Comm) (solvers.Report, error) {
		return adaptWith(t.Context(), solvers.Work{Comm: comm, Device: gpu}, in, out, flags...)
	})
	return err
}

// TestRefusedOnDevice: tetrahedra, and several ranks.
func TestRefusedOnDevice(t *testing.T) {
	gpu := backendtest.NewFakeGPU(cpu.New(1), 1<<28)
	defer gpu.Close()
	out := filepath.Join(t.TempDir(), "out.mesh")
	for _, c := range []struct {
		in, want string
		ranks    int
	}{{cube(t, 30), "tetrahedra", 1}, {square(t, "in.mesh", 30), "one rank", 2}} {
		err := adaptedOnDevice(t, gpu, c.ranks, c.in, out, "size", ".3")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
