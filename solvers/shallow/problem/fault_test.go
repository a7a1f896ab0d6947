package problem

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/okada"
)

// quake is a closed sea with a shelf and an island, whose bed two faults move within 20 s.
const quake = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-100e3, -100e3, 100e3, 100e3], cells = 450 }
physics = { order = 2, layers = 1 }
initial = { depth = "2000 - 2200*exp(-((x - 50e3)^2 + y^2)/1e9)", z = 0 }
forcing = { uplift = "x < 0 ? 0.1 : 0", uplift_start = 5, uplift_end = "25 s" }
time = { end = 300, max_steps = 25 }
output = { format = [], conservation_every = 5 }

[[fault]]
at = ["-10 km", 0]
depth = "12 km"
length = "60 km"
width = "30 km"
strike = "350 deg"
dip = "20 deg"
rake = 80
slip = 3
[[fault]]
at = [0, 40e3]
depth = 15e3
length = 30e3
width = 20e3
strike = 10
dip = 90
rake = 45
slip = "150 cm"
poisson = 0.3
`

// TestFaultsAddUp: the rise of the bed is the sum of that of both faults and of the field.
func TestFaultsAddUp(t *testing.T) {
	ctx, c := context.Background(), runtest.Parse(t, quake)
	m, err := mesh.Rectangle(-100e3, -100e3, 100e3, 100e3, 450, 7)
	if err != nil {
		t.Fatal(err)
	}
	d, err := decompose.New(m, decompose.Options{Ranks: 2, Order: partition.RCM, Method: partition.HilbertCut})
	if err != nil {
		t.Fatal(err)
	}
	sources := []*okada.Source{
		okada.New(&okada.Fault{X: -10e3, Depth: 12e3, Length: 60e3, Width: 30e3, Strike: 350, Dip: 20, Rake: 80, Slip: 3,
			Poisson: .25}),
		okada.New(&okada.Fault{Y: 40e3, Depth: 15e3, Length: 30e3, Width: 20e3, Strike: 10, Dip: 90, Rake: 45, Slip: 1.5,
			Poisson: .3}),
	}
	most := 0.
	err = d.Each(func(_ int, part *mesh.Part, _ *halo.Plan) error {
		cfg, in, err := setUp(ctx, c, part, &domain.Markers{})
		if err != nil {
			return err
		}
		if f := cfg.Forcing; f.UpliftFrom != 5 || f.UpliftTo != 25 {
			t.Errorf("the bed rises from %g to %g s", f.UpliftFrom, f.UpliftTo)
		}
		for i, rise := range in.Coefficients[coefficients.Uplift] {
			x, y := part.Centroid(i)
			want := 0.
			if x < 0 {
				want = .1
			}
			for _, s := range sources {
				_, _, up := s.At(x, y)
				want += up
			}
			if math.Abs(rise-want) > 1e-12 {
				t.Errorf("(%g, %g) rises by %g m, want %g", x, y, rise, want)
			}
			most = max(most, rise)
		}
		return nil
	})
	if err != nil || most < .5 {
		t.Errorf("the bed rises by %g m at most, %v", most, err)
	}
}

// TestFaultsReadBack: the effective case has all keys of faults, and a note tells the magnitude.
func TestFaultsReadBack(t *testing.T) {
	c := runtest.Parse(t, quake)
	if again := runtest.Parse(t, c.String()); again.Hash() != c.Hash() || strings.Count(c.String(), "[[fault]]") != 2 ||
		!strings.Contains(c.String(), "slip = 1.5\npoisson = 0.3") {
		t.Errorf("case\n%s\nreads back as\n%s", c, again)
	}
	// 30 GPa (60 km 30 km 3 m + 30 km 20 km 1.5 m) = 1.89e20 N m
	if notes := strings.Join(c.Notes(), "\n"); !strings.Contains(notes, "moment magnitude 7.5") {
		t.Errorf("notes: %s", notes)
	}
}

func TestRefusedFaults(t *testing.T) {
	for _, c := range [][3]string{
		{"depth = \"12 km\"", "depth = \"5 km\"", "[[fault]] depth: 5000 m puts the upper edge of the fault 130.3 m above " +
			"the ground: with this width and dip it is at least 5130.3021 m"},
		{"dip = \"20 deg\"", "dip = 100", "[[fault]] dip: 100 must be"},
		{"slip = 3", "", "[[fault]] slip: is required"},
		{"poisson = 0.3", "poisson = 0.6", "[[fault]] poisson: 0.6 must be"},
		{"rake = 45", "rake = 45\nopening = 1", "[[fault]] opening: no such key"},
		{"at = [0, 40e3]", "at = [0]", "[[fault]] at: "},
	} {
		text := strings.Replace(quake, c[0], c[1], 1)
		_, err := config.Parse("case.toml", []byte(text), nil, map[string]config.Decoder{"shallow-water": Decode})
		if err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: error %v, want %s", c[1], err, c[2])
		}
	}
}

// TestFaultsMoveTheSea: the bed moves as the same state on any number of ranks and after a restart, and no water is
// lost.
func TestFaultsMoveTheSea(t *testing.T) {
	for _, order := range []string{"1", "2"} {
		hash := ""
		for _, ranks := range []int{1, 3} {
			s, err := runtest.Run(t, quake, ranks, 1, runtest.Local, t.TempDir(), "physics.order="+order)
			if err != nil {
				t.Fatal(err)
			}
			if hash != "" && s.StateSHA256 != hash {
				t.Errorf("order %s: state %s on %d ranks, %s on one", order, s.StateSHA256, ranks, hash)
			}
			hash = s.StateSHA256
			if drift := s.Metrics["mass_drift"]; math.Abs(drift) > 1e-14 || s.Metrics["speed_max"] == 0 {
				t.Errorf("order %s: drift %g, speed %g", order, drift, s.Metrics["speed_max"])
			}
		}
	}
	runtest.Restarts(t, quake, []int{1, 6})
}
