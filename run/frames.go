package run

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/ugrid"
)

// frames writes the state of all ranks as it is at some times, in one format: a file a frame, and for formats of VTK
// a .pvd with all frames. A case may ask for a file a rank instead, with an index, whose extension has a p before it.
type frames struct {
	dir, name, format       string
	extension               string // vtu, vti, vtp, stl, obj or vdb
	keepRankFiles, compress bool   // a file a rank; arrays of VTK's formats are compressed
	comm                    dist.Comm
	fence                   folder.Fence
	pvd                     *vtk.Collection
	count                   int
	pending                 *pendingFrame // the frame under way; nil for none
	writeTime               time.Duration // of the last one
	records                 *ugrid.Writer // of the format that has all frames in one file; else nil
}

// newFrames begins a series, or goes on behind so many frames; series names the .pvd, and extension the files of the
// format.
func newFrames(dir, series, format, extension string, count int, c *config.Case, comm dist.Comm,
	fence folder.Fence) (*frames, error) {
	if err := os.MkdirAll(filepath.Join(dir, "frames"), 0o777); err != nil {
		return nil, err
	}
	f := &frames{dir: dir, name: c.Name, format: format, extension: extension, keepRankFiles: c.Output.Files == "rank",
		compress: c.Output.Compress, comm: comm, count: count, fence: fence,
		pvd: vtk.NewCollection(filepath.Join(dir, series+".pvd"))}
	if format != extension { // another series has such files too
		f.name += "_" + format
	}
	if comm.Rank() != 0 {
		return f, nil
	}
	return f, fence.Publish(func() error {
		if err := f.removeLater(); err != nil || count == 0 || f.whole() {
			return err
		}
		var err error
		if f.pvd, err = vtk.OpenCollection(filepath.Join(dir, series+".pvd")); err != nil {
			return err
		}
		return f.pvd.Cut(count)
	})
}

// removeLater removes frames that a run which was killed wrote after the checkpoint from which it goes on.
func (f *frames) removeLater() error {
	dir := filepath.Join(f.dir, "frames")
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	mine := regexp.MustCompile(`^` + regexp.QuoteMeta(f.name) + `_(\d{6,})(_r\d{4,})?\.(p?` + f.pieces() + `|` +
		f.extension + `)((\.e\d+)?` + regexp.QuoteMeta(partial) + `)?$`)
	for _, file := range files {
		found := mine.FindStringSubmatch(file.Name())
		if found == nil {
			continue
		}
		if n, err := strconv.Atoi(found[1]); (err != nil || n < f.count) && found[4] == "" {
			continue
		}
		if err := os.Remove(filepath.Join(dir, file.Name())); err != nil {
			return err
		}
	}
	return nil
}

// partial ends the name of a file that ranks are writing.
const partial = ".part"

// whole reports whether there is one file of everything, which a .pvd cannot name.
func (f *frames) whole() bool {
	return f.extension == "stl" || f.extension == "obj" || f.extension == volumeFormat || f.extension == recordFormat
}

// pieces is the extension of files that hold a part of a frame. A volume is made of those that hold a part of a grid.
func (f *frames) pieces() string {
	if f.extension == volumeFormat {
		return "vti"
	}
	return f.extension
}
