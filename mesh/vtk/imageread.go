package vtk

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// ReadImage reads a .vti file, or a .pvti file with the pieces that it lists; the type is that of the content, not of
// the name. The pieces of an index, or of a file with several, are assembled; each cell of the whole must be in exactly
// one. A file of one piece may have only a part of the whole. At corners that pieces share, the values of the last
// piece are taken; field data are those of the first piece that has any. Rotated images and those of one layer of
// points along x or y are refused. Errors name the file and the element.
func ReadImage(path string) (*Image, error) {
	return readFile(path, "ImageData", parseImage, readImageIndex)
}

// parseImage decodes a .vti file.
func parseImage(file []byte, root, appended *xmldata.Element) (*Image, error) {
	h, err := parseImageHeader(root)
	if err != nil {
		return nil, err
	}
	pieces, err := h.decode(file, root, appended)
	if err != nil {
		return nil, err
	}
	if len(pieces) == 1 {
		return pieces[0], nil
	}
	return assemble(&h.whole, pieces)
}

// readImageIndex reads the pieces of a .pvti file.
func readImageIndex(path string, root *xmldata.Element) (*Image, error) {
	h, err := parseImageHeader(root)
	var names []string
	if err == nil {
		names, err = sources(root)
	}
	if err == nil {
		err = checkTiles(h.whole.Whole, h.boxes)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	next := 0
	decode := func(file []byte, root, appended *xmldata.Element) (*Image, error) {
		box := h.boxes[next]
		next++
		return h.decodePiece(file, root, appended, box)
	}
	pieces, err := readPieces(path, names, "ImageData", decode)
	if err != nil {
		return nil, err
	}
	m, err := assemble(&h.whole, pieces)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// imageHeader is the description of an image in a .vti or .pvti file.
type imageHeader struct {
	whole Image  // the whole image without data; cells are numbered from 0
	first [3]int // number of the first corner in the file
	boxes []Box  // the pieces
}

func parseImageHeader(root *xmldata.Element) (*imageHeader, error) {
	e, err := root.Needed(root.Attribute("type"))
	if err != nil {
		return nil, err
	}
	h := &imageHeader{}
	m := &h.whole
	lo, hi, err := extentOf(e, "WholeExtent")
	if err != nil {
		return nil, err
	}
	m.Dim = 3
	if lo[2] == hi[2] {
		m.Dim = 2
		hi[2]++
	}
	for a := range 3 {
		m.Whole[a] = hi[a] - lo[a]
	}
	m.N, h.first = m.Whole, lo
	if m.Origin, err = tripleOf(e, "Origin", [3]float64{}); err != nil {
		return nil, err
	}
	if m.Spacing, err = tripleOf(e, "Spacing", [3]float64{1, 1, 1}); err != nil {
		return nil, err
	}
	if d := strings.Join(strings.Fields(e.Attribute("Direction")), " "); d != "" && d != "1 0 0 0 1 0 0 0 1" {
		return nil, e.Errorf("the attribute Direction=%q: rotated images are not supported", d)
	}
	for a := range 3 {
		m.Origin[a] += float64(lo[a]) * m.Spacing[a]
	}
	if err := m.checkGrid(); err != nil {
		return nil, e.Errorf("%w", err)
	}
	for i, p := range piecesOf(e) {
		lo, hi, err := extentOf(p, "Extent")
		if err != nil {
			return nil, fmt.Errorf("piece %d: %w", i, err)
		}
		if m.Dim == 2 {
			hi[2]++
		}
		piece := *m
		for a := range 3 {
			piece.Lo[a], piece.N[a] = lo[a]-h.first[a], hi[a]-lo[a]
		}
		if err := piece.checkGrid(); err != nil {
			return nil, fmt.Errorf("piece %d: %w", i, p.Errorf("%w", err))
		}
		h.boxes = append(h.boxes, piece.Box)
	}
	return h, nil
}

// decode decodes the pieces of a .vti file.
func (h *imageHeader) decode(file []byte, root, appended *xmldata.Element) ([]*Image, error) {
	c, err := newDecoder(file, root, appended)
	if err != nil {
		return nil, err
	}
	e, err := root.Needed("ImageData")
	if err != nil {
		return nil, err
	}
	field, err := c.section(e, "FieldData", -1)
	if err != nil {
		return nil, err
	}
	pieces := make([]*Image, len(h.boxes))
	for i, p := range piecesOf(e) {
		m := h.whole
		m.Box, m.FieldData = h.boxes[i], field
		if m.PointData, err = c.section(p, "PointData", int64(m.Points())); err == nil {
			m.CellData, err = c.section(p, "CellData", int64(m.Cells()))
		}
		if err != nil {
			return nil, fmt.Errorf("piece %d: %w", i, err)
		}
		pieces[i] = &m
	}
	return pieces, nil
}

// decodePiece decodes a file that must have one piece, the given box of the whole. The whole extent of the file may be
// only that of its piece. Origin and spacing are those of the index.
func (h *imageHeader) decodePiece(file []byte, root, appended *xmldata.Element, box Box) (*Image, error) {
	fileHeader, err := parseImageHeader(root)
	if err != nil {
		return nil, err
	}
	pieces, err := fileHeader.decode(file, root, appended)
	if err != nil {
		return nil, err
	}
	if len(pieces) != 1 {
		return nil, fmt.Errorf("the file has %d pieces, want 1", len(pieces))
	}
	m := pieces[0]
	for a := range 3 {
		m.Lo[a] += fileHeader.first[a] - h.first[a]
	}
	if m.Box != box || m.Dim != h.whole.Dim {
		return nil, fmt.Errorf("the file has %v cells with the first cell %v; its index has %v cells with the first cell %v",
			m.N, m.Lo, box.N, box.Lo)
	}
	return m, nil
}

// extentOf returns an attribute with the first and last corner along each axis.
func extentOf(e *xmldata.Element, name string) (lo, hi [3]int, err error) {
	words := strings.Fields(e.Attribute(name))
	if len(words) != 6 {
		return lo, hi, e.Errorf("the attribute %s=%q is not six numbers", name, e.Attribute(name))
	}
	for i, w := range words {
		n, err := strconv.ParseInt(w, 10, 32)
		if err != nil {
			return lo, hi, e.Errorf("the attribute %s=%q is not six integers of 32 bits", name, e.Attribute(name))
		}
		if i%2 == 0 {
			lo[i/2] = int(n)
		} else {
			hi[i/2] = int(n)
		}
	}
	return lo, hi, nil
}

// tripleOf returns an attribute of three numbers, or absent if the element does not have it.
func tripleOf(e *xmldata.Element, name string, absent [3]float64) (v [3]float64, err error) {
	words := strings.Fields(e.Attribute(name))
	if len(words) == 0 {
		return absent, nil
	}
	if len(words) != 3 {
		return v, e.Errorf("the attribute %s=%q is not three numbers", name, e.Attribute(name))
	}
	for i, w := range words {
		if v[i], err = strconv.ParseFloat(w, 64); err != nil || math.IsNaN(v[i]) {
			return v, e.Errorf("the attribute %s=%q is not three numbers", name, e.Attribute(name))
		}
	}
	return v, nil
}
