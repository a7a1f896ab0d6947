// Package problem makes a run of the two-phase solver from a case: its sections, the initial bodies and velocity, and
// its output. It registers the kind "two-phase".
package problem

import (
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/twophase"
	"github.com/atoll-hpc/atoll/solvers/twophase/drops"
)

// Sections are the sections of solver "two-phase".
type Sections struct {
	Grid    config.Grid
	Fluids  Fluids
	Initial Initial
	Sides   [3][2]Side        // of periodic axes unused
	Solids  []string          // texts of bodies that fluid does not enter: see shape.Parse
	Pieces  [2]*drops.Options // [drops] and [bubbles]; nil for none
	Method  Method
}

// Fluids are the properties of the first fluid, which is in the initial shape, and of the second. If the file has one
// number, both have it.
type Fluids struct {
	Density   [2]float64 // in kg/m³
	Viscosity [2]float64 // dynamic, in Pa·s
	Tension   float64    // surface tension in N/m; 0
	Gravity   [3]float64 // in m/s²; 0
}

// Initial is the section [initial].
type Initial struct {
	Shape    string          // text of the body of the first fluid: see shape.Parse; empty for the second fluid everywhere
	Velocity [3]config.Field // u, v, w over x, y, z; 0
	Body     []config.Field  // the same at faces of cells with any of the first fluid; nil if the case does not give it
}

// Method is the section [method]. Defaults follow the semicolons.
type Method struct {
	CFL              float64 // largest dt·Σ|u|/h of a cell; 0.4
	Tolerance        float64 // of |∇·u| dt; 1e-6, or less for large ratios of the densities
	ViscousTolerance float64 // of the change of velocity by viscosity, relative to the largest velocity; 1e-5
	MaxStep          float64 // longest step in s; 0 for no limit
	Normal           string  // of planes: mixed, elvira or lvira; mixed
	Precision        string  // float32 or float64; float64
}

// sideKeys are the keys of the sides, by axis.
var sideKeys = [3][2]string{{"x_low", "x_high"}, {"y_low", "y_high"}, {"z_low", "z_high"}}

var velocityKeys, bodyKeys = [3]string{"u", "v", "w"}, [3]string{"body_u", "body_v", "body_w"}

// Decode reads a case of solver "two-phase".
func Decode(root *config.Section, c *config.Case) {
	w := &Sections{Grid: config.DecodeGrid(root.Sub("grid"))}
	dim := w.Grid.Dim
	w.Fluids = decodeFluids(root.Sub("fluids"), dim)
	w.Initial = decodeInitial(root.Sub("initial"), dim)
	w.Sides = decodeSides(root.Sub("sides"), w.Grid)
	for _, s := range root.Subs("solid") {
		w.Solids = append(w.Solids, decodeShape(s, config.Required, dim))
		s.Finish()
	}
	for n, name := range twophase.PieceNames {
		given, s := root.Has(name), root.Sub(name)
		o := &drops.Options{}
		pieceKeys(o, s.Read)
		if s.Finish(); given {
			w.Pieces[n] = o
		}
	}
	method := root.Sub("method")
	w.Method.keys(w.Fluids, method.Read)
	method.Finish()
	c.Sections = w
	c.DecodeTransient(root, dim, config.Outputs{Fields: solvers.FieldNames(twophase.Fields),
		Default: []string{"f", "p", "velocity"}, Formats: []string{"vti"}})
	if fields := &c.Output.Fields; len(w.Solids) > 0 && len(*fields) > 0 && !slices.Contains(*fields, "fluid") {
		*fields = append(slices.Clone(*fields), "fluid") // without it pictures would show fluid in solids
	}
}

func decodeFluids(s *config.Section, dim int) (q Fluids) {
	q.Density = pair(s, "density")
	q.Viscosity = pair(s, "viscosity")
	for n, v := range q.Density {
		if s.Has("density") && !(v > 0) {
			s.Fail("density", "%g of fluid %d must be more than 0", v, n+1)
		}
	}
	for n, v := range q.Viscosity {
		if v < 0 {
			s.Fail("viscosity", "%g of fluid %d must be 0 or more", v, n+1)
		}
	}
	q.Tension = s.Number("surface_tension", config.Bound{Optional: true, Most: 1e30})
	if s.Has("gravity") && dim > 0 {
		copy(q.Gravity[:], s.Numbers("gravity", dim))
	}
	s.Know("gravity")
	s.Finish()
	return q
}

// pair reads two numbers, or one for both.
func pair(s *config.Section, key string) (v [2]float64) {
	s.Know(key)
	if s.Has(key) && s.IsNumber(key) {
		one := s.Number(key, config.Bound{Least: -1e30, Most: 1e30})
		return [2]float64{one, one}
	}
	copy(v[:], s.Numbers(key, 2))
	return v
}

func decodeInitial(s *config.Section, dim int) (v Initial) {
	v.Shape = decodeShape(s, "", dim)
	given := false
	var body []config.Field
	for d := range dim {
		v.Velocity[d] = s.Expression(velocityKeys[d], "0")
		given = given || s.Has(bodyKeys[d])
		body = append(body, s.Expression(bodyKeys[d], "0"))
	}
	if given {
		v.Body = body
		if v.Shape == "" {
			s.Fail("", "has a velocity of the first fluid but no shape of it")
		}
	}
	s.Finish()
	return v
}

// decodeShape reads the text of a body.
func decodeShape(s *config.Section, fallback string, dim int) string {
	text := s.Text("shape", fallback)
	if text != "" && dim > 0 {
		if _, _, err := shape.Parse(text, dim, nil); err != nil {
			s.Fail("shape", "%v", err)
		}
	}
	return text
}

// keys declares the keys of the section.
func (m *Method) keys(q Fluids, key func(*config.Spec)) {
	ratio := max(q.Density[0], q.Density[1]) / min(q.Density[0], q.Density[1])
	tolerance := 1e-6
	if ratio > 1e4 { // the error of a volume must be small beside the lighter fluid's mass
		tolerance = max(1e-12, 1e-2/ratio)
	}
	small := config.Bound{Most: 1e-2, AboveLeast: true}
	key(config.Real("cfl", "", &m.CFL, config.Bound{Most: twophase.MaxCFL, AboveLeast: true}.Or(.4), "limit of "+
		"dt·Σ|u|/h of a cell"))
	key(config.Real("tolerance", "", &m.Tolerance, small.Or(tolerance), "of |∇·u| dt after the projection: the volume's "+
		"relative error in a step").
		Otherwise("1e-6, or 0.01 divided by the ratio of the densities where that is above 10⁴, " +
			"at least 1e-12"))
	key(config.Real("viscous_tolerance", "", &m.ViscousTolerance, small.Or(1e-5), "of the change of velocity by "+
		"viscosity, relative to the largest velocity"))
	key(config.Real("max_step", "s", &m.MaxStep, config.Bound{Most: 1e30}.Or(0), "longest step").IfSet().Range(" ").
		Otherwise("none"))
	key(config.OneWord("normal", &m.Normal, "mixed", []string{"mixed", "elvira", "lvira"}, "normals of the planes in "+
		"cells: `mixed` (mixed Youngs-centred), `elvira`, `lvira`"))
	key(config.Precision(&m.Precision, "`float32` or `float64`. Pressures in float32 do not reach tolerances much below "+
		"1e-5 with large density ratios"))
}

// pieceKeys declares the keys of a section about drops or bubbles.
func pieceKeys(o *drops.Options, key func(*config.Spec)) {
	key(config.Real("every", "s", &o.Every, config.Bound{Most: 1e30}.Or(0), "interval of the table; 0 for rows after "+
		"each step"))
	key(config.Real("threshold", "", &o.Threshold, config.Bound{Most: 1, BelowMost: true}.Or(1e-3), "cells with more of "+
		"the fluid, as a volume fraction, belong to the drop or bubble"))
	key(config.Real("remove_below", "", &o.RemoveBelow, config.Bound{Most: 1e30}.Or(0), "volume in m³, in the plane m², "+
		"below which pieces are given to the other fluid").IfSet().Range(" ").Otherwise("none"))
	key(config.Whole("remove_every", &o.RemoveEvery, 10, 1, 1<<30, "number of steps after which that happens"))
}

// Config returns the configuration of the solver, without solids and the functions of sides: see newSolver.
func (w *Sections) Config() twophase.Config {
	q, m := w.Fluids, w.Method
	return twophase.Config{Density: q.Density, Viscosity: q.Viscosity, Tension: q.Tension, Gravity: q.Gravity,
		Sides: w.constantSides(), CFL: m.CFL, Tolerance: m.Tolerance, ViscousTolerance: m.ViscousTolerance,
		MaxStep: m.MaxStep, Normal: m.Normal, Pieces: w.Pieces}
}

func (w *Sections) Print(p *config.Printer) {
	dim := w.Grid.Dim
	w.Grid.Print(p)
	p.Section("[fluids]")
	p.Pair("density", w.Fluids.Density[:])
	p.Pair("viscosity", w.Fluids.Viscosity[:])
	p.Pair("surface_tension", w.Fluids.Tension)
	p.Pair("gravity", w.Fluids.Gravity[:dim])
	p.Section("[initial]")
	if w.Initial.Shape != "" {
		p.Pair("shape", w.Initial.Shape)
	}
	for d := range dim {
		p.Pair(velocityKeys[d], w.Initial.Velocity[d])
	}
	for d, f := range w.Initial.Body {
		p.Pair(bodyKeys[d], f)
	}
	if !slices.Equal(w.Grid.Periodic[:dim], []bool{true, true, true}[:dim]) {
		p.Section("[sides]")
	}
	for d := range dim {
		for side, q := range w.Sides[d] {
			if !w.Grid.Periodic[d] {
				printSide(p, sideKeys[d][side], q, dim)
			}
		}
	}
	for _, text := range w.Solids {
		p.Section("[[solid]]")
		p.Pair("shape", text)
	}
	for n, o := range w.Pieces {
		if o != nil {
			p.Section("[" + twophase.PieceNames[n] + "]")
			pieceKeys(o, p.Print)
		}
	}
	p.Section("[method]")
	w.Method.keys(w.Fluids, p.Print)
}
