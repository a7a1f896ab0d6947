package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
)

// gauge writes the values of the cell around a point to a CSV file, on the rank that owns the cell. The others know
// when that is.
type gauge struct {
	cell  int // -1 on other ranks, which have no file
	every float64
	next  float64 // when the next row is due: a multiple of every
	file  *os.File
	w     *bufio.Writer
	row   []byte
}

// locate finds the cell of each gauge on this rank, -1 where another rank has it. A gauge outside the mesh is refused.
func locate(ctx context.Context, list []config.Gauge, comm dist.Comm, p prober) ([]int, error) {
	cells := make([]int, len(list))
	owners := make([]int64, len(list))
	for i, g := range list {
		if cells[i], owners[i] = p.locate(g.At); cells[i] < 0 {
			owners[i] = math.MaxInt64
		}
	}
	mine := slices.Clone(owners)
	if err := comm.AllreduceInt64(ctx, dist.Min, owners); err != nil {
		return nil, err
	}
	for i, g := range list {
		if owners[i] == math.MaxInt64 {
			return nil, &BadInput{fmt.Errorf("gauge %q at %v lies in no cell", g.Name, g.At)}
		}
		if mine[i] != owners[i] {
			cells[i] = -1
		}
	}
	return cells, nil
}

// openGauge begins the file of a gauge on the rank that has its cell.
func openGauge(dir string, g config.Gauge, cell int, columns []string) (*gauge, error) {
	if cell < 0 {
		return &gauge{cell: cell, every: g.Every}, nil
	}
	if err := os.MkdirAll(filepath.Join(dir, "gauges"), 0o777); err != nil {
		return nil, err
	}
	file, err := os.Create(filepath.Join(dir, "gauges", g.Name+".csv"))
	if err != nil {
		return nil, err
	}
	o := &gauge{cell: cell, every: g.Every, file: file, w: bufio.NewWriter(file)}
	o.row = append(o.row, "t,"+strings.Join(columns, ",")+"\n"...)
	if _, err := o.w.Write(o.row); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return o, nil
}

// sample adds rows to the gauges for which one is due.
func (r *runner) sample(ctx context.Context, t float64) error {
	any := false
	r.probed = r.probed[:0]
	for _, g := range r.gauges {
		if g.due(t) {
			any = true
			if g.cell >= 0 {
				r.probed = append(r.probed, g.cell)
			}
		}
	}
	if !any {
		return nil
	}
	width := len(r.columns)
	r.values = slices.Grow(r.values[:0], width*len(r.probed))[:width*len(r.probed)]
	if err := r.prober.probe(ctx, r.Case.Output.Fields, r.probed, r.values); err != nil {
		return err
	}
	rest := r.values
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
		g.wait(t)
	}
	return nil
}

// due tells that a row is to be written: at the first step that reaches each multiple of the interval.
func (g *gauge) due(t float64) bool { return t >= g.next }

// wait looks for the next such multiple.
func (g *gauge) wait(t float64) {
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
	_, err := g.w.Write(g.row)
	return err
}

func (g *gauge) close() error {
	if g.file == nil {
		return nil
	}
	err := g.w.Flush()
	if e := g.file.Close(); err == nil {
		err = e
	}
	return err
}
