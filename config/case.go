// Package config reads the case file of a run: TOML, decoded strictly. What is unknown, of the wrong type, out of
// range or in contradiction is refused, each with one line that names the file, the line and the key, or the
// override.
//
// A case has sections that solvers share (this file, mesh.go and grid.go) and those of its solver, which decodes them.
package config

import (
	"maps"
	"slices"
	"strings"
)

// Case is a decoded case with all its defaults filled in.
type Case struct {
	Solver string // its name in the case file, one of solvers
	Name   string // of the run and its files; the base name of the case file without extension
	Title  string // for people; may be empty
	CRS    string // of coordinates: "EPSG:" and a code; "" for not told. It is carried along, and transforms nothing

	Sections Sections // what belongs to the solver alone, of its own type

	Exact      []Field // what fields should be at the end, of numbers over x, y, z and t; those that the case gives
	Time       Time    // empty for solvers without time
	Output     Output
	Checkpoint Checkpoint
	Gauges     []Gauge    // none for solvers without gauges
	Transects  []Transect // none for solvers without flows

	dir    string // folder of the case file, where relative paths start
	inputs *inputs
}

// Time is the section [time].
type Time struct {
	End      float64 // s, when the run is done
	MaxSteps int     // when it stops before; 0 for no limit
	Epoch    string  // date and time of t = 0 as ISO 8601 in UTC; "" for not told
}

// Output is the section [output].
type Output struct {
	Every             float64  // s, or sweeps, between frames; 0 for the first and the last only
	ExactTimes        bool     // steps are shortened to meet the times of frames; they come after them else
	Fields            []string // names of what frames hold; which, the solver says
	Format            []string // of frames, or none; the solver's usual one
	Files             string   // how many there are of a frame: "one" that all ranks write, or one a "rank" and an index
	Compress          bool     // arrays in frames of VTK's formats
	Dir               string   // folder of all output, relative to the working directory; "out/" and the name
	ConservationEvery int      // steps between rows of conservation.csv; 10
	Raster            float64  // m, spacing of rasters of all fields at the end; 0 for none
	Mesh              string   // of solvers that move a mesh: file for it at the end, relative to Dir; "" for none
}

// Checkpoint is the section [checkpoint]: when the state is saved, so that a run can continue from there.
type Checkpoint struct {
	Every float64 // s of the clock on the wall between checkpoints; 0 for none; 600
	Steps int     // steps between checkpoints, besides; 0 for none
	Keep  int     // how many of the latest are kept; 2
}

// Sections are those that belong to one solver, of its own type. Print writes them as they are in a case file, with all
// defaults.
type Sections interface{ Print(p *Printer) }

// A Decoder reads what belongs to a solver from the root of a case file into c.Sections, and of the sections that
// solvers share those that it knows, by DecodeMesh, DecodeTime and their like; any other section of the file is then
// refused.
type Decoder func(root *Section, c *Case)

func decodeCase(d *decoder, path string, solvers map[string]Decoder) *Case {
	c := &Case{inputs: &inputs{}}
	root := &Section{decoder: d, values: d.root}
	c.Solver = root.Text("solver", Required)
	c.Name = root.Name("name", nameOf(path))
	c.Title = root.Text("title", "")
	c.CRS = root.crs()
	c.Checkpoint = decodeCheckpoint(root.Sub("checkpoint"))
	if decode, ok := solvers[c.Solver]; ok {
		decode(root, c)
		root.Finish()
		return c
	}
	// The sections of an unknown solver are not known.
	if _, isText := d.root["solver"].(string); isText {
		root.Fail("solver", "%q is not known; %s", c.Solver, Choose(slices.Sorted(maps.Keys(solvers))))
	}
	return c
}

// DecodeCourse reads what cases with time have in common: [time], [[gauge]] at points of so many coordinates,
// [[transect]] where something flows through lines, [exact], and [output], of which w tells all but the end.
func (c *Case) DecodeCourse(root *Section, dim int, w Written) {
	c.Time = DecodeTime(root.Sub("time"))
	c.Gauges = DecodeGauges(root, dim)
	if w.Flows {
		c.Transects = decodeTransects(root)
	}
	if !slices.Contains(root.known, "exact") { // which some solvers have for themselves
		c.Exact = decodeExact(root.Sub("exact"), w.Fields)
	}
	w.End = c.Time.End
	c.Output = DecodeOutput(root.Sub("output"), c.Name, w)
}

// DecodeTime reads the section [time].
func DecodeTime(s *Section) Time {
	t := Time{End: s.Number("end", Positive), MaxSteps: int(s.Integer("max_steps", 0, 0, 1<<53)),
		Epoch: s.epoch()}
	s.Finish()
	return t
}

func decodeCheckpoint(s *Section) Checkpoint {
	c := Checkpoint{
		Every: s.Number("every", NonNegative.Or(600)),
		Steps: int(s.Integer("steps", 0, 0, 1<<53)),
		Keep:  int(s.Integer("keep", 2, 1, 1<<53)),
	}
	s.Finish()
	return c
}

// Written is what a solver can write.
type Written struct {
	Fields, Usual []string // of a frame: all, and those it holds unless told otherwise
	Formats       []string // of frames, the usual one first
	Sweeps        bool     // the solver has no time: frames are counted by sweeps
	Mesh          bool     // the solver moves a mesh
	Flows         bool     // the solver knows what flows through lines in the plane
	End           float64  // of the run, 0 where it has no time
}

// mostFrames is how many frames a run may have: the names of their files count to it.
const mostFrames = 999999

// DecodeOutput reads the section [output].
func DecodeOutput(s *Section, name string, w Written) Output {
	o := Output{
		Fields:            s.Choices("fields", w.Usual, w.Fields...),
		Format:            s.Choices("format", w.Formats[:1], w.Formats...),
		Files:             s.Choice("files", "one", "one", "rank"),
		Compress:          s.Boolean("compress", false),
		Dir:               s.Text("dir", "out/"+name),
		ConservationEvery: int(s.Integer("conservation_every", 10, 1, 1<<53)),
	}
	if w.Sweeps {
		o.Every = float64(s.Integer("every", 0, 0, 1<<53))
	} else {
		o.Every = s.Number("every", NonNegative.Or(0))
		o.ExactTimes = s.Boolean("exact_times", false)
	}
	if slices.Contains(w.Formats, "nc") { // a mesh in the plane
		o.Raster = s.Number("raster", Positive.Or(0))
	}
	if o.Every > 0 && w.End/o.Every > mostFrames {
		s.Fail("every", "%g makes more than %d frames up to t = %g", o.Every, mostFrames, w.End)
	}
	if w.Mesh {
		o.Mesh = s.Text("mesh", "")
	}
	if len(o.Fields) == 0 {
		s.Fail("fields", "is empty; choose of %s", strings.Join(w.Fields, ", "))
	}
	if o.Dir == "" {
		s.Fail("dir", "is empty")
	}
	s.Finish()
	return o
}
