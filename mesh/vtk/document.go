package vtk

import (
	"bytes"
	"encoding/xml"
	"io"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// document is the elements of a VTK XML file whose arrays are appended data, as far as the end of its pieces. What is
// only known later, the offsets of arrays, is left blank.
type document struct {
	kind   string
	lines  bytes.Buffer
	depth  int
	piece  int // where the piece begins
	arrays []declared
	err    error
}

// declared is an array whose data come later: blank is where its offset stands in the lines.
type declared struct {
	data  xmldata.Values
	blank int
}

// offsetRoom is the room that is left for an offset attribute's value and closing quote.
const offsetRoom = 20

// newDocument begins a file with arrays, compressed or as they are.
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

// open begins an element that close ends; attributes are names and values in turn.
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

// array declares a DataArray. attributes come after those that every array has.
func (d *document) array(name string, components int, v xmldata.Values, attributes ...string) {
	all := append([]string{"type", v.TypeName(), "Name", name, "NumberOfComponents", strconv.Itoa(components)},
		attributes...)
	d.text(strings.Repeat("  ", d.depth) + startTag("DataArray", append(all, "format", "appended")) + ` offset="`)
	d.arrays = append(d.arrays, declared{v, d.lines.Len()})
	d.text(strings.Repeat(" ", offsetRoom) + "/>\n")
}

// unit gives the array declared last a unit.
func (d *document) unit(name string) {
	d.lines.Truncate(d.lines.Len() - len("/>\n"))
	d.text(">\n" + strings.Repeat("  ", d.depth+1) +
		startTag("InformationKey", []string{"name", "UNITS_LABEL", "location", "vtkDataArray"}) + ">")
	xml.EscapeText(&d.lines, []byte(name)) // a buffer does not fail
	d.text("</InformationKey>\n" + strings.Repeat("  ", d.depth) + "</DataArray>\n")
}

// dataSection declares the arrays of PointData or CellData.
func (d *document) dataSection(tag string, list Arrays) {
	d.open(tag)
	for _, a := range list {
		v, err := xmldata.Wrap(a.Data)
		if err != nil {
			d.err = err
			return
		}
		d.array(a.Name, a.width(), v)
		if a.Unit != "" {
			d.unit(a.Unit)
		}
	}
	d.close(tag)
}

// fieldData declares the arrays of FieldData, if there are any.
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

// connectivity declares the arrays that say which points cells have.
func (d *document) connectivity(connectivity, offsets []int64, points int) {
	d.array("connectivity", 1, xmldata.Indices(connectivity, int64(points)))
	d.array("offsets", 1, xmldata.Indices(offsets, int64(len(connectivity))))
}

// beginPiece begins the part of the file that other pieces may stand beside.
func (d *document) beginPiece(attributes ...string) {
	d.piece = d.lines.Len()
	d.open("Piece", attributes...)
}

// write writes a file without arrays, which ends here.
func (d *document) write(w io.Writer) error {
	if d.err != nil {
		return d.err
	}
	d.close(d.kind)
	d.close("VTKFile")
	_, err := d.lines.WriteTo(w)
	return err
}
