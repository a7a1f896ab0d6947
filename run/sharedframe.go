package run

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/piece"
)

// fileAhead is the file of the last frame of a series, begun after the first frame with the arrays that are the same in
// all frames. The last frame is written after the last step, so all of its writing adds to the time of the run.
type fileAhead struct {
	path  string
	sizes []vtk.Sizes // of the parts of the file; nil until all ranks have begun it
}

// sharedFile writes one file in parallel, each rank a part. The file is renamed to its final name when it is complete.
// The last frame completes the file that was begun ahead, if all parts have the sizes that they had then.
func (f *frames) sharedFile(p *pendingFrame, last bool) []frameStage {
	path := filepath.Join(f.dir, p.file)
	fresh := f.fence.PartialPath(path)
	written, write := fresh, (*vtk.FilePart).Write
	var begun []vtk.Sizes // of the parts of the file that this frame completes; nil for none
	if last && f.ahead != nil {
		begun = f.ahead.sizes
	}
	var part *vtk.FilePart
	var sizes []vtk.Sizes
	stages := []frameStage{{
		local: func() (err error) {
			if part, err = p.piece.(piece.PartOfFile).FilePart(f.compress); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			return f.createOnFirstRank(fresh)
		},
		collective: func(ctx context.Context) (err error) {
			sizes, err = f.sizes(ctx, part)
			if begun != nil && slices.Equal(sizes, begun) {
				written, write = f.ahead.path, (*vtk.FilePart).WriteRest
			}
			return err
		},
	}, {
		local:      func() error { return f.writePart(written, part, sizes, write) },
		collective: f.barrier,
	}, {
		local: func() error {
			err := f.publishOnFirstRank(written, path)
			if written != fresh {
				err = errors.Join(err, f.removeOnFirstRank(fresh))
			}
			return err
		},
	}}
	if f.ahead != nil || last {
		return stages
	}
	f.ahead = &fileAhead{path: f.fence.PartialPath(filepath.Join(f.dir, "frames", f.name+"_last."+f.extension))}
	return append(stages, frameStage{
		local: func() error {
			if !part.HasConstants() {
				return nil
			}
			return f.createOnFirstRank(f.ahead.path)
		},
		collective: f.barrier,
	}, frameStage{
		local: func() error {
			if !part.HasConstants() {
				return nil
			}
			p.aheadSizes = sizes
			return f.writePart(f.ahead.path, part, sizes, (*vtk.FilePart).WriteAhead)
		},
	})
}

// publishOnFirstRank renames a complete file to its final name, on rank 0.
func (f *frames) publishOnFirstRank(written, path string) error {
	if f.comm.Rank() > 0 {
		return nil
	}
	return f.fence.Publish(func() error { return os.Rename(written, path) })
}

// createOnFirstRank creates an empty file, on rank 0.
func (f *frames) createOnFirstRank(path string) error {
	if f.comm.Rank() > 0 {
		return nil
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return file.Close()
}

// writePart writes this rank's part of a file, or some of it.
func (f *frames) writePart(path string, part *vtk.FilePart, sizes []vtk.Sizes,
	write func(*vtk.FilePart, *os.File, []vtk.Sizes, int) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(part, file, sizes, f.comm.Rank()), file.Close())
}

// removeOnFirstRank removes a file if it exists, on rank 0.
func (f *frames) removeOnFirstRank(path string) error {
	if f.comm.Rank() > 0 {
		return nil
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeAhead removes the file that was begun ahead, unless the last frame has taken it.
func (f *frames) removeAhead() error {
	if f.ahead == nil {
		return nil
	}
	return f.removeOnFirstRank(f.ahead.path)
}

// sizes gathers the sizes of all ranks' parts.
func (f *frames) sizes(ctx context.Context, part *vtk.FilePart) ([]vtk.Sizes, error) {
	if f.comm.Size() == 1 {
		return []vtk.Sizes{part.Sizes()}, nil
	}
	message, err := binary.Append(nil, binary.LittleEndian, part.Sizes())
	if err != nil {
		return nil, err
	}
	messages, err := f.comm.Allgatherv(ctx, message)
	if err != nil {
		return nil, err
	}
	sizes := make([]vtk.Sizes, len(messages))
	for rank, data := range messages {
		if _, err := binary.Decode(data, binary.LittleEndian, &sizes[rank]); err != nil {
			return nil, fmt.Errorf("rank %d: %w", rank, err)
		}
	}
	return sizes, nil
}
