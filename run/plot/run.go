package plot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/features"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/plot/places"
	"github.com/atoll-hpc/atoll/solvers"
)

// Result lists what was drawn.
type Result struct {
	Files []string // paths of the pictures
	Notes []string // notes for the user
}

// Run draws the contents of the output folder of a run:
//
//   - *.pvd: for the chosen frames, a map of every cell field (of vectors, their lengths), with a common colour bar; a
//     partition if there is a cell array "rank"; surfaces in space as shaded views, with the field name "surface";
//     tetrahedra as a view of the rear half, or a slice;
//   - gauges/*.csv, and gauge_*.csv that users have added: the columns that are declared to be plotted by default
//     (solvers.Field.GaugeDefault) over time, or all if there are none, with measurements;
//   - conservation.csv: the drift of conserved quantities, and the columns for which solvers declare a panel;
//   - for fields declared as Compared, such as the quality of a moving mesh, the first and last frame side by side.
//
// Cells are drawn as dry where the masking field of a field, such as the depth of its layer, is small. It is an error
// if the folder has nothing to draw, or lacks a requested frame, field, gauge or column.
func Run(dir string, o Options) (*Result, error) {
	r, err := newRunner(dir, o)
	if err != nil {
		return nil, err
	}
	if err := r.draw(); err != nil {
		return &r.Result, err
	}
	r.noteBeyond()
	return &r.Result, r.finish()
}

// newRunner prepares to draw the folder of a run.
func newRunner(dir string, o Options) (*runner, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("%s: no such file or folder; want the output folder of a run, or a mesh", dir)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s: not a folder; want the output folder of a run, or a mesh", dir)
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &runner{dir: dir, options: o}
	r.pictureWriter = pictureWriter{options: &r.options, defaultDir: filepath.Join(dir, "plots")}
	r.readCase()
	return r, nil
}

// runner draws the folder of a run.
type runner struct {
	pictureWriter
	dir           string
	options       Options
	runCase       *config.Case       // case of the run; nil if it cannot be read
	dryThresholds map[string]float64 // dry thresholds by masking field
	places        []features.Feature // of the case, drawn on maps

	fields, gauges, columns []string           // names found in the folder
	beyond                  map[string]*beyond // by field
}

// readCase reads the case of the run. Folders of earlier versions have none; then everything that depends on it is
// omitted.
func (r *runner) readCase() {
	text, err := os.ReadFile(filepath.Join(r.dir, "case.toml"))
	if err != nil {
		return
	}
	path := filepath.Join(r.dir, "case.toml")
	if info, err := folder.Read(r.dir); err == nil && info.CaseDir != "" {
		path = filepath.Join(info.CaseDir, info.Case+".toml")
	}
	c, err := solvers.Parse(path, text, nil)
	if err != nil {
		return
	}
	if r.runCase = c; !r.options.NoPlaces {
		if r.places, err = places.Of(c); err != nil {
			r.addNote("some of what the case declares is not on maps: %v", err)
		}
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
		{"*.pvd", o.drawsEverything() || len(o.Fields) > 0 || o.Histogram, r.drawFrames},
		{filepath.Join("gauges", "*.csv"), !o.isAnimation() && (o.drawsEverything() || len(o.Gauges) > 0), r.drawGauge},
		{"gauge_*.csv", !o.isAnimation() && (o.drawsEverything() || len(o.Gauges) > 0), r.drawGauge},
		{filepath.Join("transects", "*.csv"), !o.isAnimation() && o.drawsEverything(), r.drawTransect},
		{"conservation.csv", !o.isAnimation() && (o.drawsEverything() || len(o.Columns) > 0 && len(o.Gauges) == 0),
			r.drawConservation},
	} {
		names, err := listFiles(r.dir, source.pattern)
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
		what              string
		wanted, available []string
	}{{"field", o.Fields, r.fields}, {"gauge", o.Gauges, r.gauges}, {"column", o.Columns, r.columns}} {
		for _, name := range kind.wanted {
			if name != allNames && !slices.Contains(kind.available, name) {
				return missingError(r.dir, kind.what, name, kind.available)
			}
		}
	}
	return nil
}

// missingError returns the error for a name that the folder does not have.
func missingError(dir, what, name string, available []string) error {
	if len(available) == 0 {
		return fmt.Errorf("%s: no %s %q to draw: the folder has none; fields come from frames in formats vtu, vti and vtp, "+
			"gauges from gauges/*.csv, and columns from these or from conservation.csv", dir, what, name)
	}
	return fmt.Errorf("%s: no %s %q to draw; there are %s", dir, what, name, strings.Join(available, ", "))
}

// listFiles returns the files in dir that match, sorted, relative to dir. dir itself may contain pattern characters.
func listFiles(dir, pattern string) ([]string, error) {
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

// addUnique appends a text to a list unless it is there.
func addUnique(list *[]string, name string) {
	if !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}
