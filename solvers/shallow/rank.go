package shallow

import (
	"math"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// rank is a rank's part of a case and its arrays, which all that the solver consists of works on.
type rank[F num.Float] struct {
	*engine.Engine
	common
	arrays[F]
	dev      backend.Device
	cfg      Config
	scheme   kernels.Scheme
	separate bool // the memory of the device is not the host's
	tiled    bool // steps go by tiles
	clock    *engine.Limited[kernels.Clock[F]]
	queued   bool             // steps are queued, and devices know their lengths
	beds     []kernels.Bed[F] // the host's
}

// now is the next step.
func (s *rank[F]) now() cycleStep { return cycleStep(s.Clock().Steps % cycleLength) }

// current is the state after the last step.
func (s *rank[F]) current() []kernels.State[F] { return s.state[s.now().from()].Data }

// stateField returns a state of all cells of the part as a field.
func (s *rank[F]) stateField(w []kernels.State[F]) solvers.Field {
	return solvers.Field{Name: stateName, Doc: "thicknesses in m and mass flows in m²/s", Space: s.cells,
		Hashed: true, Saved: true, Carried: solvers.ByModel,
		Components: []string{"h1", "q1x", "q1y", "h2", "q2x", "q2y"}, NotNegative: []string{"h1", "h2"},
		View: func() solvers.View { return solvers.ViewOf[F](s.dev, w, 0) }}
}

// visibleField is stateField for messages: with one layer, it has the components of this layer only.
func (s *rank[F]) visibleField(w []kernels.State[F]) solvers.Field {
	f := s.stateField(w)
	if s.oneLayer {
		f.Components, f.NotNegative = []string{"h", "qx", "qy"}, []string{"h"}
		f.View = func() solvers.View {
			return solvers.ViewOf[F](s.dev, w, unsafe.Offsetof(kernels.State[F]{}.H2))
		}
	}
	return f
}

// ownedCells is the space of fields without ghosts.
func (s *rank[F]) ownedCells() *solvers.Space {
	return &solvers.Space{Name: "cell", Owned: s.part.Owned, Key: func(i int) int64 { return int64(s.part.Global[i]) }}
}

// quantity returns one of Fields in a cell with state c over a bed of the given depth in m. The velocity of a
// layer thinner than dry is 0.
func (s *rank[F]) quantity(name string, depth float64, c *kernels.State[F]) float64 {
	h1, h2 := float64(c.H1), float64(c.H2)
	flow := func(q F, h F) float64 {
		if h < s.params.DryDepth {
			return 0
		}
		return float64(q) / float64(h)
	}
	switch name {
	case "h1":
		return h1
	case "h2":
		return h2
	case "z1":
		return h1 + h2 - depth
	case "z2":
		return h2 - depth
	case "u1":
		return flow(c.Q1x, c.H1)
	case "v1":
		return flow(c.Q1y, c.H1)
	case "u2":
		return flow(c.Q2x, c.H2)
	case "v2":
		return flow(c.Q2y, c.H2)
	case "depth":
		return depth
	}
	return math.NaN()
}
