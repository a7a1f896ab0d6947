package checkpoint

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// File is a checkpoint to be read. It is a solvers.Source.
type File struct {
	Path string
	index
	of     io.ReaderAt
	file   *os.File // nil of none
	fields map[string]fieldIndex
	sorted sorted
}

// fieldIndex is where a field is: that one of its space.
type fieldIndex struct{ space, field int }

// DamagedError is that a file is not as it was written.
type DamagedError struct {
	Path string
	Err  error
}

func (e *DamagedError) Error() string { return fmt.Sprintf("%s is damaged: %v", e.Path, e.Err) }
func (e *DamagedError) Unwrap() error { return e.Err }

// Open reads what a file tells. Its blobs are not looked at: see Verify.
func Open(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f, err := open(path, file, info.Size())
	if err != nil {
		var other *FormatError
		if !errors.As(err, &other) {
			err = &DamagedError{path, err}
		}
		return nil, errors.Join(err, file.Close())
	}
	f.file = file
	return f, nil
}

// Close ends reading.
func (f *File) Close() error { return f.file.Close() }

// Info is what the file tells of its run.
func (f *File) Info() *Info { return &f.index.Info }

// open reads header, footer and index of a file of so many bytes.
func open(path string, r io.ReaderAt, size int64) (*File, error) {
	if size < headerSize+footerSize {
		return nil, fmt.Errorf("it has %d bytes, less than the least", size)
	}
	head, tail := make([]byte, headerSize), make([]byte, footerSize)
	if err := errors.Join(readAt(r, head, 0), readAt(r, tail, size-footerSize)); err != nil {
		return nil, err
	}
	switch {
	case string(head[:8]) != headMagic:
		return nil, errors.New("it does not begin as a checkpoint does")
	case string(tail[24:]) != tailMagic:
		return nil, errors.New("it does not end as a checkpoint does: its writing was cut off")
	}
	format := binary.LittleEndian.Uint32(head[8:])
	if format != Format && format == binary.LittleEndian.Uint32(tail[20:]) {
		return nil, &FormatError{path, format}
	}
	at, n := binary.LittleEndian.Uint64(tail), binary.LittleEndian.Uint64(tail[8:])
	body := uint64(size - footerSize)
	if !bytes.Equal(head, header()) ||
		binary.LittleEndian.Uint32(tail[20:]) != Format || at < headerSize || at > body || n != body-at {
		return nil, errors.New("header or footer are not as they were written")
	}
	text := make([]byte, n)
	if err := readAt(r, text, int64(at)); err != nil {
		return nil, err
	}
	if crc32.Checksum(text, castagnoli) != binary.LittleEndian.Uint32(tail[16:]) {
		return nil, errors.New("the checksum of its index is wrong")
	}
	f := &File{Path: path, of: r}
	if err := json.Unmarshal(text, &f.index); err != nil {
		return nil, fmt.Errorf("its index: %w", err)
	}
	return f, f.index.check(int64(at))
}

func readAt(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	return err
}

// check reports whether blobs fit their blocks, and fill the file up to its index without a gap.
func (x *index) check(end int64) error {
	next := int64(headerSize)
	follows := func(b blob) bool {
		if b.At != next || b.Len < 0 || b.Len > end-next {
			return false
		}
		next += b.Len
		return true
	}
	for k, b := range x.Blocks {
		if b.Space < 0 || b.Space >= len(x.Spaces) || b.Count < 1 || len(b.Fields) != len(x.Spaces[b.Space].Fields) ||
			!follows(b.Keys) {
			return fmt.Errorf("block %d of its index is wrong", k)
		}
		for i, f := range x.Spaces[b.Space].Fields {
			if f.Size < 1 || b.Fields[i].Len%int64(f.Size) != 0 || b.Fields[i].Len/int64(f.Size) != int64(b.Count) ||
				!follows(b.Fields[i]) {
				return fmt.Errorf("field %q in block %d of its index is wrong", f.Name, k)
			}
		}
	}
	if next != end {
		return errors.New("its blocks do not fill it")
	}
	return nil
}

// read reads a blob into a buffer, which it returns, and checks it.
func (f *File) read(b blob, buffer []byte) ([]byte, error) {
	if int64(cap(buffer)) < b.Len {
		buffer = make([]byte, b.Len)
	}
	buffer = buffer[:b.Len]
	if err := readAt(f.of, buffer, b.At); err != nil {
		return buffer, &DamagedError{f.Path, err}
	}
	if crc32.Checksum(buffer, castagnoli) != b.CRC {
		return buffer, &DamagedError{f.Path, fmt.Errorf("the checksum of bytes %d to %d is wrong", b.At, b.At+b.Len-1)}
	}
	return buffer, nil
}

// Verify reads the blobs of every so manyth block, and checks them.
func (f *File) Verify(first, step int) error {
	var buffer []byte
	var err error
	for k := first; k < len(f.Blocks); k += step {
		b := &f.Blocks[k]
		if buffer, err = f.read(b.Keys, buffer); err != nil {
			return err
		}
		within := true
		err := eachRun(buffer, b.Count, func(key int64, n, _ int) {
			within = within && key >= b.Least && key+int64(n)-1 <= b.Most
		})
		if err == nil && !within {
			err = errors.New("its keys are not in their range")
		}
		if err != nil {
			return &DamagedError{f.Path, fmt.Errorf("block %d: %w", k, err)}
		}
		for _, of := range b.Fields {
			if buffer, err = f.read(of, buffer); err != nil {
				return err
			}
		}
	}
	return nil
}
