package run

import (
	"context"
	"encoding/json"
	"time"
)

// position is how far the output of a run has come, beside the state of its solver: what a checkpoint tells of it.
type position struct {
	time   float64          // of the state
	Tables map[string]int64 `json:"tables"` // length in bytes of each, by its file in the folder
	Frames map[string]int   `json:"frames"` // how many there are, by format
	Next   int              `json:"next_frame"`
	Framed float64          `json:"last_frame"` // s, when the last was written
	Wall   float64          `json:"wall_s"`     // spent on steps
}

// length is that of a table; 0 at the start of a run.
func (p *position) length(table string) int64 {
	if p == nil {
		return 0
	}
	return p.Tables[table]
}

// frames is how many there are of a format.
func (p *position) frames(format string) int {
	if p == nil {
		return 0
	}
	return p.Frames[format]
}

// position brings the tables of all ranks to the disk, and tells on rank 0 how far the output is.
func (r *runner) position(ctx context.Context) (json.RawMessage, error) {
	tables := map[string]int64{}
	var err error
	for _, g := range r.tables {
		if g.rows != nil && err == nil {
			tables[g.file], err = g.rows.sync()
		}
	}
	if r.conservation != nil && err == nil {
		tables[conservationFile], err = r.conservation.rows.sync()
	}
	if err != nil {
		return nil, err
	}
	mine, err := json.Marshal(tables)
	if err != nil {
		return nil, err
	}
	all, err := r.Comm.Gatherv(ctx, 0, mine)
	if err != nil || r.Comm.Rank() != 0 {
		return nil, err
	}
	for _, text := range all {
		if err := json.Unmarshal(text, &tables); err != nil {
			return nil, err
		}
	}
	p := position{Tables: tables, Frames: map[string]int{}, Next: r.nextFrameIndex, Framed: r.lastFrameTime,
		Wall: (r.earlierLoops + time.Since(r.loopBegun)).Seconds()}
	for _, f := range r.frames {
		p.Frames[f.format] = f.count
	}
	return json.Marshal(p)
}
