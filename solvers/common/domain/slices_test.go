package domain

import (
	"cmp"
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/gmsh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
)

// TestInSlices: on several ranks a binary file is read in slices, others are not; and a mesh with faults has the same
// message on one rank and on five.
func TestInSlices(t *testing.T) {
	good, err := mesh.Rectangle(0, 0, 1, 1, fewCells+200, 1)
	if err != nil {
		t.Fatal(err)
	}
	bad := *good
	bad.Cells = append([][3]int32{good.Cells[200]}, good.Cells...)
	dir := t.TempDir()
	for name, m := range map[string]*mesh.Mesh{"good.msh": good, "good.mesh": good, "bad.msh": &bad} {
		if err := meshio.Write(filepath.Join(dir, name), m); err != nil {
			t.Fatal(err)
		}
	}
	if err := gmsh.Write(filepath.Join(dir, "text.msh"), good, false); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		mesh   config.Mesh
		slices bool
	}{
		{config.Mesh{File: "good.msh", Partition: "hilbert"}, true},
		{config.Mesh{Generate: "rectangle", Bounds: [4]float64{0, 0, 1, 1}, Cells: fewCells, Partition: "hilbert"},
			true},
		{config.Mesh{Generate: "rectangle", Bounds: [4]float64{0, 0, 1, 1}, Cells: 90, Partition: "hilbert"}, false},
		{config.Mesh{Generate: "delaunay", Bounds: [4]float64{0, 0, 1, 1}, Cells: fewCells, Partition: "hilbert"},
			false},
		{config.Mesh{File: "good.msh", Partition: "rcb"}, false},
		{config.Mesh{File: "good.msh", Partition: "hilbert", Refine: 1}, false},
		{config.Mesh{File: "text.msh", Partition: "hilbert"}, false},
		{config.Mesh{File: "good.mesh", Partition: "hilbert"}, false},
		{config.Mesh{File: "bad.msh", Partition: "hilbert"}, false},
		{config.Mesh{File: "missing.msh", Partition: "hilbert"}, false},
	} {
		name := c.mesh.File
		if c.mesh.Order = "rcm"; name != "" {
			c.mesh.File = filepath.Join(dir, name)
		}
		var first string
		for _, ranks := range []int{1, 5} {
			shares, messages := make([]bool, ranks), make([]string, ranks)
			var wait sync.WaitGroup
			for rank, comm := range local.New(ranks) {
				wait.Go(func() {
					o := decompose.Options{Ranks: ranks, Order: "rcm"}
					share, err := inSlices(context.Background(), &config.Case{}, c.mesh, comm, o, nil)
					if err != nil {
						t.Error(err)
					}
					shares[rank] = share != nil
					if _, _, err := Distribute(context.Background(), &config.Case{}, c.mesh, comm, nil, nil); err != nil {
						messages[rank] = err.Error()
					}
					_ = comm.Close()
				})
			}
			wait.Wait()
			if first = cmp.Or(first, messages[0]); (name == "bad.msh" || name == "missing.msh") != (first != "") {
				t.Errorf("%+v: got error %q", c.mesh, first)
			}
			for rank := range ranks {
				if shares[rank] != (c.slices && ranks > 1) || messages[rank] != first {
					t.Errorf("%+v, rank %d of %d: read in slices: %v; error %q, on one rank %q", c.mesh, rank, ranks, shares[rank],
						messages[rank], first)
				}
			}
		}
	}
}
