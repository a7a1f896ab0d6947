// Package config reads the case file of a run: TOML, decoded strictly. Keys that are unknown, of the wrong type, out
// of range or contradictory are refused, each with one line that names the file, the line and the key, or the
// override.
//
// Load and Parse return a Case. A decoder, one for each solver, reads its sections by the typed getters of Section;
// sections that several solvers share are decoded here (this file, mesh.go and grid.go).
package config

import (
	"maps"
	"slices"
	"strings"
)

// Case is a decoded case with all its defaults filled in.
type Case struct {
	Solver string // name in the case file: a key of the decoders given to Load
	Name   string // of the run and its files; the base name of the case file without extension
	Title  string // for people; may be empty
	CRS    string // coordinate reference system: "EPSG:" and a code; "" if not given. Output files name it

	Sections Sections // the solver's own sections, of a type that its decoder defines

	Exact      []Field // exact solutions of fields over x, y, z and t, as far as the case gives them
	Time       Time    // empty for solvers without time
	Output     Output
	Checkpoint Checkpoint
	Gauges     []Gauge    // none for solvers without gauges
	Transects  []Transect // none for solvers without flows

	dir    string // folder of the case file, where relative paths start
	inputs *list  // files that were looked up by Path
	notes  *list  // what Note was told
}

// maxCount limits numbers of steps and the like: a float64 represents all integers up to it.
const maxCount = 1 << 53

// Time is the section [time].
type Time struct {
	End      float64 // s, when the run is done
	MaxSteps int     // steps after which the run stops even before End; 0 for no limit
	Epoch    string  // date and time of t = 0 as ISO 8601 in UTC; "" if not given
}

// Output is the section [output]. Comments give the defaults in parentheses.
type Output struct {
	Every             float64  // s, or sweeps, between frames; 0 for the first and the last only (0)
	ExactTimes        bool     // shorten steps to meet frame times; otherwise a frame shows the next step (false)
	Fields            []string // names of the fields in frames (Outputs.Default)
	Format            []string // of frames, may be empty (first of Outputs.Formats)
	Files             string   // one file per frame ("one"), or one per rank and an index ("rank") ("one")
	Compress          bool     // compress the arrays of frames in VTK's formats (false)
	Dir               string   // folder of all output, relative to the working directory ("out/" and the name)
	ConservationEvery int      // steps between rows of conservation.csv (10)
	Raster            float64  // spacing in m of the rasters of all fields at the end; 0 for none (0)
	Mesh              string   // file of the moved mesh at the end, relative to Dir; "" for none ("")
}

// Checkpoint is the section [checkpoint]: when the state is saved, so that a run can continue from there. Comments give
// the defaults in parentheses.
type Checkpoint struct {
	Every float64 // s of wall-clock time between checkpoints; 0 for none (600)
	Steps int     // steps between checkpoints, besides those of Every; 0 for none (0)
	Keep  int     // how many of the latest are kept (2)
}

// Sections are the sections of one solver. Print writes them as in a case file, with all defaults.
type Sections interface{ Print(p *Printer) }

// A Decoder reads the sections of a solver from the root of a case file: its own into c.Sections, shared ones by
// DecodeMesh, DecodeTransient and others. Sections and keys that it has not read are refused.
type Decoder func(root *Section, c *Case)

// decodeCase decodes a document. It records problems in d; path gives the default name.
func decodeCase(d *decoder, path string, solvers map[string]Decoder) *Case {
	c := &Case{inputs: &list{}, notes: &list{}}
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
	// Other sections are not checked: only the solver's decoder knows which are valid.
	if _, isText := d.root["solver"].(string); isText {
		root.Fail("solver", "%q is not known; %s", c.Solver, Choose(slices.Sorted(maps.Keys(solvers))))
	}
	return c
}

// DecodeTransient reads the sections of all time-dependent cases: [time], [[gauge]] at points with dim coordinates,
// [[transect]] if w.Flows is set, [exact] and [output]. The caller need not set w.End: it is read from [time].
func (c *Case) DecodeTransient(root *Section, dim int, w Outputs) {
	c.Time = DecodeTime(root.Sub("time"))
	c.Gauges = DecodeGauges(root, dim)
	if w.Flows {
		c.Transects = decodeTransects(root)
	}
	if !slices.Contains(root.known, "exact") { // some solvers decode it themselves
		c.Exact = decodeExact(root.Sub("exact"), w.Fields)
	}
	w.End = c.Time.End
	output := root.Sub("output")
	c.Output = DecodeOutput(output, c.Name, w)
	if slices.Contains(c.Output.Format, "stl") && dim == 2 {
		output.Fail("format", "stl has only triangles, for an interface in space; choose vtp in the plane")
	}
}

// DecodeTime reads the section [time].
func DecodeTime(s *Section) Time {
	s.Units(map[string]string{"end": "s"})
	t := Time{End: s.Number("end", Positive), MaxSteps: int(s.Integer("max_steps", 0, 0, maxCount)),
		Epoch: s.epoch()}
	s.Finish()
	return t
}

func decodeCheckpoint(s *Section) Checkpoint {
	s.Units(map[string]string{"every": "s"})
	c := Checkpoint{
		Every: s.Number("every", NonNegative.Or(600)),
		Steps: int(s.Integer("steps", 0, 0, maxCount)),
		Keep:  int(s.Integer("keep", 2, 1, maxCount)),
	}
	s.Finish()
	return c
}

// Outputs describes what a solver can write.
type Outputs struct {
	Fields, Default []string // of a frame: all, and those written by default
	Formats         []string // of frames, the default first
	Sweeps          bool     // the solver has no time: the interval between frames is a number of sweeps
	Mesh            bool     // the solver moves a mesh
	Flows           bool     // the solver has fluxes (solvers.Flowing), which transects can integrate
	End             float64  // of the run in s; 0 if the solver has no time
}

// maxFrames is the largest number of frames of a run: the names of their files have six digits.
const maxFrames = 999999

// DecodeOutput reads the section [output].
func DecodeOutput(s *Section, name string, w Outputs) Output {
	if s.Units(map[string]string{"every": "s", "raster": "m"}); w.Sweeps {
		s.Units(nil)
	}
	o := Output{
		Fields:            s.Choices("fields", w.Default, w.Fields...),
		Format:            s.Choices("format", w.Formats[:1], w.Formats...),
		Files:             s.Choice("files", "one", "one", "rank"),
		Compress:          s.Boolean("compress", false),
		Dir:               s.Text("dir", "out/"+name),
		ConservationEvery: int(s.Integer("conservation_every", 10, 1, maxCount)),
	}
	if w.Sweeps {
		o.Every = float64(s.Integer("every", 0, 0, maxCount))
	} else {
		o.Every = s.Number("every", NonNegative.Or(0))
		o.ExactTimes = s.Boolean("exact_times", false)
	}
	if slices.Contains(w.Formats, "nc") { // rasters are for solvers on triangles: only these write nc
		o.Raster = s.Number("raster", Positive.Or(0))
	}
	if o.Every > 0 && w.End/o.Every > maxFrames {
		s.Fail("every", "%g gives more than %d frames up to t = %g", o.Every, maxFrames, w.End)
	}
	if w.Mesh {
		o.Mesh = s.Text("mesh", "")
	}
	if len(o.Fields) == 0 {
		s.Fail("fields", "is empty; choose from %s", strings.Join(w.Fields, ", "))
	}
	if o.Dir == "" {
		s.Fail("dir", "is empty")
	}
	s.Finish()
	return o
}
