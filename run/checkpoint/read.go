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
	"path/filepath"
)

// File is an open checkpoint, for those who want to know what it is. Runs continue from a State.
type File struct {
	Path string
	index
	reader io.ReaderAt
	file   *os.File // nil in tests that read from memory
}

// DamagedError is the error of a damaged or incomplete file.
type DamagedError struct {
	Path string
	Err  error
}

func (e *DamagedError) Error() string { return fmt.Sprintf("%s is damaged: %v", e.Path, e.Err) }
func (e *DamagedError) Unwrap() error { return e.Err }

// Open opens a file and reads its index. It does not check the blobs; Verify does. A file with the name of the
// checkpoint after another number of steps is damaged.
func Open(path string) (*File, error) {
	return openFile(path, func(f *os.File) io.ReaderAt { return f })
}

// openFile is Open with another reader of the file.
func openFile(path string, reader func(f *os.File) io.ReaderAt) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f, err := open(path, reader(file), info.Size())
	if steps, ok := stepsOf(path); err == nil && ok && steps != f.Steps {
		err = fmt.Errorf("by its index it is the state after step %d", f.Steps)
	}
	if err != nil {
		var formatErr *FormatError
		if !errors.As(err, &formatErr) {
			err = &DamagedError{path, err}
		}
		return nil, errors.Join(err, file.Close())
	}
	f.file = file
	return f, nil
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// Info returns the metadata of the checkpoint.
func (f *File) Info() *Info { return &f.index.Info }

// open reads header, footer and index of a file of size bytes.
func open(path string, r io.ReaderAt, size int64) (*File, error) {
	if size < headerSize+footerSize {
		return nil, fmt.Errorf("the file has %d bytes, want at least %d", size, headerSize+footerSize)
	}
	head, tail := make([]byte, headerSize), make([]byte, footerSize)
	if err := errors.Join(readAt(r, head, 0), readAt(r, tail, size-footerSize)); err != nil {
		return nil, err
	}
	switch {
	case string(head[:8]) != headerMagic:
		return nil, errors.New("the file does not begin with the header of a checkpoint")
	case string(tail[24:]) != footerMagic:
		return nil, errors.New("the file does not end with the footer of a checkpoint: writing was interrupted")
	}
	format := binary.LittleEndian.Uint32(head[8:])
	if format != Format && format == binary.LittleEndian.Uint32(tail[20:]) {
		return nil, &FormatError{path, format}
	}
	indexOffset, indexSize := binary.LittleEndian.Uint64(tail), binary.LittleEndian.Uint64(tail[8:])
	body := uint64(size - footerSize)
	if !bytes.Equal(head, header()) ||
		binary.LittleEndian.Uint32(tail[20:]) != Format || indexOffset < headerSize || indexOffset > body ||
		indexSize != body-indexOffset {
		return nil, errors.New("header or footer is damaged")
	}
	text := make([]byte, indexSize)
	if err := readAt(r, text, int64(indexOffset)); err != nil {
		return nil, err
	}
	if crc32.Checksum(text, castagnoli) != binary.LittleEndian.Uint32(tail[16:]) {
		return nil, errors.New("the checksum of the index is wrong")
	}
	f := &File{Path: path, reader: r}
	if err := json.Unmarshal(text, &f.index); err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	if err := f.index.checkSeal(text); err != nil {
		return nil, err
	}
	return f, f.index.check(int64(indexOffset))
}

func readAt(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	return err
}

// check checks that blobs have the sizes of their blocks, and fill the file up to the index without gaps, and that the
// files which the checkpoint counts are in its run's folder.
func (x *index) check(end int64) error {
	next := int64(headerSize)
	isNext := func(b blob) bool {
		if b.Offset != next || b.Len < 0 || b.Len > end-next {
			return false
		}
		next += b.Len
		return true
	}
	for k, b := range x.Blocks {
		if b.Space < 0 || b.Space >= len(x.Spaces) || b.Count < 1 || len(b.Fields) != len(x.Spaces[b.Space].Fields) ||
			!isNext(b.Keys) {
			return fmt.Errorf("block %d of the index is invalid", k)
		}
		for i, f := range x.Spaces[b.Space].Fields {
			if f.Size < 1 || b.Fields[i].Len%int64(f.Size) != 0 || b.Fields[i].Len/int64(f.Size) != int64(b.Count) ||
				!isNext(b.Fields[i]) {
				return fmt.Errorf("field %q in block %d of the index is invalid", f.Name, k)
			}
		}
	}
	if next != end {
		return errors.New("the blocks do not fill the file")
	}
	for name := range x.Files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("it counts the file %q, which is not in the folder of a run", name)
		}
	}
	return nil
}

// read reads a blob. It reuses buffer if that is large enough.
func (f *File) read(b blob, buffer []byte) ([]byte, error) {
	if int64(cap(buffer)) < b.Len {
		buffer = make([]byte, b.Len)
	}
	buffer = buffer[:b.Len]
	if err := readAt(f.reader, buffer, b.Offset); err != nil {
		return buffer, &DamagedError{f.Path, err}
	}
	return buffer, nil
}
