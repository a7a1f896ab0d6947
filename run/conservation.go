package run

import (
	"strconv"

	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/solvers"
)

// conservationTable writes conservation.csv: quantities that the solver measures during the run, mainly conserved ones.
type conservationTable struct {
	rows      *rows
	row       []byte
	hasHeader bool
}

const conservationFile = "conservation.csv"

// openConservationTable creates the table, or truncates an existing one to length bytes and appends to it.
func openConservationTable(fence folder.Fence, length int64) (*conservationTable, error) {
	rows, err := openRows(fence, conservationFile, length)
	if err != nil {
		return nil, err
	}
	return &conservationTable{rows: rows, hasHeader: length > 0}, nil
}

// writeRow adds a row of the quantities that are columns. The first call writes the header.
func (c *conservationTable) writeRow(now solvers.Clock, table []solvers.Quantity) error {
	c.row = c.row[:0]
	if !c.hasHeader {
		c.hasHeader = true
		c.row = append(c.row, "step,t,dt"...)
		for _, v := range table {
			if v.Outputs&solvers.Column != 0 {
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
		if v.Outputs&solvers.Column != 0 {
			add(v.Value)
		}
	}
	c.row = append(c.row, '\n')
	return c.rows.add(c.row)
}

func (c *conservationTable) close() error { return c.rows.close() }
