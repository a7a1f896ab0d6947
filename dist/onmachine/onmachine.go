// Package onmachine gives ranks arrays that all have and none writes, of which each machine holds one copy.
package onmachine

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
)

// Array is an array of rank 0 that all ranks get.
type Array interface {
	bytes() []byte
	view(b []byte)
	broadcast(ctx context.Context, comm dist.Comm) error
}

// Of returns an array whose elements have no pointers.
func Of[T any](at *[]T) Array { return array[T]{at} }

type array[T any] struct{ at *[]T }

func (a array[T]) bytes() []byte {
	var element T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(*a.at))), len(*a.at)*int(unsafe.Sizeof(element)))
}

func (a array[T]) view(b []byte) {
	var element T
	*a.at = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(element)))
}

func (a array[T]) broadcast(ctx context.Context, comm dist.Comm) error {
	return dist.Broadcast(ctx, comm, a.at)
}

// Copy holds arrays that several ranks of a machine share. They are read-only: writing to them is a fault.
type Copy struct{ mapped []byte }

// Holds reports whether an array is in a Copy, which may be nil.
func Holds[T any](c *Copy, a []T) bool {
	if c == nil || len(a) == 0 || len(c.mapped) == 0 {
		return false
	}
	first, at := uintptr(unsafe.Pointer(&c.mapped[0])), uintptr(unsafe.Pointer(&a[0]))
	return at >= first && at-first < uintptr(len(c.mapped))
}

// Close releases the arrays, which nothing may read any more. A Copy may be nil.
func (c *Copy) Close() error {
	if c == nil || c.mapped == nil {
		return nil
	}
	b := c.mapped
	c.mapped = nil
	return unmap(b)
}

// Share replaces arrays on all ranks by those of rank 0. Ranks that have the folder of temporary files in common share
// a file there, which they map into memory: a rank has the pages that it uses, the system holds each once, and drops
// what it needs. The file has no name any more when Share returns. Where that is impossible, and if the arrays have
// fewer than least bytes, each rank gets a copy of its own, and Share returns nil. Share is a collective.
func Share(ctx context.Context, comm dist.Comm, least int64, arrays ...Array) (*Copy, error) {
	sizes := make([]int64, len(arrays))
	total := int64(0)
	for k, a := range arrays {
		if comm.Rank() == 0 {
			sizes[k] = int64(len(a.bytes()))
		}
	}
	if err := comm.AllreduceInt64(ctx, dist.Max, sizes); err != nil {
		return nil, err
	}
	for _, n := range sizes {
		total += n
	}
	if comm.Size() > 1 && total >= max(least, 1) {
		f := &file{comm: comm}
		mapped, err := f.share(ctx, sizes, arrays)
		if err != nil || mapped != nil {
			return mapped, err
		}
	}
	for _, a := range arrays {
		if err := a.broadcast(ctx, comm); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// folder is where a rank makes or finds a file; in tests ranks have different ones.
var folder = func(int) string { return os.TempDir() }

// file is the file of a machine, on one of its ranks.
type file struct {
	comm  dist.Comm
	path  string
	made  *os.File // on the rank that has made it
	fault error
}

// share makes the files, fills and maps them; it returns nil on all ranks if a rank cannot.
func (f *file) share(ctx context.Context, sizes []int64, arrays []Array) (*Copy, error) {
	defer f.remove()
	if err := f.make(ctx); err != nil {
		return nil, err
	}
	if ok, err := f.agree(ctx); !ok {
		return nil, err
	}
	if err := f.fill(ctx, sizes, arrays); err != nil {
		return nil, err
	}
	if ok, err := f.agree(ctx); !ok {
		return nil, err
	}
	mapped := f.open(sizes)
	ok, err := f.agree(ctx)
	if !ok {
		return nil, errors.Join(err, mapped.Close())
	}
	at := int64(0)
	for k, a := range arrays {
		a.view(mapped.mapped[at : at+sizes[k]])
		at += padded(sizes[k])
	}
	return mapped, nil
}

// make makes the file on the first rank of each machine that comes, rank 0 before all others.
func (f *file) make(ctx context.Context) error {
	name := make([]byte, 16)
	create := func() {
		f.path = filepath.Join(folder(f.comm.Rank()), "atoll-"+hex.EncodeToString(name))
		made, err := os.OpenFile(f.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if f.made = made; !errors.Is(err, os.ErrExist) {
			f.fault = err
		}
	}
	if f.comm.Rank() == 0 {
		_, _ = rand.Read(name) // never fails
		if create(); f.made == nil && f.fault == nil {
			f.fault = os.ErrExist
		}
	}
	if err := f.comm.Bcast(ctx, 0, name); err != nil {
		return err
	}
	if f.comm.Rank() > 0 {
		create()
	}
	return nil
}

// agree reports whether no rank has a fault.
func (f *file) agree(ctx context.Context) (bool, error) {
	faults := []int64{0}
	if f.fault != nil {
		faults[0] = 1
	}
	err := f.comm.AllreduceInt64(ctx, dist.Sum, faults)
	return err == nil && faults[0] == 0, err
}

// pieceBytes is the length of the messages by which arrays come to other machines.
const pieceBytes = 8 << 20

// fill writes the files. If there is more than that of rank 0, it sends all ranks what it writes.
func (f *file) fill(ctx context.Context, sizes []int64, arrays []Array) error {
	files := []int64{0}
	if f.made != nil {
		files[0] = 1
	}
	if err := f.comm.AllreduceInt64(ctx, dist.Sum, files); err != nil {
		return err
	}
	write := func(b []byte) {
		if f.made != nil && f.fault == nil {
			_, f.fault = f.made.Write(b)
		}
	}
	var buffer []byte
	for k, n := range sizes {
		for at := int64(0); at < n; at += pieceBytes {
			length := min(pieceBytes, n-at)
			piece := buffer
			if f.comm.Rank() == 0 {
				piece = arrays[k].bytes()[at : at+length]
			} else if files[0] > 1 {
				buffer = append(buffer[:0], make([]byte, length)...)
				piece = buffer
			}
			if files[0] > 1 {
				if err := f.comm.Bcast(ctx, 0, piece); err != nil {
					return err
				}
			}
			write(piece)
		}
		write(make([]byte, padded(n)-n))
	}
	return nil
}

// padded rounds a number of bytes up, so that the next array is aligned for vector instructions.
func padded(n int64) int64 { return (n + 63) &^ 63 }

// open maps the file of this rank's machine.
func (f *file) open(sizes []int64) *Copy {
	total := int64(0)
	for _, n := range sizes {
		total += padded(n)
	}
	from := f.made
	if from == nil {
		opened, err := os.Open(f.path)
		if err != nil {
			f.fault = err
			return nil
		}
		defer opened.Close()
		from = opened
	}
	if end, err := from.Seek(0, io.SeekEnd); err != nil || end != total {
		f.fault = errors.Join(err, fmt.Errorf("%s has %d bytes, not %d", f.path, end, total))
		return nil
	}
	mapped, err := mapped(from, total)
	f.fault = err
	return &Copy{mapped}
}

// remove removes the file's name, on the rank that has made it.
func (f *file) remove() {
	if f.made != nil {
		_ = f.made.Close()
		_ = os.Remove(f.path)
	}
}
