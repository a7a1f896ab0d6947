package frames

import (
	"context"
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
	place   place           // of this rank's part, valid then; without sizes if it was not written
	written checksum.Parts  // what this rank has written to it
}

// canTake reports whether a last frame whose parts have these sizes can take the file. Somebody may have removed or
// truncated it.
func (a *fileAhead) canTake(part *vtk.FilePart, at place) bool {
	<-a.ended
	if !slices.Equal(at.sizes, a.place.sizes) {
		return false
	}
	info, err := os.Stat(a.path)
	return err == nil && info.Size() == part.Length(at.sizes)
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
		at, err := f.place(p, part) // when it has returned, the files exist
		if err != nil {
			return err
		}
		var sums checksum.Recorder
		if last && ahead != nil {
			takes, err := p.agree(f.ctx, ahead.canTake(part, at))
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
		if err := f.writePart(written, part, at, write, &sums); err != nil {
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
		ahead.place, ahead.written = at, sums.Parts()
		return f.writePart(ahead.path, part, at, write, nil)
	}
}

// agree reports whether all ranks say yes.
func (p *pendingFrame) agree(ctx context.Context, yes bool) (bool, error) {
	no := []int64{1}
	if yes {
		no[0] = 0
	}
	_, all, err := p.messages.Scan(ctx, no)
	return err == nil && all[0] == 0, err
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
func (f *series) writePart(path string, part *vtk.FilePart, at place,
	write func(*vtk.FilePart, io.WriterAt, []vtk.Sizes, int) error, sums *checksum.Recorder) error {
	file, err := atomicfile.Open(path, os.O_WRONLY)
	if err != nil {
		return err
	}
	file.Record(sums)
	err = write(part, file, at.sizes, at.at)
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

// place is where a rank's part is in a file: the sizes of the parts before it as if they were one, of the part itself,
// and of those after it as if they were one; at is the number of the part among them.
type place struct {
	sizes []vtk.Sizes
	at    int
}

// place returns the place of this rank's part.
func (f *series) place(p *pendingFrame, part *vtk.FilePart) (place, error) {
	own := part.Sizes()
	counted := own
	if f.run.Comm.Rank() > 0 { // those of the first part count
		counted.Head, counted.Common = 0, 0
	}
	before, total, err := p.messages.Scan(f.ctx, []int64{counted.Head, counted.Piece, counted.Common, counted.Data})
	if err != nil {
		return place{}, err
	}
	sizes := func(v []int64) vtk.Sizes { return vtk.Sizes{Head: v[0], Piece: v[1], Common: v[2], Data: v[3]} }
	rest, first := sizes(total), sizes(before)
	rest.Piece -= first.Piece + own.Piece
	rest.Data -= first.Data + own.Data
	if f.run.Comm.Rank() == 0 {
		return place{[]vtk.Sizes{own, rest}, 0}, nil
	}
	return place{[]vtk.Sizes{first, own, rest}, 1}, nil
}
