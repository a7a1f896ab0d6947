package frames

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/estimate"
	"github.com/atoll-hpc/atoll/run/piece"
	"github.com/atoll-hpc/atoll/solvers"
)

// pendingFrame is a frame that is being written in the background while steps go on. Each rank writes its part when it
// is ready, and waits for others by messages, in the background too.
type pendingFrame struct {
	time      float64
	number    int           // of the frame in its series
	file      string        // path in the folder of the run
	done      chan struct{} // closed when this rank's part is written, on rank 0 when the frame is complete
	err       error         // valid once done is closed, as writeTime
	begun     time.Time
	writeTime time.Duration // until the frame was published, or failed

	snapshot *snapshot
	piece    piece.Piece
	messages dist.Gathering // what ranks must know of each other's parts
}

// firstFrameTag is the first tag of messages about frames. They differ from the tags of other messages.
const firstFrameTag = 0x0700

// begin starts to write a frame, beside those in progress; last if none will follow. The frame closes the snapshot.
func (f *series) begin(t float64, s *snapshot, last bool) {
	p := &pendingFrame{time: t, number: f.count + len(f.pending), done: make(chan struct{}), snapshot: s}
	// A later frame that has this tag, too, begins on each rank after this one is written there.
	const n = estimate.FramesOnDevice
	p.messages = dist.Gathering{Comm: f.run.Comm, Tag: firstFrameTag + n*f.index + p.number%n}
	// Paths inside .pvd files have / on every system.
	p.file = path.Join("frames", fmt.Sprintf("%s_%06d.%s", f.name, p.number, f.extension))
	var write func() error
	switch {
	case f.layout == records:
		write = f.record(p)
	case f.layout == joined:
		write = func() error { return f.filePerRank(p, true) }
	case f.run.Case.Output.Files == "rank":
		p.file = path.Join("frames", fmt.Sprintf("%s_%06d.p%s", f.name, p.number, f.extension))
		write = func() error { return f.filePerRank(p, false) }
	default:
		write = f.sharedFile(p, last)
	}
	f.pending = append(f.pending, p)
	go func() {
		defer close(p.done)
		p.begun = time.Now()
		if p.piece, p.err = p.snapshot.makePiece(); p.err == nil {
			p.err = ifRemoved(write())
		}
		p.published()
		p.piece = nil
		p.snapshot.arrays.End()
	}()
}

// ifRemoved turns the error of a file or folder that somebody has removed while the run goes on into a fault: the state
// is valid, and a run that continues makes the file again if it can.
func ifRemoved(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &solvers.Fault{Err: fmt.Errorf("%w: restore what was removed while the run went on; the same command "+
			"continues, or starts from the beginning with --force", err)}
	}
	return err
}

// published sets the time that the frame took, the first time that it is called.
func (p *pendingFrame) published() {
	if p.writeTime == 0 {
		p.writeTime = time.Since(p.begun)
	}
}

// written reports whether the first pending frame is written; false if there is none.
func (f *series) written() bool {
	if len(f.pending) == 0 {
		return false
	}
	select {
	case <-f.pending[0].done:
		return true
	default:
		return false
	}
}

// advance completes the first pending frame.
func (f *series) advance(ctx context.Context) error {
	p := f.pending[0]
	keep := context.AfterFunc(ctx, func() { f.cancel(context.Cause(ctx)) })
	<-p.done
	keep()
	if err := errors.Join(p.err, p.snapshot.close()); err != nil {
		return errors.Join(err, f.close())
	}
	f.pending, f.writeTime = slices.Delete(f.pending, 0, 1), p.writeTime // Delete drops the frame's data
	f.count++
	if f.run.Comm.Rank() != 0 || !f.listed() {
		return nil
	}
	return f.run.Fence.Publish(func() error { return f.pvd.Append(vtk.Frame{Time: p.time, File: p.file}) })
}

// limit completes frames until fewer than n are pending.
func (f *series) limit(ctx context.Context, n int) error {
	for len(f.pending) >= n {
		if err := f.advance(ctx); err != nil {
			return err
		}
	}
	return nil
}

// end completes all frames. When it has returned on all ranks, all frames are complete.
func (f *series) end(ctx context.Context) error { return f.limit(ctx, 1) }

// close ends background work on frames that will not be completed, and removes their files and that of a last frame
// that was not written. Other ranks may not write these frames, so it does not wait for their messages.
func (f *series) close() error {
	f.cancel(errors.New("the run has ended"))
	var err error
	for _, p := range f.pending {
		<-p.done
		err = errors.Join(err, p.snapshot.close(), f.removeOnFirstRank(f.run.Fence.PartialPath(f.run.Path(p.file))))
	}
	f.pending = nil
	return errors.Join(err, f.removeAhead())
}

// filePerRank writes one file per rank. Then rank 0 writes a file that joins them: with merge, one that holds all the
// data, after which the files of ranks are removed; without, an index of them.
func (f *series) filePerRank(p *pendingFrame, merge bool) error {
	var names []string
	for rank := range f.run.Comm.Size() {
		names = append(names, fmt.Sprintf("%s_%06d_r%04d.%s", f.rankName(), p.number, rank, f.parts))
	}
	dir, rank := f.run.Path("frames"), f.run.Comm.Rank()
	write := func(path string, write func() error) (atomicfile.Contents, error) {
		return atomicfile.Recorded(path, func() error { return f.run.Fence.Publish(write) })
	}
	own := filepath.Join(dir, names[rank])
	written, err := write(own, func() error { return p.piece.Write(own) })
	if err == nil && !merge {
		f.run.Ledger.Add(path.Join("frames", names[rank]), written)
	}
	if err == nil {
		_, err = p.messages.Gather(f.ctx, nil)
	}
	if err != nil || rank != 0 {
		return err
	}
	joined := f.run.Path(p.file)
	written, err = write(joined, func() error {
		if err := p.piece.Join(joined, names); err != nil || !merge {
			return err
		}
		for _, name := range names {
			if err := atomicfile.Remove(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		f.run.Ledger.Add(p.file, written)
	}
	return err
}
