package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// frames writes the state of all ranks as it is at some times: a piece a rank, a .pvtu that joins them, and a .pvd with
// all frames.
type frames struct {
	dir, name string
	comm      dist.Comm
	grid      *vtk.Grid // the owned cells, with rank and cell id
	pvd       *vtk.Collection
	count     int
}

func newFrames(dir, name string, comm dist.Comm, part *mesh.Part) (*frames, error) {
	if err := os.MkdirAll(filepath.Join(dir, "frames"), 0o777); err != nil {
		return nil, err
	}
	// Vertices are numbered as the cells need them, so those of the owned cells come first.
	used := int32(0)
	rank, id := make([]int32, part.Owned), make([]int64, part.Owned)
	for i, c := range part.Cells[:part.Owned] {
		used = max(used, c[0]+1, c[1]+1, c[2]+1)
		rank[i], id[i] = int32(comm.Rank()), int64(part.Global[i])
	}
	g := vtk.Triangles(part.X[:used], part.Y[:used], part.Cells[:part.Owned])
	g.CellData = vtk.Arrays{{Name: "rank", Components: 1, Data: rank}, {Name: "cell", Components: 1, Data: id}}
	return &frames{dir: dir, name: name, comm: comm, grid: g, pvd: vtk.NewCollection(filepath.Join(dir, name+".pvd"))}, nil
}

// write adds a frame. field gives the values of an owned cell field by name.
func (f *frames) write(ctx context.Context, time float64, names []string, field func(name string) ([]float64, error)) error {
	g := *f.grid
	for _, name := range names {
		v, err := field(name)
		if err != nil {
			return err
		}
		g.CellData = append(g.CellData[:len(g.CellData):len(g.CellData)], vtk.Array{Name: name, Components: 1, Data: v})
	}
	g.FieldData = vtk.Arrays{{Name: "TimeValue", Components: 1, Data: []float64{time}}}
	piece := func(rank int) string { return fmt.Sprintf("%s_%06d_r%04d.vtu", f.name, f.count, rank) }
	if err := vtk.Write(filepath.Join(f.dir, "frames", piece(f.comm.Rank())), &g); err != nil {
		return err
	}
	// The .pvtu appears when all its pieces are there.
	if err := f.comm.Barrier(ctx); err != nil {
		return err
	}
	if f.comm.Rank() == 0 {
		pieces := make([]string, f.comm.Size())
		for r := range pieces {
			pieces[r] = piece(r)
		}
		joined := filepath.Join("frames", fmt.Sprintf("%s_%06d.pvtu", f.name, f.count))
		if err := vtk.WritePVTU(filepath.Join(f.dir, joined), pieces, &g); err != nil {
			return err
		}
		if err := f.pvd.Append(vtk.Frame{Time: time, File: joined}); err != nil {
			return err
		}
	}
	f.count++
	return nil
}
