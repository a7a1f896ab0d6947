package problem

import (
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// memory is what the arrays of a rank take, but for series in time. Of gauges in a file there are at least as many as
// files; all of them take 64 MiB at most, on a GPU alone.
func memory(c *config.Case, held solvers.Counts) int64 {
	w := c.Sections.(*Sections)
	p := &w.Physics
	cfg := shallow.Config{Order: p.Order, Keep: shallow.Keep{Maxima: w.Maxima.Keep}}
	f := &w.Forcing
	in := shallow.Inputs{Manning: p.Manning.Expr != "0", RainPattern: f.RainPattern != nil,
		Infiltration: f.Infiltration != nil, Evaporation: f.Evaporation != nil,
		Coriolis: f.Coriolis != nil || f.Latitude != nil, Pressure: f.Pressure != nil, Uplift: f.Uplift != nil}
	for _, g := range c.Gauges {
		in.Gauges += max(1, g.Points)
	}
	return cfg.Bytes(held.Owned, held.Held, p.Precision, in, held.Apart)
}

// What the host takes besides, in bytes of a cell, measured on meshes of 500,000 to 1,000,000 generated cells.
const (
	firstOfCell = 440 // of the whole mesh: while it is made, checked, cut and put in order
	hostOfCell  = 75  // of a rank's part: positions of its cells and vertices, and the plan of its exchange
)

// foresee counts the mesh, of a file by its headers.
func foresee(c *config.Case, ranks int, apart bool) (f solvers.Foreseen, err error) {
	m, err := domain.ForeseeMesh(c, &c.Sections.(*Sections).Mesh)
	if err != nil || m.Cells == 0 {
		return f, err
	}
	f.Entities, f.First = m.Cells, firstOfCell*m.Cells
	f.Held = solvers.Counts{Dim: 2, Apart: apart}
	f.Held.Owned, f.Held.Held = domain.Share(m.Cells, 2, ranks)
	f.Host = hostOfCell * int64(f.Held.Held)
	return f, nil
}
