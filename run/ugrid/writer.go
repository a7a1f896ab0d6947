package ugrid

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/internal/checksum"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/solvers"
)

// About is the metadata of a file.
type About struct {
	Title, Source string // title of the run; program and version
	CRS           string // coordinate system, such as "EPSG:25832"; "" if unknown
	Epoch         string // date and time of t = 0 by ISO 8601; "" if unknown
}

// Writer writes a file in parallel with the writers of all other ranks.
type Writer struct {
	comm            dist.Comm
	fence           folder.Fence
	path            string
	layout          *layout
	plan            *plan
	completeRecords int            // number of complete records
	created         checksum.Parts // what this rank has written to a new file
}

// Open creates a file in the folder of the fence for the owned triangles of all ranks, whose keys count from 0. If
// records > 0, it continues an existing file after that many records. All ranks call it. Records are written and
// counted without the fence: the caller publishes them.
func Open(ctx context.Context, comm dist.Comm, fence folder.Fence, name string, mesh *vtk.Grid, keys []int64,
	fields []solvers.Field, about About, records int) (*Writer, error) {
	w := &Writer{comm: comm, fence: fence, path: filepath.Join(fence.Dir, name), completeRecords: records}
	var err error
	if w.plan, err = newPlan(ctx, comm, keys); err != nil {
		return nil, fmt.Errorf("%s: %w", w.path, err)
	}
	if records > 0 {
		return w, w.resume(ctx, fields)
	}
	corners, err := w.plan.corners(ctx, mesh)
	if err != nil {
		return nil, err
	}
	return w, w.begin(ctx, corners, fields, about)
}

// begin writes the header and the mesh: rank 0 numbers the vertices and writes.
func (w *Writer) begin(ctx context.Context, corners []float64, fields []solvers.Field, about About) error {
	parts, err := Gather(ctx, w.comm, corners)
	if err != nil {
		return err
	}
	var n nodes
	if w.comm.Rank() == 0 {
		n.addCells(parts)
	}
	count := []int64{int64(len(n.x))}
	if err := w.comm.AllreduceInt64(ctx, dist.Max, count); err != nil {
		return err
	}
	if w.layout, err = newLayout(count[0], w.plan.cells, fields, about); err != nil {
		return err
	}
	if w.comm.Rank() == 0 {
		var created atomicfile.Contents
		created, err = atomicfile.Recorded(w.path, func() error {
			return w.fence.Publish(func() error { return w.create(&n) })
		})
		w.created = created.Parts
	}
	return solvers.Agree(ctx, w.comm, err)
}

// resume opens the file of an earlier run and removes records that are to be written again.
func (w *Writer) resume(ctx context.Context, fields []solvers.Field) error {
	file, err := netcdf.Open(w.path)
	if err == nil {
		if w.layout, err = readLayout(file, w.plan.cells, fields); err != nil {
			err = fmt.Errorf("%s: %w: move it away, and restart with --force", w.path, err)
		}
		err = errors.Join(err, file.Close())
	}
	// The file may be truncated only after all ranks have read it.
	if err := solvers.Agree(ctx, w.comm, err); err != nil || w.comm.Rank() > 0 {
		return err
	}
	return w.fence.Publish(w.truncate)
}

// truncate removes the records after the first w.completeRecords.
func (w *Writer) truncate() error {
	f, err := atomicfile.Open(w.path, os.O_RDWR)
	if err != nil {
		return err
	}
	truncate := func() error {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		length := w.layout.header.FileSize(int64(w.completeRecords))
		if info.Size() < length {
			return fmt.Errorf("%s has %d bytes, fewer than the %d at the checkpoint", w.path, info.Size(), length)
		}
		if err := w.writeCount(f, w.completeRecords); err != nil {
			return err
		}
		return f.Truncate(length)
	}
	return errors.Join(truncate(), f.Close())
}

// writeCount writes the number of records to the header.
func (w *Writer) writeCount(f io.WriterAt, records int) error {
	offset, text := w.layout.header.RecordCount(int64(records))
	_, err := f.WriteAt(text, offset)
	return err
}

// AfterCount is the offset of the first byte of a file that does not change when records are added: the number of
// records is before it.
const AfterCount = 12

// Size returns the size in bytes of a file with the records that are complete.
func (w *Writer) Size() int64 { return w.layout.header.FileSize(int64(w.completeRecords)) }

// Created returns checksums of what this rank has written to a file that Open has created; nil for others.
func (w *Writer) Created() checksum.Parts { return w.created }

// Record is a record that is being written. All ranks call its methods in order: Exchange, which waits for messages of
// other ranks; Write; then Count.
type Record struct {
	w       *Writer
	time    float64
	values  [][]float64 // one array per component, on the owned cells
	written [][]float64 // the same, on the cells that this rank writes
	sums    checksum.Recorder
}

// Begin starts a record. values has an array on the owned cells for each component of each field. The arrays may not
// change until Exchange returns.
func (w *Writer) Begin(time float64, values [][]float64) *Record {
	return &Record{w: w, time: time, values: values}
}

// Exchange sends the values to the ranks that write them.
func (r *Record) Exchange(ctx context.Context) (err error) {
	r.written, err = r.w.plan.exchange(ctx, r.values)
	r.values = nil
	return err
}

// Write writes this rank's range of cells.
func (r *Record) Write() error {
	f, err := atomicfile.Open(r.w.path, os.O_WRONLY)
	if err != nil {
		return err
	}
	f.Record(&r.sums)
	return errors.Join(r.write(f), f.Close())
}

// Written returns a message with checksums of what Write has written. It has the same length on all ranks.
func (r *Record) Written() []byte {
	return r.sums.Parts().Joined(-1).Encode(len(r.w.layout.values) + 1)
}

func (r *Record) write(f io.WriterAt) error {
	w := r.w
	record := int64(w.completeRecords)
	for k, v := range w.layout.values {
		if err := writeAt(f, w.layout.header.Offset(v, record, w.plan.first), v.Type, r.written[k]); err != nil {
			return err
		}
	}
	if w.comm.Rank() > 0 {
		return nil
	}
	return writeAt(f, w.layout.header.Offset(w.layout.time, record, 0), netcdf.Float64, []float64{r.time})
}

// Count adds the record to the record count. All ranks call it, rank 0 after all have called Write.
func (r *Record) Count() error {
	r.w.completeRecords++
	if r.w.comm.Rank() > 0 {
		return nil
	}
	f, err := atomicfile.Open(r.w.path, os.O_WRONLY)
	if err != nil {
		return err
	}
	return errors.Join(r.w.writeCount(f, r.w.completeRecords), f.Close())
}

// writeAt writes values at an offset, in chunks.
func writeAt(f io.WriterAt, offset int64, t netcdf.Type, values []float64) error {
	const chunk = 1 << 16
	var text []byte
	for len(values) > 0 {
		n := min(chunk, len(values))
		text = t.Append(text[:0], values[:n])
		if _, err := f.WriteAt(text, offset); err != nil {
			return err
		}
		offset += int64(len(text))
		values = values[n:]
	}
	return nil
}
