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
	Shape string // text of the body: see shape.Parse
	// Fractions is the method for volume fractions: quadrature, or divide (recursive division). The default is
	// quadrature, but divide for STL bodies combined with other shapes.
	Fractions string
	Levels    int    // of divide: how often a cell is divided at most, 0 to 12; by default 5, with STL 3
	Leaf      string // of divide: how the smallest parts are treated: cut by a plane (default), or by their centre
}

// maxDivisions bounds Levels: a cell is then divided into 4096 parts along each axis.
const maxDivisions = 12

// Decode reads a case of solver "vof".
func Decode(root *config.Section, c *config.Case) {
	w := &Sections{Grid: config.DecodeGrid(root.Sub("grid"))}
	w.Initial = decodeInitial(root.Sub("initial"), w.Grid.Dim)
	w.Exact = decodeExact(root, w.Grid.Dim, w.Initial)
	w.Velocity = flow.Decode(root.Sub("velocity"), w.Grid.Dim)
	w.Method = decodeMethod(root.Sub("method"), w.Grid.Dim)
	c.Sections = w
	c.DecodeTransient(root, w.Grid.Dim, config.Outputs{Fields: solvers.FieldNames(vof.Fields), Default: []string{"f"},
		Formats: []string{"vti", "vtp", "plic", "stl", "obj", "vdb"}})
}

func decodeInitial(s *config.Section, dim int) Initial {
	v := Initial{Shape: s.Text("shape", config.Required)}
	usual, levels := "quadrature", int64(5)
	if shape.HasSTL(v.Shape) {
		levels = 3
	}
	if shape.MixesSTL(v.Shape) {
		usual = "divide"
	}
	v.Fractions = s.Choice("fractions", usual, "quadrature", "divide")
	v.Levels = int(s.Integer("levels", levels, 0, maxDivisions))
	v.Leaf = s.Choice("leaf", "plane", "plane", "centre")
	if shape.MixesSTL(v.Shape) && v.Fractions == "quadrature" {
		s.Fail("fractions", "quadrature needs smooth bodies, or a single STL body; choose divide for an stl within "+
			"other shapes")
	}
	for _, key := range []string{"levels", "leaf"} {
		if s.Has(key) && v.Fractions == "quadrature" {
			s.Fail(key, `belongs to fractions = "divide"`)
		}
	}
	if v.Shape == "" && s.Has("shape") {
		if s.IsText("shape") {
			s.Fail("shape", "is empty; give a shape, or an expression that is negative in the fluid")
		}
	} else if v.Shape != "" && dim > 0 {
		if _, _, err := shape.Parse(v.Shape, dim, nil); err != nil {
			s.Fail("shape", "%v", err)
		}
	}
	s.Finish()
	return v
}

// decodeExact reads the section [exact]; its volume fractions are computed like the initial ones.
func decodeExact(root *config.Section, dim int, v Initial) *Initial {
	s := root.Sub("exact")
	if !root.Has("exact") {
		return nil
	}
	v.Shape = s.Text("shape", config.Required)
	if v.Shape != "" && dim > 0 {
		if _, _, err := shape.Parse(v.Shape, dim, nil); err != nil {
			s.Fail("shape", "%v", err)
		}
	}
	if v.Fractions == "quadrature" && shape.MixesSTL(v.Shape) {
		s.Fail("shape", `quadrature needs smooth bodies, or a single STL body; choose [initial] fractions = "divide"`)
	}
	s.Finish()
	return &v
}

func (w *Sections) Print(p *config.Printer) {
	w.Grid.Print(p)
	i := w.Initial
	p.Section("[initial]")
	p.Pair("shape", i.Shape)
	p.Pair("fractions", i.Fractions)
	if i.Fractions == "divide" {
		p.Pair("levels", i.Levels)
		p.Pair("leaf", i.Leaf)
	}
	if w.Exact != nil {
		p.Section("[exact]")
		p.Pair("shape", w.Exact.Shape)
	}
	w.Velocity.Print(p)
	m := w.Method
	p.Section("[method]")
	p.Pair("normal", m.Normal)
	p.Pair("advect", m.Advect)
	p.Pair("cfl", m.CFL)
	p.Pair("cfl_of", m.CFLOf)
	p.Pair("adaptive", m.Adaptive)
	p.Pair("exchange", m.Exchange)
	p.Pair("sweep", m.Sweep)
	p.Pair("precision", m.Precision)
}
