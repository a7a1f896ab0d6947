// Package frames writes series of frames: the state of a run at some times, in the formats that the case names. Files
// are written in the background, by all ranks, while steps go on.
package frames

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/estimate"
	"github.com/atoll-hpc/atoll/run/piece"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/solvers"
)

// Frames is the recorder of all series of a run, one for each format, which share the times.
type Frames struct {
	recorder.Base
	run     *recorder.Run
	builder *builder
	series  []*series
	before  func(ctx context.Context) error
	last    bool          // the last frame has begun
	waited  time.Duration // for which steps have waited for frames
}

// New returns the recorder of the formats that the case names. Before each frame it calls before: what else reads the
// state finds an invalid one first.
func New(run *recorder.Run, before func(ctx context.Context) error) (*Frames, error) {
	o := &run.Case.Output
	f := &Frames{run: run, builder: newBuilder(run), before: before, Base: recorder.NewBase("frames",
		recorder.Schedule{First: true, Every: o.Every, Exact: o.ExactTimes, Last: true})}
	shapes := run.Solver.Shapes()
	for i, name := range o.Format {
		format, err := formatOf(run, shapes, name)
		if err != nil {
			return nil, err
		}
		f.series = append(f.series, newSeries(run, format, i))
	}
	return f, nil
}

// Open implements recorder.Recorder.
func (f *Frames) Open(ctx context.Context, from *recorder.Position) error {
	known := map[string]kept{}
	if err := from.Kept(f.Name(), &known); err != nil {
		return err
	}
	for _, s := range f.series {
		if err := s.open(ctx, known[s.Name]); err != nil {
			return err
		}
	}
	return f.prepare()
}

func (f *Frames) prepare() error {
	var formats []Format
	for _, s := range f.series {
		formats = append(formats, s.Format)
	}
	return f.builder.prepare(formats)
}

// Write implements recorder.Recorder. It returns while the files are still being written: one of each series, or
// several if a device with separate memory holds their fields.
func (f *Frames) Write(ctx context.Context, now solvers.Clock, last bool) error {
	if f.last = last; len(f.series) == 0 {
		return nil
	}
	if err := f.before(ctx); err != nil {
		return err
	}
	begin := time.Now()
	defer func() { f.waited += time.Since(begin) }()
	held := 1
	if _, separate := f.run.Device.(backend.Memory); separate {
		held = estimate.FramesOnDevice
	}
	for _, s := range f.series {
		if err := s.limit(ctx, held); err != nil {
			return err
		}
	}
	for _, s := range f.series {
		p, err := f.builder.snapshot(ctx, &s.Format)
		if err != nil {
			return err
		}
		s.begin(now.Time, p, last)
	}
	return nil
}

// Complete implements recorder.Backgrounder.
func (f *Frames) Complete(ctx context.Context) error {
	for _, s := range f.series {
		for s.written() {
			if err := s.advance(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// Settle implements recorder.Recorder.
func (f *Frames) Settle(ctx context.Context) error {
	for _, s := range f.series {
		if err := s.end(ctx); err != nil {
			return err
		}
	}
	if f.last {
		f.builder.buffers.Drop()
	}
	return nil
}

// Save implements recorder.Recorder.
func (f *Frames) Save(to *recorder.Position) error {
	known := map[string]kept{}
	for _, s := range f.series {
		k := kept{Count: s.count}
		if s.listed() {
			k.Listed = s.pvd.Frames()
		}
		known[s.Name] = k
	}
	return to.Keep(f.Name(), known)
}

// Finish implements recorder.Recorder.
func (f *Frames) Finish(context.Context) error {
	for _, s := range f.series {
		if f.run.Comm.Rank() == 0 && s.listed() && s.count > 0 {
			f.run.Ledger.Add(s.pvdFile, atomicfile.Contents{})
		}
	}
	return nil
}

// Close implements recorder.Recorder.
func (f *Frames) Close() error {
	var err error
	for _, s := range f.series {
		err = errors.Join(err, s.close())
	}
	return err
}

// Last names the last frame that is complete, as the end of a sentence; "" if there is none.
func (f *Frames) Last() string {
	if f == nil || len(f.series) == 0 || f.series[0].count == 0 {
		return ""
	}
	return fmt.Sprintf(" and frame %d", f.series[0].count-1)
}

// Pending reports whether a frame is being written.
func (f *Frames) Pending() bool {
	if f == nil {
		return false
	}
	for _, s := range f.series {
		if len(s.pending) > 0 {
			return true
		}
	}
	return false
}

// Waited returns the wall-clock time for which steps have waited for frames.
func (f *Frames) Waited() time.Duration {
	if f == nil {
		return 0
	}
	return f.waited
}

// WriteTime returns how long the last frame of each series took to write, added up.
func (f *Frames) WriteTime() (sum time.Duration) {
	if f == nil {
		return 0
	}
	for _, s := range f.series {
		sum += s.writeTime
	}
	return sum
}

// Measure returns the time to assemble a frame. It writes nothing.
func (f *Frames) Measure(ctx context.Context) (time.Duration, error) {
	if err := f.prepare(); err != nil {
		return 0, err
	}
	begun := time.Now()
	for _, s := range f.series {
		if s.layout == records {
			continue
		}
		d, err := f.builder.snapshot(ctx, &s.Format)
		if err != nil {
			return 0, err
		}
		p, err := d.makePiece()
		if err = errors.Join(err, d.close()); err != nil {
			return 0, err
		}
		if part, ok := p.(piece.PartOfFile); ok { // encodes this rank's part of a file that all ranks write
			if _, err := part.FilePart(f.run.Case.Output.Compress); err != nil {
				return 0, err
			}
		}
		d.arrays.End()
	}
	return time.Since(begun), nil
}
