package run

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/ledger"
	"github.com/atoll-hpc/atoll/run/ugrid"
)

// frames writes a series of frames in one format: one file per frame, and for VTK's formats a .pvd that lists the
// frames. A case may ask for one file per rank instead, with an index file whose extension starts with p.
type frames struct {
	dir, name, format       string
	series                  string // base name of the .pvd
	extension               string // vtu, vti, vtp, stl, obj or vdb
	keepRankFiles, compress bool   // one file per rank; compress arrays of VTK's formats
	comm                    dist.Comm
	fence                   folder.Fence
	pvd                     *vtk.Collection
	count                   int
	pending                 []*pendingFrame // frames that are being written, in order
	writeTime               time.Duration   // of the last frame that is complete
	ledger                  *ledger.Ledger  // of the files; nil in tests
	ahead                   *fileAhead      // of files that all ranks write; nil before the first frame
	records                 *ugrid.Writer   // of the format nc, which has all frames in one file; nil otherwise
	index                   int             // of the series, which distinguishes its messages between ranks
	ctx                     context.Context // of these messages; it ends when the series is closed
	cancel                  context.CancelCauseFunc
}

// newFrames starts a series, or continues one from a checkpoint. series is the base name of the .pvd, extension that of
// the frame files. All ranks call it and meet before the first frame, since rank 0 removes frames of an earlier run.
func newFrames(dir, series, format, extension string, from *position, c *config.Case, comm dist.Comm,
	fence folder.Fence) (*frames, error) {
	if err := atomicfile.MakeFolder(filepath.Join(dir, "frames")); err != nil {
		return nil, err
	}
	f := &frames{dir: dir, name: c.Name, format: format, extension: extension, keepRankFiles: c.Output.Files == "rank",
		series: series, compress: c.Output.Compress, comm: comm, count: from.frameCount(format), fence: fence,
	}
	f.pvd = vtk.NewCollection(filepath.Join(dir, f.pvdFile()))
	if format != extension { // another series may have files with the same extension
		f.name += "_" + format
	}
	f.ctx, f.cancel = context.WithCancelCause(context.Background())
	if comm.Rank() != 0 {
		return f, nil
	}
	return f, fence.Publish(func() error {
		if err := f.removeStaleFrames(); err != nil || f.count == 0 || f.outsidePVD() {
			return err
		}
		var err error
		if list := from.Series[format]; len(list) == f.count {
			f.pvd, err = vtk.ContinueCollection(filepath.Join(dir, f.pvdFile()), list)
			return err
		}
		// a checkpoint of an earlier version has no list
		if f.pvd, err = vtk.OpenCollection(filepath.Join(dir, f.pvdFile())); err != nil {
			return err
		}
		return f.pvd.Cut(f.count)
	})
}

// removeStaleFrames removes frames that a killed run wrote after the checkpoint from which this one continues.
func (f *frames) removeStaleFrames() error {
	dir := filepath.Join(f.dir, "frames")
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	pattern := regexp.MustCompile(`^(?:` + regexp.QuoteMeta(f.name) + `|` + regexp.QuoteMeta(f.rankName()) +
		`)_(\d{6,})(?:_r\d{4,}\.` + f.pieceExtension() + `|_vdb\.pvti|\.p?` + f.extension + `)$`)
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

// outsidePVD reports whether the format is not one of VTK's, so that a .pvd cannot list its files.
func (f *frames) outsidePVD() bool {
	return f.extension == "stl" || f.extension == "obj" || f.extension == volumeFormat || f.extension == netcdfFormat
}

// pvdFile is the path of the .pvd in the folder of the run.
func (f *frames) pvdFile() string { return f.series + ".pvd" }

// pieceExtension is the extension of the files of single ranks. An OpenVDB file is made from VTK images.
func (f *frames) pieceExtension() string {
	if f.extension == volumeFormat {
		return "vti"
	}
	return f.extension
}

// rankName is the base name of the files of single ranks. Those from which an OpenVDB file is made must not be those of
// a series of VTK images.
func (f *frames) rankName() string {
	if f.pieceExtension() == f.extension {
		return f.name
	}
	return f.name + "_" + f.extension
}
