package plot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/solvers"
)

// Result is what was drawn.
type Result struct {
	Files []string // that were written
	Notes []string // what the user is to know
}

// Run draws what the output folder of a run holds:
//
//   - of each *.pvd, a map of every cell field of one component (the length of those of more) in the chosen frames,
//     and the partition if there is a cell array "rank"; the maps of all frames share a colour bar; of a surface in
//     space, a shaded view, which counts as a field "surface"; of tetrahedra, a view of those behind a cut, or a slice;
//   - of each gauges/*.csv and gauge_*.csv, the levels over time beside what was measured, or all columns where none
//     is declared as a level;
//   - of conservation.csv, the drift of what is conserved, and the course of what solvers want to be drawn;
//   - of fields with a range of their own, as the quality of meshes that move, the first and the last frame side by
//     side.
//
// A field is drawn as dry where the field that tells of that, as the depth of its layer, is small. A folder
// without any of these is an error, as is a frame, a field, a gauge or a column that the folder does not have.
func Run(dir string, o Options) (*Result, error) {
	r, err := open(dir, o)
	if err != nil {
		return nil, err
	}
	if err := r.draw(); err != nil {
		return &r.Result, err
	}
	return &r.Result, r.finish()
}

// open begins to draw the folder of a run.
func open(dir string, o Options) (*runner, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("%s: no such file or folder; give the output folder of a run, or a mesh", dir)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s: not a folder; give the output folder of a run, or a mesh", dir)
	}
	o, err := o.settled()
	if err != nil {
		return nil, err
	}
	r := &runner{dir: dir, options: o}
	r.canvas = canvas{options: &r.options, into: filepath.Join(dir, "plots")}
	r.readCase()
	return r, nil
}

// runner is what a Run has done.
type runner struct {
	canvas
	dir     string
	options Options
	of      *config.Case       // nil where it cannot be read
	dry     map[string]float64 // how small the fields are that tell where there is none of others

	fields, gauges, columns []string // that were found
}

// readCase reads the case of the run. Without it, as of folders of earlier versions, what it tells is left out.
func (r *runner) readCase() {
	text, err := os.ReadFile(filepath.Join(r.dir, "case.toml"))
	if err != nil {
		return
	}
	path := filepath.Join(r.dir, "case.toml")
	if told, err := folder.Read(r.dir); err == nil && told.CaseDir != "" {
		path = filepath.Join(told.CaseDir, told.Case+".toml")
	}
	if c, err := solvers.Parse(path, text, nil); err == nil {
		r.of = c
	}
}

func (r *runner) draw() error {
	found := 0
	o := &r.options
	for _, source := range []struct {
		pattern string
		wanted  bool
		draw    func(path string) error
	}{
		{"*.pvd", o.everything() || len(o.Fields) > 0 || o.Histogram, r.frames},
		{filepath.Join("gauges", "*.csv"), !o.film() && (o.everything() || len(o.Gauges) > 0), r.gauge},
		{"gauge_*.csv", !o.film() && (o.everything() || len(o.Gauges) > 0), r.gauge},
		{filepath.Join("transects", "*.csv"), !o.film() && o.everything(), r.transect},
		{"conservation.csv", !o.film() && (o.everything() || len(o.Columns) > 0 && len(o.Gauges) == 0), r.conservation},
	} {
		names, err := list(r.dir, source.pattern)
		if err != nil {
			return err
		}
		found += len(names)
		for _, name := range names {
			if !source.wanted {
				continue
			}
			if err := source.draw(filepath.Join(r.dir, name)); err != nil {
				return err
			}
		}
	}
	if found == 0 {
		return fmt.Errorf("%s: nothing to draw: there is no .pvd file, gauges/*.csv, gauge_*.csv or conservation.csv; "+
			"is it the output folder of a run?", r.dir)
	}
	for _, kind := range []struct {
		what          string
		wanted, there []string
	}{{"field", o.Fields, r.fields}, {"gauge", o.Gauges, r.gauges}, {"column", o.Columns, r.columns}} {
		for _, name := range kind.wanted {
			if name != all && !slices.Contains(kind.there, name) {
				return missing(r.dir, kind.what, name, kind.there)
			}
		}
	}
	return nil
}

// missing refuses a name of which there is nothing.
func missing(dir, what, name string, there []string) error {
	if len(there) == 0 {
		return fmt.Errorf("%s: no %s %q to draw, as there are none: fields are drawn of frames of formats vtu, vti and vtp, "+
			"gauges of gauges/*.csv, and columns of these or of conservation.csv", dir, what, name)
	}
	return fmt.Errorf("%s: no %s %q to draw; there are %s", dir, what, name, strings.Join(there, ", "))
}

// list returns the files of dir that match, sorted. The names in dir itself may hold any character.
func list(dir, pattern string) ([]string, error) {
	sub := filepath.Dir(pattern)
	entries, err := os.ReadDir(filepath.Join(dir, sub))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if ok, _ := filepath.Match(filepath.Base(pattern), e.Name()); ok && !e.IsDir() {
			names = append(names, filepath.Join(sub, e.Name()))
		}
	}
	return names, nil
}

// note records that something of a kind is there.
func note(list *[]string, name string) {
	if !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}
