// Package problem makes a run of the shallow-water solver from a case: its sections, its initial fields, and its
// output. It registers the kind "shallow-water".
package problem

import (
	"maps"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
)

// Sections are the sections of solver "shallow-water": one or two layers of fluid over a bed.
type Sections struct {
	Mesh     config.Mesh
	Physics  Physics
	Initial  []config.Field // sorted so that each comes after the fields that its expression uses; see decodeInitial
	Boundary Boundary
	Forcing  Forcing
	Maxima   Maxima

	Structures []Structure // sections [[source]], [[culvert]] and [[pump]]
}

// Physics is the section [physics] of solver "shallow-water". Defaults follow the semicolons.
type Physics struct {
	Scheme       string  // numerical fluxes of two layers: roe, ir-roe or pvm-ifcp; pvm-ifcp
	Order        int     // of accuracy in space and time, 1 or 2; 2
	Layers       int     // 1 or 2; 2
	DensityRatio float64 // upper over lower, in (0, 1]; required of two layers, 0 for one
	Gravity      float64 // m/s²; 9.81
	CFL          float64 // factor of the largest stable step, in (0, 1]; 0.9
	Precision    string  // of the state: float32 or float64; float64
	// EntropyFix is, for two layers, the width of Harten's entropy fix relative to the range of eigenvalues; 0.05.
	EntropyFix         float64
	DryDepth           float64      // m, a thinner layer counts as absent; 0 for automatic
	Manning            config.Field // bed friction in s/m^(1/3); 0
	InterlayerFriction bool         // restore hyperbolicity by friction between the layers; false
	LaggedStep         bool         // the length of a step comes from the waves of the step before last; false
}

// Decode reads a case of solver "shallow-water".
func Decode(root *config.Section, c *config.Case) {
	w := &Sections{Mesh: config.DecodeMesh(root.Sub("mesh"))}
	section := func(key string) *config.Section {
		s := root.Sub(key)
		s.Units(unitOf)
		return s
	}
	w.Physics = decodePhysics(section("physics"))
	w.Initial = decodeInitial(section("initial"), w.Physics.Layers)
	w.Boundary = decodeBoundary(section("boundary"), w.Physics.Layers)
	w.Forcing = decodeForcing(section("forcing"), w.Physics.Layers)
	w.Structures = decodeStructures(root, w.Physics.Layers)
	w.noteImplausible(c)
	w.noteThinFlow(c)
	c.Sections = w
	w.Maxima = decodeMaxima(section("maxima"), root.Has("maxima"), w.Physics.Layers)
	c.DecodeTransient(root, 2, w.output())
	w.Maxima.enableFor(c.Output.Fields)
}

func decodePhysics(s *config.Section) Physics {
	p := Physics{
		Scheme:     s.Choice("scheme", "pvm-ifcp", "roe", "ir-roe", "pvm-ifcp"),
		Order:      int(s.Integer("order", 2, 1, 2)),
		Layers:     int(s.Integer("layers", 2, 1, 2)),
		Gravity:    s.Number("gravity", config.Positive.Or(9.81)),
		CFL:        s.Number("cfl", config.Share.Or(0.9)),
		Precision:  s.Choice("precision", "float64", "float32", "float64"),
		EntropyFix: s.Number("entropy_fix", config.Bound{Least: 0, Most: 1, Fallback: 0.05, Optional: true}),
		DryDepth:   s.Number("dry_depth", config.Positive.Or(0)),
		Manning:    s.Field("manning", "0", nil, ""),
	}
	p.InterlayerFriction = s.Boolean("interlayer_friction", false)
	p.LaggedStep = s.Boolean("lagged_step", false)
	if p.Layers == 1 {
		for _, key := range []string{"density_ratio", "interlayer_friction"} {
			if s.Has(key) {
				s.Fail(key, "belongs to two layers, and there is one")
			}
		}
		for _, key := range []string{"scheme", "entropy_fix"} {
			if s.Has(key) {
				s.Fail(key, "belongs to two layers: one layer uses HLLE, which has no such parameter")
			}
		}
		s.Know("density_ratio")
	} else {
		p.DensityRatio = s.Number("density_ratio", config.Share)
	}
	if p.Precision == "float32" && p.DryDepth > 0 && p.DryDepth < 1e-8 {
		s.Fail("dry_depth", "%g is too small for float32: products of thicknesses vanish below 1e-8", p.DryDepth)
	}
	s.Finish()
	return p
}

// decodeInitial reads the fields at t = 0, each a number, an expression, a raster or data of the mesh:
//
//	depth           of the bed below the datum, m
//	h1, h2          thicknesses of the upper and the lower layer, m; or
//	z1, z2          heights of the surface and of the interface above the datum, m
//	u1, v1, u2, v2  velocities, m/s; 0
//
// and of one layer depth, h or z, u and v. Levels become thicknesses by h2 = max(0, z2 + depth) and
// h1 = max(0, z1 - max(z2, -depth)). An expression may use the other fields of the section by
// name; the level of one layer is called surface there, as z is the coordinate.
func decodeInitial(s *config.Section, layers int) []config.Field {
	thickness, level := []string{"h1", "h2"}, []string{"z1", "z2"}
	velocity := []string{"u1", "v1", "u2", "v2"}
	if layers == 1 {
		thickness, level, velocity = []string{"h"}, []string{"z"}, []string{"u", "v"}
	}
	state := thickness
	if slices.ContainsFunc(level, s.Has) {
		state = level
		for _, key := range thickness {
			if s.Has(key) {
				s.Fail(key, "cannot be combined with %v; give thicknesses or levels, not both", level)
			}
		}
	}
	s.Know(slices.Concat(thickness, level)...)
	names := slices.Concat([]string{"depth"}, state, velocity)
	var fields []config.Field
	for _, name := range names {
		fallback := config.Required
		if slices.Contains(velocity, name) {
			fallback = "0"
		}
		positive := "" // direction of positive values in rasters
		switch {
		case name == "depth":
			positive = "down"
		case slices.Contains(level, name):
			positive = "up"
		}
		fields = append(fields, s.Field(name, fallback, names, positive))
	}
	s.Finish()
	return s.Sorted(fields)
}

func (w *Sections) output() config.Outputs {
	fields, _ := fieldsOf(w.Physics.Layers)
	o := config.Outputs{Fields: solvers.FieldNames(fields), Default: []string{"h1", "h2", "z1"},
		Formats: []string{"vtu", "nc"}, Flows: true}
	if w.Physics.Layers == 1 {
		o.Default = []string{"h", "z"}
		o.Fields = append(o.Fields, solvers.FieldNames(maxima())...)
	}
	return o
}

func (w *Sections) Print(p *config.Printer) {
	w.Mesh.Print(p)
	p.Section("[physics]")
	if w.Physics.Layers == 2 {
		p.Pair("scheme", w.Physics.Scheme)
	}
	p.Pair("order", w.Physics.Order)
	p.Pair("layers", w.Physics.Layers)
	if w.Physics.Layers == 2 {
		p.Pair("density_ratio", w.Physics.DensityRatio)
		p.Pair("interlayer_friction", w.Physics.InterlayerFriction)
	}
	p.Pair("gravity", w.Physics.Gravity)
	p.Pair("cfl", w.Physics.CFL)
	p.Pair("precision", w.Physics.Precision)
	if w.Physics.Layers == 2 {
		p.Pair("entropy_fix", w.Physics.EntropyFix)
	}
	if w.Physics.DryDepth > 0 {
		p.Pair("dry_depth", w.Physics.DryDepth)
	}
	p.Pair("manning", w.Physics.Manning)
	p.Pair("lagged_step", w.Physics.LaggedStep)
	p.Section("[initial]")
	for _, f := range w.Initial {
		p.Pair(f.Name, f)
	}
	p.Section("[boundary]")
	p.Pair("default", w.Boundary.Default)
	for _, group := range slices.Sorted(maps.Keys(w.Boundary.Groups)) {
		p.Pair(group, w.Boundary.Groups[group])
	}
	for _, group := range slices.Sorted(maps.Keys(w.Boundary.Given)) {
		p.Pair(group, w.Boundary.Given[group].inline())
	}
	w.Forcing.print(p)
	for k := range w.Structures {
		w.Structures[k].print(p)
	}
	w.Maxima.print(p)
}
