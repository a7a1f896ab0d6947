package tables

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/solvers"
)

// Gauges are the gauges of a run: points at which values are written.
type Gauges struct {
	run    *recorder.Run
	probe  *probe
	points []gaugePoint // the point of each gauge
	gauges []*gauge     // in the same order
}

// gauge writes the values of one cell, on the rank that owns it at the start.
type gauge struct {
	timeTable
	cell int // -1 on other ranks
}

// NewGauges finds the points of all gauges of the case, and the cells in which they lie; nil if the case has none. All
// ranks call it.
func NewGauges(ctx context.Context, run *recorder.Run) (*Gauges, error) {
	if len(run.Case.Gauges) == 0 {
		return nil, nil
	}
	g := &Gauges{run: run}
	for _, s := range run.Case.Gauges {
		noteSeldom(run.Case, "gauge", cmp.Or(s.Name, s.File), s.Every)
	}
	var err error
	if g.probe, err = newProbe(run.Written, run.Case.Solver); err != nil {
		return nil, err
	}
	if err := g.readPoints(ctx); err != nil {
		return nil, err
	}
	for i := range g.points {
		g.gauges = append(g.gauges, &gauge{timeTable{file: path.Join("gauges", g.points[i].name+".csv")}, -1})
	}
	return g, g.locate(ctx)
}

// locate finds the cells of all gauges.
func (g *Gauges) locate(ctx context.Context) error {
	cells, err := g.probe.locate(ctx, g.points, g.run.Comm)
	for i, cell := range cells {
		g.gauges[i].cell = cell
	}
	return err
}

// Recorders returns the recorders of the tables, one for each interval, and of what the end of the run makes of them.
func (g *Gauges) Recorders() (list []recorder.Recorder) {
	if g == nil {
		return nil
	}
	intervals, groups := byInterval(len(g.points), func(i int) float64 { return g.points[i].every })
	for k, every := range intervals {
		group := &gaugeGroup{Base: recorder.NewBase(groupName("gauges", every), recorder.EachStep(every)), run: g.run,
			probe: g.probe, all: g, first: k == 0}
		for _, i := range groups[k] {
			group.gauges = append(group.gauges, g.gauges[i])
		}
		list = append(list, group)
	}
	return append(list, &stations{recorder.NewBase("stations", recorder.Schedule{Once: true}), g})
}

// gaugeGroup writes the tables of gauges with the same interval.
type gaugeGroup struct {
	recorder.Base
	run    *recorder.Run
	probe  *probe
	gauges []*gauge
	cells  []int // of the gauges on this rank
	all    *Gauges
	first  bool // of all groups
	moved  bool // cells have other owners than when the tables were opened
}

// Open implements recorder.Recorder.
func (g *gaugeGroup) Open(_ context.Context, from *recorder.Position) error {
	for _, t := range g.gauges {
		if t.cell < 0 {
			continue
		}
		g.cells = append(g.cells, t.cell)
		if err := t.open(g.run, g.probe.columns, from); err != nil {
			return err
		}
	}
	return nil
}

// Samples implements recorder.Sampled.
func (g *gaugeGroup) Samples() (fields []string, entities []int) {
	return solvers.FieldNames(g.probe.fields), g.cells
}

// Write implements recorder.Recorder. It adds a row to each table.
func (g *gaugeGroup) Write(ctx context.Context, now solvers.Clock, _ bool) error {
	values, err := g.probe.read(ctx, g.cells)
	if err != nil {
		return err
	}
	width := len(g.probe.columns)
	if g.moved {
		return g.writeGathered(ctx, now, values, width)
	}
	for _, t := range g.gauges {
		if t.cell < 0 {
			continue
		}
		if err := t.add(now.Time, values[:width]); err != nil {
			return err
		}
		values = values[width:]
	}
	return nil
}

// writeGathered is Write with the values of cells on any ranks.
func (g *gaugeGroup) writeGathered(ctx context.Context, now solvers.Clock, values []float64, width int) error {
	var own []byte
	for i, t := range g.gauges {
		if t.cell < 0 {
			continue
		}
		own = binary.LittleEndian.AppendUint64(own, uint64(i))
		for _, v := range values[:width] {
			own = binary.LittleEndian.AppendUint64(own, math.Float64bits(v))
		}
		values = values[width:]
	}
	messages, err := g.run.Comm.Allgatherv(ctx, own)
	if err != nil {
		return err
	}
	row := make([]float64, width)
	for m := slices.Concat(messages...); len(m) > 0; m = m[8*(1+width):] {
		for k := range row {
			row[k] = math.Float64frombits(binary.LittleEndian.Uint64(m[8*(1+k):]))
		}
		if t := g.gauges[binary.LittleEndian.Uint64(m)]; t.rows != nil {
			if err := t.add(now.Time, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// Remeshed implements recorder.OnMesh. Tables stay with the ranks that have opened them. The first group finds the
// cells of all gauges.
func (g *gaugeGroup) Remeshed(ctx context.Context) error {
	if g.first {
		if err := g.all.locate(ctx); err != nil {
			return err
		}
	}
	g.moved, g.cells = true, g.cells[:0]
	for _, t := range g.gauges {
		if t.cell >= 0 {
			g.cells = append(g.cells, t.cell)
		}
	}
	return nil
}

// Save implements recorder.Recorder.
func (g *gaugeGroup) Save(to *recorder.Position) error {
	for _, t := range g.gauges {
		if err := t.rows.save(g.run.Ledger, to); err != nil {
			return err
		}
	}
	return nil
}

// Close implements recorder.Recorder.
func (g *gaugeGroup) Close() error {
	var err error
	for _, t := range g.gauges {
		err = errors.Join(err, t.rows.close())
	}
	return err
}

// probe reads the values of all gauges: of the fields that the case writes, which must share a space.
type probe struct {
	space   *solvers.Space
	fields  []solvers.Field
	columns []string // columns of the tables, without the time
	values  []float64
	numbers []float64 // values of one field
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

// read returns a row of values for each of some owned entities, until the next call. All ranks call it at the same
// steps.
func (p *probe) read(ctx context.Context, entities []int) ([]float64, error) {
	width, count := len(p.columns), len(entities)
	p.values = slices.Grow(p.values[:0], width*count)[:width*count]
	offset := 0
	for k := range p.fields {
		f := &p.fields[k]
		n := len(f.Numbers())
		p.numbers = slices.Grow(p.numbers[:0], n*count)[:n*count]
		if err := f.Pick(ctx, entities, p.numbers); err != nil {
			return nil, err
		}
		for i := range count {
			copy(p.values[i*width+offset:], p.numbers[i*n:(i+1)*n])
		}
		offset += n
	}
	return p.values, nil
}
