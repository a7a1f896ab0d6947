package main

import (
	"fmt"

	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/solvers"
)

// bytesOfCell is what a mesh takes of a triangle or a tetrahedron at most, while it is made or read, checked and
// written: measured.
var bytesOfCell = map[int]int64{2: 215, 3: 330}

// fitsMesh refuses a mesh of so many cells for which there is no memory, before any of it is made.
func fitsMesh(cells int64, dim int) error {
	need := cells * bytesOfCell[dim]
	if free, of := run.Free(); need > free {
		return badInput(fmt.Errorf("a mesh of %d cells takes about %s of memory, and there is %s, %s; make fewer cells",
			cells, solvers.Amount(need), solvers.Amount(free), of))
	}
	return nil
}

// fitsFile does so of a mesh file, by what its headers tell.
func fitsFile(path string) error {
	n, err := meshio.Count(path)
	if err != nil {
		return badInput(err)
	}
	if err := fitsMesh(n.Cells, n.Dim); err != nil {
		return badInput(fmt.Errorf("%s: %w", path, err))
	}
	return nil
}
