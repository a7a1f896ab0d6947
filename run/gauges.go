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

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/config"
)

// gauge writes the values of the cell around a point to a CSV file, on the rank that owns the cell.
type gauge struct {
	cell  int
	every float64
	next  float64 // when the next row is due
	file  *os.File
	w     *bufio.Writer
	row   []byte
}

// locate finds the cell of each gauge on this rank, -1 where another rank has it. A gauge outside the mesh is refused.
func locate(ctx context.Context, list []config.Gauge, comm dist.Comm, p prober) ([]int, error) {
	cells := make([]int, len(list))
	owners := make([]int64, len(list))
	for i, g := range list {
		if cells[i], owners[i] = p.locate(g.At[0], g.At[1]); cells[i] < 0 {
			owners[i] = math.MaxInt64
		}
	}
	mine := slices.Clone(owners)
	if err := comm.AllreduceInt64(ctx, dist.Min, owners); err != nil {
		return nil, err
	}
	for i, g := range list {
		if owners[i] == math.MaxInt64 {
			return nil, &BadInput{fmt.Errorf("gauge %q at (%g, %g) lies outside the mesh", g.Name, g.At[0], g.At[1])}
		}
		if mine[i] != owners[i] {
			cells[i] = -1
		}
	}
	return cells, nil
}

// openGauge begins the file of a gauge.
func openGauge(dir string, g config.Gauge, cell int, names []string) (*gauge, error) {
	if err := os.MkdirAll(filepath.Join(dir, "gauges"), 0o777); err != nil {
		return nil, err
	}
	file, err := os.Create(filepath.Join(dir, "gauges", g.Name+".csv"))
	if err != nil {
		return nil, err
	}
	o := &gauge{cell: cell, every: g.Every, file: file, w: bufio.NewWriter(file)}
	o.row = append(o.row, "t,"+strings.Join(names, ",")+"\n"...)
	if _, err := o.w.Write(o.row); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return o, nil
}

// record writes a row where one is due: at the first step that reaches each multiple of the interval.
func (g *gauge) record(t float64, names []string, value func(name string, cell int) float64) error {
	if t < g.next {
		return nil
	}
	if g.every > 0 {
		for g.next <= t {
			g.next += g.every
		}
	}
	g.row = strconv.AppendFloat(g.row[:0], t, 'g', -1, 64)
	for _, n := range names {
		g.row = append(g.row, ',')
		g.row = strconv.AppendFloat(g.row, value(n, g.cell), 'g', -1, 64)
	}
	g.row = append(g.row, '\n')
	_, err := g.w.Write(g.row)
	return err
}

func (g *gauge) close() error {
	err := g.w.Flush()
	if e := g.file.Close(); err == nil {
		err = e
	}
	return err
}
