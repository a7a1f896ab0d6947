// Package config reads the case file of a run: TOML, decoded strictly. What is unknown, of the wrong type, out of
// range or in contradiction is refused, each with one line that names the file, the line and the key, or the
// override.
//
// A case has sections that all solvers share (case.go) and those of its solver (shallow.go).
package config

import (
	"slices"
	"strings"
)

// Case is a decoded case with all its defaults filled in.
type Case struct {
	Solver string // "shallow-water"
	Name   string // of the run and its files; the base name of the case file without extension
	Title  string // for people; may be empty

	Time   Time
	Output Output
	Gauges []Gauge

	Shallow *Shallow // the sections of solver "shallow-water", else nil

	dir string // folder of the case file, where relative paths start
}

// Mesh is the section [mesh]: an unstructured mesh from a file or a generator, and how it is cut and numbered.
type Mesh struct {
	File      string     // a mesh file, relative to the case file; or empty, and then
	Generate  string     // "rectangle": Bounds filled with about Cells triangles
	Bounds    [4]float64 // x0, y0, x1, y1 in m
	Cells     int        // the nearest count that the generator can make is taken
	Seed      uint64     // of all that is random: generated vertices, random order and partition; 7
	Refine    int        // how often each triangle is cut into four; 0
	Order     string     // of the cells of a rank: natural, rcm, gps, hilbert or random; rcm
	Partition string     // of cells to ranks: hilbert, rcb, metis or random; hilbert
}

// Time is the section [time].
type Time struct {
	End      float64 // s, when the run is done
	MaxSteps int     // when it stops before; 0 for no limit
}

// Output is the section [output].
type Output struct {
	Every             float64  // s between frames; 0 for the first and the last only
	Fields            []string // names of what frames hold; of two layers h1, h2, z1, of one h, z
	Format            []string // of frames; "vtu", or none
	Dir               string   // folder of all output, relative to the working directory; "out/" and the name
	ConservationEvery int      // steps between checks of what is conserved; 10
}

// Gauge is a section [[gauge]]: a point whose values are written in the course of the run.
type Gauge struct {
	Name  string     // and of its file: letters, digits, - and _
	At    [2]float64 // x, y in m
	Every float64    // s between values; 0 for each step
}

// planned solvers have names already, but no sections yet.
var planned = []string{"vof", "level-set", "smooth"}

func decodeCase(d *decoder, path string) *Case {
	c := &Case{}
	root := &section{decoder: d, values: d.root}
	c.Solver = root.text("solver", required)
	c.Name = root.name("name", nameOf(path))
	c.Title = root.text("title", "")
	if c.Solver != shallowWater { // the sections of other solvers are not known
		if slices.Contains(planned, c.Solver) {
			root.fail("solver", "%q is not available in this version; choose %s", c.Solver, shallowWater)
		} else if _, isText := d.root["solver"].(string); isText {
			root.fail("solver", "%q is not known; choose %s", c.Solver, shallowWater)
		}
		return c
	}
	c.Shallow = decodeShallow(root)
	c.Time = decodeTime(root.section("time"))
	c.Output = decodeOutput(root.section("output"), c)
	c.Gauges = decodeGauges(root)
	root.finish()
	return c
}

func decodeMesh(s *section) Mesh {
	m := Mesh{
		File:      s.text("file", ""),
		Generate:  s.choice("generate", "", "rectangle"),
		Seed:      uint64(s.integer("seed", 7, 0, 1<<62)),
		Refine:    int(s.integer("refine", 0, 0, 15)),
		Order:     s.choice("order", "rcm", "natural", "rcm", "gps", "hilbert", "random"),
		Partition: s.choice("partition", "hilbert", "hilbert", "rcb", "metis", "random"),
	}
	switch {
	case s.has("file") && s.has("generate"):
		s.fail("generate", "cannot be with file; leave one of them out")
	case s.has("file"):
		if m.File == "" {
			s.fail("file", "is empty")
		}
		for _, key := range []string{"bounds", "cells"} {
			if s.has(key) {
				s.fail(key, "belongs to generate, and this mesh comes from a file")
			}
		}
		s.know("bounds", "cells")
	case s.has("generate"):
		if b := s.numbers("bounds", 4); b != nil {
			copy(m.Bounds[:], b)
			if !(b[0] < b[2] && b[1] < b[3]) {
				s.fail("bounds", "%v must be [x0, y0, x1, y1] with x0 < x1 and y0 < y1", b)
			}
		}
		m.Cells = int(s.integer("cells", needed, 2, maxCells))
		if m.Cells > maxCells>>(2*m.Refine) {
			s.fail("refine", "%d times makes more than %d cells of %d", m.Refine, maxCells, m.Cells)
		}
	default:
		s.fail("", `needs file = "…" or generate = "rectangle"`)
		s.know("bounds", "cells")
	}
	s.finish()
	return m
}

// maxCells is the largest number of cells whose ids fit an int32, with room for their 3 edges.
const maxCells = 1 << 29

func decodeTime(s *section) Time {
	t := Time{End: s.number("end", positive), MaxSteps: int(s.integer("max_steps", 0, 0, 1<<53))}
	s.finish()
	return t
}

func decodeOutput(s *section, c *Case) Output {
	all, usual := c.Shallow.fields()
	o := Output{
		Every:             s.number("every", nonNegative.or(0)),
		Fields:            s.choices("fields", usual, all...),
		Format:            s.choices("format", []string{"vtu"}, "vtu"),
		Dir:               s.text("dir", "out/"+c.Name),
		ConservationEvery: int(s.integer("conservation_every", 10, 1, 1<<53)),
	}
	if len(o.Fields) == 0 {
		s.fail("fields", "is empty; choose of %s", strings.Join(all, ", "))
	}
	if o.Dir == "" {
		s.fail("dir", "is empty")
	}
	s.finish()
	return o
}

func decodeGauges(root *section) []Gauge {
	var gauges []Gauge
	names := map[string]bool{}
	for _, s := range root.sections("gauge") {
		g := Gauge{Name: s.name("name", required), Every: s.number("every", nonNegative.or(0))}
		copy(g.At[:], s.numbers("at", 2))
		if names[g.Name] && g.Name != "" {
			s.fail("name", "%q is another gauge's already", g.Name)
		}
		names[g.Name] = true
		s.finish()
		gauges = append(gauges, g)
	}
	return gauges
}
