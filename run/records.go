package run

import (
	"context"

	"github.com/atoll-hpc/atoll/internal/checksum"
	"github.com/atoll-hpc/atoll/run/piece"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/run/ugrid"
	"github.com/atoll-hpc/atoll/solvers"
)

// netcdfFormat is the format of plane meshes with all frames in one NetCDF file, by the conventions UGRID and CF. A
// frame is a record of that file.
const netcdfFormat = "nc"

// recordPiece is a rank's part of a record.
type recordPiece struct {
	piece.Piece // nil: a record is not a file
	values      [][]float64
}

// newRecordPiece reads the values of fields into a record.
func newRecordPiece(copies *solvers.FieldCopies, fields []solvers.Field) (piece.Piece, error) {
	fieldValues, err := copies.Read(newArray)
	if err != nil {
		return nil, err
	}
	p := &recordPiece{}
	for m, values := range fieldValues {
		n := len(fields[m].Numbers())
		if n == 1 {
			p.values = append(p.values, values)
			continue
		}
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

// openRecords creates the NetCDF file, or continues one.
func (r *runner) openRecords(ctx context.Context, f *frames) (err error) {
	space := r.builder.space(netcdfFormat)
	g, err := space.Geometry(ctx)
	if err != nil {
		return err
	}
	keys := make([]int64, space.Owned)
	for i := range keys {
		keys[i] = space.Key(i)
	}
	title := r.Case.Title
	if title == "" {
		title = r.Case.Name
	}
	about := ugrid.About{Title: title, Source: "atoll " + summary.Version(), CRS: r.Case.CRS, Epoch: r.Case.Time.Epoch}
	f.records, err = ugrid.Open(ctx, r.Comm, r.fence, f.recordFile(), g.Mesh, keys, r.builder.fieldsOn(space), about,
		f.count)
	if err == nil && f.count == 0 {
		f.countRecords(f.records.Created())
	}
	return err
}

// recordFile is the path of the NetCDF file in the folder of the run.
func (f *frames) recordFile() string { return f.name + "." + netcdfFormat }

// record returns a function that writes a record. Records are written one after the other.
func (f *frames) record(p *pendingFrame) func() error {
	var earlier *pendingFrame
	if len(f.pending) > 0 {
		earlier = f.pending[len(f.pending)-1]
	}
	return func() error {
		if earlier != nil {
			if <-earlier.done; earlier.err != nil {
				return earlier.err
			}
			earlier = nil
		}
		record := f.records.Begin(p.time, p.piece.(*recordPiece).values)
		err := record.Exchange(f.ctx)
		if err == nil {
			err = f.fence.Publish(record.Write)
		}
		var written []byte
		if err == nil {
			written, err = p.messages.Gather(f.ctx, record.Written())
		}
		if err == nil {
			err = f.fence.Publish(record.Count)
		}
		if err != nil {
			return err
		}
		f.countRecords(checksum.Decode(written))
		return nil
	}
}

// countRecords enters the file with its complete records into the ledger. added has checksums of what all ranks have
// added to it.
func (f *frames) countRecords(added checksum.Parts) {
	if f.comm.Rank() > 0 {
		f.ledger.Changed(f.recordFile())
		return
	}
	f.ledger.Grow(f.recordFile(), ugrid.AfterCount, f.records.Size(), added)
}
