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
	CRS    string // of coordinates: "EPSG:" and a code; "" if not given. Files of output name it; nothing is transformed

	Sections Sections // what belongs to the solver alone, of its own type

	Exact      []Field // exact solutions of fields at the end, over x, y, z and t; only those that the case gives
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
	MaxSteps int     // steps after which it stops even before End; 0 for no limit
	Epoch    string  // date and time of t = 0 as ISO 8601 in UTC; "" if not given
}

// Output is the section [output]. Comments give the defaults in parentheses.
type Output struct {
	Every             float64  // s, or sweeps, between frames; 0 for the first and the last only (0)
	ExactTimes        bool     // steps are shortened to meet frames' times; else a frame is of the next step (false)
	Fields            []string // names of the fields in frames (Written.Usual)
	Format            []string // of frames, may be empty (first of Written.Formats)
	Files             string   // of a frame: "one" that all ranks write, or one for each "rank" and an index ("one")
	Compress          bool     // compress the arrays of frames in VTK's formats (false)
	Dir               string   // folder of all output, relative to the working directory ("out/" and the name)
	ConservationEvery int      // steps between rows of conservation.csv (10)
	Raster            float64  // m, spacing of rasters of all fields at the end; 0 for none (0)
	Mesh              string   // of solvers that move a mesh: its file at the end, relative to Dir; "" for none ("")
}

// Checkpoint is the section [checkpoint]: when the state is saved, so that a run can continue from there. Comments give
// the defaults in parentheses.
type Checkpoint struct {
	Every float64 // s of wall-clock time between checkpoints; 0 for none (600)
	Steps int     // steps between checkpoints, besides those of Every; 0 for none (0)
	Keep  int     // how many of the latest are kept (2)
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
	// Other sections are not checked: which are valid only the solver's decoder knows.
	if _, isText := d.root["solver"].(string); isText {
		root.Fail("solver", "%q is not known; %s", c.Solver, Choose(slices.Sorted(maps.Keys(solvers))))
	}
	return c
}

// DecodeTransient reads the sections that all transient cases share: [time], [[gauge]] at points of dim coordinates,
// [[transect]] where the solver knows fluxes (w.Flows), [exact], and [output]. It sets w.End itself.
func (c *Case) DecodeTransient(root *Section, dim int, w Written) {
	c.Time = DecodeTime(root.Sub("time"))
	c.Gauges = DecodeGauges(root, dim)
	if w.Flows {
		c.Transects = decodeTransects(root)
	}
	if !slices.Contains(root.known, "exact") { // which some solvers decode themselves
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

// Written says what a solver can write, and by default does.
type Written struct {
	Fields, Usual []string // of a frame: all, and the default
	Formats       []string // of frames, the default first
	Sweeps        bool     // the solver has no time: frames are counted by sweeps
	Mesh          bool     // the solver moves a mesh
	Flows         bool     // the solver is Flowing: transects can integrate its fluxes
	End           float64  // of the run, 0 where it has no time
}

// mostFrames is how many frames a run may have: the names of their files have six digits.
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
