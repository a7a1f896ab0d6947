package run

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// frames writes the state of all ranks as it is at some times, in one format of VTK's: a piece a rank, a file that
// joins them, whose extension has a p before it, and a .pvd with all frames.
type frames struct {
	dir, name, format string
	extension         string // vtu, vti, vtp, stl, obj or vdb
	comm              dist.Comm
	pvd               *vtk.Collection
	count             int
}

// newFrames begins a series, or goes on behind so many frames; series names the .pvd, and extension the files of the
// format.
func newFrames(dir, name, series, format, extension string, count int, comm dist.Comm) (*frames, error) {
	if err := os.MkdirAll(filepath.Join(dir, "frames"), 0o777); err != nil {
		return nil, err
	}
	pvd := vtk.NewCollection(filepath.Join(dir, series+".pvd"))
	if count > 0 && comm.Rank() == 0 && extension != "stl" {
		var err error
		if pvd, err = vtk.OpenCollection(filepath.Join(dir, series+".pvd")); err != nil {
			return nil, err
		}
		if err := pvd.Cut(count); err != nil {
			return nil, err
		}
	}
	if format != extension { // another series has such files too
		name += "_" + format
	}
	return &frames{dir: dir, name: name, format: format, extension: extension, comm: comm, pvd: pvd,
		count: count}, nil
}

// whole tells whether there is no index of files, but one of everything, which a .pvd cannot name.
func (f *frames) whole() bool {
	return f.extension == "stl" || f.extension == "obj" || f.extension == volumeFormat
}

// write adds a frame.
func (f *frames) write(ctx context.Context, time float64, p piece) error {
	extension := f.extension
	if extension == volumeFormat { // made of pieces in a format that holds a part of a grid
		extension = "vti"
	}
	file := func(rank int) string { return fmt.Sprintf("%s_%06d_r%04d.%s", f.name, f.count, rank, extension) }
	if err := p.write(filepath.Join(f.dir, "frames", file(f.comm.Rank()))); err != nil {
		return err
	}
	// The joined file appears when all its pieces are there.
	if err := f.comm.Barrier(ctx); err != nil {
		return err
	}
	if f.comm.Rank() == 0 {
		pieces := make([]string, f.comm.Size())
		for r := range pieces {
			pieces[r] = file(r)
		}
		// With / on every system, as files that name files have it.
		joined := path.Join("frames", fmt.Sprintf("%s_%06d.p%s", f.name, f.count, f.extension))
		if f.whole() {
			joined = path.Join("frames", fmt.Sprintf("%s_%06d.%s", f.name, f.count, f.extension))
		}
		if err := p.join(filepath.Join(f.dir, joined), pieces); err != nil {
			return err
		}
		if f.whole() {
			f.count++
			return nil
		}
		if err := f.pvd.Append(vtk.Frame{Time: time, File: joined}); err != nil {
			return err
		}
	}
	f.count++
	return nil
}
