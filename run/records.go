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

// record reads the fields of a mesh.
func (d *frameBuilder) record(ctx context.Context, on *solvers.Space) (piece.Piece, error) {
	p := &recordPiece{}
	for _, f := range d.on(on) {
		values, err := f.Read(ctx)
		if err != nil {
			return nil, err
		}
		n := len(f.Numbers())
		for k := range n {
			numbers := make([]float64, on.Owned) // the next step may overwrite what was read
			for i := range numbers {
				numbers[i] = values[i*n+k]
			}
			p.values = append(p.values, numbers)
		}
	}
	return p, nil
}

// on are the fields that the case writes on a space.
func (d *frameBuilder) on(space *solvers.Space) []solvers.Field {
	var list []solvers.Field
	for _, f := range d.fields {
		if f.Space == space {
			list = append(list, f)
		}
	}
	return list
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
func (f *frames) recordStages(time float64, p *recordPiece) []frameStage {
	record := f.records.Begin(time, p.values)
	return []frameStage{
		{local: func() error { return nil }, collective: record.Exchange},
		{local: func() error { return f.fence.Publish(record.Write) }, collective: f.barrier},
		{local: func() error { return f.fence.Publish(record.Count) }},
	}
}
