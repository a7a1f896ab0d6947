// Package problem makes a run of the level set solver from a case: its sections, the initial body, the flow, and its
// output. It registers the kind "level-set".
package problem

import (
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

// Method is the section [method] of solver "level-set", see levelset.Config. Defaults follow the semicolons: they lose
// the least volume for their processor time in the published test flows, which atoll verify levelset holds them to.
type Method struct {
	Advect     string  // semi-lagrangian or weno; weno in the plane, semi-lagrangian in space
	Reinit     string  // sweep, weno or none; weno in the plane, sweep in space
	Iterations int     // pseudo-time steps in each reinitialisation by weno; 2 with advection by weno, otherwise 5
	Band       float64 // half-width in cells of the band in which φ is a distance; 7
	CFL        float64 // largest dt·|u|/h along any axis; 1, with weno 0.7 in the plane and 0.5 in space
	Particles  int     // of each sign in a cell; 12 in the plane, 64 in space; 0 for none
	Escape     float64 // a particle on the wrong side by more than this multiple of its radius corrects φ; 0
	Correct    string  // fused or sorted; fused
	Reseed     int     // steps between reseedings; 0 for none
	Sort       int     // steps between sortings of the particles by cell; 20, 0 for none
	Balance    string  // what blocks have an equal share of: cells, or particles for cells and particles together; cells
	Precision  string  // float32 or float64; float64
}

// Decode reads a case of solver "level-set".
func Decode(root *config.Section, c *config.Case) {
	w := &Sections{Grid: config.DecodeGrid(root.Sub("grid"))}
	w.Shape = decodeInitial(root.Sub("initial"), w.Grid.Dim)
	w.Velocity = flow.Decode(root.Sub("velocity"), w.Grid.Dim)
	w.Method = decodeMethod(root.Sub("method"), w.Grid.Dim)
	c.Sections = w
	c.DecodeTransient(root, w.Grid.Dim, config.Outputs{Fields: solvers.FieldNames(levelset.Fields),
		Default: []string{"phi"}, Formats: []string{"vti", "vtp", "stl", "obj", "particles", "vdb"}})
}

func decodeInitial(s *config.Section, dim int) string {
	text := s.Text("shape", config.Required)
	if text == "" && s.Has("shape") {
		if s.IsText("shape") {
			s.Fail("shape", "is empty; give a shape, or an expression that is negative inside")
		}
	} else if text != "" && dim > 0 {
		if _, _, err := shape.Parse(text, dim, nil); err != nil {
			s.Fail("shape", "%v", err)
		}
	}
	s.Finish()
	return text
}

func decodeMethod(s *config.Section, dim int) Method {
	advect, reinit, particles := "weno", "weno", int64(12)
	if dim == 3 {
		advect, reinit, particles = "semi-lagrangian", "sweep", 64
	}
	m := Method{
		Advect:    s.Choice("advect", advect, levelset.Advections...),
		Reinit:    s.Choice("reinit", reinit, levelset.Reinits...),
		Band:      s.Number("band", config.Bound{Most: 100, Fallback: 7, Optional: true}),
		Particles: int(s.Integer("particles", particles, 0, 4096)),
		Escape:    s.Number("escape", config.Bound{Most: 10, Optional: true}),
		Correct:   s.Choice("correct", "fused", levelset.Corrections...),
		Reseed:    int(s.Integer("reseed", 0, 0, 1<<31)),
		Sort:      int(s.Integer("sort", 20, 0, 1<<31)),
		Balance:   s.Choice("balance", "cells", "cells", "particles"),
		Precision: s.Choice("precision", "float64", "float32", "float64"),
	}
	fallback, iterations := 1.0, int64(5)
	most := levelset.MaxCFL(m.Advect, dim)
	if m.Advect == "weno" {
		fallback, iterations = most, 2
	}
	m.CFL = s.Number("cfl", config.Bound{Most: 4.9, AboveLeast: true, Fallback: fallback, Optional: true})
	m.Iterations = int(s.Integer("iterations", iterations, 1, 1000))
	if s.Has("iterations") && m.Reinit != "weno" {
		s.Fail("iterations", `applies only to reinit = "weno"`)
	}
	for _, key := range []string{"escape", "correct", "reseed", "sort", "balance"} {
		if s.Has(key) && m.Particles == 0 {
			s.Fail(key, "applies only to particles, and there are none")
		}
	}
	if m.CFL > most && m.CFL <= 4.9 {
		s.Fail("cfl", "%g is more than %g, the limit of advection by weno", m.CFL, most)
	}
	if m.Band < 4 {
		s.Fail("band", "%g cells are less than the minimum of 4", m.Band)
	}
	s.Finish()
	return m
}

// Config returns the configuration of the solver.
func (m Method) Config() levelset.Config {
	return levelset.Config{Advect: m.Advect, Reinit: m.Reinit, Iterations: m.Iterations, Band: m.Band, CFL: m.CFL,
		Particles: m.Particles, Escape: m.Escape, Correct: m.Correct, Reseed: m.Reseed, Sort: m.Sort}
}

func (w *Sections) Print(p *config.Printer) {
	w.Grid.Print(p)
	p.Section("[initial]")
	p.Pair("shape", w.Shape)
	w.Velocity.Print(p)
	m := w.Method
	p.Section("[method]")
	p.Pair("advect", m.Advect)
	p.Pair("cfl", m.CFL)
	p.Pair("reinit", m.Reinit)
	if m.Reinit == "weno" {
		p.Pair("iterations", m.Iterations)
	}
	p.Pair("band", m.Band)
	p.Pair("particles", m.Particles)
	if m.Particles > 0 {
		p.Pair("escape", m.Escape)
		p.Pair("correct", m.Correct)
		p.Pair("reseed", m.Reseed)
		p.Pair("sort", m.Sort)
		p.Pair("balance", m.Balance)
	}
	p.Pair("precision", m.Precision)
}
