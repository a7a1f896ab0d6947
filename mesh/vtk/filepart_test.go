package vtk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// A file of several parts is read, also by VTK, with the same content as an index of as many files.
func TestPartsMakeOneFile(t *testing.T) {
	field := Arrays{{Name: "TimeValue", Components: 1, Data: []float64{1.5}}}
	wave, made, empty := waveGrid(40), madeGrid(), cube(true)
	empty.Points, empty.Verts, empty.Lines, empty.Polys = nil, Cells{}, Cells{}, Cells{}
	empty.PointData = Arrays{{Name: "at", Components: 3, Data: []float64{}}}
	empty.CellData = Arrays{{Name: "id", Components: 1, Data: []int32{}}}
	grids := []divisible{wave, wave}
	var boxes []divisible
	image := wholeImage(3)
	for _, b := range image.quarters() {
		p := image.part(b)
		p.FieldData = field
		boxes = append(boxes, p)
	}
	for name, pieces := range map[string][]divisible{
		"grids.vtu": grids, "one.vtu": {made}, "image.vti": boxes,
		"surface.vtp": {cube(true), empty, cube(false)},
	} {
		for _, compress := range []bool{false, true} {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			if err := writeParts(path, pieces, compress); err != nil {
				t.Fatal(name, err)
			}
			got, err := readAny(path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := readAny(writeIndexed(t, dir, name, pieces))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, compressed: %t: the file of parts gives\n%v\nthe index\n%v", name, compress, got, want)
			}
			askVTK(t, path)
		}
	}
}

// writeParts writes the pieces of a file concurrently.
func writeParts(path string, pieces []divisible, compress bool) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(callOnParts(f, pieces, compress, (*FilePart).Write), f.Close())
}

// callOnParts calls a function with the parts of a file concurrently.
func callOnParts(f *os.File, pieces []divisible, compress bool,
	write func(p *FilePart, f io.WriterAt, sizes []Sizes, n int) error) (err error) {
	parts, sizes := make([]*FilePart, len(pieces)), make([]Sizes, len(pieces))
	for n, p := range pieces {
		if parts[n], err = newFilePart(p, compress); err != nil {
			return err
		}
		sizes[n] = parts[n].Sizes()
	}
	errs := make([]error, len(pieces))
	var wg sync.WaitGroup
	for n, p := range parts {
		wg.Go(func() { errs[n] = write(p, f, sizes, n) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// TestFileWrittenAhead proves that a file of parts has the same bytes if they are written over other pieces with the
// same constant arrays; and that these arrays are not written again.
func TestFileWrittenAhead(t *testing.T) {
	dir := t.TempDir()
	for constants := range 8 { // which of points, cells and an array of data are constant
		early, late := waveGrid(30), waveGrid(30)
		for _, g := range []*Grid{early, late} {
			g.ConstantPoints, g.ConstantCells = constants&1 != 0, constants&2 != 0
			g.CellData = append(g.CellData, Array{Name: "rank", Data: make([]int32, len(g.Types)),
				Constant: constants&4 != 0})
			g.FieldData = Arrays{{Name: "TimeValue", Data: []float64{0}}}
		}
		late.FieldData[0].Data = []float64{7}
		late.CellData[0].Data = make([]float64, len(late.Types))
		if !early.ConstantPoints {
			late.Points[4]++
		}
		want, path := filepath.Join(dir, "want.vtu"), filepath.Join(dir, "got.vtu")
		if err := writeParts(want, []divisible{late, late}, false); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := callOnParts(f, []divisible{early, early}, false, (*FilePart).Write); err != nil {
			t.Fatal(err)
		}
		if late.ConstantCells { // other values, in no file
			late.Connectivity = slices.Clone(late.Connectivity)
			slices.Reverse(late.Connectivity)
		}
		if err := callOnParts(f, []divisible{late, late}, false, (*FilePart).WriteRest); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		wantBytes, err := os.ReadFile(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, wantBytes) {
			t.Errorf("constants %b: the files differ, error %v", constants, err)
		}
		if p, err := early.FilePart(false); err != nil || p.HasConstants() != (constants > 0) {
			t.Errorf("constants %b: HasConstants is %t, error %v", constants, p.HasConstants(), err)
		}
		if p, err := early.FilePart(true); err != nil || p.HasConstants() {
			t.Errorf("constants %b: HasConstants of compressed arrays is true, error %v", constants, err)
		}
	}
}

// writeIndexed writes each piece to a file, and returns the path of their index.
func writeIndexed(t *testing.T, dir, name string, pieces []divisible) string {
	t.Helper()
	var names []string
	var boxes []ImagePiece
	for n, p := range pieces {
		file := fmt.Sprintf("%d-%s", n, name)
		names = append(names, file)
		if m, ok := p.(*Image); ok {
			boxes = append(boxes, ImagePiece{m.Box, file})
		}
		if err := writeData(filepath.Join(dir, file), p); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "index")
	var err error
	switch like := pieces[0].(type) {
	case *Grid:
		err = WritePVTU(path, names, like)
	case *Image:
		err = WritePVTI(path, boxes, like)
	case *PolyData:
		err = WritePVTP(path, names, like)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func readAny(path string) (any, error) {
	root, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	e, _, err := xmldata.ParseTree(root,
		"UnstructuredGrid", "PUnstructuredGrid", "ImageData", "PImageData", "PolyData", "PPolyData")
	if err != nil {
		return nil, err
	}
	switch e.Attribute("type") {
	case "UnstructuredGrid", "PUnstructuredGrid":
		return Read(path)
	case "ImageData", "PImageData":
		return ReadImage(path)
	}
	return ReadPolyData(path)
}
