package run

import (
	"context"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/solvers"
)

// gauge writes the values of the cell around a point to a CSV file, on the rank that owns the cell. The others know
// when that is.
type gauge struct {
	file  string // in the folder of the run
	cell  int    // -1 on other ranks, which have no file
	every float64
	next  float64 // when the next row is due: a multiple of every
	rows  *rows
	row   []byte
}

// probe is where a run's gauges look: the fields that the case writes, on the space that has all of them.
type probe struct {
	on      *solvers.Space
	fields  []solvers.Field
	columns []string // of the files, but for the time
	due     []int    // entities of this rank for which rows are due
	values  []float64
	numbers []float64 // of one field
}

func newProbe(fields []solvers.Field, solver string) (*probe, error) {
	p := &probe{fields: fields}
	for _, f := range fields {
		if p.on == nil {
			p.on = f.Space
		}
		if f.Space != p.on || f.Space.Locate == nil {
			return nil, &solvers.BadInput{Err: fmt.Errorf("solver %q has no gauges of field %q", solver, f.Name)}
		}
		p.columns = append(p.columns, f.Numbers()...)
	}
	if p.on == nil {
		return nil, &solvers.BadInput{Err: fmt.Errorf("solver %q has no gauges without fields", solver)}
	}
	return p, nil
}

// locate finds the entity of each gauge on this rank, -1 where another rank has it. A gauge outside is refused.
func (p *probe) locate(ctx context.Context, list []gaugePoint, comm dist.Comm) ([]int, error) {
	found := make([]int, len(list))
	owners := make([]int64, len(list))
	for i, g := range list {
		owners[i] = math.MaxInt64
		if found[i] = p.on.Locate(g.at); found[i] >= 0 {
			owners[i] = p.on.Key(found[i])
		}
	}
	mine := slices.Clone(owners)
	if err := comm.AllreduceInt64(ctx, dist.Min, owners); err != nil {
		return nil, err
	}
	for i, g := range list {
		if owners[i] == math.MaxInt64 {
			return nil, &solvers.BadInput{Err: fmt.Errorf("gauge %q at %v lies in no %s", g.name, g.at, p.on.Name)}
		}
		if mine[i] != owners[i] {
			found[i] = -1
		}
	}
	return found, nil
}

// read fills values with a row for each entity that is due. All ranks call it at the same moments.
func (p *probe) read(ctx context.Context) error {
	width := len(p.columns)
	p.values = slices.Grow(p.values[:0], width*len(p.due))[:width*len(p.due)]
	at := 0
	for k := range p.fields {
		f := &p.fields[k]
		n := len(f.Numbers())
		p.numbers = slices.Grow(p.numbers[:0], n*len(p.due))[:n*len(p.due)]
		if err := f.Pick(ctx, p.due, p.numbers); err != nil {
			return err
		}
		for i := range p.due {
			copy(p.values[i*width+at:], p.numbers[i*n:(i+1)*n])
		}
		at += n
	}
	return nil
}

// openGauge begins the file of a gauge on the rank that has its cell, or continues from a position.
func openGauge(fence folder.Fence, g gaugePoint, cell int, columns []string, from *position) (*gauge, error) {
	o := &gauge{file: path.Join("gauges", g.name+".csv"), cell: cell, every: g.every}
	if from != nil {
		o.schedule(from.time)
	}
	if cell < 0 {
		return o, nil
	}
	if err := os.MkdirAll(filepath.Join(fence.Dir, "gauges"), 0o777); err != nil {
		return nil, err
	}
	length := from.length(o.file)
	var err error
	if o.rows, err = openRows(fence, o.file, length); err != nil || length > 0 {
		return o, err
	}
	o.row = append(o.row, "t,"+strings.Join(columns, ",")+"\n"...)
	return o, o.rows.add(o.row)
}

// beginSampling has the solver note what gauges and transects show in each step, if it can: then nobody looks between
// steps.
func (r *runner) beginSampling() error {
	s, can := r.solver.(solvers.Sampler)
	if !can || len(r.tables) == 0 {
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
		for _, of := range r.transects.lines {
			for _, x := range of.cut {
				entities = append(entities, x.Cell)
			}
		}
	}
	does, err := s.Sample(fields, entities)
	if does {
		r.sampler = s
	}
	return err
}

// sampleSteps adds the rows that the last steps are due. A solver that notes nothing took one step up to the present.
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

// sample adds rows to the gauges and transects for which one is due.
func (r *runner) sample(ctx context.Context, t float64) error {
	if r.transects != nil {
		if err := r.transects.sample(ctx, r.Comm, t); err != nil {
			return err
		}
	}
	any := false
	for _, g := range r.gauges {
		if g.due(t) {
			if !any {
				r.probe.due = r.probe.due[:0]
			}
			any = true
			if g.cell >= 0 {
				r.probe.due = append(r.probe.due, g.cell)
			}
		}
	}
	if !any {
		return nil
	}
	if err := r.probe.read(ctx); err != nil {
		return err
	}
	width, rest := len(r.probe.columns), r.probe.values
	for _, g := range r.gauges {
		if !g.due(t) {
			continue
		}
		if g.cell >= 0 {
			if err := g.record(t, rest[:width]); err != nil {
				return err
			}
			rest = rest[width:]
		}
		g.schedule(t)
	}
	return nil
}

// due tells that a row is to be written: at the first step that reaches each multiple of the interval.
func (g *gauge) due(t float64) bool { return t >= g.next }

// schedule looks for the next such multiple.
func (g *gauge) schedule(t float64) {
	if g.every == 0 {
		return
	}
	n := math.Floor(t / g.every) // rounded, and thus one off at most
	for k := range 3 {
		if g.next = (n + float64(k)) * g.every; g.next > t {
			return
		}
	}
}

func (g *gauge) record(t float64, values []float64) error {
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
