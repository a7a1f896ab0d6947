package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/piece"
)

// pendingFrame is a frame that is being written in stages while steps go on, or follows one that is.
type pendingFrame struct {
	time      float64
	number    int           // of the frame in its series
	file      string        // path in the folder of the run
	stages    []frameStage  // remaining stages; the first is running
	done      chan struct{} // closed when the local part of the first stage has ended; nil before it begins
	err       error         // result of the local part, valid once done is closed
	localTime time.Duration // duration of all local parts so far

	snapshot   *snapshot
	piece      piece.Piece // made in the first stage
	aheadSizes []vtk.Sizes // of the parts of the last frame's file, if this frame began it; else nil
}

// frameStage is a stage of writing a frame: a local part, which runs in the background, and then a collective part, for
// which all ranks meet at the same step.
type frameStage struct {
	local      func() error
	collective func(ctx context.Context) error // nil for none
}

// begin starts to write a frame, after those in progress; last if none will follow. The frame closes the snapshot.
func (f *frames) begin(t float64, s *snapshot, last bool) {
	p := &pendingFrame{time: t, number: f.count + len(f.pending), snapshot: s}
	// Paths inside .pvd files have / on every system.
	p.file = path.Join("frames", fmt.Sprintf("%s_%06d.%s", f.name, p.number, f.extension))
	switch {
	case f.records != nil:
		p.stages = f.recordStages(p)
	case f.outsidePVD():
		p.stages = f.filePerRank(p, true)
	case f.keepRankFiles:
		p.file = path.Join("frames", fmt.Sprintf("%s_%06d.p%s", f.name, p.number, f.extension))
		p.stages = f.filePerRank(p, false)
	default:
		p.stages = f.sharedFile(p, last)
	}
	first := p.stages[0].local
	p.stages[0].local = func() (err error) {
		if p.piece, err = p.snapshot.makePiece(); err != nil {
			return err
		}
		return first()
	}
	if f.comm.Size() == 1 { // a single rank waits for no other
		stages := p.stages
		p.stages = []frameStage{{local: func() error { return runStages(stages) }}}
	}
	if f.pending = append(f.pending, p); len(f.pending) == 1 || f.independent() {
		p.start()
	}
}

// independent reports whether frames may be written at the same time: by a single rank, each in a file of its own.
func (f *frames) independent() bool { return f.comm.Size() == 1 && f.records == nil }

// runStages runs all stages on a single rank.
func runStages(stages []frameStage) error {
	for _, s := range stages {
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

// start runs the local part of the first remaining stage in the background.
func (p *pendingFrame) start() {
	done := make(chan struct{})
	p.done = done
	go func() {
		defer close(done)
		begun := time.Now()
		p.err = p.stages[0].local()
		p.localTime += time.Since(begun)
	}()
}

// stageDone reports whether the local part of the current stage of the first pending frame has ended; true if there is
// none.
func (f *frames) stageDone() bool {
	if len(f.pending) == 0 {
		return true
	}
	select {
	case <-f.pending[0].done:
		return true
	default:
		return false
	}
}

// advance completes the current stage of the first pending frame and starts the next one, or completes the frame. All
// ranks call it.
func (f *frames) advance(ctx context.Context) error {
	p := f.pending[0]
	<-p.done
	if err := errors.Join(p.err, p.snapshot.close()); err != nil {
		return errors.Join(err, f.close())
	}
	if collective := p.stages[0].collective; collective != nil {
		if err := collective(ctx); err != nil {
			return errors.Join(err, f.close())
		}
	}
	if p.stages = p.stages[1:]; len(p.stages) > 0 {
		p.start()
		return nil
	}
	f.pending, f.writeTime = slices.Delete(f.pending, 0, 1), p.localTime // Delete drops the frame's data
	f.count++
	if p.aheadSizes != nil {
		f.ahead.sizes = p.aheadSizes
	}
	if len(f.pending) > 0 && !f.independent() {
		f.pending[0].start()
	}
	if f.comm.Rank() != 0 || f.outsidePVD() {
		return nil
	}
	return f.fence.Publish(func() error { return f.pvd.Append(vtk.Frame{Time: p.time, File: p.file}) })
}

// limit completes frames until fewer than n are pending. All ranks call it.
func (f *frames) limit(ctx context.Context, n int) error {
	for len(f.pending) >= n {
		if err := f.advance(ctx); err != nil {
			return err
		}
	}
	return nil
}

// end completes all frames. All ranks call it.
func (f *frames) end(ctx context.Context) error { return f.limit(ctx, 1) }

// close waits for background work on frames that will not be completed, and removes the file of a last frame that was
// not written.
func (f *frames) close() error {
	var err error
	for _, p := range f.pending {
		if p.done != nil {
			<-p.done
		}
		err = errors.Join(err, p.snapshot.close())
	}
	f.pending = nil
	return errors.Join(err, f.removeAhead())
}

// filePerRank writes one file per rank. Then rank 0 writes a file that joins them: with merge, one that holds all the
// data, after which the files of ranks are removed; without, an index of them.
func (f *frames) filePerRank(p *pendingFrame, merge bool) []frameStage {
	var names []string
	for rank := range f.comm.Size() {
		names = append(names, fmt.Sprintf("%s_%06d_r%04d.%s", f.name, p.number, rank, f.pieceExtension()))
	}
	dir, rank := filepath.Join(f.dir, "frames"), f.comm.Rank()
	return []frameStage{{
		local: func() error {
			return f.fence.Publish(func() error { return p.piece.Write(filepath.Join(dir, names[rank])) })
		},
		collective: f.barrier,
	}, {
		local: func() error {
			if rank != 0 {
				return nil
			}
			return f.fence.Publish(func() error {
				if err := p.piece.Join(filepath.Join(f.dir, p.file), names); err != nil || !merge {
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

// barrier waits for all ranks. On a single rank it returns at once: runStages calls it in the background, where
// collectives are not allowed.
func (f *frames) barrier(ctx context.Context) error {
	if f.comm.Size() == 1 {
		return nil
	}
	return f.comm.Barrier(ctx)
}
