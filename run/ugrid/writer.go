package ugrid

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/formats/netcdf"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

// About is what a file tells beside numbers.
type About struct {
	Title, Source string // of the run, and the program that made it
	CRS           string // "EPSG:" and the code of the coordinates; "" for not told
	Epoch         string // date and time of t = 0, as ISO 8601; "" for not told
}

// Writer writes to a file together with those of all other ranks.
type Writer struct {
	comm   dist.Comm
	path   string
	layout *layout
	plan   *plan
	done   int // records that are in the file
}

// Open begins a file of the owned triangles of all ranks, whose keys count from 0, or goes on behind so many records.
// All ranks call it.
func Open(ctx context.Context, comm dist.Comm, path string, mesh *vtk.Grid, keys []int64, fields []solvers.Field,
	about About, records int) (*Writer, error) {
	w := &Writer{comm: comm, path: path, done: records}
	var err error
	if w.plan, err = newPlan(ctx, comm, keys); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if records > 0 {
		return w, w.goOn(ctx, fields)
	}
	corners, err := w.plan.corners(ctx, mesh)
	if err != nil {
		return nil, err
	}
	return w, w.begin(ctx, corners, fields, about)
}

// begin writes all but records: rank 0 numbers the vertices, and writes what is there once.
func (w *Writer) begin(ctx context.Context, corners []float64, fields []solvers.Field, about About) error {
	parts, err := gather(ctx, w.comm, corners)
	if err != nil {
		return err
	}
	var n nodes
	if w.comm.Rank() == 0 {
		n.number(parts)
	}
	count := []int64{int64(len(n.x))}
	if err := w.comm.AllreduceInt64(ctx, dist.Max, count); err != nil {
		return err
	}
	if w.layout, err = newLayout(count[0], w.plan.cells, fields, about); err != nil {
		return err
	}
	if w.comm.Rank() == 0 {
		err = w.create(&n)
	}
	return solvers.Agree(ctx, w.comm, err)
}

// goOn takes up a file of an earlier run, and takes away what it has beyond the records that are to stand.
func (w *Writer) goOn(ctx context.Context, fields []solvers.Field) error {
	file, err := netcdf.Open(w.path)
	if err == nil {
		if w.layout, err = layoutOf(file, w.plan.cells, fields); err != nil {
			err = fmt.Errorf("%s: %w: move it away, and start anew with --force", w.path, err)
		}
		err = errors.Join(err, file.Close())
	}
	// Nobody cuts before all have looked.
	if err := solvers.Agree(ctx, w.comm, err); err != nil || w.comm.Rank() > 0 {
		return err
	}
	return w.cut()
}

// cut leaves as many records as there are to be.
func (w *Writer) cut() error {
	f, err := os.OpenFile(w.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	cut := func() error {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		length := w.layout.head.Length(int64(w.done))
		if info.Size() < length {
			return fmt.Errorf("%s has %d bytes, less than the %d that it had at the checkpoint", w.path, info.Size(), length)
		}
		if err := w.count(f, w.done); err != nil {
			return err
		}
		return f.Truncate(length)
	}
	return errors.Join(cut(), f.Close())
}

// count writes how many records there are.
func (w *Writer) count(f *os.File, records int) error {
	at, text := w.layout.head.RecordsAt(int64(records))
	_, err := f.WriteAt(text, at)
	return err
}

// Records is how many there are.
func (w *Writer) Records() int { return w.done }

// Record is one that is being written. Its methods are called in turn by all ranks: Exchange and a barrier at the same
// moment, the others whenever.
type Record struct {
	w      *Writer
	time   float64
	values [][]float64 // of this rank's cells, one array a number of the fields
	slices [][]float64 // of the stretch of cells that it writes
}

// Begin begins a record of the numbers of all fields in their order, each of the owned cells. They may not change until
// it is exchanged.
func (w *Writer) Begin(time float64, values [][]float64) *Record {
	return &Record{w: w, time: time, values: values}
}

// Exchange brings numbers to the ranks that write them.
func (r *Record) Exchange(ctx context.Context) (err error) {
	r.slices, err = r.w.plan.exchange(ctx, r.values)
	r.values = nil
	return err
}

// Write writes this rank's stretch. The record counts after all ranks have, by Count.
func (r *Record) Write() error {
	f, err := os.OpenFile(r.w.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(r.write(f), f.Close())
}

func (r *Record) write(f *os.File) error {
	w := r.w
	record := int64(w.done)
	for k, v := range w.layout.values {
		if err := put(f, w.layout.head.At(v, record, w.plan.first), v.Type, r.slices[k]); err != nil {
			return err
		}
	}
	if w.comm.Rank() > 0 {
		return nil
	}
	return put(f, w.layout.head.At(w.layout.time, record, 0), netcdf.Float64, []float64{r.time})
}

// Count makes the record one of the file. All ranks call it.
func (r *Record) Count() error {
	r.w.done++
	if r.w.comm.Rank() > 0 {
		return nil
	}
	f, err := os.OpenFile(r.w.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(r.w.count(f, r.w.done), f.Close())
}

// put writes values from an offset on, in pieces.
func put(f *os.File, offset int64, t netcdf.Type, values []float64) error {
	const piece = 1 << 16
	var text []byte
	for len(values) > 0 {
		n := min(piece, len(values))
		text = t.Append(text[:0], values[:n])
		if _, err := f.WriteAt(text, offset); err != nil {
			return err
		}
		offset += int64(len(text))
		values = values[n:]
	}
	return nil
}
