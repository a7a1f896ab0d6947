package verify

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/tsunami"
)

// TestShallowQuick runs every check at a resolution that takes seconds.
func TestShallowQuick(t *testing.T) {
	for _, name := range suite.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			report, err := suite.Run(t.Context(), &out, verify.Options{Quick: true, Threads: 1, Only: []string{name}})
			if err != nil {
				t.Fatalf("%v\n%s", err, out.String())
			}
			if len(report.Checks) != 1 || report.Checks[0].Name != name || report.Checks[0].Bounds == 0 {
				t.Errorf("report %+v, want one check %q that compared values with bounds", report, name)
			}
		})
	}
}

// TestTsunamiQuick runs the tsunami benchmarks on coarse meshes, and draws their pictures.
func TestTsunamiQuick(t *testing.T) {
	pictures := map[string][]string{"bp1": {"bp1"}, "bp4": {"bp4-gentle", "bp4-breaking"}, "bp7": {"bp7"},
		"bp6": {"bp6-c", "bp6-c-run-up"}}
	for _, name := range tsunami.Suite.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			dir := t.TempDir()
			_, err := tsunami.Suite.Run(t.Context(), &out, verify.Options{Quick: true, Threads: 1, Only: []string{name},
				Pictures: dir})
			if err != nil {
				t.Fatalf("%v\n%s", err, out.String())
			}
			for _, picture := range pictures[name] {
				if info, err := os.Stat(filepath.Join(dir, picture+".png")); err != nil || info.Size() < 1000 {
					t.Errorf("picture %s: %v", picture, err)
				}
			}
		})
	}
}

func TestUnknownCheck(t *testing.T) {
	_, err := suite.Run(t.Context(), io.Discard, verify.Options{Only: []string{"lakes"}})
	if err == nil || !strings.Contains(err.Error(), `"lakes"`) || !strings.Contains(err.Error(), "stoker") {
		t.Errorf("error %v, want one that names the unknown check and those there are", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	progress := func(string, string) { cancel() }
	_, err := suite.Run(ctx, io.Discard, verify.Options{Quick: true, Only: []string{"ritter"}, Progress: progress})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWriteFails(t *testing.T) {
	_, err := suite.Run(t.Context(), fullDisk{}, verify.Options{Quick: true, Only: []string{"bandwidth"}})
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("error %v, want that of the writer", err)
	}
}

// TestSchemesShareOneLayer proves that the three schemes give the same bits if the upper layer is absent, which is
// why checks of one layer run one of them.
func TestSchemesShareOneLayer(t *testing.T) {
	m, err := basin.Strip(-500, 500, 50, 2)
	if err != nil {
		t.Fatal(err)
	}
	var hashes []string
	one := verify.Suite{Checks: []verify.Check{{Name: "one layer", Run: func(ctx context.Context, p *verify.Page) error {
		for _, scheme := range basin.Schemes {
			dry := basin.Flow{Mesh: m, Config: basin.Settings(scheme, 1), Initial: func(x,
				_ float64) basin.State {
				return basin.State{H2: max(0, -x)}
			}}
			err := basin.Evolve(ctx, p, dry, 5, func(b *basin.Basin) error {
				hash, err := b.Hash(ctx)
				hashes = append(hashes, hash)
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	}}}}
	if _, err := one.Run(t.Context(), io.Discard, verify.Options{Threads: 1}); err != nil {
		t.Fatal(err)
	}
	if hashes[0] != hashes[1] || hashes[0] != hashes[2] {
		t.Errorf("states of %v differ: %v", basin.Schemes, hashes)
	}
}

// TestTwins proves that twins repeat each flow and detect a difference.
func TestTwins(t *testing.T) {
	devices := []backend.Device{cpu.New(1), cpu.New(1), cpu.New(1)}
	for _, d := range devices {
		defer d.Close()
	}
	opts := verify.Options{
		Threads: 1, Quick: true, Only: []string{"lake", "manufactured", "floods"},
		Twins: []verify.Twin{{Name: "one rank", Devices: devices[:1]}, {Name: "two ranks", Devices: devices[1:]}},
	}
	var out strings.Builder
	report, err := suite.Run(t.Context(), &out, opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Checks) != 3 || !strings.Contains(out.String(), "states have the same bits on one rank and two ranks") {
		t.Errorf("no line about the twins in the report:\n%s", out.String())
	}

	m, err := basin.Strip(-500, 500, 50, 2)
	if err != nil {
		t.Fatal(err)
	}
	off := verify.Suite{Checks: []verify.Check{{Name: "off", Run: func(ctx context.Context, p *verify.Page) error {
		b, err := basin.Start(ctx, p, basin.Flow{Mesh: m, Config: basin.Settings("roe", 1),
			Initial: func(x, _ float64) basin.State { return basin.State{H2: max(0, -x)} }})
		if err != nil {
			return err
		}
		if _, err := b.Solver.Step(ctx, 1); err != nil { // not its twins, which should then differ
			return err
		}
		b.Close(ctx)
		return nil
	}}}}
	opts.Only = nil
	if report, err = off.Run(t.Context(), io.Discard, opts); err == nil || len(report.Checks[0].Missed) != 2 {
		t.Errorf("%v: of 2 twins not all were found to differ: %+v", err, report)
	}
}
