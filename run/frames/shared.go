package frames

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/internal/checksum"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/piece"
)

// fileAhead is the file of the last frame of a series, with the contents of the first frame until the last one replaces
// what differs. The last frame is written after the last step, so all of its writing adds to the time of the run. This
// way less is written then, into memory that the file cache has.
type fileAhead struct {
	path    string
	ended   <-chan struct{} // closed when this rank has written its part, or will not
	sizes   []vtk.Sizes     // of the parts of the file, valid then; nil if it was not written
	written checksum.Parts  // what this rank has written to it
}

// canTake reports whether a last frame whose parts have these sizes can take the file. Somebody may have removed or
// truncated it.
func (a *fileAhead) canTake(part *vtk.FilePart, sizes []vtk.Sizes) bool {
	<-a.ended
	if !slices.Equal(sizes, a.sizes) {
		return false
	}
	info, err := os.Stat(a.path)
	return err == nil && info.Size() == part.Length(sizes)
}

// sharedFile returns a function that writes one file in parallel, each rank a part. The file is renamed to its final
// name when it is complete. The last frame completes the file that was written ahead, if all parts have the sizes that
// they had then.
func (f *series) sharedFile(p *pendingFrame, last bool) func() error {
	path := f.run.Path(p.file)
	ahead, begins := f.ahead, f.ahead == nil && !last
	if begins {
		ahead = &fileAhead{path: f.run.Fence.PartialPath(f.run.Path("frames/" + f.name + "_last." + f.extension)),
			ended: p.done}
		f.ahead = ahead
	}
	return func() error {
		part, err := p.piece.(piece.PartOfFile).FilePart(f.run.Case.Output.Compress)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		written, write := f.run.Fence.PartialPath(path), (*vtk.FilePart).Write
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
		var sums checksum.Recorder
		if last && ahead != nil {
			takes, err := p.agree(f.ctx, ahead.canTake(part, sizes))
			if err != nil {
				return err
			}
			if takes {
				if err := f.removeOnFirstRank(written); err != nil {
					return err
				}
				written, write = ahead.path, (*vtk.FilePart).WriteRest
				sums.Add(ahead.written)
			}
		}
		if err := f.writePart(written, part, sizes, write, &sums); err != nil {
			return err
		}
		all, err := p.messages.Gather(f.ctx, sums.Parts().Joined(-1).Encode(vtk.Parts))
		if err == nil {
			err = f.publishOnFirstRank(written, p.file, checksum.Decode(all))
		}
		p.published()
		if err != nil || !begins {
			return err
		}
		ahead.sizes, ahead.written = sizes, sums.Parts()
		return f.writePart(ahead.path, part, sizes, write, nil)
	}
}

// agree reports whether all ranks say yes.
func (p *pendingFrame) agree(ctx context.Context, yes bool) (bool, error) {
	own := []byte{0}
	if yes {
		own[0] = 1
	}
	all, err := p.messages.Allgather(ctx, own)
	return !slices.Contains(all, 0), err
}

// publishOnFirstRank renames a complete file to its final name and enters it into the ledger, on rank 0. sums has what
// all ranks have written to it. The check at the end of the run reads a file that was written ahead, since others could
// change what was in it.
func (f *series) publishOnFirstRank(written, name string, sums checksum.Parts) error {
	if f.run.Comm.Rank() > 0 {
		return nil
	}
	contents, path := atomicfile.Contents{Parts: sums}, f.run.Path(name)
	if f.ahead == nil || written != f.ahead.path {
		var err error
		if contents.Modified, err = atomicfile.Modified(written); err != nil {
			return err
		}
	}
	if err := f.run.Fence.Publish(func() error { return atomicfile.Rename(written, path) }); err != nil {
		return err
	}
	f.run.Ledger.Add(name, contents)
	return nil
}

// createOnFirstRank creates an empty file, on rank 0.
func (f *series) createOnFirstRank(path string) error {
	if f.run.Comm.Rank() > 0 {
		return nil
	}
	file, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	return file.Close()
}

// writePart writes this rank's part of a file, or some of it, and records checksums in sums unless it is nil.
func (f *series) writePart(path string, part *vtk.FilePart, sizes []vtk.Sizes,
	write func(*vtk.FilePart, io.WriterAt, []vtk.Sizes, int) error, sums *checksum.Recorder) error {
	file, err := atomicfile.Open(path, os.O_WRONLY)
	if err != nil {
		return err
	}
	file.Record(sums)
	err = write(part, file, sizes, f.run.Comm.Rank())
	if f.run.Comm.Rank() > 0 { // rank 0 syncs the file when it has its name
		if again, openErr := os.Open(path); openErr == nil {
			err = errors.Join(err, f.run.Ledger.Sync(again))
		} else {
			err = errors.Join(err, openErr)
		}
	}
	return errors.Join(err, file.Close())
}

// removeOnFirstRank removes a file if it exists, on rank 0.
func (f *series) removeOnFirstRank(path string) error {
	if f.run.Comm.Rank() > 0 {
		return nil
	}
	if err := atomicfile.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeAhead removes the file that was written ahead, unless the last frame has taken it.
func (f *series) removeAhead() error {
	if f.ahead == nil {
		return nil
	}
	return f.removeOnFirstRank(f.ahead.path)
}

// sizes gathers the sizes of all ranks' parts.
func (f *series) sizes(p *pendingFrame, part *vtk.FilePart) ([]vtk.Sizes, error) {
	message, err := binary.Append(nil, binary.LittleEndian, part.Sizes())
	if err != nil {
		return nil, err
	}
	if message, err = p.messages.Allgather(f.ctx, message); err != nil {
		return nil, err
	}
	sizes := make([]vtk.Sizes, f.run.Comm.Size())
	_, err = binary.Decode(message, binary.LittleEndian, sizes)
	return sizes, err
}
