package ledger

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/internal/checksum"
)

// Sum is the size and the checksum of a file.
type Sum struct {
	Size     int64  `json:"size"`           // bytes; -1 if the file was lost before it was read
	From     int64  `json:"from,omitempty"` // the first byte of the checksum
	CRC      uint32 `json:"crc32c"`
	Grows    bool   `json:"grows,omitempty"`       // the file may have become larger
	Modified int64  `json:"modified_ns,omitempty"` // time of the last change since 1970; 0 if unknown, or it may grow
}

// Checksum returns the checksum of the first size bytes of a file.
func Checksum(path string, size int64) (uint32, error) {
	r := running{}
	err := r.extend(path, size, nil)
	return r.CRC, err
}

// running is a sum to which bytes are added.
type running struct{ Sum }

// whole adds a file that is complete: it reads the file unless all of it was recorded when it was written.
func (r *running) whole(path string, written atomicfile.Contents) (err error) {
	var known bool
	if r.CRC, r.Size, known = written.Parts.Sum(0); known {
		r.Modified = written.Modified
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	r.Modified = info.ModTime().UnixNano()
	return r.extend(path, info.Size(), nil)
}

var errShort = errors.New("the file has become shorter")

// lose records that the file is lost, if err says so, and drops the error: Check reports it at the end, and steps go on
// until then.
func (r *running) lose(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errShort) {
		r.Sum = Sum{Size: -1, Grows: r.Grows}
		return nil
	}
	return err
}

// extend adds the bytes up to size: it reads them unless they were written.
func (r *running) extend(path string, size int64, written checksum.Parts) error {
	if r.Size < 0 {
		return errShort
	}
	if crc, end, known := written.Sum(r.Size); known && end == size {
		r.CRC, r.Size = checksum.Join(r.CRC, crc, end-r.Size), end
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	buffer := make([]byte, min(1<<20, max(size-r.Size, 0)))
	for r.Size < size {
		n, err := f.ReadAt(buffer[:min(int64(len(buffer)), size-r.Size)], r.Size)
		r.CRC = checksum.Update(r.CRC, buffer[:n])
		r.Size += int64(n)
		switch {
		case err == io.EOF && r.Size < size:
			return errShort
		case err != nil && err != io.EOF:
			return err
		}
	}
	return nil
}

// Damaged is the error of a file that is not as the run has written it.
type Damaged struct{ Path, Why string }

func (e *Damaged) Error() string { return fmt.Sprintf("%s %s", e.Path, e.Why) }

// Check compares a file with its sum. It returns a Damaged if they differ, other errors if the file cannot be read.
// With trustTimes a file of the same size and time of the last change is not read.
func (s *Sum) Check(path string, trustTimes bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Damaged{path, "is missing"}
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return &Damaged{path, "is not a file"}
	case s.Size < 0:
		return &Damaged{path, "was removed or truncated while the run went on"}
	case info.Size() < s.Size || info.Size() > s.Size && !s.Grows:
		return &Damaged{path, fmt.Sprintf("has %d bytes, not the %d that the run has written", info.Size(), s.Size)}
	case trustTimes && s.Modified != 0 && info.ModTime().UnixNano() == s.Modified:
		return nil
	}
	r := running{Sum{Size: s.From}}
	if err := r.extend(path, s.Size, nil); err != nil {
		return err
	}
	if r.CRC != s.CRC {
		return &Damaged{path, "has other contents than the run has written"}
	}
	return nil
}

// Check compares the files of a run in dir with their sums, and returns the error of the first one that is damaged.
// With parts > 1 it checks only every parts-th file, beginning with number part.
func (f Files) Check(dir string, part, parts int, trustTimes bool) error {
	paths := f.sorted()
	for k := part; k < len(paths); k += parts {
		sum := f[paths[k]]
		if err := sum.Check(filepath.Join(dir, filepath.FromSlash(paths[k])), trustTimes); err != nil {
			return err
		}
	}
	return nil
}

// DropDamaged drops the files that do not grow: those that are damaged or, unless check, all. It returns the errors of
// those that are damaged.
func (f Files) DropDamaged(dir string, check bool) (damage []error) {
	for _, path := range f.sorted() {
		sum := f[path]
		if sum.Grows {
			continue
		}
		var damaged *Damaged
		if check && !errors.As(sum.Check(filepath.Join(dir, filepath.FromSlash(path)), false), &damaged) {
			continue
		}
		delete(f, path)
		if check {
			damage = append(damage, damaged)
		}
	}
	return damage
}

func (f Files) sorted() []string { return slices.Sorted(maps.Keys(f)) }
