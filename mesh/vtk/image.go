package vtk

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Box is a box of cells of a uniform grid: the first and how many along each axis.
type Box struct{ Lo, N [3]int }

// Image is a uniform grid, or a box of its cells: what VTK calls image data. In 2D (Dim 2) there is one cell along z,
// which is flat: cells are rectangles in the plane z = Origin[2].
type Image struct {
	Dim     int    // 2 or 3
	Whole   [3]int // cells of the whole grid along each axis
	Box            // the cells that are here
	Origin  [3]float64
	Spacing [3]float64 // sides of a cell; that along z does not matter in 2D

	PointData Arrays // one tuple a corner of the cells here, x fastest
	CellData  Arrays // one tuple a cell here, x fastest
	FieldData Arrays // as those of Grid
}

// Cells is the number of cells of the box.
func (b Box) Cells() int { return b.N[0] * b.N[1] * b.N[2] }

// Points is the number of corners of the cells here.
func (m *Image) Points() int {
	n := (m.N[0] + 1) * (m.N[1] + 1)
	if m.Dim == 3 {
		n *= m.N[2] + 1
	}
	return n
}

// maxImageCells bounds the cells of an image: their number, and that of their corners, is an int.
const maxImageCells = 1 << 50

// checkGrid reports a grid that cannot be.
func (m *Image) checkGrid() error {
	if m.Dim != 2 && m.Dim != 3 {
		return fmt.Errorf("an image has 2 or 3 dimensions, not %d", m.Dim)
	}
	room := maxImageCells
	for a, n := range m.Whole {
		if n < 1 || n > room || n > math.MaxInt32-1 || a >= m.Dim && n != 1 {
			return fmt.Errorf("an image of %v cells in %d dimensions", m.Whole, m.Dim)
		}
		room /= n
		if m.Lo[a] < 0 || m.N[a] < 1 || m.N[a] > n-m.Lo[a] {
			return fmt.Errorf("a piece of %v cells from %v on is not within an image of %v", m.N, m.Lo, m.Whole)
		}
		if h := m.Spacing[a]; m.Origin[a]-m.Origin[a] != 0 || a < m.Dim && !(h > 0 && h < math.Inf(1)) {
			return fmt.Errorf("cells of the sides %v from %v on", m.Spacing, m.Origin)
		}
	}
	return nil
}

// check reports what keeps the image from being written.
func (m *Image) check() error {
	if err := m.checkGrid(); err != nil {
		return err
	}
	if err := m.PointData.check("point data", m.Points()); err != nil {
		return err
	}
	if err := m.CellData.check("cell data", m.Cells()); err != nil {
		return err
	}
	return m.FieldData.check("field data", -1)
}

// WriteImage writes an image to a .vti file, which appears under its name only when it is complete. The bytes depend on
// the image alone. Errors name the file.
func WriteImage(path string, m *Image) error {
	return writeData(path, m)
}

func (m *Image) document(compress bool) *document {
	d := newDocument("ImageData", compress)
	d.open("ImageData", m.attributes()...)
	d.fieldData(m.FieldData)
	d.beginPiece("Extent", m.extent(m.Box))
	d.dataSection("PointData", m.PointData)
	d.dataSection("CellData", m.CellData)
	d.close("Piece")
	return d
}

// attributes are those that describe the whole grid.
func (m *Image) attributes() []string {
	spacing := m.Spacing
	if m.Dim == 2 {
		spacing[2] = 1 // VTK warns of 0
	}
	return []string{"WholeExtent", m.extent(Box{N: m.Whole}), "Origin", numbers(m.Origin), "Spacing", numbers(spacing)}
}

// extent is the first and last corner of a box along each axis.
func (m *Image) extent(b Box) string {
	end := [3]int{b.Lo[0] + b.N[0], b.Lo[1] + b.N[1], b.Lo[2] + b.N[2]}
	if m.Dim == 2 {
		end[2] = 0
	}
	return fmt.Sprintf("%d %d %d %d %d %d", b.Lo[0], end[0], b.Lo[1], end[1], b.Lo[2], end[2])
}

func numbers(v [3]float64) string {
	words := make([]string, len(v))
	for i, x := range v {
		words[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strings.Join(words, " ")
}

// ImagePiece is a .vti file that holds a box of a larger image.
type ImagePiece struct {
	Box
	File string // relative to the folder of the index
}

// WritePVTI writes the index of an image whose pieces are .vti files. Together they must have every cell of the whole
// once. like is any one of the pieces: all have point data and cell data of the same names, types and components, in
// the same order. A viewer opens the index, so write it after the pieces.
func WritePVTI(path string, pieces []ImagePiece, like *Image) error {
	check := func() error {
		names, boxes := make([]string, len(pieces)), make([]Box, len(pieces))
		for i, p := range pieces {
			names[i], boxes[i] = p.File, p.Box
		}
		if err := checkSources(names); err != nil {
			return err
		}
		if err := like.check(); err != nil {
			return err
		}
		return checkTiles(like.Whole, boxes)
	}
	return writeChecked(path, check, func(f *os.File) error {
		attributes := make([][]string, len(pieces))
		for i, p := range pieces {
			attributes[i] = []string{"Extent", like.extent(p.Box), "Source", filepath.ToSlash(p.File)}
		}
		sections := []section{{"PPointData", like.PointData}, {"PCellData", like.CellData}}
		return writeIndex(f, "PImageData", like.attributes(), sections, attributes)
	})
}

// checkTiles reports a cell of the whole that is in none of the boxes, or in two.
func checkTiles(whole [3]int, boxes []Box) error {
	cells := 0
	for i, b := range boxes {
		for a := range 3 {
			if b.Lo[a] < 0 || b.N[a] < 1 || b.N[a] > whole[a]-b.Lo[a] {
				return fmt.Errorf("piece %d of %v cells from %v on is not within the whole of %v", i, b.N, b.Lo, whole)
			}
		}
		for k, c := range boxes[:i] {
			if b.meets(c) {
				return fmt.Errorf("pieces %d and %d have cells in common", k, i)
			}
		}
		cells += b.Cells()
	}
	if all := whole[0] * whole[1] * whole[2]; cells != all {
		return fmt.Errorf("the pieces have %d cells together, the whole has %d", cells, all)
	}
	return nil
}

func (b Box) meets(c Box) bool {
	for a := range 3 {
		if b.Lo[a]+b.N[a] <= c.Lo[a] || c.Lo[a]+c.N[a] <= b.Lo[a] {
			return false
		}
	}
	return true
}
