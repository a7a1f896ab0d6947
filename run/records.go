package run

import (
	"context"
	"path/filepath"

	"github.com/atoll-hpc/atoll/run/piece"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/run/ugrid"
	"github.com/atoll-hpc/atoll/solvers"
)

// recordFormat is of a mesh in the plane: all frames in one file, by UGRID and CF.
const recordFormat = "nc"

// recordPiece is a rank's part of a record of that file.
type recordPiece struct {
	piece.Piece // nil: it is no file of its own
	values      [][]float64
}

// recordOf is what fields of a mesh held.
func recordOf(held *solvers.Held, fields []solvers.Field) (piece.Piece, error) {
	all, err := held.Read()
	if err != nil {
		return nil, err
	}
	p := &recordPiece{}
	for m, values := range all {
		n := len(fields[m].Numbers())
		for k := range n {
			numbers := make([]float64, len(values)/n)
			for i := range numbers {
				numbers[i] = values[i*n+k]
			}
			p.values = append(p.values, numbers)
		}
	}
	return p, nil
}

// openRecords begins or continues with the file of all frames.
func (r *runner) openRecords(ctx context.Context, f *frames) (err error) {
	on := r.builder.space(recordFormat)
	g, err := on.Geometry(ctx)
	if err != nil {
		return err
	}
	keys := make([]int64, on.Owned)
	for i := range keys {
		keys[i] = on.Key(i)
	}
	title := r.Case.Title
	if title == "" {
		title = r.Case.Name
	}
	about := ugrid.About{Title: title, Source: "atoll " + summary.Version(), CRS: r.Case.CRS, Epoch: r.Case.Time.Epoch}
	f.records, err = ugrid.Open(ctx, r.Comm, filepath.Join(r.Dir, f.recordFile()), g.Mesh, keys, r.builder.on(on), about,
		f.count)
	return err
}

// recordFile is the file of all frames, in the folder of the run.
func (f *frames) recordFile() string { return f.name + "." + recordFormat }

// recordStages are the stages of a record.
func (f *frames) recordStages(d *pendingFrame) []frameStage {
	var record *ugrid.Record
	return []frameStage{{
		local: func() error {
			record = f.records.Begin(d.time, d.piece.(*recordPiece).values)
			return nil
		},
		collective: func(ctx context.Context) error { return record.Exchange(ctx) },
	}, {
		local:      func() error { return f.fence.Publish(record.Write) },
		collective: f.barrier,
	}, {
		local: func() error { return f.fence.Publish(record.Count) },
	}}
}
