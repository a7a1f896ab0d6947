package tables

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/mesh/lines"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/run/timeseries"
	"github.com/atoll-hpc/atoll/run/ugrid"
	"github.com/atoll-hpc/atoll/solvers"
)

// Transects are the transects of a run: lines through which flows are computed.
type Transects struct {
	run   *recorder.Run
	flows []solvers.Flow
	lines []*transect
}

// transect writes the flow through a line, on rank 0.
type transect struct {
	timeTable
	crossings []lines.Crossing
}

// NewTransects finds the cells that the lines of the case cross; nil if the case has none. All ranks call it.
func NewTransects(ctx context.Context, run *recorder.Run) (*Transects, error) {
	sections := run.Case.Transects
	if len(sections) == 0 {
		return nil, nil
	}
	s, ok := run.Solver.(solvers.Flowing)
	if !ok || len(s.Flows()) == 0 {
		return nil, &solvers.BadInput{Err: fmt.Errorf("solver %q does not support transects", run.Case.Solver)}
	}
	t := &Transects{run: run, flows: s.Flows()}
	for _, c := range sections {
		noteSeldom(run.Case, "transect", c.Name, c.Every)
		t.lines = append(t.lines, &transect{timeTable: timeTable{file: path.Join("transects", c.Name+".csv")}})
	}
	return t, t.locate(ctx)
}

// locate finds the cells that the lines cross.
func (t *Transects) locate(ctx context.Context) error {
	space := t.flows[0].Space
	g, err := space.Geometry(ctx)
	if err != nil {
		return err
	}
	sections := t.run.Case.Transects
	lengths := make([]dist.Accumulator, len(sections))
	for k, c := range sections {
		line := t.lines[k]
		line.crossings = lines.Crossings(c.Line, g.Mesh, space.Owned)
		if epsg.Geographic(t.run.Case.EPSG()) {
			lines.OnEarth(line.crossings, func(cell int) float64 { return space.Position(cell)[1] })
		}
		for _, x := range line.crossings {
			lengths[k].Add(math.Hypot(x.X, x.Y))
		}
	}
	if err := dist.AllreduceSums(ctx, t.run.Comm, lengths); err != nil {
		return err
	}
	for k, c := range sections {
		if lengths[k].Float64() == 0 {
			return &solvers.BadInput{Err: fmt.Errorf("transect %q from %v to %v crosses no %s; a line along "+
				"edges crosses the cells at its right, so on the boundary reverse it", c.Name, c.Line[0],
				c.Line[len(c.Line)-1], space.Name)}
		}
	}
	return nil
}

// Recorders returns the recorders of the tables, one for each interval, and of what the end of the run makes of them.
func (t *Transects) Recorders() (list []recorder.Recorder) {
	if t == nil {
		return nil
	}
	sections := t.run.Case.Transects
	intervals, groups := byInterval(len(sections), func(i int) float64 { return sections[i].Every })
	for k, every := range intervals {
		group := &transectGroup{Base: recorder.NewBase(groupName("transects", every), recorder.EachStep(every)), run: t.run,
			flows: t.flows, all: t, first: k == 0}
		for _, i := range groups[k] {
			group.lines = append(group.lines, t.lines[i])
		}
		group.list()
		list = append(list, group)
	}
	return append(list, &transectFile{recorder.NewBase("transect file", recorder.Schedule{Once: true}), t})
}

// transectGroup writes the tables of transects with the same interval.
type transectGroup struct {
	recorder.Base
	run    *recorder.Run
	all    *Transects
	first  bool // of all groups
	flows  []solvers.Flow
	lines  []*transect
	cells  []int              // owned cells crossed by the lines, line by line
	values []float64          // of one flow: its x and y component in each of cells
	sums   []dist.Accumulator // one per line and flow
	row    []float64          // values of the flows through one line
}

// list lists the cells that the lines cross.
func (t *transectGroup) list() {
	t.cells = t.cells[:0]
	for _, line := range t.lines {
		for _, x := range line.crossings {
			t.cells = append(t.cells, x.Cell)
		}
	}
}

// Remeshed implements recorder.OnMesh. The first group finds the cells of all lines.
func (t *transectGroup) Remeshed(ctx context.Context) error {
	if t.first {
		if err := t.all.locate(ctx); err != nil {
			return err
		}
	}
	t.list()
	return nil
}

// Open implements recorder.Recorder.
func (t *transectGroup) Open(_ context.Context, from *recorder.Position) error {
	if t.run.Comm.Rank() != 0 {
		return nil
	}
	var columns []string
	for _, f := range t.flows {
		columns = append(columns, f.Name)
	}
	for _, line := range t.lines {
		if err := line.open(t.run, columns, from); err != nil {
			return err
		}
	}
	return nil
}

// Samples implements recorder.Sampled.
func (t *transectGroup) Samples() (fields []string, entities []int) { return nil, t.cells }

// Write implements recorder.Recorder. It adds a row to each table. Sums over cells are exact, so they do not depend on
// the number of ranks.
func (t *transectGroup) Write(ctx context.Context, now solvers.Clock, _ bool) error {
	t.values = slices.Grow(t.values[:0], 2*len(t.cells))[:2*len(t.cells)]
	t.sums = slices.Grow(t.sums[:0], len(t.lines)*len(t.flows))[:len(t.lines)*len(t.flows)]
	clear(t.sums)
	for k := range t.flows {
		if err := t.flows[k].ValuesAt(ctx, t.cells, t.values); err != nil {
			return err
		}
		t.add(k)
	}
	if err := dist.AllreduceSums(ctx, t.run.Comm, t.sums); err != nil {
		return err
	}
	for i, line := range t.lines {
		t.row = t.row[:0]
		for k := range t.flows {
			t.row = append(t.row, t.sums[i*len(t.flows)+k].Float64())
		}
		if line.rows != nil {
			if err := line.timeTable.add(now.Time, t.row); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds this rank's part of flow k through the lines.
func (t *transectGroup) add(k int) {
	values := t.values
	for i, line := range t.lines {
		sum := &t.sums[i*len(t.flows)+k]
		for j, x := range line.crossings {
			sum.Add(values[2*j]*x.X + values[2*j+1]*x.Y)
		}
		values = values[2*len(line.crossings):]
	}
}

// Save implements recorder.Recorder.
func (t *transectGroup) Save(to *recorder.Position) error {
	for _, line := range t.lines {
		if err := line.rows.save(t.run.Ledger, to); err != nil {
			return err
		}
	}
	return nil
}

// Close implements recorder.Recorder.
func (t *transectGroup) Close() error {
	var err error
	for _, line := range t.lines {
		err = errors.Join(err, line.rows.close())
	}
	return err
}

// transectFileName is the NetCDF file of all lines by CF: one time series per line, whose geometry is a line.
const transectFileName = "transects.nc"

// transectFile writes the file from all tables, on rank 0.
type transectFile struct {
	recorder.Base
	*Transects
}

// Write implements recorder.Recorder.
func (t *transectFile) Write(ctx context.Context, _ solvers.Clock, _ bool) error {
	var err error
	if t.run.Comm.Rank() == 0 {
		err = t.writeFile()
	}
	return solvers.Agree(ctx, t.run.Comm, err)
}

// writeFile writes the file.
func (t *transectFile) writeFile() error {
	var times []float64
	var names []string
	sections := t.run.Case.Transects
	tables := make([]map[float64][]float64, len(t.lines))
	for i, line := range t.lines {
		var err error
		if tables[i], err = readTable(t.run.Path(line.file), 1+len(t.flows)); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		times, names = append(times, sortedTimes(tables[i])...), append(names, sections[i].Name)
	}
	slices.Sort(times)
	f := timeseries.New(t.run.Case, "transect", "transect", names, slices.Compact(times))
	f.Lines(sections, t.run.Case.EPSG())
	for k, flow := range t.flows {
		attrs := netcdf.Attrs{netcdf.Text("units", ugrid.Units(flow.Unit)), netcdf.Text("long_name", flow.Doc)}
		f.Values(flow.Name, attrs, func(i int, time float64) (float64, bool) {
			row, ok := tables[i][time]
			if !ok {
				return 0, false
			}
			return row[k], true
		})
	}
	return t.run.Publish(transectFileName, f.Write)
}
