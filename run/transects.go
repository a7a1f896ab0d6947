package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/plane"
	"github.com/atoll-hpc/atoll/run/timeseries"
	"github.com/atoll-hpc/atoll/run/ugrid"
	"github.com/atoll-hpc/atoll/solvers"
)

// transect writes the flow through a polyline as a time series to a CSV file, on rank 0.
type transect struct {
	gauge     // schedule and table; it has no cell
	crossings []plane.Crossing
}

// transects computes the flows through all lines of a run.
type transects struct {
	flows    []solvers.Flow
	lines    []*transect
	cells    []int               // owned cells crossed by lines that are due
	values   []float64           // of one flow: its x and y component in each of cells
	sums     []dist.Accumulator  // one per flow and due line
	pointers []*dist.Accumulator // to the elements of sums
	row      []float64           // values of the flows through one line
}

// newTransects finds the cells that the lines of the case cross. All ranks call it.
func (r *runner) newTransects(ctx context.Context) error {
	if len(r.Case.Transects) == 0 {
		return nil
	}
	s, ok := r.solver.(solvers.Flowing)
	if !ok {
		return &solvers.BadInput{Err: fmt.Errorf("solver %q does not support transects", r.Case.Solver)}
	}
	t := &transects{flows: s.Flows()}
	space := t.flows[0].Space
	g, err := space.Geometry(ctx)
	if err != nil {
		return err
	}
	lengths := make([]dist.Accumulator, len(r.Case.Transects))
	lengthPointers := make([]*dist.Accumulator, len(lengths))
	for k, c := range r.Case.Transects {
		line := &transect{gauge: gauge{file: path.Join("transects", c.Name+".csv"), cell: -1, every: c.Every},
			crossings: plane.Crossings(c.Line, g.Mesh, space.Owned)}
		for _, x := range line.crossings {
			lengths[k].Add(math.Hypot(x.X, x.Y))
		}
		t.lines, lengthPointers[k] = append(t.lines, line), &lengths[k]
	}
	if err := dist.AllreduceSum(ctx, r.Comm, lengthPointers...); err != nil {
		return err
	}
	for k, c := range r.Case.Transects {
		if lengths[k].Float64() == 0 {
			return &solvers.BadInput{Err: fmt.Errorf("transect %q from %v to %v crosses no %s; a line along "+
				"edges crosses the cells at its right, so on the boundary reverse it", c.Name, c.Line[0],
				c.Line[len(c.Line)-1], space.Name)}
		}
	}
	r.transects = t
	return nil
}

// open creates the files on rank 0, or continues them from a checkpoint.
func (t *transects) open(r *runner) error {
	for _, line := range t.lines {
		r.tables = append(r.tables, &line.gauge)
		if r.resumeFrom != nil {
			line.schedule(r.resumeFrom.time)
		}
		if r.Comm.Rank() != 0 {
			continue
		}
		if err := atomicfile.MakeFolder(filepath.Join(r.Dir, "transects")); err != nil {
			return err
		}
		length := r.resumeFrom.tableLength(line.file)
		var err error
		if line.rows, err = openRows(r.fence, line.file, length); err != nil {
			return err
		}
		if length > 0 {
			continue
		}
		if err := line.rows.add([]byte("t," + strings.Join(t.columns(), ",") + "\n")); err != nil {
			return err
		}
	}
	return nil
}

func (t *transects) columns() (names []string) {
	for _, f := range t.flows {
		names = append(names, f.Name)
	}
	return names
}

// sample writes a row for each line that is due. Sums over cells are exact, so they do not depend on the number of
// ranks. All ranks call it.
func (t *transects) sample(ctx context.Context, comm dist.Comm, now float64) error {
	t.cells = t.cells[:0]
	due := 0
	for _, line := range t.lines {
		if !line.due(now) {
			continue
		}
		due++
		for _, x := range line.crossings {
			t.cells = append(t.cells, x.Cell)
		}
	}
	if due == 0 {
		return nil
	}
	t.values = slices.Grow(t.values[:0], 2*len(t.cells))[:2*len(t.cells)]
	t.sums = slices.Grow(t.sums[:0], due*len(t.flows))[:due*len(t.flows)]
	clear(t.sums)
	for k := range t.flows {
		if err := t.flows[k].ValuesAt(ctx, t.cells, t.values); err != nil {
			return err
		}
		t.add(k, now)
	}
	t.pointers = t.pointers[:0]
	for k := range t.sums {
		t.pointers = append(t.pointers, &t.sums[k])
	}
	if err := dist.AllreduceSum(ctx, comm, t.pointers...); err != nil {
		return err
	}
	sums := t.sums
	for _, line := range t.lines {
		if !line.due(now) {
			continue
		}
		t.row = t.row[:0]
		for k := range t.flows {
			t.row = append(t.row, sums[k].Float64())
		}
		sums = sums[len(t.flows):]
		if line.rows != nil {
			if err := line.writeRow(now, t.row); err != nil {
				return err
			}
		}
		line.schedule(now)
	}
	return nil
}

// add adds this rank's part of flow k through the due lines.
func (t *transects) add(k int, now float64) {
	sums, values := t.sums, t.values
	for _, line := range t.lines {
		if !line.due(now) {
			continue
		}
		for i, x := range line.crossings {
			sums[k].Add(values[2*i]*x.X + values[2*i+1]*x.Y)
		}
		sums, values = sums[len(t.flows):], values[2*len(line.crossings):]
	}
}

// transectFile is the NetCDF file of all lines by CF: one time series per line, whose geometry is a line.
const transectFile = "transects.nc"

// write writes transectFile from all tables at the end of a run. Rank 0 calls it.
func (t *transects) write(r *runner) error {
	var times []float64
	var names []string
	tables := make([]map[float64][]float64, len(t.lines))
	for i, line := range t.lines {
		var err error
		if tables[i], err = readGauge(filepath.Join(r.Dir, line.file), 1+len(t.flows)); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		times, names = append(times, sortedTimes(tables[i])...), append(names, r.Case.Transects[i].Name)
	}
	slices.Sort(times)
	f := timeseries.New(r.Case, "transect", "transect", names, slices.Compact(times))
	f.Lines(r.Case.Transects, r.Case.EPSG())
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
	return r.publish(transectFile, f.Write)
}
