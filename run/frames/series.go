package frames

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/run/ugrid"
)

// series is a series of frames in one format: one file per frame, and for VTK's formats a .pvd that lists the frames. A
// case may ask for one file per rank instead, with an index file whose extension starts with p.
type series struct {
	Format
	run       *recorder.Run
	name      string // base name of the files
	pvdFile   string // path of the .pvd in the folder of the run
	pvd       *vtk.Collection
	count     int             // of complete frames
	pending   []*pendingFrame // frames that are being written, in order
	writeTime time.Duration   // of the last frame that is complete
	ahead     *fileAhead      // of files that all ranks write; nil before the first frame
	records   *ugrid.Writer   // of a format with all frames in one file; nil otherwise
	index     int             // of the series, which distinguishes its messages between ranks
	ctx       context.Context // of these messages; it ends when the series is closed
	cancel    context.CancelCauseFunc
}

// kept is what a checkpoint keeps of a series.
type kept struct {
	Count  int         `json:"count"`  // number of complete frames
	Listed []vtk.Frame `json:"listed"` // the frames that a .pvd lists
}

// newSeries returns a series, which must be opened. The first one of a run has the name of the case.
func newSeries(run *recorder.Run, format Format, index int) *series {
	f := &series{Format: format, run: run, name: run.Case.Name, pvdFile: run.Case.Name + ".pvd", index: index}
	if index > 0 {
		f.pvdFile = run.Case.Name + "_" + format.Name + ".pvd"
	}
	if format.Name != format.extension { // another series may have files with the same extension
		f.name += "_" + format.Name
	}
	f.pvd = vtk.NewCollection(run.Path(f.pvdFile))
	f.ctx, f.cancel = context.WithCancelCause(context.Background())
	return f
}

// open starts the series, or continues it from a checkpoint. All ranks call it and meet before the first frame, since
// rank 0 removes frames of an earlier run.
func (f *series) open(ctx context.Context, from kept) error {
	f.count = from.Count
	if err := atomicfile.MakeFolder(f.run.Path("frames")); err != nil {
		return err
	}
	if f.run.Comm.Rank() == 0 {
		err := f.run.Fence.Publish(func() error {
			err := f.removeStaleFrames()
			if err == nil && f.count > 0 && f.listed() {
				f.pvd, err = vtk.ContinueCollection(f.run.Path(f.pvdFile), from.Listed)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if f.layout == records {
		return f.openRecords(ctx)
	}
	return nil
}

// removeStaleFrames removes frames that a killed run wrote after the checkpoint from which this one continues.
func (f *series) removeStaleFrames() error {
	dir := f.run.Path("frames")
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	pattern := regexp.MustCompile(`^(?:` + regexp.QuoteMeta(f.name) + `|` + regexp.QuoteMeta(f.rankName()) +
		`)_(\d{6,})(?:_r\d{4,}\.` + f.parts + `|_vdb\.pvti|\.p?` + f.extension + `)$`)
	for _, file := range files {
		found := pattern.FindStringSubmatch(file.Name())
		if found == nil {
			continue
		}
		if n, err := strconv.Atoi(found[1]); err != nil || n < f.count {
			continue
		}
		if err := atomicfile.Remove(filepath.Join(dir, file.Name())); err != nil {
			return err
		}
	}
	return nil
}

// rankName is the base name of the files of single ranks. Those from which a file of another format is made must not be
// those of a series of their own format.
func (f *series) rankName() string {
	if f.parts == f.extension {
		return f.name
	}
	return f.name + "_" + f.extension
}
