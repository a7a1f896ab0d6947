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
	drawing           *drawing // nil where no frame is under way
}

// drawing is a frame that this rank writes in the background.
type drawing struct {
	time   float64
	piece  piece
	failed error // when it is done
	done   chan struct{}
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

// begin begins to write a frame, of which no other is under way. The piece is the frame's until it ends.
func (f *frames) begin(time float64, p piece) {
	d := &drawing{time: time, piece: p, done: make(chan struct{})}
	f.drawing = d
	path := filepath.Join(f.dir, "frames", f.part(f.comm.Rank()))
	go func() {
		defer close(d.done)
		if d.failed = p.write(path); d.failed == nil && f.comm.Size() == 1 {
			d.failed = f.join(d)
		}
	}()
}

// drawn tells whether this rank has written its part of the frame under way, if there is one.
func (f *frames) drawn() bool {
	if f.drawing == nil {
		return true
	}
	select {
	case <-f.drawing.done:
		return true
	default:
		return false
	}
}

// end ends the frame under way, if there is one. All ranks call it.
func (f *frames) end(ctx context.Context) error {
	d := f.drawing
	if d == nil {
		return nil
	}
	<-d.done
	f.drawing = nil
	if d.failed != nil {
		return d.failed
	}
	if f.comm.Size() > 1 {
		// The joined file appears when all its pieces are there.
		if err := f.comm.Barrier(ctx); err != nil {
			return err
		}
		if f.comm.Rank() == 0 {
			if err := f.join(d); err != nil {
				return err
			}
		}
	}
	f.count++
	return nil
}

// close waits for what is under way of a frame that will not end.
func (f *frames) close() {
	if f.drawing != nil {
		<-f.drawing.done
	}
}

// part is the file of a rank's part of the frame under way.
func (f *frames) part(rank int) string {
	extension := f.extension
	if extension == volumeFormat { // made of pieces in a format that holds a part of a grid
		extension = "vti"
	}
	return fmt.Sprintf("%s_%06d_r%04d.%s", f.name, f.count, rank, extension)
}

// join makes one frame of all parts, on rank 0.
func (f *frames) join(d *drawing) error {
	pieces := make([]string, f.comm.Size())
	for r := range pieces {
		pieces[r] = f.part(r)
	}
	// With / on every system, as files that name files have it.
	joined := path.Join("frames", fmt.Sprintf("%s_%06d.p%s", f.name, f.count, f.extension))
	if f.whole() {
		joined = path.Join("frames", fmt.Sprintf("%s_%06d.%s", f.name, f.count, f.extension))
	}
	err := d.piece.join(filepath.Join(f.dir, joined), pieces)
	if err != nil || f.whole() {
		return err
	}
	return f.pvd.Append(vtk.Frame{Time: d.time, File: joined})
}
