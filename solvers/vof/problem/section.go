// Package problem makes a run of the vof solver from a case: its sections, the initial body, the flow, and its
// output. It registers the kind "vof".
package problem

import (
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/vof"
)

// Sections are the sections of solver "vof": a body of fluid that is advected by a given velocity.
type Sections struct {
	Grid     config.Grid
	Initial  Initial
	Exact    *Initial // the exact solution at the end; nil for the initial body
	Velocity flow.Section
	Method   Method
}

// Initial is the section [initial] of solver "vof".
type Initial struct {
	Shape     string // text of the body: see shape.Parse
	Fractions string // method for volume fractions: quadrature, or divide (recursive division)
	Levels    int    // of divide: how often a cell is divided at most
	Leaf      string // of divide: how the smallest parts are treated: cut by a plane, or by their centre
}

// maxDivisions bounds Levels: a cell is then divided into 4096 parts along each axis.
const maxDivisions = 12

// Decode reads a case of solver "vof".
func Decode(root *config.Section, c *config.Case) {
	w := &Sections{Grid: config.DecodeGrid(root.Sub("grid"))}
	w.Initial.decode(root.Sub("initial"), w.Grid.Dim)
	w.Exact = decodeExact(root, w.Grid.Dim, w.Initial)
	w.Velocity = flow.Decode(root.Sub("velocity"), w.Grid.Dim)
	w.Method.decode(root.Sub("method"), w.Grid.Dim)
	c.Sections = w
	c.DecodeTransient(root, w.Grid.Dim, config.Outputs{Fields: solvers.FieldNames(vof.Fields), Default: []string{"f"},
		Formats: []string{"vti", "vtp", "plic", "stl", "obj", "vdb"}})
}

func (v *Initial) decode(s *config.Section, dim int) {
	v.keys(dim, s.Read)
	if shape.MixesSTL(v.Shape) && v.Fractions == "quadrature" {
		s.Fail("fractions", "quadrature needs smooth bodies, or a single STL body; choose divide for an stl within "+
			"other shapes")
	}
	s.Finish()
}

// keys declares the keys of the section.
func (v *Initial) keys(dim int, key func(*config.Spec)) {
	key(shape.Key(&v.Shape, dim, config.Required, "the fluid body, see below"))
	usual, levels := "quadrature", int64(5)
	if shape.HasSTL(v.Shape) {
		levels = 3
	}
	if shape.MixesSTL(v.Shape) {
		usual = "divide"
	}
	key(config.OneWord("fractions", &v.Fractions, usual, []string{"quadrature", "divide"}, "how the initial fractions "+
		"are computed. `quadrature`: accurate to 1e-11 of a cell for the named shapes below and their combinations, to "+
		"rounding for a single `stl`, and to 1e-9 for expressions, also for parts much thinner than a cell. `divide`: "+
		"recursive subdivision of cells").
		Otherwise("`quadrature`; for an `stl` within other shapes `divide`, the only choice"))
	const needs = `belongs to fractions = "divide"`
	divides := v.Fractions == "divide"
	key(config.Whole("levels", &v.Levels, levels, 0, maxDivisions, "of `divide`: number of subdivisions").
		When(divides, needs).Otherwise("5; with `stl` 3"))
	key(config.OneWord("leaf", &v.Leaf, "plane", []string{"plane", "centre"}, "of `divide`: the smallest parts are cut "+
		"by a `plane`, or are full or empty depending on their `centre`").When(divides, needs))
}

// decodeExact reads the section [exact]; its volume fractions are computed like the initial ones.
func decodeExact(root *config.Section, dim int, v Initial) *Initial {
	s := root.Sub("exact")
	if !root.Has("exact") {
		return nil
	}
	v.exactKeys(dim, s.Read)
	if v.Fractions == "quadrature" && shape.MixesSTL(v.Shape) {
		s.Fail("shape", `quadrature needs smooth bodies, or a single STL body; choose [initial] fractions = "divide"`)
	}
	s.Finish()
	return &v
}

func (v *Initial) exactKeys(dim int, key func(*config.Spec)) {
	key(shape.Key(&v.Shape, dim, config.Required, "the exact body at the end, as in `[initial]`"))
}

func (w *Sections) Print(p *config.Printer) {
	w.Grid.Print(p)
	p.Section("[initial]")
	w.Initial.keys(w.Grid.Dim, p.Print)
	if w.Exact != nil {
		p.Section("[exact]")
		w.Exact.exactKeys(w.Grid.Dim, p.Print)
	}
	w.Velocity.Print(p)
	p.Section("[method]")
	w.Method.keys(w.Grid.Dim, p.Print)
}
