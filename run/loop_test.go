package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/summary"
)

// sweeper is a solver without time. It takes as many sweeps as it may, and has no more to do after some.
type sweeper struct {
	size  extent
	rests int // the sweep after which it is done; 0 for none
	swept int
	calls []string
	fails error
}

func (s *sweeper) extent() extent { return s.size }

func (s *sweeper) advance(_ context.Context, until float64, steps int) (bool, error) {
	n := min(steps, int(until)-s.swept)
	if s.rests > 0 {
		n = min(n, s.rests-s.swept)
	}
	s.swept += n
	s.calls = append(s.calls, fmt.Sprint(n))
	return s.swept == s.rests, s.fails
}

func (s *sweeper) clock() (float64, int, float64) { return float64(s.swept), s.swept, 1 }

func (s *sweeper) report(context.Context) (report, error) {
	q := float64(s.swept) / 2
	return report{[]column{{"quality", q}, {"moved", 3}}, map[string]float64{"quality": q}, map[string]float64{"area": 0}},
		nil
}

func (s *sweeper) frame(_ context.Context, format string) (piece, error) {
	s.calls = append(s.calls, format)
	return textPiece(fmt.Sprint(s.swept)), nil
}

func (s *sweeper) hash(context.Context) (string, error) { return "abc", nil }
func (s *sweeper) phases() map[string]float64           { return map[string]float64{} }
func (s *sweeper) close()                               { s.calls = append(s.calls, "close") }

// textPiece is a frame of any format.
type textPiece string

func (p textPiece) write(path string) error { return os.WriteFile(path, []byte(p), 0o666) }
func (p textPiece) join(path string, pieces []string) error {
	return os.WriteFile(path, []byte(strings.Join(pieces, " ")), 0o666)
}

// drive runs a driver through all of Run.
func drive(t *testing.T, d driver, o config.Output, gauges ...config.Gauge) (*summary.Summary, error) {
	t.Helper()
	const name = "test"
	drivers[name] = func(context.Context, Options) (driver, error) { return d, nil }
	defer delete(drivers, name)
	c := parse(t, wet)
	c.Solver, c.Output, c.Gauges = name, o, gauges
	dev := cpu.New(1)
	defer dev.Close()
	return Run(context.Background(), Options{Case: c, Comm: local.New(1)[0], Device: dev})
}

func TestSweeps(t *testing.T) {
	for name, test := range map[string]struct {
		size   extent
		rests  int
		every  float64
		ledger int
		calls  string // advances by their steps, frames by their formats
		table  []int  // sweeps of the rows
		frames []string
	}{
		"to the end": {extent{end: 10}, 0, 0, 100, "vti vtp 10 vti vtp close", []int{0, 10}, []string{"0", "10"}},
		"with frames": {extent{end: 10}, 0, 4, 100, "vti vtp 4 vti vtp 4 vti vtp 2 vti vtp close", []int{0, 10},
			[]string{"0", "4", "8", "10"}},
		"with rows": {extent{end: 10}, 0, 0, 3, "vti vtp 3 3 3 1 vti vtp close", []int{0, 3, 6, 9, 10},
			[]string{"0", "10"}},
		"with both": {extent{end: 10}, 0, 4, 3, "vti vtp 3 1 vti vtp 2 2 vti vtp 1 1 vti vtp close",
			[]int{0, 3, 6, 9, 10}, []string{"0", "4", "8", "10"}},
		"to a limit": {extent{end: 10, maxSteps: 7}, 0, 4, 100, "vti vtp 4 vti vtp 3 vti vtp close", []int{0, 7},
			[]string{"0", "4", "7"}},
		"to rest": {extent{end: 10}, 5, 4, 100, "vti vtp 4 vti vtp 1 vti vtp close", []int{0, 5},
			[]string{"0", "4", "5"}},
		"rest and frame": {extent{end: 10}, 4, 4, 2, "vti vtp 2 2 vti vtp close", []int{0, 2, 4}, []string{"0", "4"}},
		"nothing to do":  {extent{end: 0}, 0, 4, 2, "vti vtp close", []int{0}, []string{"0"}},
	} {
		test.size.sweeps, test.size.cells, test.size.precision = true, 9, "float32"
		d := &sweeper{size: test.size, rests: test.rests}
		dir := t.TempDir()
		s, err := drive(t, d, config.Output{Dir: dir, Every: test.every, ConservationEvery: test.ledger,
			Format: []string{"vti", "vtp"}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := strings.Join(d.calls, " "); got != test.calls {
			t.Errorf("%s: calls %s\nwant %s", name, got, test.calls)
		}
		if s.Steps != int64(d.swept) || s.Time != 0 || s.Cells != 9 || s.Precision != "float32" || s.StateSHA256 != "abc" ||
			s.Metrics["quality"] != float64(d.swept)/2 || len(s.Conservation) != 1 {
			t.Errorf("%s: summary %+v", name, s)
		}
		want := "step,t,dt,quality,moved\n"
		for _, n := range test.table {
			want += fmt.Sprintf("%d,%d,%d,%g,3\n", n, n, min(n, 1), float64(n)/2)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "conservation.csv")); string(got) != want {
			t.Errorf("%s: %s, %v\nwant %s", name, got, err, want)
		}
		for i, state := range test.frames {
			for file, want := range map[string]string{
				fmt.Sprintf("case_%06d_r0000.vti", i): state, fmt.Sprintf("case_%06d_r0000.vtp", i): state,
				fmt.Sprintf("case_%06d.pvti", i): fmt.Sprintf("case_%06d_r0000.vti", i),
			} {
				if got, err := os.ReadFile(filepath.Join(dir, "frames", file)); string(got) != want {
					t.Errorf("%s: %s holds %q, %v, want %q", name, file, got, err, want)
				}
			}
		}
		found, err := filepath.Glob(filepath.Join(dir, "*.pvd"))
		if want := []string{filepath.Join(dir, "case.pvd"), filepath.Join(dir, "case_vtp.pvd")}; !reflect.DeepEqual(found,
			want) {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}

func TestErrorsOfSweeps(t *testing.T) {
	d := &sweeper{size: extent{end: 10, sweeps: true}, fails: errors.New("an inverted cell")}
	_, err := drive(t, d, config.Output{Dir: t.TempDir(), ConservationEvery: 3})
	if err == nil || err.Error() != "after 3 sweeps: an inverted cell" || d.calls[len(d.calls)-1] != "close" {
		t.Errorf("%v, calls %v", err, d.calls)
	}
	d = &sweeper{size: extent{end: 10, sweeps: true}}
	_, err = drive(t, d, config.Output{Dir: t.TempDir()}, config.Gauge{Name: "g"})
	var bad *BadInput
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), "no gauges") || len(d.calls) != 1 {
		t.Errorf("%v, calls %v", err, d.calls)
	}
}
