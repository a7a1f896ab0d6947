package run

import (
	"context"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/solvers"
)

// gauge writes the values of one cell as a time series to a CSV file. Only the rank that owns the cell has the file;
// the other ranks know when rows are due, because reading fields is collective.
type gauge struct {
	file  string  // path in the folder of the run
	cell  int     // -1 on ranks that do not own it
	every float64 // interval between rows, s; 0 for every step
	next  float64 // time of the next row: a multiple of every
	rows  *rows
	row   []byte
}

// probe reads the values of all gauges: of the fields that the case writes, which must share a space.
type probe struct {
	space   *solvers.Space
	fields  []solvers.Field
	columns []string // columns of the tables, without the time
	due     []int    // owned entities for which a row is due
	values  []float64
	numbers []float64 // values of one field at the due entities
}

func newProbe(fields []solvers.Field, solver string) (*probe, error) {
	p := &probe{fields: fields}
	for _, f := range fields {
		if p.space == nil {
			p.space = f.Space
		}
		if f.Space != p.space || f.Space.Locate == nil {
			return nil, &solvers.BadInput{Err: fmt.Errorf("solver %q does not support gauges of field %q", solver, f.Name)}
		}
		p.columns = append(p.columns, f.Numbers()...)
	}
	if p.space == nil {
		return nil, &solvers.BadInput{Err: fmt.Errorf("gauges of solver %q need at least one field: name it in [output] "+
			"fields", solver)}
	}
	return p, nil
}

// unit returns the unit of a column, "" if it has none.
func (p *probe) unit(column string) string {
	for _, f := range p.fields {
		if slices.Contains(f.Numbers(), column) {
			return f.Unit
		}
	}
	return ""
}

// locate returns, for each gauge, its entity on this rank, or -1 if another rank owns it. A gauge outside the domain is
// an error.
func (p *probe) locate(ctx context.Context, list []gaugePoint, comm dist.Comm) ([]int, error) {
	points, keys := make([][]float64, len(list)), make([]int64, len(list))
	for i, g := range list {
		points[i] = g.position
	}
	found := p.space.Locate(points)
	for i := range found {
		if keys[i] = math.MaxInt64; found[i] >= 0 {
			keys[i] = p.space.Key(found[i])
		}
	}
	ownKeys := slices.Clone(keys)
	if err := comm.AllreduceInt64(ctx, dist.Min, keys); err != nil {
		return nil, err
	}
	for i, g := range list {
		if keys[i] == math.MaxInt64 {
			return nil, &solvers.BadInput{Err: fmt.Errorf("gauge %q at %v lies in no %s: it is outside the domain",
				g.name, g.position, p.space.Name)}
		}
		if ownKeys[i] != keys[i] {
			found[i] = -1
		}
	}
	return found, nil
}

// read reads one row for each due entity into values. All ranks call it at the same steps.
func (p *probe) read(ctx context.Context) error {
	width := len(p.columns)
	p.values = slices.Grow(p.values[:0], width*len(p.due))[:width*len(p.due)]
	offset := 0
	for k := range p.fields {
		f := &p.fields[k]
		n := len(f.Numbers())
		p.numbers = slices.Grow(p.numbers[:0], n*len(p.due))[:n*len(p.due)]
		if err := f.Pick(ctx, p.due, p.numbers); err != nil {
			return err
		}
		for i := range p.due {
			copy(p.values[i*width+offset:], p.numbers[i*n:(i+1)*n])
		}
		offset += n
	}
	return nil
}

// openGauge creates the file of a gauge on the rank that owns its cell, or continues it from a checkpoint.
func openGauge(fence folder.Fence, point gaugePoint, cell int, columns []string, from *position) (*gauge, error) {
	g := &gauge{file: path.Join("gauges", point.name+".csv"), cell: cell, every: point.every}
	if from != nil {
		g.schedule(from.time)
	}
	if cell < 0 {
		return g, nil
	}
	if err := atomicfile.MakeFolder(filepath.Join(fence.Dir, "gauges")); err != nil {
		return g, err
	}
	length := from.tableLength(g.file)
	var err error
	if g.rows, err = openRows(fence, g.file, length); err != nil || length > 0 {
		return g, err
	}
	g.row = append(g.row, "t,"+strings.Join(columns, ",")+"\n"...)
	return g, g.rows.add(g.row)
}

// beginSampling asks the solver to record the values of gauges and transects in each step. If it can, steps need not
// pause for them.
func (r *runner) beginSampling() error {
	s, ok := r.solver.(solvers.Sampler)
	if !ok || len(r.tables) == 0 {
		return nil
	}
	var fields []string
	var entities []int
	if r.probe != nil {
		fields = solvers.FieldNames(r.probe.fields)
	}
	for _, g := range r.gauges {
		if g.cell >= 0 {
			entities = append(entities, g.cell)
		}
	}
	if r.transects != nil {
		for _, t := range r.transects.lines {
			for _, x := range t.crossings {
				entities = append(entities, x.Cell)
			}
		}
	}
	accepted, err := s.Sample(fields, entities)
	if accepted {
		r.sampler = s
	}
	return err
}

// sampleSteps writes the rows that are due for the last steps. A solver without a sampler has taken only one step since
// the last call.
func (r *runner) sampleSteps(ctx context.Context, now float64) error {
	if r.sampler == nil {
		return r.sample(ctx, now)
	}
	for k, t := range r.sampler.Sampled() {
		r.sampler.SelectSample(k)
		if err := r.sample(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// sample writes a row to each gauge and transect for which one is due at time t.
func (r *runner) sample(ctx context.Context, t float64) error {
	if r.transects != nil {
		if err := r.transects.sample(ctx, r.Comm, t); err != nil {
			return err
		}
	}
	anyDue := false
	for _, g := range r.gauges {
		if g.due(t) {
			if !anyDue {
				r.probe.due = r.probe.due[:0]
			}
			anyDue = true
			if g.cell >= 0 {
				r.probe.due = append(r.probe.due, g.cell)
			}
		}
	}
	if !anyDue {
		return nil
	}
	if err := r.probe.read(ctx); err != nil {
		return err
	}
	width, remaining := len(r.probe.columns), r.probe.values
	for _, g := range r.gauges {
		if !g.due(t) {
			continue
		}
		if g.cell >= 0 {
			if err := g.writeRow(t, remaining[:width]); err != nil {
				return err
			}
			remaining = remaining[width:]
		}
		g.schedule(t)
	}
	return nil
}

// due reports whether a row is due: at the first step that reaches each multiple of the interval.
func (g *gauge) due(t float64) bool { return t >= g.next }

// schedule sets next to the first multiple of the interval after t.
func (g *gauge) schedule(t float64) {
	if g.every == 0 {
		return
	}
	n := math.Floor(t / g.every) // rounding makes this at most one too small or too large
	for k := range 3 {
		if g.next = (n + float64(k)) * g.every; g.next > t {
			return
		}
	}
}

func (g *gauge) writeRow(t float64, values []float64) error {
	g.row = strconv.AppendFloat(g.row[:0], t, 'g', -1, 64)
	for _, v := range values {
		g.row = append(g.row, ',')
		g.row = strconv.AppendFloat(g.row, v, 'g', -1, 64)
	}
	g.row = append(g.row, '\n')
	return g.rows.add(g.row)
}

func (g *gauge) close() error {
	if g.rows == nil {
		return nil
	}
	return g.rows.close()
}
