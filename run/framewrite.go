package run

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/piece"
)

// pendingFrame is a frame that is being written while steps go on, stage by stage.
type pendingFrame struct {
	time   float64
	file   string       // in the folder of the run
	stages []frameStage // that have not ended, of which the first is under way
	done   chan struct{}
	failed error // of the stage under way, when it is done
	took   time.Duration

	drawing *drawing
	piece   piece.Piece // that it makes in the first stage
}

// frameStage is what a rank does in the background, and then all ranks at the same moment.
type frameStage struct {
	local      func() error
	collective func(ctx context.Context) error // nil for nothing
}

// begin begins to write a frame, of which no other is under way. The drawing is the frame's until it ends.
func (f *frames) begin(at float64, drawing *drawing) {
	// With / on every system, as files that name files have it.
	d := &pendingFrame{time: at, file: path.Join("frames", fmt.Sprintf("%s_%06d.%s", f.name, f.count, f.extension)),
		drawing: drawing}
	switch {
	case f.records != nil:
		d.stages = f.recordStages(d)
	case f.whole():
		d.stages = f.filePerRank(d, true)
	case f.keepRankFiles:
		d.file = path.Join("frames", fmt.Sprintf("%s_%06d.p%s", f.name, f.count, f.extension))
		d.stages = f.filePerRank(d, false)
	default:
		d.stages = f.sharedFile(d)
	}
	first := d.stages[0].local
	d.stages[0].local = func() (err error) {
		if d.piece, err = d.drawing.make(); err != nil {
			return err
		}
		return first()
	}
	if f.comm.Size() == 1 { // nobody is waited for
		all := d.stages
		d.stages = []frameStage{{local: func() error { return runStages(all) }}}
	}
	f.pending = d
	d.start()
}

// runStages takes a rank that is alone through all stages.
func runStages(all []frameStage) error {
	for _, s := range all {
		if err := s.local(); err != nil {
			return err
		}
		if s.collective == nil {
			continue
		}
		if err := s.collective(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

// start begins the first stage that is left.
func (d *pendingFrame) start() {
	done := make(chan struct{})
	d.done = done
	go func() {
		defer close(done)
		begun := time.Now()
		d.failed = d.stages[0].local()
		d.took += time.Since(begun)
	}()
}

// stageDone reports whether this rank has done what it can of the frame under way, if there is one.
func (f *frames) stageDone() bool {
	if f.pending == nil {
		return true
	}
	select {
	case <-f.pending.done:
		return true
	default:
		return false
	}
}

// advance waits for the stage under way, and begins the next one or ends the frame. All ranks call it.
func (f *frames) advance(ctx context.Context) error {
	d := f.pending
	<-d.done
	if err := errors.Join(d.failed, d.drawing.close()); err != nil {
		f.pending = nil
		return err
	}
	if together := d.stages[0].collective; together != nil {
		if err := together(ctx); err != nil {
			f.pending = nil
			return err
		}
	}
	if d.stages = d.stages[1:]; len(d.stages) > 0 {
		d.start()
		return nil
	}
	f.pending, f.writeTime = nil, d.took
	f.count++
	if f.comm.Rank() != 0 || f.whole() {
		return nil
	}
	return f.fence.Publish(func() error { return f.pvd.Append(vtk.Frame{Time: d.time, File: d.file}) })
}

// end ends the frame under way, if there is one. All ranks call it.
func (f *frames) end(ctx context.Context) error {
	for f.pending != nil {
		if err := f.advance(ctx); err != nil {
			return err
		}
	}
	return nil
}

// close waits for what is under way of a frame that will not end.
func (f *frames) close() error {
	if f.pending == nil {
		return nil
	}
	<-f.pending.done
	return f.pending.drawing.close()
}

// filePerRank writes a file a rank, and one that joins them when all are there: with all that there is in it, so that
// the others go, or with their names.
func (f *frames) filePerRank(d *pendingFrame, whole bool) []frameStage {
	var names []string
	for rank := range f.comm.Size() {
		names = append(names, fmt.Sprintf("%s_%06d_r%04d.%s", f.name, f.count, rank, f.pieces()))
	}
	dir, rank := filepath.Join(f.dir, "frames"), f.comm.Rank()
	return []frameStage{{
		local: func() error {
			return f.fence.Publish(func() error { return d.piece.Write(filepath.Join(dir, names[rank])) })
		},
		collective: f.barrier,
	}, {
		local: func() error {
			if rank != 0 {
				return nil
			}
			return f.fence.Publish(func() error {
				if err := d.piece.Join(filepath.Join(f.dir, d.file), names); err != nil || !whole {
					return err
				}
				for _, name := range names {
					if err := os.Remove(filepath.Join(dir, name)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}}
}

// sharedFile writes one file by all ranks at the same time. It has its name when it is complete.
func (f *frames) sharedFile(d *pendingFrame) []frameStage {
	path := filepath.Join(f.dir, d.file)
	var share *vtk.Share
	var sizes []vtk.Sizes
	rank := f.comm.Rank()
	return []frameStage{{
		local: func() (err error) {
			if share, err = d.piece.(piece.Shared).Share(f.compress); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if rank > 0 {
				return nil
			}
			file, err := os.Create(f.fence.Part(path))
			if err != nil {
				return err
			}
			return file.Close()
		},
		collective: func(ctx context.Context) (err error) {
			sizes, err = f.sizes(ctx, share)
			return err
		},
	}, {
		local:      func() error { return writeShare(f.fence.Part(path), share, sizes, rank) },
		collective: f.barrier,
	}, {
		local: func() error {
			if rank > 0 {
				return nil
			}
			return f.fence.Publish(func() error { return os.Rename(f.fence.Part(path), path) })
		},
	}}
}

// sizes are those of the shares of all ranks.
func (f *frames) sizes(ctx context.Context, share *vtk.Share) ([]vtk.Sizes, error) {
	if f.comm.Size() == 1 {
		return []vtk.Sizes{share.Sizes()}, nil
	}
	own, err := binary.Append(nil, binary.LittleEndian, share.Sizes())
	if err != nil {
		return nil, err
	}
	all, err := f.comm.Allgatherv(ctx, own)
	if err != nil {
		return nil, err
	}
	sizes := make([]vtk.Sizes, len(all))
	for rank, of := range all {
		if _, err := binary.Decode(of, binary.LittleEndian, &sizes[rank]); err != nil {
			return nil, fmt.Errorf("rank %d: %w", rank, err)
		}
	}
	return sizes, nil
}

// barrier waits for all ranks, where there are others. A rank that is alone calls it in the background.
func (f *frames) barrier(ctx context.Context) error {
	if f.comm.Size() == 1 {
		return nil
	}
	return f.comm.Barrier(ctx)
}

func writeShare(path string, share *vtk.Share, sizes []vtk.Sizes, rank int) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := share.Write(file, sizes, rank); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
