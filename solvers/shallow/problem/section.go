// Package problem makes a run of the shallow-water solver from a case: its sections, its initial fields, and its
// output. It registers the kind "shallow-water".
package problem

import (
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/coordinates"
	"github.com/atoll-hpc/atoll/solvers/shallow/faults"
	"github.com/atoll-hpc/atoll/solvers/shallow/structures"
)

// Sections are the sections of solver "shallow-water": one or two layers of fluid over a bed.
type Sections struct {
	Mesh     config.Mesh
	Physics  Physics
	Initial  []config.Field // sorted so that each comes after the fields that its expression uses; see decodeInitial
	Boundary Boundary
	Forcing  Forcing
	Maxima   Maxima
	Adapt    Adapt

	Structures []structures.Structure
	Rules      []structures.Rule
}

// Physics is the section [physics] of solver "shallow-water".
type Physics struct {
	Scheme             string  // numerical fluxes of two layers: roe, ir-roe or pvm-ifcp
	Order              int     // of accuracy in space and time
	Layers             int     // 1 or 2
	DensityRatio       float64 // upper over lower; 0 for one layer
	Gravity            float64 // m/s²
	CFL                float64 // factor of the largest stable step
	Precision          string  // of the state: float32 or float64
	EntropyFix         float64 // for two layers, width of Harten's entropy fix relative to the range of eigenvalues
	DryDepth           float64 // m, a thinner layer counts as absent; 0 for automatic
	InterlayerFriction bool    // restore hyperbolicity by friction between the layers
	LaggedStep         bool    // the length of a step comes from the waves of the step before last
	LocalSteps         int     // lengths of local time steps
}

// Decode reads a case of solver "shallow-water".
func Decode(root *config.Section, c *config.Case) {
	w := &Sections{Mesh: config.DecodeMesh(root.Sub("mesh"))}
	w.Forcing.Coefficients = coefficients.Fields{}
	w.Physics.decode(root.Sub("physics"), w.Forcing.Coefficients)
	w.Initial = decodeInitial(root.Sub("initial"), w.Physics.Layers)
	w.Boundary = decodeBoundary(root.Sub("boundary"), w.Physics.Layers)
	w.Forcing.Faults = faults.Decode(root, c)
	w.Forcing.decode(root.Sub("forcing"), w.Physics.Layers, coordinates.Geographic(c))
	w.checkAmbient(root.Sub("boundary"))
	w.Structures = structures.Decode(root, w.Physics.Layers, coordinates.Geographic(c), shallow.ReservedSources())
	w.Rules = structures.DecodeRules(root, w.Structures)
	w.noteImplausible(c)
	w.noteThinFlow(c)
	c.Sections = w
	if _, in := memoryInputs(c); w.Physics.LocalSteps > 1 && (w.Physics.LaggedStep || in.NeedEqualSteps()) {
		root.Sub("physics").Fail("local_steps", "is not for lagged_step, beds that move, storms and fields over time")
	}
	w.Maxima.decode(root.Sub("maxima"), root.Has("maxima"), w.Physics.Layers)
	c.DecodeTransient(root, 2, w.output())
	w.Maxima.enableFor(c.Output.Fields)
	w.Adapt.decode(root.Sub("adapt"), root.Has("adapt"), &c.Output)
	if w.Adapt.Given && coordinates.Geographic(c) {
		root.Sub("adapt").Fail("", "sizes are in m, and by crs = %q the mesh has longitudes and latitudes: a mesh that "+
			"follows the water needs a projected system, such as UTM", c.CRS)
	}
}

func (p *Physics) decode(s *config.Section, spatial coefficients.Fields) {
	p.Layers = int(s.Integer("layers", 2, 1, 2)) // scheme depends on it
	p.keys(spatial, s.Read)
	if p.Precision == "float32" && p.DryDepth > 0 && p.DryDepth < 1e-8 {
		s.Fail("dry_depth", "%g is too small for float32: products of thicknesses vanish below 1e-8", p.DryDepth)
	}
	if s.Has(coefficients.ManningShallow) && !s.Has(coefficients.DepthDeep) {
		s.Fail(coefficients.ManningShallow, "needs depth_deep too, the depth from which manning holds")
	}
	s.Finish()
}

// keys declares the keys of the section.
func (p *Physics) keys(spatial coefficients.Fields, key func(*config.Spec)) {
	ofTwo := func(k *config.Spec, needs string) { key(k.When(p.Layers != 1, needs)) }
	const two = "belongs to two layers, and there is one"
	const scheme = "belongs to two layers: one layer uses HLLE, which has no such parameter"
	ofTwo(config.OneWord("scheme", &p.Scheme, "pvm-ifcp", []string{"roe", "ir-roe", "pvm-ifcp"}, "for two layers: roe, "+
		"ir-roe, pvm-ifcp. One layer uses the HLLE flux and has no such key"), scheme)
	key(config.Whole("order", &p.Order, 2, 1, 2, "order of accuracy in space and time: see "+
		"[second order](shallow-water.md#second-order). The published tables use order 1"))
	key(config.Whole("layers", &p.Layers, 2, 1, 2, "number of layers"))
	ofTwo(config.Real("density_ratio", "", &p.DensityRatio, config.Share, "density of the upper layer over that of the "+
		"lower one").Otherwise("required for 2 layers"), two)
	ofTwo(config.Flag("interlayer_friction", &p.InterlayerFriction, false, "keep cells hyperbolic by friction between "+
		"the layers"), two)
	key(config.Real("gravity", "m/s2", &p.Gravity, config.Positive.Or(9.81), "acceleration of gravity"))
	key(config.Real("cfl", "", &p.CFL, config.Share.Or(0.9), "time step divided by the longest stable step"))
	key(config.Precision(&p.Precision, "of the state"))
	ofTwo(config.Real("entropy_fix", "", &p.EntropyFix, config.Bound{Most: 1}.Or(0.05), "for two layers: width of "+
		"Harten's entropy fix relative to the range of the eigenvalues; 0 as in the paper by de la Asunción et al. (2012)"),
		scheme)
	key(config.Real("dry_depth", "m", &p.DryDepth, config.Positive.Or(0), "a thinner layer counts as absent; `--check` "+
		"prints the value").IfSet().Otherwise("1e-6 of the mean thickness of the water in wet cells at the start, at most " +
		"1e-5"))
	spatial.Keys("physics", "", p.Layers, func(string) bool { return false }, key)
	key(config.Flag("lagged_step", &p.LaggedStep, false, "compute the length of a step from the wave speeds of the step "+
		"before last, so that the reduction over ranks overlaps with a step. The bits still do not depend on the ranks, but "+
		"`cfl`, which steps may exceed slightly anyway since they [use the wave speeds of the step "+
		"before](shallow-water.md#schemes), may be exceeded a little more (see `cfl_max`)"))
	key(config.Whole("local_steps", &p.LocalSteps, 1, 1, 6, "number of lengths of [local time steps]("+
		"shallow-water.md#local-time-steps), each twice the one before; 1: all cells take the same step. Not on GPUs"))
}

// decodeInitial reads the fields at t = 0, each a number, an expression, a raster or data of the mesh: the depth of the
// bed, thicknesses or levels, and velocities. Levels become thicknesses by h2 = max(0, z2 + depth) and
// h1 = max(0, z1 - max(z2, -depth)). An expression may use the other fields of the section by name; the level of one
// layer is called surface there, as z is the coordinate.
func decodeInitial(s *config.Section, layers int) (fields []config.Field) {
	thickness, level := []string{"h1", "h2"}, []string{"z1", "z2"}
	velocity := []string{"u1", "v1", "u2", "v2"}
	if layers == 1 {
		thickness, level, velocity = []string{"h"}, []string{"z"}, []string{"u", "v"}
	}
	state, others := thickness, level
	if slices.ContainsFunc(level, s.Has) {
		state, others = level, thickness
	}
	names := slices.Concat([]string{"depth"}, state, velocity)
	key := func(k config.Key, fallback, direction string) {
		s.Read(config.FieldOf(k, func(s *config.Section) {
			if !slices.Contains(others, k.Name) {
				fields = append(fields, s.Field(k.Name, fallback, names, direction))
			} else if s.Has(k.Name) {
				s.Fail(k.Name, "cannot be combined with %v; give thicknesses or levels, not both", level)
			}
		}, nil))
	}
	key(config.Key{Name: "depth", Unit: "m", Doc: "of the bed below the datum, negative on land",
		Required: true}, config.Required, "down")
	for _, name := range thickness {
		key(config.Key{Name: name, Unit: "m", Doc: "thickness" + ofLayer(name), Default: "this or a level"},
			config.Required, "")
	}
	for _, name := range level {
		key(config.Key{Name: name, Unit: "m", Doc: "level of the surface" + ofLayer(name) + " above the datum",
			Default: "this or a thickness"}, config.Required, "up")
	}
	for _, name := range velocity {
		axis := map[byte]string{'u': "x", 'v': "y"}[name[0]]
		key(config.Key{Name: name, Unit: "m/s", Default: "0", Doc: "velocity" + ofLayer(name) + " along " + axis}, "0", "")
	}
	s.Finish()
	return s.Sorted(fields)
}

// ofLayer names the layer of a field.
func ofLayer(field string) string {
	return map[byte]string{'1': " of the upper layer", '2': " of the lower layer"}[field[len(field)-1]]
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
	w.Physics.keys(w.Forcing.Coefficients, p.Print)
	p.Section("[initial]")
	for _, f := range w.Initial {
		p.Pair(f.Name, f)
	}
	p.Section("[boundary]")
	w.Boundary.keys(w.Boundary.names(), w.Physics.Layers, p.Print)
	w.Forcing.print(p, w.Physics.Layers)
	for k := range w.Forcing.Faults {
		p.Section("[[fault]]")
		w.Forcing.Faults[k].Keys(p.Print)
	}
	for k := range w.Structures {
		p.Section("[[" + w.Structures[k].Kind + "]]")
		w.Structures[k].Keys(p.Print)
	}
	for k := range w.Rules {
		p.Section("[[rule]]")
		w.Rules[k].Keys(p.Print)
	}
	w.Maxima.print(p)
	w.Adapt.print(p)
}
