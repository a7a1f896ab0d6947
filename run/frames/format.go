package frames

import (
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/solvers"
)

// Format is a format of frames: what it shows, and the rules of its files.
type Format struct {
	Name      string         // in the case
	extension string         // of the frames
	space     *solvers.Space // whose entities the frames show; nil for a shape
	shape     *solvers.Shape
	rules
}

// rules are those of the files with an extension.
type rules struct {
	layout layout
	// shows is the format of the spaces that these files show, and parts the extension of the files of single ranks, which
	// are joined to one. By default both are the extension.
	shows, parts string
	volume       bool // only fields with one component
}

// layout is how frames are divided into files.
type layout int

const (
	shared  layout = iota // one file for each frame, of which each rank writes a part, or a file of each rank and an index
	joined                // one file for each frame, which rank 0 makes from the files of all ranks
	records               // all frames in one file
)

// rulesOf has the rules by extension. Formats that are not listed are VTK's: a .pvd lists their frames.
var rulesOf = map[string]rules{
	"stl": {layout: joined},
	"obj": {layout: joined},
	"vdb": {layout: joined, shows: "vti", parts: "vti", volume: true}, // OpenVDB, made from VTK images
	"nc":  {layout: records, shows: "vtu"},                            // NetCDF by UGRID and CF; a frame is a record
}

// newFormat returns a format of files with an extension.
func newFormat(name, extension string) Format {
	f := Format{Name: name, extension: extension, rules: rulesOf[extension]}
	if f.shows == "" {
		f.shows = name
	}
	if f.parts == "" {
		f.parts = extension
	}
	return f
}

// formatOf returns a format that the case names, for the solver of the run.
func formatOf(run *recorder.Run, shapes []solvers.Shape, name string) (Format, error) {
	for k := range shapes {
		if shapes[k].Format == name {
			f := newFormat(name, shapes[k].File)
			f.shape = &shapes[k]
			return f, nil
		}
	}
	f := newFormat(name, name)
	f.space = run.Space(f.shows)
	switch {
	case f.space == nil:
		return f, &solvers.BadInput{Err: fmt.Errorf("solver %q has no frames in format %q", run.Case.Solver, name)}
	case f.volume && !slices.ContainsFunc(run.WrittenOn(f.space), isScalar):
		return f, &solvers.BadInput{Err: fmt.Errorf("[output] format: %s needs a field with one component, and [output] "+
			"fields has none: add one, or choose %s", name, f.space.Format)}
	}
	return f, nil
}

// isScalar reports whether a field has one component.
func isScalar(f solvers.Field) bool { return len(f.Components) == 0 }

// listed reports whether a .pvd lists the frames.
func (f *Format) listed() bool { return f.layout == shared }
