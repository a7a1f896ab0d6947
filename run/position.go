package run

import (
	"context"
	"encoding/json"
	"time"

	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// position is what a restart needs to continue the output files of a run: how far each had been written. Checkpoints
// store it beside the state of the solver.
type position struct {
	time      float64                // time of the checkpoint, s
	Tables    map[string]int64       `json:"tables"`     // length in bytes of each table, by its path in the folder
	Frames    map[string]int         `json:"frames"`     // number of frames, by format
	NextFrame int                    `json:"next_frame"` // index of the next frame
	LastFrame float64                `json:"last_frame"` // time of the last frame, s
	Series    map[string][]vtk.Frame `json:"series"`     // the frames that a .pvd lists, by format
	Wall      float64                `json:"wall_s"`     // wall-clock time of the loop
}

// tableLength returns the length of a table in bytes; 0 at the start of a run.
func (p *position) tableLength(table string) int64 {
	if p == nil {
		return 0
	}
	return p.Tables[table]
}

// frameCount returns the number of frames of a format.
func (p *position) frameCount(format string) int {
	if p == nil {
		return 0
	}
	return p.Frames[format]
}

// countTables flushes the tables of this rank and enters them into the ledger. It calls visit with the path of each,
// and its length in bytes.
func (r *runner) countTables(visit func(name string, length int64)) error {
	var tables []*rows
	for _, g := range r.tables {
		if g.rows != nil {
			tables = append(tables, g.rows)
		}
	}
	if r.conservation != nil {
		tables = append(tables, r.conservation.rows)
	}
	for _, t := range tables {
		length, err := t.count(r.ledger)
		if err != nil {
			return err
		}
		visit(t.name, length)
	}
	return nil
}

// position flushes the tables of all ranks, and returns the encoded position on rank 0.
func (r *runner) position(ctx context.Context) (json.RawMessage, error) {
	tables := map[string]int64{}
	if err := r.countTables(func(name string, length int64) { tables[name] = length }); err != nil {
		return nil, err
	}
	message, err := json.Marshal(tables)
	if err != nil {
		return nil, err
	}
	messages, err := r.Comm.Gatherv(ctx, 0, message)
	if err != nil || r.Comm.Rank() != 0 {
		return nil, err
	}
	for _, text := range messages {
		if err := json.Unmarshal(text, &tables); err != nil {
			return nil, err
		}
	}
	p := position{Tables: tables, Frames: map[string]int{}, NextFrame: r.nextFrameIndex, LastFrame: r.lastFrameTime,
		Series: map[string][]vtk.Frame{}, Wall: (r.earlierLoops + time.Since(r.loopBegun)).Seconds()}
	for _, f := range r.frames {
		p.Frames[f.format] = f.count
		if !f.outsidePVD() {
			p.Series[f.format] = f.pvd.Frames()
		}
	}
	return json.Marshal(p)
}
