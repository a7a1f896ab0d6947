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

	"github.com/atoll-hpc/atoll/internal/words"
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
	RasterFloat64     bool     // the numbers of rasters have 8 bytes instead of 4 (false)
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
	c.keys(nameOf(path), root.Read)
	root.Fill("checkpoint", c.Checkpoint.keys)
	if decode, ok := solvers[c.Solver]; ok {
		decode(root, c)
		root.Finish()
		return c
	}
	// Other sections are not checked: only the solver's decoder knows which are valid.
	if _, isText := d.root["solver"].(string); isText {
		root.Fail("solver", "%q is not known; %s", c.Solver, words.Choose(slices.Sorted(maps.Keys(solvers))))
	}
	return c
}

// keys declares the keys outside of sections.
func (c *Case) keys(name string, key func(*Spec)) {
	key(Phrase("solver", &c.Solver, Required, "what is computed"))
	key(Special(Key{Name: "name", Kind: Text,
		Doc: "of the run, its folder and files; the default is that of the case file"},
		func(s *Section) { c.Name = s.Name("name", name) }, func() any { return c.Name }))
	key(Phrase("title", &c.Title, "", "shown in summaries and pictures").IfSet())
	key(Special(Key{Name: "crs", Kind: Text, Doc: "the coordinate system, as in `\"EPSG:25832\"`. Rasters with another " +
		"one are refused, and output files contain it; coordinates are not transformed"},
		func(s *Section) { c.CRS = s.crs() }, func() any { return given(c.CRS != "", c.CRS) }))
}

// DecodeTransient reads the sections of all time-dependent cases: [time], [[gauge]] at points with dim coordinates,
// [[transect]] if w.Flows is set, [exact] and [output]. The caller need not set w.End: it is read from [time].
func (c *Case) DecodeTransient(root *Section, dim int, w Outputs) {
	root.Fill("time", c.Time.keys)
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

// keys declares the keys of [time]. The epoch may be a date of TOML.
func (t *Time) keys(key func(*Spec)) {
	key(Real("end", "s", &t.End, Positive, "time at which the run ends"))
	key(Whole("max_steps", &t.MaxSteps, 0, 0, maxCount, "number of steps after which it ends at the latest; 0: no limit"))
	key(Special(Key{Name: "epoch", Doc: "date and time of t = 0 in ISO 8601, `\"2026-01-31T12:00:00Z\"`: UTC without a " +
		"time zone"}, func(s *Section) { t.Epoch = s.epoch() }, func() any { return given(t.Epoch != "", t.Epoch) }))
}

// keys declares the keys of [checkpoint].
func (c *Checkpoint) keys(key func(*Spec)) {
	key(Real("every", "s", &c.Every, NonNegative.Or(600), "wall-clock time between checkpoints; 0 for none"))
	key(Whole("steps", &c.Steps, 0, 0, maxCount, "steps between checkpoints, in addition; 0 for none"))
	key(Whole("keep", &c.Keep, 2, 1, maxCount, "number of checkpoints that are kept"))
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
	var o Output
	o.keys(name, w, s.Read)
	if o.Every > 0 && w.End/o.Every > maxFrames {
		s.Fail("every", "%g gives more than %d frames up to t = %g", o.Every, maxFrames, w.End)
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

// keys declares the keys of [output] for what a solver can write: without time, sweeps are the interval of frames.
func (o *Output) keys(name string, w Outputs, key func(*Spec)) {
	key(Real("every", "s", &o.Every, NonNegative.Or(0), "time between frames, at most 999,999 of them; 0 for the first "+
		"and last only").If(!w.Sweeps))
	key(Whole("every", &o.Every, 0, 0, maxCount, "sweeps between frames; 0 for the first and last only").If(w.Sweeps))
	key(Flag("exact_times", &o.ExactTimes, false, "shorten steps so that frames are exactly at their times. Otherwise a "+
		"frame is written after the first step that reaches its time, so that output does not affect the steps").IfSet().
		If(!w.Sweeps))
	key(Words("fields", &o.Fields, w.Default, w.Fields, "fields to write"))
	netCDF := slices.Contains(w.Formats, "nc") // of solvers on triangles, which write rasters too
	formats := "formats of frames; `[]` for no frames"
	if netCDF {
		formats += "; `nc`: all frames in one NetCDF file (UGRID and CF conventions)"
	}
	key(Words("format", &o.Format, w.Formats[:1], w.Formats, formats))
	key(OneWord("files", &o.Files, "one", []string{"one", "rank"}, "`one`: one file per frame, which all ranks write in "+
		"parallel; `rank`: one file per rank and an index, for ranks without a shared folder").IfSet())
	key(Flag("compress", &o.Compress, false, "compress frames by zlib: a half to a tenth of the bytes, at a tenth of the "+
		"speed").IfSet())
	key(Phrase("dir", &o.Dir, "out/"+name, "folder of all output, relative to the current folder").Otherwise("out/NAME"))
	key(Whole("conservation_every", &o.ConservationEvery, 10, 1, maxCount, "steps between rows of conservation.csv"))
	key(Real("raster", "m", &o.Raster, Positive.Or(0), "pixel size: the fields at the end are also written as GeoTIFF in "+
		"`raster/`, with overviews and styles for QGIS; all but thicknesses have no data where [pictures](pictures.md) show "+
		"dry cells").IfSet().Otherwise("none").If(netCDF))
	key(Flag("raster_float64", &o.RasterFloat64, false, "numbers of rasters are float64 instead of float32, which all "+
		"programs read").IfSet().If(netCDF))
	key(Phrase("mesh", &o.Mesh, "", "file of the moved mesh at the end, relative to `dir`").IfSet().Otherwise("none").
		If(w.Mesh))
}
