// Package problem makes a run of the level set solver from a case: its sections, the initial body, the flow, and its
// output. It registers the kind "level-set".
package problem

import (
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/levelset"
)

// Sections are the sections of solver "level-set": an interface that is advected by a given velocity.
type Sections struct {
	Grid     config.Grid
	Shape    string // text of the initial body: see shape.Parse
	Velocity flow.Section
	Method   Method
}

// Method is the section [method] of solver "level-set", see levelset.Config. Defaults lose the least volume for their
// processor time in the published test flows, which atoll verify levelset holds them to.
type Method struct {
	Advect     string  // semi-lagrangian or weno
	Reinit     string  // sweep, weno or none
	Iterations int     // pseudo-time steps in each reinitialisation by weno
	Band       float64 // half-width in cells of the band in which φ is a distance
	CFL        float64 // largest dt·|u|/h along any axis
	Particles  int     // of each sign in a cell; 0 for none
	Escape     float64 // a particle on the wrong side by more than this multiple of its radius corrects φ
	Correct    string  // fused or sorted
	Reseed     int     // steps between reseedings; 0 for none
	Sort       int     // steps between sortings of the particles by cell; 0 for none
	Balance    string  // what blocks have an equal share of: cells, or particles for cells and particles together
	Rebalance  int     // steps between looks at the balance of ranks, whose blocks may then move; 0 for none
	Precision  string  // float32 or float64
}

// Decode reads a case of solver "level-set".
func Decode(root *config.Section, c *config.Case) {
	w := &Sections{Grid: config.DecodeGrid(root.Sub("grid"))}
	root.Fill("initial", w.initial)
	w.Velocity = flow.Decode(root.Sub("velocity"), w.Grid.Dim)
	w.Method.decode(root.Sub("method"), w.Grid.Dim)
	c.Sections = w
	c.DecodeTransient(root, w.Grid.Dim, config.Outputs{Fields: solvers.FieldNames(levelset.Fields),
		Default: []string{"phi"}, Formats: []string{"vti", "vtp", "stl", "obj", "particles", "vdb"}})
}

// initial declares the keys of the section [initial].
func (w *Sections) initial(key func(*config.Spec)) {
	key(shape.Key(&w.Shape, w.Grid.Dim, config.Required, "the body inside the interface, as for volume of fluid"))
}

func (m *Method) decode(s *config.Section, dim int) {
	m.keys(dim, s.Read)
	if most := levelset.MaxCFL(m.Advect, dim); m.CFL > most && m.CFL <= 4.9 {
		s.Fail("cfl", "%g is more than %g, the limit of advection by weno", m.CFL, most)
	}
	s.Finish()
}

// keys declares the keys of the section.
func (m *Method) keys(dim int, key func(*config.Spec)) {
	advect, reinit, particles := "weno", "weno", int64(12)
	if dim == 3 {
		advect, reinit, particles = "semi-lagrangian", "sweep", 64
	}
	key(config.OneWord("advect", &m.Advect, advect, levelset.Advections, "advection of the level set. `semi-lagrangian`: "+
		"backward trajectories of second order, with linear interpolation. `weno`: RK3 (Shu and Osher) with upwind "+
		"differences of fifth order").Otherwise("`weno` in two dimensions, `semi-lagrangian` in three"))
	cfl, iterations := 1.0, int64(5)
	if m.Advect == "weno" {
		cfl, iterations = levelset.MaxCFL(m.Advect, dim), 2
	}
	key(config.Real("cfl", "", &m.CFL, config.Bound{Most: 4.9, AboveLeast: true}.Or(cfl), "limit of dt·|u|/h along an "+
		"axis").
		Range("at most 4.9, with `weno` 0.7 in two dimensions and 0.5 in three").Otherwise("1, with `weno` its limit"))
	key(config.OneWord("reinit", &m.Reinit, reinit, levelset.Reinits, "reinitialisation of `phi` as a distance in each "+
		"step. `sweep`: sweeping of first order, with Jacobi iterations "+
		"([design](design.md#a-step-of-the-particle-level-set)). `weno`: iterations in pseudo-time by RK2 and WENO. `none`").
		Otherwise("`weno` in two dimensions, `sweep` in three"))
	key(config.Whole("iterations", &m.Iterations, iterations, 1, 1000, "number of iterations of `weno`, each of 0.6 "+
		"cells in two dimensions, 0.5 in three").
		When(m.Reinit == "weno", `applies only to reinit = "weno"`).Otherwise("5, with `advect = \"weno\"` 2"))
	key(config.Real("band", "", &m.Band, config.Bound{Least: 4, Most: 100}.Or(7), "half-width of the band in which "+
		"`phi` is a distance, in cells; beyond it `phi` is constant"))
	key(config.Whole("particles", &m.Particles, particles, 0, 4096, "particles of each sign per cell within 3 cells of "+
		"the interface; 0 for a level set alone").Otherwise("64 in three dimensions, 12 in two"))
	for _, k := range []*config.Spec{
		config.Real("escape", "", &m.Escape, config.Bound{Most: 10}.Or(0), "distance on the wrong side, in radii, beyond "+
			"which a particle corrects the level set; 1 in the papers"),
		config.OneWord("correct", &m.Correct, "fused", levelset.Corrections, "how corrections of a cell are combined. "+
			"`fused`: atomic minima and maxima. `sorted`: escaped particles are compacted, copied for each corner, sorted by "+
			"cell and reduced by cell, as in implementations with the library Thrust. The state is the same"),
		config.Whole("reseed", &m.Reseed, 0, 0, 1<<31, "steps between reseedings; 0 for none"),
		config.Whole("sort", &m.Sort, 20, 0, 1<<31, "steps between sortings of the particles by cell, which only affect the "+
			"speed; 0 for none"),
		config.OneWord("balance", &m.Balance, "particles", []string{"cells", "particles"}, "what is balanced between the "+
			"blocks of ranks: `cells`, or also `particles`"),
	} {
		key(k.When(m.Particles > 0, "applies only to particles, and there are none"))
	}
	key(config.Whole("rebalance", &m.Rebalance, int64(max(1, math.Round(cellsOfLook/m.CFL))), 0, 1<<31, "steps between "+
		"looks at the work of ranks, after which [blocks move](#a-step) if that is worth it, on processors; 0: "+
		"blocks stay as they are at the start").Otherwise("5/`cfl`").
		When(m.Balance != "cells", `blocks of equal numbers of cells, balance = "cells", do not move`))
	key(config.Precision(&m.Precision, "of the state"))
}

// cellsOfLook is how many cells the interface moves at most between looks at the work.
const cellsOfLook = 5

// Config returns the configuration of the solver.
func (m Method) Config() levelset.Config {
	return levelset.Config{Advect: m.Advect, Reinit: m.Reinit, Iterations: m.Iterations, Band: m.Band, CFL: m.CFL,
		Particles: m.Particles, Escape: m.Escape, Correct: m.Correct, Reseed: m.Reseed, Sort: m.Sort}
}

func (w *Sections) Print(p *config.Printer) {
	w.Grid.Print(p)
	p.Section("[initial]")
	w.initial(p.Print)
	w.Velocity.Print(p)
	p.Section("[method]")
	w.Method.keys(w.Grid.Dim, p.Print)
}
