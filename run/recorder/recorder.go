// Package recorder has what all kinds of output of a run have in common. A Recorder writes one kind, such as frames or
// the tables of gauges, when its Schedule says so; a List has those of a run, and knows how far the solver may advance,
// what is due, what a checkpoint keeps of them, and where a replay begins. Writing changes no step and no bit.
//
// A new kind of output is a type that embeds Base, and a line in addRecorders of package run.
package recorder

import (
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/ledger"
	"github.com/atoll-hpc/atoll/solvers"
)

// Recorder writes one kind of output of a run. All ranks have the same recorders, and call their methods in the same
// order at the same steps.
type Recorder interface {
	// Name identifies the recorder in checkpoints.
	Name() string
	// Schedule returns when it writes. The List updates it.
	Schedule() *Schedule
	// Open creates the files, or continues them from a position, which is nil if the run starts.
	Open(ctx context.Context, from *Position) error
	// Write writes the current state; last after the last step. It may return before the files are complete.
	Write(ctx context.Context, now solvers.Clock, last bool) error
	// Settle waits until all states that were written are in the files.
	Settle(ctx context.Context) error
	// Save adds to a position what Open needs to continue the files. They are settled.
	Save(to *Position) error
	// Finish completes the files after the last step.
	Finish(ctx context.Context) error
	// Close ends background work, and removes files that are not complete. It is also called after errors.
	Close() error
}

// Backgrounder is a recorder that writes in the background.
type Backgrounder interface {
	Recorder
	// Complete completes what is ready, without waiting. It is called after each call of Advance.
	Complete(ctx context.Context) error
}

// Sampled is a recorder that reads few entities, whose values a solver may record in each step (solvers.Sampler): steps
// then need not pause for it.
type Sampled interface {
	Recorder
	// Samples returns the fields that it reads, and the entities of this rank.
	Samples() (fields []string, entities []int)
}

// OnMesh is a recorder that keeps what depends on the entities of spaces.
type OnMesh interface {
	Recorder
	// Remeshed finds it again, after a solver has changed its mesh, or entities have changed ranks. All ranks call it.
	Remeshed(ctx context.Context) error
}

// Base has the name and the schedule of a recorder, and methods that do nothing.
type Base struct {
	name     string
	schedule Schedule
}

// NewBase returns the base of a recorder.
func NewBase(name string, s Schedule) Base { return Base{name, s} }

// Name implements Recorder.
func (b *Base) Name() string { return b.name }

// Schedule implements Recorder.
func (b *Base) Schedule() *Schedule { return &b.schedule }

// Open implements Recorder.
func (*Base) Open(context.Context, *Position) error { return nil }

// Settle implements Recorder.
func (*Base) Settle(context.Context) error { return nil }

// Save implements Recorder.
func (*Base) Save(*Position) error { return nil }

// Finish implements Recorder.
func (*Base) Finish(context.Context) error { return nil }

// Close implements Recorder.
func (*Base) Close() error { return nil }

// Run is what recorders share: the run on this rank.
type Run struct {
	Case   *config.Case
	Comm   dist.Comm
	Device backend.Device
	Solver solvers.Solver
	Dir    string         // output folder
	Fence  folder.Fence   // of the folder
	Ledger *ledger.Ledger // of the files of this rank

	Fields  []solvers.Field // of the solver
	Written []solvers.Field // those that the case writes

	spent time.Duration
	timed bool // between a call of Timed and of the function that it returned
}

// Spent returns the wall-clock time for which steps have waited for output.
func (r *Run) Spent() time.Duration { return r.spent }

// Timed adds the time until the returned function is called to Spent, once if calls are nested.
func (r *Run) Timed() func() {
	if r.timed {
		return func() {}
	}
	begin := time.Now()
	r.timed = true
	return func() {
		r.spent += time.Since(begin)
		r.timed = false
	}
}

// Space returns the space whose frames have a format, vtu for meshes or vti for grids; nil if there is none.
func (r *Run) Space(format string) *solvers.Space {
	for _, f := range r.Fields {
		if f.Space.Format == format {
			return f.Space
		}
	}
	return nil
}

// WrittenOn returns the fields of a space that the case writes.
func (r *Run) WrittenOn(space *solvers.Space) []solvers.Field {
	var list []solvers.Field
	for _, f := range r.Written {
		if f.Space == space {
			list = append(list, f)
		}
	}
	return list
}

// Path returns the path of a file whose name in the folder of the run is given, with /.
func (r *Run) Path(name string) string { return filepath.Join(r.Dir, filepath.FromSlash(name)) }

// Publish writes a file, whose name in the folder of the run is given, and enters it into the ledger.
func (r *Run) Publish(name string, write func(path string) error) error {
	path := r.Path(name)
	written, err := atomicfile.Recorded(path, func() error { return r.Fence.Publish(func() error { return write(path) }) })
	if err == nil {
		r.Ledger.Add(name, written)
	}
	return err
}

// Position is how far the output of a run had been written at a checkpoint, which stores it.
type Position struct {
	Clock     solvers.Clock       `json:"-"`         // of the checkpoint
	Tables    map[string]int64    `json:"tables"`    // length in bytes of each table, by its path in the folder
	Schedules map[string]Progress `json:"schedules"` // by name of the recorder
	// Files has what else recorders keep of their files, by name.
	Files map[string]json.RawMessage `json:"files"`
	Wall  float64                    `json:"wall_s"` // wall-clock time of the loop over steps
}

// NewPosition returns an empty position.
func NewPosition() *Position {
	return &Position{Tables: map[string]int64{}, Schedules: map[string]Progress{}, Files: map[string]json.RawMessage{}}
}

// TableLength returns the length of a table in bytes; 0 at the start of a run.
func (p *Position) TableLength(table string) int64 {
	if p == nil {
		return 0
	}
	return p.Tables[table]
}

// Keep stores what a recorder keeps of its files.
func (p *Position) Keep(name string, state any) error {
	text, err := json.Marshal(state)
	p.Files[name] = text
	return err
}

// Kept reads what a recorder has kept into state, which it leaves as it is at the start of a run, or if the earlier run
// did not have the recorder.
func (p *Position) Kept(name string, state any) error {
	if p == nil || p.Files[name] == nil {
		return nil
	}
	return json.Unmarshal(p.Files[name], state)
}
