package frames

import (
	"cmp"
	"context"

	"github.com/atoll-hpc/atoll/internal/checksum"
	"github.com/atoll-hpc/atoll/run/piece"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/run/ugrid"
	"github.com/atoll-hpc/atoll/solvers"
)

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
func (f *series) openRecords(ctx context.Context) error {
	space, c := f.space, f.run.Case
	g, err := space.Geometry(ctx)
	if err != nil {
		return err
	}
	keys := make([]int64, space.Owned)
	for i := range keys {
		keys[i] = space.Key(i)
	}
	about := ugrid.About{Title: cmp.Or(c.Title, c.Name), Source: "atoll " + summary.Version(), CRS: c.CRS,
		Epoch: c.Time.Epoch}
	f.records, err = ugrid.Open(ctx, f.run.Comm, f.run.Fence, f.recordFile(), g.Mesh, keys, f.run.WrittenOn(space), about,
		f.count)
	if err == nil && f.count == 0 {
		f.countRecords(f.records.Created())
	}
	return err
}

// recordFile is the path of the NetCDF file in the folder of the run.
func (f *series) recordFile() string { return f.name + "." + f.extension }

// record returns a function that writes a record. Records are written one after the other.
func (f *series) record(p *pendingFrame) func() error {
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
			err = f.run.Fence.Publish(record.Write)
		}
		var written []byte
		if err == nil {
			written, err = p.messages.Gather(f.ctx, record.Written())
		}
		if err == nil {
			err = f.run.Fence.Publish(record.Count)
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
func (f *series) countRecords(added checksum.Parts) {
	if f.run.Comm.Rank() > 0 {
		f.run.Ledger.Changed(f.recordFile())
		return
	}
	f.run.Ledger.Grow(f.recordFile(), ugrid.AfterCount, f.records.Size(), added)
}
