package shallow

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// uplift makes what moves the bed of a mesh, by heights in m of all cells on the grid of levels, and moves it to where
// it is at the start.
func uplift[F num.Float](cfg Config, heights []float64, grid float64,
	m *kernels.Mesh[F]) (up kernels.Uplift[F], err error) {
	up.From, up.To = cfg.Forcing.UpliftFrom, cfg.Forcing.UpliftTo
	if heights == nil {
		return up, nil
	}
	if !(up.From <= up.To) {
		return up, fmt.Errorf("the bed is to rise from %g s to %g s", up.From, up.To)
	}
	if len(heights) != len(m.Beds) {
		return up, fmt.Errorf("the uplift has %d values for %d cells", len(heights), len(m.Beds))
	}
	up.Rises = make([]kernels.Rise[F], len(heights))
	for i := range up.Rises {
		up.Rises[i] = kernels.Rise[F]{Depth: m.Beds[i].Depth, Height: F(onGrid(heights[i], grid))}
	}
	for i := range m.Stencils {
		r, s := &up.Rises[i], &m.Stencils[i]
		r.Slope = s.Bed
		for k, near := range s.Near {
			if near >= 0 {
				more := up.Rises[near].Height - r.Height
				r.Tilt.X, r.Tilt.Y = r.Tilt.X+s.Weight[k].X*more, r.Tilt.Y+s.Weight[k].Y*more
			}
		}
	}
	lift(&up, 0, m.Beds, m.Stencils)
	return up, nil
}

func onGrid(z, grid float64) float64 { return math.RoundToEven(z/grid) * grid }

// lift moves the bed to where it is at a time, as MoveBed does.
func lift[F num.Float](up *kernels.Uplift[F], t float64, beds []kernels.Bed[F], stencils []kernels.Stencil[F]) {
	share := up.Share(t)
	for i := range up.Rises {
		beds[i].Depth = up.Rises[i].DepthAt(share)
		if i < len(stencils) {
			stencils[i].Bed = up.Rises[i].SlopeAt(share)
		}
	}
}

// move moves the bed in a step: at first order before it, at second between its stages.
func (s *solver[F]) move(l loops) {
	if n := len(s.up.Rises); n > 0 {
		s.dev.Run(l.move, 0, n)
	}
}

// relift moves the bed to where it is now, after the clock was set.
func (s *solver[F]) relift() error {
	if len(s.up.Rises) == 0 {
		return nil
	}
	rises, stencils := s.up, make([]kernels.Stencil[F], len(s.mesh.Stencils))
	rises.Rises = make([]kernels.Rise[F], len(s.up.Rises))
	if err := backend.Download(s.dev, rises.Rises, s.up.Rises); err != nil {
		return err
	}
	if err := backend.Download(s.dev, stencils, s.mesh.Stencils); err != nil {
		return err
	}
	lift(&rises, s.time[0].Time, s.beds, stencils)
	if err := backend.Upload(s.dev, s.mesh.Beds, s.beds); err != nil {
		return err
	}
	return backend.Upload(s.dev, s.mesh.Stencils, stencils)
}

// look makes what the host knows of the beds of some cells current, where these are the device's and move.
func (s *solver[F]) look(lo, hi int) error {
	if len(s.up.Rises) == 0 || !s.apart {
		return nil
	}
	return backend.Download(s.dev, s.beds[lo:hi], s.mesh.Beds[lo:hi])
}
