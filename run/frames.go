package run

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// frames writes the state of all ranks as it is at some times, in one format: a file a frame, and for formats of VTK
// a .pvd with all frames. A case may ask for a file a rank instead, with an index, whose extension has a p before it.
type frames struct {
	dir, name, format string
	extension         string // vtu, vti, vtp, stl, obj or vdb
	apart, compress   bool   // a file a rank; arrays of VTK's formats are compressed
	comm              dist.Comm
	pvd               *vtk.Collection
	count             int
}

// newFrames begins a series, or goes on behind so many frames; series names the .pvd, and extension the files of the
// format.
func newFrames(dir, series, format, extension string, count int, c *config.Case, comm dist.Comm) (*frames, error) {
	if err := os.MkdirAll(filepath.Join(dir, "frames"), 0o777); err != nil {
		return nil, err
	}
	f := &frames{dir: dir, name: c.Name, format: format, extension: extension, apart: c.Output.Files == "rank",
		compress: c.Output.Compress, comm: comm, count: count,
		pvd: vtk.NewCollection(filepath.Join(dir, series+".pvd"))}
	if format != extension { // another series has such files too
		f.name += "_" + format
	}
	if comm.Rank() != 0 {
		return f, nil
	}
	if err := f.removeLater(); err != nil || count == 0 || f.whole() {
		return f, err
	}
	var err error
	if f.pvd, err = vtk.OpenCollection(filepath.Join(dir, series+".pvd")); err != nil {
		return nil, err
	}
	return f, f.pvd.Cut(count)
}

// removeLater removes frames that a run which was killed wrote after the checkpoint from which it goes on.
func (f *frames) removeLater() error {
	dir := filepath.Join(f.dir, "frames")
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	mine := regexp.MustCompile(`^` + regexp.QuoteMeta(f.name) + `_(\d{6,})(_r\d{4,})?\.(p?` + f.pieces() + `|` +
		f.extension + `)(` + partial + `)?$`)
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

// whole tells whether there is one file of everything, which a .pvd cannot name.
func (f *frames) whole() bool {
	return f.extension == "stl" || f.extension == "obj" || f.extension == volumeFormat
}

// pieces is the extension of files that hold a part of a frame. A volume is made of those that hold a part of a grid.
func (f *frames) pieces() string {
	if f.extension == volumeFormat {
		return "vti"
	}
	return f.extension
}

// write adds a frame.
func (f *frames) write(ctx context.Context, time float64, p piece) error {
	// With / on every system, as files that name files have it.
	file := path.Join("frames", fmt.Sprintf("%s_%06d.%s", f.name, f.count, f.extension))
	var err error
	shared, ok := p.(sharedPiece)
	switch {
	case f.whole():
		err = f.joined(ctx, file, p)
	case f.apart || !ok:
		file = path.Join("frames", fmt.Sprintf("%s_%06d.p%s", f.name, f.count, f.extension))
		_, err = f.indexed(ctx, file, p)
	default:
		err = f.shared(ctx, filepath.Join(f.dir, file), shared)
	}
	if err != nil {
		return err
	}
	f.count++
	if f.comm.Rank() != 0 || f.whole() {
		return nil
	}
	return f.pvd.Append(vtk.Frame{Time: time, File: file})
}

// indexed writes a file a rank, and one that joins them: it appears when all its pieces are there. It returns their
// names in the folder of frames.
func (f *frames) indexed(ctx context.Context, file string, p piece) (names []string, err error) {
	for rank := range f.comm.Size() {
		names = append(names, fmt.Sprintf("%s_%06d_r%04d.%s", f.name, f.count, rank, f.pieces()))
	}
	if err := p.write(filepath.Join(f.dir, "frames", names[f.comm.Rank()])); err != nil {
		return nil, err
	}
	if err := f.comm.Barrier(ctx); err != nil || f.comm.Rank() != 0 {
		return nil, err
	}
	return names, p.join(filepath.Join(f.dir, file), names)
}

// joined writes one file of pieces, which do not stay.
func (f *frames) joined(ctx context.Context, file string, p piece) error {
	names, err := f.indexed(ctx, file, p)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := os.Remove(filepath.Join(f.dir, "frames", name)); err != nil {
			return err
		}
	}
	return nil
}

// shared writes one file by all ranks at the same time. It has its name when it is complete.
func (f *frames) shared(ctx context.Context, path string, p sharedPiece) error {
	share, err := p.share(f.compress)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if f.comm.Rank() == 0 {
		file, err := os.Create(path + partial)
		if err != nil {
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	own, err := binary.Append(nil, binary.LittleEndian, share.Sizes())
	if err != nil {
		return err
	}
	all, err := f.comm.Allgatherv(ctx, own)
	if err != nil {
		return err
	}
	sizes := make([]vtk.Sizes, len(all))
	for rank, of := range all {
		if _, err := binary.Decode(of, binary.LittleEndian, &sizes[rank]); err != nil {
			return fmt.Errorf("rank %d: %w", rank, err)
		}
	}
	if err := writeShare(path+partial, share, sizes, f.comm.Rank()); err != nil {
		return err
	}
	if err := f.comm.Barrier(ctx); err != nil || f.comm.Rank() != 0 {
		return err
	}
	return os.Rename(path+partial, path)
}

func writeShare(path string, share *vtk.Share, sizes []vtk.Sizes, rank int) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := share.Write(file, sizes, rank); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
