package run

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"

	"github.com/atoll-hpc/atoll/solvers"
)

// conservation writes what the solver measures in the course of the run, above all what is conserved, to
// conservation.csv.
type conservation struct {
	file  *os.File
	w     *bufio.Writer
	row   []byte
	begun bool
}

func openConservation(dir string) (*conservation, error) {
	file, err := os.Create(filepath.Join(dir, "conservation.csv"))
	if err != nil {
		return nil, err
	}
	return &conservation{file: file, w: bufio.NewWriter(file)}, nil
}

// record adds a row of the quantities that are columns; the first one names them.
func (c *conservation) record(now solvers.Clock, table []solvers.Quantity) error {
	c.row = c.row[:0]
	if !c.begun {
		c.begun = true
		c.row = append(c.row, "step,t,dt"...)
		for _, v := range table {
			if v.In&solvers.Column != 0 {
				c.row = append(append(c.row, ','), v.Name...)
			}
		}
		c.row = append(c.row, '\n')
	}
	c.row = strconv.AppendInt(c.row, int64(now.Steps), 10)
	add := func(v float64) { c.row = strconv.AppendFloat(append(c.row, ','), v, 'g', -1, 64) }
	add(now.Time)
	add(now.Dt)
	for _, v := range table {
		if v.In&solvers.Column != 0 {
			add(v.Value)
		}
	}
	_, err := c.w.Write(append(c.row, '\n'))
	return err
}

func (c *conservation) close() error {
	err := c.w.Flush()
	if e := c.file.Close(); err == nil {
		err = e
	}
	return err
}
