package run

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"

	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// conservation writes what is conserved, step by step, to conservation.csv.
type conservation struct {
	file *os.File
	w    *bufio.Writer
	row  []byte
}

func openConservation(dir string) (*conservation, error) {
	file, err := os.Create(filepath.Join(dir, "conservation.csv"))
	if err != nil {
		return nil, err
	}
	c := &conservation{file: file, w: bufio.NewWriter(file)}
	_, err = c.w.WriteString("step,t,dt,mass1,mass2\n")
	return c, err
}

func (c *conservation) record(step int, t, dt float64, d shallow.Diagnostics) error {
	c.row = strconv.AppendInt(c.row[:0], int64(step), 10)
	for _, v := range []float64{t, dt, d.Mass1, d.Mass2} {
		c.row = append(c.row, ',')
		c.row = strconv.AppendFloat(c.row, v, 'g', -1, 64)
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
