package piece

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// STL is a piece of triangles, format stl.
type STL vtk.PolyData

func (p *STL) Write(path string) error { return vtk.WriteSTL(path, (*vtk.PolyData)(p)) }

// Sizes in a binary STL file, in bytes: the header, whose last four bytes are the number of triangles, and a triangle.
const (
	stlHead     = 84
	stlTriangle = 50
)

// Join writes the triangles of all pieces to one file. The file appears under its name only when it is complete.
func (p *STL) Join(path string, pieces []string) error {
	var head [stlHead]byte
	total := int64(0)
	for _, name := range pieces {
		info, err := os.Stat(filepath.Join(filepath.Dir(path), name))
		if err != nil {
			return err
		}
		if n := info.Size() - stlHead; n < 0 || n%stlTriangle != 0 {
			return fmt.Errorf("%s is not a binary STL file: it has %d bytes, want %d + %d per triangle", name, info.Size(),
				stlHead, stlTriangle)
		}
		total += (info.Size() - stlHead) / stlTriangle
	}
	if total > math.MaxUint32 {
		return fmt.Errorf("%s: an STL file can have %d triangles at most, got %d", path, uint32(math.MaxUint32), total)
	}
	copy(head[:], "binary STL")
	binary.LittleEndian.PutUint32(head[stlHead-4:], uint32(total))
	return atomicfile.Write(path, func(f *atomicfile.File) error {
		w := bufio.NewWriterSize(f, 1<<16)
		if _, err := w.Write(head[:]); err != nil {
			return err
		}
		for _, name := range pieces {
			if err := appendTriangles(w, filepath.Join(filepath.Dir(path), name)); err != nil {
				return err
			}
		}
		return w.Flush()
	})
}

func appendTriangles(w io.Writer, path string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	if _, err := in.Seek(stlHead, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(w, in)
	return err
}
