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
	Rings   bool // axisymmetric flow
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
	Density   []float64 // in kg/m³
	Viscosity []float64 // dynamic, in Pa·s
	Tension   float64   // surface tension in N/m; 0
	Gravity   []float64 // along each axis, in m/s²; 0
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

var velocityKeys, bodyKeys, axisNames = []string{"u", "v", "w"}, []string{"body_u", "body_v", "body_w"},
	[]string{"x", "y", "z"}

// Decode reads a case of solver "two-phase".
func Decode(root *config.Section, c *config.Case) {
	w := &Sections{}
	w.Grid = config.DecodeGrid(root.Sub("grid"), w.axis)
	dim := w.Grid.Dim
	root.Fill("fluids", func(key func(*config.Spec)) { w.Fluids.keys(dim, key) })
	initial := root.Fill("initial", func(key func(*config.Spec)) { w.Initial.keys(dim, key) })
	if w.Initial.Body != nil && w.Initial.Shape == "" {
		initial.Fail("", "has a velocity of the first fluid but no shape of it")
	}
	root.Fill("sides", w.sides)
	for _, s := range root.Subs("solid") {
		text := ""
		solidKeys(&text, dim, s.Read)
		s.Finish()
		w.Solids = append(w.Solids, text)
	}
	for n, name := range twophase.PieceNames {
		o := &drops.Options{}
		root.Fill(name, func(key func(*config.Spec)) { pieceKeys(o, key) })
		if root.Has(name) {
			w.Pieces[n] = o
		}
	}
	root.Fill("method", func(key func(*config.Spec)) { w.Method.keys(w.Fluids, key) })
	c.Sections = w
	c.DecodeTransient(root, dim, config.Outputs{Fields: solvers.FieldNames(twophase.Fields),
		Default: []string{"f", "p", "velocity"}, Formats: []string{"vti", "vtp", "plic", "stl", "obj", "vdb"}})
	if fields := &c.Output.Fields; len(w.Solids) > 0 && len(*fields) > 0 && !slices.Contains(*fields, "fluid") {
		*fields = append(slices.Clone(*fields), "fluid") // without it pictures would show fluid in solids
	}
}

// axis declares the key of [grid] that other solvers do not have.
func (w *Sections) axis(key func(*config.Spec)) {
	key(config.Flag("axisymmetric", &w.Rings, false, "x is the distance from an axis, which is the side `x_low` at "+
		"x = 0; in the plane only").IfSet())
}

// keys declares the keys of the section.
func (q *Fluids) keys(dim int, key func(*config.Spec)) {
	key(config.ListOrNumber("density", "kg/m3", &q.Density, 2, config.Positive, "of the first and of the second fluid: "+
		"`[1000, 1.2]`; one number for both"))
	key(config.ListOrNumber("viscosity", "Pa s", &q.Viscosity, 2, config.NonNegative, "dynamic, likewise; 0 for none"))
	key(config.Real("surface_tension", "N/m", &q.Tension, config.Bound{Most: 1e30}.Or(0), "of the interface").Range(" "))
	key(config.List("gravity", "m/s2", &q.Gravity, dim, config.Any.Or(0), "acceleration, a number for each axis").
		Range(" "))
}

// keys declares the keys of the section.
func (v *Initial) keys(dim int, key func(*config.Spec)) {
	key(shape.Key(&v.Shape, dim, "", "the body of the first fluid, as for volume of fluid; without it there is the "+
		"second fluid only"))
	for d, name := range velocityKeys[:dim] {
		key(config.Formula(name, "m/s", &v.Velocity[d], "0", "velocity along "+axisNames[d]))
	}
	given := func(s *config.Section) bool { return slices.ContainsFunc(bodyKeys[:dim], s.Has) }
	for d, name := range bodyKeys[:dim] {
		k := config.Key{Name: name, Unit: "m/s", Kind: config.Expression, Doc: "velocity along " + axisNames[d] + " at the " +
			"faces of all cells with any of the first fluid, for a drop that moves through another fluid",
			Default: "`" + velocityKeys[d] + "`; if one is given, the others are 0"}
		key(config.Special(k, func(s *config.Section) {
			if given(s) {
				v.Body = append(v.Body, s.Expression(name, "0"))
			}
		}, func() any {
			if v.Body == nil {
				return nil
			}
			return v.Body[d]
		}))
	}
}

// solidKeys declares the keys of a section [[solid]].
func solidKeys(text *string, dim int, key func(*config.Spec)) {
	key(shape.Key(text, dim, config.Required, "that of [volume of fluid](volume-of-fluid.md#the-case-file), STL files "+
		"included"))
}

// keys declares the keys of the section.
func (m *Method) keys(q Fluids, key func(*config.Spec)) {
	ratio, tolerance := 1.0, 1e-6
	if q.Density != nil { // otherwise it is invalid, which has been recorded
		ratio = slices.Max(q.Density) / slices.Min(q.Density)
	}
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
	c := twophase.Config{Density: [2]float64(q.Density), Viscosity: [2]float64(q.Viscosity), Tension: q.Tension,
		Rings: w.Rings, Sides: w.constantSides(), CFL: m.CFL, Tolerance: m.Tolerance, ViscousTolerance: m.ViscousTolerance,
		MaxStep: m.MaxStep, Normal: m.Normal, Pieces: w.Pieces}
	copy(c.Gravity[:], q.Gravity)
	return c
}

func (w *Sections) Print(p *config.Printer) {
	dim := w.Grid.Dim
	w.Grid.Print(p, w.axis)
	p.Section("[fluids]")
	w.Fluids.keys(dim, p.Print)
	p.Section("[initial]")
	w.Initial.keys(dim, p.Print)
	if slices.Contains(w.Grid.Periodic[:dim], false) {
		p.Section("[sides]")
	}
	w.sides(p.Print)
	for _, text := range w.Solids {
		p.Section("[[solid]]")
		solidKeys(&text, dim, p.Print)
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
