package vtk

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// document writes a VTK XML file whose arrays are appended data. Elements are written as they come; the arrays that
// they declare follow at the end, one after another, so that no more than a few blocks are in memory. What is only
// known later (an array's offset, a block table) is left blank and patched.
type document struct {
	file    *os.File
	w       *bufio.Writer
	at      int64 // bytes written so far
	depth   int
	arrays  []declared
	patches []patch
	err     error
}

// declared is an array whose data come later: offset is where its attribute stands in the file.
type declared struct {
	data   values
	offset int64
}

type patch struct {
	at   int64
	text []byte
}

// offsetRoom is the room that is left for an offset attribute's value and closing quote.
const offsetRoom = 20

func newDocument(f *os.File, kind string) *document {
	d := &document{file: f, w: bufio.NewWriterSize(f, 1<<16)}
	d.text("<?xml version=\"1.0\"?>\n")
	d.open("VTKFile", "type", kind, "version", "1.0", "byte_order", "LittleEndian", "header_type", "UInt64",
		"compressor", "vtkZLibDataCompressor")
	return d
}

// Write makes a document the writer of its own bytes, so that it knows where it stands.
func (d *document) Write(p []byte) (int, error) {
	n, err := d.w.Write(p)
	d.at += int64(n)
	return n, err
}

func (d *document) text(s string) {
	if d.err == nil {
		_, d.err = io.WriteString(d, s)
	}
}

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
func (d *document) array(name string, components int, v values, attributes ...string) {
	all := append([]string{"type", v.typeName(), "Name", name, "NumberOfComponents", strconv.Itoa(components)},
		attributes...)
	d.text(strings.Repeat("  ", d.depth) + startTag("DataArray", append(all, "format", "appended")) + ` offset="`)
	d.arrays = append(d.arrays, declared{v, d.at})
	d.text(strings.Repeat(" ", offsetRoom) + "/>\n")
}

// dataSection declares the arrays of PointData or CellData.
func (d *document) dataSection(tag string, list Arrays) {
	d.open(tag)
	for _, a := range list {
		v, err := wrap(a.Data)
		if err != nil {
			d.err = err
			return
		}
		d.array(a.Name, a.width(), v)
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
		v, err := wrap(a.Data)
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
	d.array("connectivity", 1, indices(connectivity, int64(points)))
	d.array("offsets", 1, indices(offsets, int64(len(connectivity))))
}

// finish writes the data of the arrays, ends the file and fills the blanks.
func (d *document) finish() error {
	d.open("AppendedData", "encoding", "raw")
	d.text("_")
	start, blocks := d.at, newBlockWriter()
	for _, a := range d.arrays {
		if d.err != nil {
			return d.err
		}
		d.patches = append(d.patches, patch{a.offset, fmt.Appendf(nil, `%d"`, d.at-start)})
		table := d.at
		d.text(strings.Repeat("\x00", tableBytes(a.data.size(), a.data.len())))
		if d.err != nil {
			return d.err
		}
		text, err := blocks.write(d, a.data)
		if err != nil {
			return err
		}
		d.patches = append(d.patches, patch{table, text})
	}
	d.text("\n")
	d.close("AppendedData")
	d.close("VTKFile")
	if d.err != nil {
		return d.err
	}
	if err := d.w.Flush(); err != nil {
		return err
	}
	for _, p := range d.patches {
		if _, err := d.file.WriteAt(p.text, p.at); err != nil {
			return err
		}
	}
	return nil
}
