package vtk

import (
	"bytes"
	"encoding/xml"
	"io"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// document has the XML elements of a VTK file up to the end of its pieces; arrays follow as appended data. The offsets
// of arrays are blank until they are known.
type document struct {
	kind   string // type of the file
	lines  bytes.Buffer
	depth  int // of open elements
	piece  int // position in lines of the element Piece
	arrays []declaredArray
	err    error
}

// declaredArray is an array with an element in the document.
type declaredArray struct {
	data     xmldata.Values
	blank    int  // position in lines of the value of its offset
	constant bool // as Array.Constant
}

// offsetRoom is the number of bytes reserved for the value of an offset and its closing quote.
const offsetRoom = 20

// newDocument begins a file whose arrays are compressed or not.
func newDocument(kind string, compress bool) *document {
	d := &document{kind: kind}
	d.text("<?xml version=\"1.0\"?>\n")
	attributes := []string{"type", kind, "version", "1.0", "byte_order", "LittleEndian", "header_type", "UInt64"}
	if compress {
		attributes = append(attributes, "compressor", "vtkZLibDataCompressor")
	}
	d.open("VTKFile", attributes...)
	return d
}

func (d *document) text(s string) { d.lines.WriteString(s) }

// open begins an element, which close ends. attributes are alternating names and values.
func (d *document) open(tag string, attributes ...string) {
	d.text(strings.Repeat("  ", d.depth) + startTag(tag, attributes) + ">\n")
	d.depth++
}

func (d *document) close(tag string) {
	d.depth--
	d.text(strings.Repeat("  ", d.depth) + "</" + tag + ">\n")
}

// empty writes an element without content.
func (d *document) empty(tag string, attributes ...string) {
	d.text(strings.Repeat("  ", d.depth) + startTag(tag, attributes) + "/>\n")
}

func startTag(tag string, attributes []string) string {
	var b strings.Builder
	b.WriteString("<" + tag)
	for i := 0; i < len(attributes); i += 2 {
		b.WriteString(" " + attributes[i] + `="`)
		xml.EscapeText(&b, []byte(attributes[i+1])) // a strings.Builder does not fail
		b.WriteString(`"`)
	}
	return b.String()
}

// array adds a DataArray. attributes are in addition to those of every array.
func (d *document) array(name string, components int, v xmldata.Values, attributes ...string) {
	allAttributes := append([]string{"type", v.TypeName(), "Name", name, "NumberOfComponents", strconv.Itoa(components)},
		attributes...)
	d.text(strings.Repeat("  ", d.depth) + startTag("DataArray", append(allAttributes, "format", "appended")) +
		` offset="`)
	d.arrays = append(d.arrays, declaredArray{data: v, blank: d.lines.Len()})
	d.text(strings.Repeat(" ", offsetRoom) + "/>\n")
}

// constant sets whether the last n arrays are constant.
func (d *document) constant(is bool, n int) {
	for k := len(d.arrays) - n; k < len(d.arrays); k++ {
		d.arrays[k].constant = is
	}
}

// unit adds a unit to the last array.
func (d *document) unit(name string) {
	d.lines.Truncate(d.lines.Len() - len("/>\n"))
	d.text(">\n" + strings.Repeat("  ", d.depth+1) +
		startTag("InformationKey", []string{"name", "UNITS_LABEL", "location", "vtkDataArray"}) + ">")
	xml.EscapeText(&d.lines, []byte(name)) // a buffer does not fail
	d.text("</InformationKey>\n" + strings.Repeat("  ", d.depth) + "</DataArray>\n")
}

// dataSection adds the arrays of PointData or CellData.
func (d *document) dataSection(tag string, list Arrays) {
	d.open(tag)
	for _, a := range list {
		v, err := xmldata.Wrap(a.Data)
		if err != nil {
			d.err = err
			return
		}
		d.array(a.Name, a.width(), v)
		d.constant(a.Constant, 1)
		if a.Unit != "" {
			d.unit(a.Unit)
		}
	}
	d.close(tag)
}

// fieldData adds the arrays of FieldData, if there are any.
func (d *document) fieldData(list Arrays) {
	if len(list) == 0 {
		return
	}
	d.open("FieldData")
	for _, a := range list {
		v, err := xmldata.Wrap(a.Data)
		if err != nil {
			d.err = err
			return
		}
		d.array(a.Name, a.width(), v, "NumberOfTuples", strconv.Itoa(a.Tuples()))
	}
	d.close("FieldData")
}

// connectivity adds the arrays with the points of cells.
func (d *document) connectivity(connectivity, offsets []int64, points int) {
	d.array("connectivity", 1, xmldata.Indices(connectivity, int64(points)))
	d.array("offsets", 1, xmldata.Indices(offsets, int64(len(connectivity))))
}

// beginPiece begins the element Piece. A file may have several pieces.
func (d *document) beginPiece(attributes ...string) {
	d.piece = d.lines.Len()
	d.open("Piece", attributes...)
}

// write writes a file without arrays: the document and its end tags.
func (d *document) write(w io.Writer) error {
	if d.err != nil {
		return d.err
	}
	d.close(d.kind)
	d.close("VTKFile")
	_, err := d.lines.WriteTo(w)
	return err
}
