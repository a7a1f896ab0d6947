// Package config reads the case file of a run: TOML, decoded strictly. What is unknown, of the wrong type, out of
// range or in contradiction is refused, each with one line that names the file, the line and the key, or the
// override.
//
// A case has sections that solvers share (this file, mesh.go and grid.go) and those of its solver (shallow.go).
package config

import (
	"slices"
	"strings"
)

// Case is a decoded case with all its defaults filled in.
type Case struct {
	Solver string // its name in the case file, one of solvers
	Name   string // of the run and its files; the base name of the case file without extension
	Title  string // for people; may be empty

	Sections Sections // what belongs to the solver alone, of its own type

	Time   Time // empty for solvers without time
	Output Output
	Gauges []Gauge // none for solvers without gauges

	dir string // folder of the case file, where relative paths start
}

// Time is the section [time].
type Time struct {
	End      float64 // s, when the run is done
	MaxSteps int     // when it stops before; 0 for no limit
}

// Output is the section [output].
type Output struct {
	Every             float64  // s, or sweeps, between frames; 0 for the first and the last only
	Fields            []string // names of what frames hold; which, the solver says
	Format            []string // of frames, or none; the solver's usual one
	Dir               string   // folder of all output, relative to the working directory; "out/" and the name
	ConservationEvery int      // steps between rows of conservation.csv; 10
	Mesh              string   // of solvers that move a mesh: file for it at the end, relative to Dir; "" for none
}

// Gauge is a section [[gauge]]: a point whose values are written in the course of the run.
type Gauge struct {
	Name  string    // and of its file: letters, digits, - and _
	At    []float64 // x, y and in space z in m
	Every float64   // s between values; 0 for each step
}

// Sections are those that belong to one solver: *[Shallow], *[Smooth] or *[VOF].
type Sections interface{ print(p *printer) }

// solvers are all that a case can name. decode reads what belongs to the solver into c.Sections, and of the sections
// that solvers share those that it knows; any other section of the file is then refused.
var solvers = []struct {
	name   string
	decode func(root *section, c *Case)
}{
	{"shallow-water", decodeShallow},
	{"smooth", decodeSmooth},
	{"vof", decodeVOF},
}

// planned solvers have names already, but no sections yet.
var planned = []string{"level-set"}

func decodeCase(d *decoder, path string) *Case {
	c := &Case{}
	root := &section{decoder: d, values: d.root}
	c.Solver = root.text("solver", required)
	c.Name = root.name("name", nameOf(path))
	c.Title = root.text("title", "")
	var names []string
	for _, solver := range solvers {
		if solver.name == c.Solver {
			solver.decode(root, c)
			root.finish()
			return c
		}
		names = append(names, solver.name)
	}
	// The sections of an unknown solver are not known.
	if slices.Contains(planned, c.Solver) {
		root.fail("solver", "%q is not available in this version; %s", c.Solver, choose(names))
	} else if _, isText := d.root["solver"].(string); isText {
		root.fail("solver", "%q is not known; %s", c.Solver, choose(names))
	}
	return c
}

func decodeTime(s *section) Time {
	t := Time{End: s.number("end", positive), MaxSteps: int(s.integer("max_steps", 0, 0, 1<<53))}
	s.finish()
	return t
}

// written is what a solver can write.
type written struct {
	fields, usual []string // of a frame: all, and those it holds unless told otherwise
	formats       []string // of frames, the usual one first
	sweeps        bool     // the solver has no time: frames are counted by sweeps
	mesh          bool     // the solver moves a mesh
	end           float64  // of the run, 0 where it has no time
}

// mostFrames is how many frames a run may have: the names of their files count to it.
const mostFrames = 999999

func decodeOutput(s *section, name string, w written) Output {
	o := Output{
		Fields:            s.choices("fields", w.usual, w.fields...),
		Format:            s.choices("format", w.formats[:1], w.formats...),
		Dir:               s.text("dir", "out/"+name),
		ConservationEvery: int(s.integer("conservation_every", 10, 1, 1<<53)),
	}
	if w.sweeps {
		o.Every = float64(s.integer("every", 0, 0, 1<<53))
	} else {
		o.Every = s.number("every", nonNegative.or(0))
	}
	if o.Every > 0 && w.end/o.Every > mostFrames {
		s.fail("every", "%g makes more than %d frames up to t = %g", o.Every, mostFrames, w.end)
	}
	if w.mesh {
		o.Mesh = s.text("mesh", "")
	}
	if len(o.Fields) == 0 {
		s.fail("fields", "is empty; choose of %s", strings.Join(w.fields, ", "))
	}
	if o.Dir == "" {
		s.fail("dir", "is empty")
	}
	s.finish()
	return o
}

// decodeGauges reads gauges at points of so many coordinates.
func decodeGauges(root *section, dim int) []Gauge {
	var gauges []Gauge
	names := map[string]bool{}
	for _, s := range root.sections("gauge") {
		g := Gauge{Name: s.name("name", required), Every: s.number("every", nonNegative.or(0))}
		if s.know("at"); dim > 0 {
			g.At = s.numbers("at", dim)
		}
		if names[g.Name] && g.Name != "" {
			s.fail("name", "%q is another gauge's already", g.Name)
		}
		names[g.Name] = true
		s.finish()
		gauges = append(gauges, g)
	}
	return gauges
}
