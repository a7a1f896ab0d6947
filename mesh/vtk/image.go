package vtk

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// Box is a box of cells of a uniform grid: the first cell and the number of cells along each axis.
type Box struct{ Lo, N [3]int }

// Image is a uniform grid, or a box of its cells: image data in the terms of VTK. In 2D (Dim 2) there is one cell along
// z, of no height: cells are rectangles in the plane z = Origin[2].
type Image struct {
	Dim     int    // 2 or 3
	Whole   [3]int // cells of the whole grid along each axis
	Box            // the cells of this image
	Origin  [3]float64
	Spacing [3]float64 // sides of a cell; in 2D that along z is not used

	PointData Arrays // one tuple for each corner of the cells of the box, x fastest
	CellData  Arrays // one tuple for each cell of the box, x fastest
	FieldData Arrays // as in Grid
}

// Cells is the number of cells of the box.
func (b Box) Cells() int { return b.N[0] * b.N[1] * b.N[2] }

// Points is the number of corners of the cells of the box.
func (m *Image) Points() int {
	n := (m.N[0] + 1) * (m.N[1] + 1)
	if m.Dim == 3 {
		n *= m.N[2] + 1
	}
	return n
}

// maxImageCells bounds the cells of an image, so that the numbers of cells and of corners fit an int.
const maxImageCells = 1 << 50

// checkGrid refuses invalid dimensions, numbers of cells, origins and spacings.
func (m *Image) checkGrid() error {
	if m.Dim != 2 && m.Dim != 3 {
		return fmt.Errorf("an image has 2 or 3 dimensions, not %d", m.Dim)
	}
	available := maxImageCells
	for a, n := range m.Whole {
		if n < 1 || n > available || n > math.MaxInt32-1 || a >= m.Dim && n != 1 {
			return fmt.Errorf("an image of %v cells in %d dimensions; want at least 1 along each axis, 1 along z in 2D, and "+
				"at most %d in all", m.Whole, m.Dim, maxImageCells)
		}
		available /= n
		if m.Lo[a] < 0 || m.N[a] < 1 || m.N[a] > n-m.Lo[a] {
			return fmt.Errorf("a piece of %v cells with the first cell %v is not within an image of %v cells", m.N, m.Lo,
				m.Whole)
		}
		notFinite := m.Origin[a]-m.Origin[a] != 0
		if h := m.Spacing[a]; notFinite || a < m.Dim && !(h > 0 && h < math.Inf(1)) {
			return fmt.Errorf("an image with spacing %v and origin %v; want a positive spacing and finite numbers", m.Spacing,
				m.Origin)
		}
	}
	return nil
}

// check refuses an image that cannot be written.
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

// WriteImage writes an image to a .vti file, which appears under its name only when it is complete. The bytes depend
// only on the image. Errors name the file.
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

// attributes returns the XML attributes that describe the whole grid.
func (m *Image) attributes() []string {
	spacing := m.Spacing
	if m.Dim == 2 {
		spacing[2] = 1 // VTK warns of 0
	}
	return []string{"WholeExtent", m.extent(Box{N: m.Whole}), "Origin", formatNumbers(m.Origin), "Spacing",
		formatNumbers(spacing)}
}

// extent formats the first and last corner of a box along each axis.
func (m *Image) extent(b Box) string {
	end := [3]int{b.Lo[0] + b.N[0], b.Lo[1] + b.N[1], b.Lo[2] + b.N[2]}
	if m.Dim == 2 {
		end[2] = 0
	}
	return fmt.Sprintf("%d %d %d %d %d %d", b.Lo[0], end[0], b.Lo[1], end[1], b.Lo[2], end[2])
}

func formatNumbers(v [3]float64) string {
	words := make([]string, len(v))
	for i, x := range v {
		words[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strings.Join(words, " ")
}

// ImagePiece is a .vti file with a box of a larger image.
type ImagePiece struct {
	Box
	File string // relative to the folder of the index
}

// WritePVTI writes the index of an image whose pieces are .vti files. Each cell of the whole must be in exactly one
// piece. like is any of the pieces: all must have point data and cell data with the same names, types and components,
// in the same order. A viewer opens the index, so it should be written after the pieces.
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
	return writeChecked(path, check, func(f *atomicfile.File) error {
		attributes := make([][]string, len(pieces))
		for i, p := range pieces {
			attributes[i] = []string{"Extent", like.extent(p.Box), "Source", filepath.ToSlash(p.File)}
		}
		sections := []section{{"PPointData", like.PointData}, {"PCellData", like.CellData}}
		return writeIndex(f, "PImageData", like.attributes(), sections, attributes)
	})
}

// checkTiles refuses boxes that do not have each cell of the whole exactly once.
func checkTiles(whole [3]int, boxes []Box) error {
	cells := 0
	for i, b := range boxes {
		for a := range 3 {
			if b.Lo[a] < 0 || b.N[a] < 1 || b.N[a] > whole[a]-b.Lo[a] {
				return fmt.Errorf("piece %d of %v cells with the first cell %v is not within the whole of %v cells", i, b.N, b.Lo,
					whole)
			}
		}
		for k, c := range boxes[:i] {
			if b.overlaps(c) {
				return fmt.Errorf("pieces %d and %d have cells in common", k, i)
			}
		}
		cells += b.Cells()
	}
	if wholeCells := whole[0] * whole[1] * whole[2]; cells != wholeCells {
		return fmt.Errorf("the pieces have %d cells in total, the whole has %d", cells, wholeCells)
	}
	return nil
}

func (b Box) overlaps(c Box) bool {
	for a := range 3 {
		if b.Lo[a]+b.N[a] <= c.Lo[a] || c.Lo[a]+c.N[a] <= b.Lo[a] {
			return false
		}
	}
	return true
}
