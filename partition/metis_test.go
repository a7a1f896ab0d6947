//go:build linux

package partition

import (
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/internal/needs"
)

// needMETIS skips a test where libmetis is not installed.
func needMETIS(t testing.TB) *metisLibrary {
	t.Helper()
	lib, err := openMETIS()
	if err != nil {
		needs.Missing(t, "%v", err)
	}
	return lib
}

func TestMETIS(t *testing.T) {
	lib := needMETIS(t)
	t.Logf("libmetis found; 64-bit ids: %v", lib.wide)
	g, x, y := lattice(40, 40, 1).dual(t)
	for _, n := range []int{1, 2, 7, 64} {
		partOf, err := Partition(METIS, g, nil, n, 0)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Partition(METIS, g, nil, n, 0)
		if err != nil || !slices.Equal(partOf, again) {
			t.Errorf("%d parts: the second call gives another partition, or fails: %v", n, err)
		}
		r, err := ReportParts(g, partOf, n)
		if err != nil {
			t.Fatal(err)
		}
		// METIS limits the imbalance to 3 %, but small parts may exceed that by one or two cells.
		if limit := 1.03 + 2*float64(n)/float64(g.N()); r.Imbalance() > limit {
			t.Errorf("%d parts: imbalance %v, want at most %v", n, r.Imbalance(), limit)
		}
		curve, err := Partition(HilbertCut, g, [][]float64{x, y}, n, 0)
		if err != nil {
			t.Fatal(err)
		}
		// In two parts, the halves of the square along the curve are optimal; with more parts METIS must cut fewer.
		byCurve, _ := ReportParts(g, curve, n)
		if r.EdgeCut > byCurve.EdgeCut*6/5 || n > 2 && r.EdgeCut >= byCurve.EdgeCut {
			t.Errorf("%d parts: METIS cuts %d edges, the Hilbert curve %d", n, r.EdgeCut, byCurve.EdgeCut)
		}
	}
}

func TestMETISDegenerate(t *testing.T) {
	needMETIS(t)
	_, err := Partition(METIS, grid(t, 2, 2), nil, 5, 0)
	if err == nil || !strings.Contains(err.Error(), "5 parts of 4") {
		t.Errorf("more parts than cells: error %v, want one with \"5 parts of 4\"", err)
	}
	for _, test := range []struct {
		name string
		g    Graph
		n    int
	}{
		{"no edges", fromEdges(t, 6, nil), 3},
		{"one edge and isolated vertices", fromEdges(t, 6, [][2]int32{{1, 4}}), 3},
		{"as many parts as cells", grid(t, 3, 3), 9},
		{"one cell", fromEdges(t, 1, nil), 1},
	} {
		partOf, err := Partition(METIS, test.g, nil, test.n, 0)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if _, err := Split(partOf, test.n); err != nil || len(partOf) != test.g.N() {
			t.Errorf("%s: parts %v of %d cells, error %v", test.name, partOf, test.g.N(), err)
		}
	}
}

// After a call of libmetis, SIGTERM and SIGABRT have the handler of the Go runtime, as SIGUSR1 has, and a SIGTERM is
// delivered to the program.
func TestMETISRestoresSignalHandlers(t *testing.T) {
	needMETIS(t)
	if _, err := Partition(METIS, grid(t, 20, 20), nil, 3, 0); err != nil {
		t.Fatal(err)
	}
	var want, got kernelSigaction
	sigaction(syscall.SIGUSR1, nil, &want)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGABRT} {
		if sigaction(sig, nil, &got); got != want {
			t.Errorf("%v is handled by %x, want %x", sig, got, want)
		}
	}
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, syscall.SIGTERM)
	defer signal.Stop(arrived)
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-arrived:
	case <-time.After(time.Hour):
		t.Error("SIGTERM did not arrive")
	}
}
