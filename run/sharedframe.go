package run

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/piece"
)

// fileAhead is the file of the last frame of a series, with the contents of the first frame until the last one replaces
// what differs. The last frame is written after the last step, so all of its writing adds to the time of the run. This
// way less is written then, into memory that the file cache has.
type fileAhead struct {
	path  string
	ended <-chan struct{} // closed when this rank has written its part, or will not
	sizes []vtk.Sizes     // of the parts of the file, valid then; nil if it was not written
}

// sharedFile returns a function that writes one file in parallel, each rank a part. The file is renamed to its final
// name when it is complete. The last frame completes the file that was written ahead, if all parts have the sizes that
// they had then.
func (f *frames) sharedFile(p *pendingFrame, last bool) func() error {
	path := filepath.Join(f.dir, p.file)
	ahead, begins := f.ahead, f.ahead == nil && !last
	if begins {
		ahead = &fileAhead{path: f.fence.PartialPath(filepath.Join(f.dir, "frames", f.name+"_last."+f.extension)),
			ended: p.done}
		f.ahead = ahead
	}
	return func() error {
		part, err := p.piece.(piece.PartOfFile).FilePart(f.compress)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		written, write := f.fence.PartialPath(path), (*vtk.FilePart).Write
		err = f.createOnFirstRank(written)
		if begins = begins && part.HasConstants(); begins {
			err = errors.Join(err, f.createOnFirstRank(ahead.path))
		}
		if err != nil {
			return err
		}
		sizes, err := f.sizes(p, part) // when it has returned, the files exist
		if err != nil {
			return err
		}
		if last && ahead != nil {
			if <-ahead.ended; slices.Equal(sizes, ahead.sizes) {
				if err := f.removeOnFirstRank(written); err != nil {
					return err
				}
				written, write = ahead.path, (*vtk.FilePart).WriteRest
			}
		}
		err = f.writePart(written, part, sizes, write)
		if err == nil {
			_, err = p.messages.Gather(f.ctx, nil)
		}
		if err == nil {
			err = f.publishOnFirstRank(written, p.file)
		}
		p.published()
		if err != nil || !begins {
			return err
		}
		ahead.sizes = sizes
		return f.writePart(ahead.path, part, sizes, write)
	}
}

// publishOnFirstRank renames a complete file to its final name and enters it into the ledger, on rank 0.
func (f *frames) publishOnFirstRank(written, name string) error {
	if f.comm.Rank() > 0 {
		return nil
	}
	path := filepath.Join(f.dir, name)
	if err := f.fence.Publish(func() error { return atomicfile.Rename(written, path) }); err != nil {
		return err
	}
	f.ledger.Add(name)
	return nil
}

// createOnFirstRank creates an empty file, on rank 0.
func (f *frames) createOnFirstRank(path string) error {
	if f.comm.Rank() > 0 {
		return nil
	}
	file, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	return file.Close()
}

// writePart writes this rank's part of a file, or some of it.
func (f *frames) writePart(path string, part *vtk.FilePart, sizes []vtk.Sizes,
	write func(*vtk.FilePart, io.WriterAt, []vtk.Sizes, int) error) error {
	file, err := atomicfile.Open(path, os.O_WRONLY)
	if err != nil {
		return err
	}
	err = write(part, file, sizes, f.comm.Rank())
	if f.comm.Rank() > 0 { // rank 0 syncs the file when it has its name
		if again, openErr := os.Open(path); openErr == nil {
			err = errors.Join(err, f.ledger.Sync(again))
		} else {
			err = errors.Join(err, openErr)
		}
	}
	return errors.Join(err, file.Close())
}

// removeOnFirstRank removes a file if it exists, on rank 0.
func (f *frames) removeOnFirstRank(path string) error {
	if f.comm.Rank() > 0 {
		return nil
	}
	if err := atomicfile.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeAhead removes the file that was written ahead, unless the last frame has taken it.
func (f *frames) removeAhead() error {
	if f.ahead == nil {
		return nil
	}
	return f.removeOnFirstRank(f.ahead.path)
}

// sizes gathers the sizes of all ranks' parts.
func (f *frames) sizes(p *pendingFrame, part *vtk.FilePart) ([]vtk.Sizes, error) {
	message, err := binary.Append(nil, binary.LittleEndian, part.Sizes())
	if err != nil {
		return nil, err
	}
	if message, err = p.messages.Allgather(f.ctx, message); err != nil {
		return nil, err
	}
	sizes := make([]vtk.Sizes, f.comm.Size())
	_, err = binary.Decode(message, binary.LittleEndian, sizes)
	return sizes, err
}
