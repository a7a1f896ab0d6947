package verify

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
)

// Every check meets its bounds at the resolutions that a test can afford.
func TestShallowQuick(t *testing.T) {
	for _, name := range ShallowChecks() {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			report, err := Shallow(t.Context(), &out, Options{Quick: true, Only: []string{name}})
			if err != nil {
				t.Fatalf("%v\n%s", err, out.String())
			}
			if len(report.Checks) != 1 || report.Checks[0].Name != name || report.Checks[0].Bounds == 0 {
				t.Errorf("report %+v, want one check %q that looked at bounds", report, name)
			}
		})
	}
}

// A missed bound shows in the table, in the report and as an error, and the checks after it are made all the same.
func TestMissedBound(t *testing.T) {
	checks := []check{
		{"wrong", "misses one of two bounds", func(_ context.Context, p *page) error {
			table := p.table("numbers", "quantity", "theirs", "ours")
			table.row(near(1.02, 1, 0.01), "speed", 1.0, 1.02)
			table.row(near(1.005, 1, 0.01), "depth", 1.0, 1.005)
			table.flush()
			return nil
		}},
		{"right", "meets its bound", func(_ context.Context, p *page) error {
			table := p.table("numbers", "quantity", "ours")
			table.row(exactly(0, 0), "speed", 0.0)
			table.flush()
			return nil
		}},
	}
	var out bytes.Buffer
	report, err := makeChecks(t.Context(), &out, Options{}, checks)
	if err == nil || !strings.Contains(err.Error(), "wrong (1 of 2 bounds)") || strings.Contains(err.Error(), "right") {
		t.Errorf("error %v, want one that names check wrong alone", err)
	}
	if len(report.Checks) != 2 || len(report.Checks[0].Missed) != 1 || len(report.Checks[1].Missed) != 0 {
		t.Fatalf("report %+v", report)
	}
	if missed := report.Checks[0].Missed[0]; !strings.Contains(missed, "speed") || !strings.Contains(missed, "±1%") {
		t.Errorf("missed %q, want quantity and bound", missed)
	}
	want := "" +
		"numbers\n" +
		"  quantity  theirs   ours  bound  verdict\n" +
		"  --------  ------  -----  -----  -------\n" +
		"  speed          1   1.02    ±1%   FAILED\n" +
		"  depth          1  1.005    ±1%       ok\n"
	if !strings.Contains(out.String(), want) {
		t.Errorf("got\n%s\nwant in it\n%s", out.String(), want)
	}
}

// No bound is met by a number that is none.
func TestNaNMeetsNoBound(t *testing.T) {
	nan := 0.0
	nan /= nan
	for name, v := range map[string]verdict{
		"atMost": atMost(nan, 1), "atLeast": atLeast(nan, 1), "between": between(nan, 0, 1), "near": near(nan, 1, 1),
		"exactly": exactly(nan, nan),
	} {
		if v.ok {
			t.Errorf("%s accepts NaN", name)
		}
	}
}

func TestUnknownCheck(t *testing.T) {
	_, err := Shallow(t.Context(), io.Discard, Options{Only: []string{"lakes"}})
	if err == nil || !strings.Contains(err.Error(), `"lakes"`) || !strings.Contains(err.Error(), "stoker") {
		t.Errorf("error %v, want one that names the unknown check and those there are", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	progress := func(string, string) { cancel() }
	_, err := Shallow(ctx, io.Discard, Options{Quick: true, Only: []string{"ritter"}, Progress: progress})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWriteFails(t *testing.T) {
	_, err := Shallow(t.Context(), fullDisk{}, Options{Quick: true, Only: []string{"bandwidth"}})
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("error %v, want that of the writer", err)
	}
}

// With the upper layer absent the three schemes are one, which is why the checks of one layer run one of them.
func TestSchemesShareOneLayer(t *testing.T) {
	m, err := strip(-500, 500, 50, 2)
	if err != nil {
		t.Fatal(err)
	}
	p := &page{w: io.Discard, opts: Options{Threads: 1}}
	var hashes []string
	for _, scheme := range schemes {
		dry := flow{mesh: m, config: settings(scheme, 1), initial: func(x, _ float64) state { return state{h2: max(0, -x)} }}
		err := p.evolve(t.Context(), dry, 5, func(b *basin) error {
			hash, err := b.Hash(t.Context())
			hashes = append(hashes, hash)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if hashes[0] != hashes[1] || hashes[0] != hashes[2] {
		t.Errorf("states of %v differ: %v", schemes, hashes)
	}
}

// Twins compute each flow again and compare the bits. They see the difference when there is one.
func TestTwins(t *testing.T) {
	devices := []backend.Device{cpu.New(1), cpu.New(1), cpu.New(1)}
	for _, d := range devices {
		defer d.Close()
	}
	opts := Options{
		Threads: 1, Quick: true, Only: []string{"lake", "manufactured"},
		Twins: []Twin{{"one rank", devices[:1]}, {"two ranks", devices[1:]}},
	}
	var out strings.Builder
	report, err := Shallow(t.Context(), &out, opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Checks) != 2 || !strings.Contains(out.String(), "are the same in every bit on one rank and two ranks") {
		t.Errorf("the report does not tell of the twins:\n%s", out.String())
	}

	m, err := strip(-500, 500, 50, 2)
	if err != nil {
		t.Fatal(err)
	}
	p := &page{w: io.Discard, opts: opts}
	b, err := p.start(t.Context(), flow{mesh: m, config: settings("roe", 1),
		initial: func(x, _ float64) state { return state{h2: max(0, -x)} }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Solver.Step(t.Context(), 1); err != nil { // the flow alone
		t.Fatal(err)
	}
	b.close(t.Context())
	if len(p.missed) != 2 || p.twins != 0 {
		t.Errorf("%d twins of 2 were found to differ", len(p.missed))
	}
}
