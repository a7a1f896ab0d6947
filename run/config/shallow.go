package config

import (
	"maps"
	"slices"
)

// Shallow holds the sections of solver "shallow-water": one or two layers of fluid over a bed.
type Shallow struct {
	Mesh     Mesh
	Physics  Physics
	Initial  []Field // in an order in which each comes after those that its expression uses; see decodeInitial
	Boundary Boundary
}

// Physics is the section [physics] of solver "shallow-water".
type Physics struct {
	Scheme             string  // of the fluxes: roe, ir-roe or pvm-ifcp; pvm-ifcp
	Layers             int     // 1 or 2; 2
	DensityRatio       float64 // upper over lower, in (0, 1]; required of two layers, 0 for one
	Gravity            float64 // m/s²; 9.81
	CFL                float64 // share of the longest stable step, in (0, 1]; 0.9
	Precision          string  // of the state: float32 or float64; float64
	EntropyFix         float64 // width of Harten's fix as a share of the spread of eigenvalues, in [0, 1]; 0.05
	DryDepth           float64 // m, a thinner layer counts as absent; 1e-3
	Manning            Field   // bed friction in s/m^(1/3); 0
	InterlayerFriction bool    // keep cells hyperbolic by friction between the layers; false
	LaggedStep         bool    // a step's length comes from the waves of the step before last; false
}

// Boundary is the section [boundary]: for each physical group of edges, "wall" or "open".
type Boundary struct {
	Default string            // for edges of groups that are not named, or of none; wall
	Groups  map[string]string // by name of the group
}

func decodeShallow(root *section, c *Case) {
	w := &Shallow{Mesh: decodeMesh(root.section("mesh"))}
	w.Physics = decodePhysics(root.section("physics"))
	w.Initial = decodeInitial(root.section("initial"), w.Physics.Layers)
	w.Boundary = decodeBoundary(root.section("boundary"))
	c.Sections = w
	c.Time = decodeTime(root.section("time"))
	c.Output = decodeOutput(root.section("output"), c.Name, w.output(c.Time.End))
	c.Gauges = decodeGauges(root, 2)
}

func decodePhysics(s *section) Physics {
	p := Physics{
		Scheme:     s.choice("scheme", "pvm-ifcp", "roe", "ir-roe", "pvm-ifcp"),
		Layers:     int(s.integer("layers", 2, 1, 2)),
		Gravity:    s.number("gravity", positive.or(9.81)),
		CFL:        s.number("cfl", share.or(0.9)),
		Precision:  s.choice("precision", "float64", "float32", "float64"),
		EntropyFix: s.number("entropy_fix", bound{least: 0, most: 1, fallback: 0.05, optional: true}),
		DryDepth:   s.number("dry_depth", positive.or(1e-3)),
		Manning:    s.field("manning", "0", nil, false),
	}
	p.InterlayerFriction = s.boolean("interlayer_friction", false)
	p.LaggedStep = s.boolean("lagged_step", false)
	if p.Layers == 1 {
		for _, key := range []string{"density_ratio", "interlayer_friction"} {
			if s.has(key) {
				s.fail(key, "belongs to two layers, and there is one")
			}
		}
		s.know("density_ratio")
	} else {
		p.DensityRatio = s.number("density_ratio", share)
	}
	if p.Precision == "float32" && p.DryDepth > 0 && p.DryDepth < 1e-8 {
		s.fail("dry_depth", "%g is too small for float32: products of thicknesses vanish below 1e-8", p.DryDepth)
	}
	s.finish()
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
func decodeInitial(s *section, layers int) []Field {
	thickness, level := []string{"h1", "h2"}, []string{"z1", "z2"}
	velocity := []string{"u1", "v1", "u2", "v2"}
	if layers == 1 {
		thickness, level, velocity = []string{"h"}, []string{"z"}, []string{"u", "v"}
	}
	state := thickness
	if slices.ContainsFunc(level, s.has) {
		state = level
		for _, key := range thickness {
			if s.has(key) {
				s.fail(key, "cannot be with %v; give thicknesses or levels, not both", level)
			}
		}
	}
	s.know(slices.Concat(thickness, level)...)
	names := slices.Concat([]string{"depth"}, state, velocity)
	var fields []Field
	for _, name := range names {
		fallback := required
		if slices.Contains(velocity, name) {
			fallback = "0"
		}
		upright := name == "depth" || slices.Contains(level, name)
		fields = append(fields, s.field(name, fallback, names, upright))
	}
	s.finish()
	return s.sorted(fields)
}

func decodeBoundary(s *section) Boundary {
	b := Boundary{Default: s.choice("default", "wall", "wall", "open"), Groups: map[string]string{}}
	for _, group := range s.keys() {
		if group != "default" {
			b.Groups[group] = s.choice(group, required, "wall", "open")
		}
	}
	s.finish()
	return b
}

func (w *Shallow) output(end float64) written {
	o := written{
		fields: []string{"h1", "h2", "z1", "z2", "u1", "v1", "u2", "v2", "depth"}, usual: []string{"h1", "h2", "z1"},
		formats: []string{"vtu"}, end: end,
	}
	if w.Physics.Layers == 1 {
		o.fields, o.usual = []string{"h", "z", "u", "v", "depth"}, []string{"h", "z"}
	}
	return o
}

func (w *Shallow) print(p *printer) {
	w.Mesh.print(p)
	p.section("[physics]")
	p.pair("scheme", w.Physics.Scheme)
	p.pair("layers", w.Physics.Layers)
	if w.Physics.Layers == 2 {
		p.pair("density_ratio", w.Physics.DensityRatio)
		p.pair("interlayer_friction", w.Physics.InterlayerFriction)
	}
	p.pair("gravity", w.Physics.Gravity)
	p.pair("cfl", w.Physics.CFL)
	p.pair("precision", w.Physics.Precision)
	p.pair("entropy_fix", w.Physics.EntropyFix)
	p.pair("dry_depth", w.Physics.DryDepth)
	p.pair("manning", w.Physics.Manning)
	p.pair("lagged_step", w.Physics.LaggedStep)
	p.section("[initial]")
	for _, f := range w.Initial {
		p.pair(f.Name, f)
	}
	p.section("[boundary]")
	p.pair("default", w.Boundary.Default)
	for _, group := range slices.Sorted(maps.Keys(w.Boundary.Groups)) {
		p.pair(group, w.Boundary.Groups[group])
	}
}
