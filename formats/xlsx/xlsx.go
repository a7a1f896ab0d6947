// Package xlsx reads the cells of a sheet of an Excel workbook (Office Open XML, ISO/IEC 29500), without formats: as
// texts, numbers in the digits of the file, and dates of ISO 8601.
package xlsx

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Limits of what is read of a file, which is compressed.
const (
	maxPart    = 1 << 29 // bytes of a part of the file
	maxStrings = 1 << 28 // bytes of all texts
	maxColumns = 16384   // of a sheet, as in Excel
)

// Is reports whether the first bytes of a file are those of a workbook, or of another archive.
func Is(start string) bool { return strings.HasPrefix(start, "PK\x03\x04") }

// IsOld reports whether the first bytes of a file are those of a workbook in Excel's older format, or of an encrypted
// one.
func IsOld(start string) bool { return strings.HasPrefix(start, "\xd0\xcf\x11\xe0") }

// Reader reads the rows of a sheet.
type Reader struct {
	zip     *zip.Reader
	strings []string
	dates   []bool // by styles of cells: whether numbers are dates
	epoch   float64

	part io.ReadCloser
	xml  *xml.Decoder
	row  int
}

// Open opens a sheet of a workbook. "" is the only sheet. Errors do not name the file.
func Open(r io.ReaderAt, size int64, sheet string) (*Reader, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("the workbook is damaged: %w", err)
	}
	x := &Reader{zip: archive}
	target, err := x.workbook(sheet)
	if err != nil {
		return nil, err
	}
	if err := x.readStrings(); err != nil {
		return nil, err
	}
	if err := x.readStyles(); err != nil {
		return nil, err
	}
	if x.part, err = x.open(target); err != nil {
		return nil, err
	}
	x.xml = xml.NewDecoder(x.part)
	return x, nil
}

// Close closes the reader.
func (x *Reader) Close() error { return x.part.Close() }

// limited fails at the end of what may be read.
type limited struct {
	io.LimitedReader
	io.Closer
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.LimitedReader.Read(p)
	if err == io.EOF && l.N == 0 {
		err = fmt.Errorf("a part of the workbook is larger than %d bytes", maxPart)
	}
	return n, err
}

// errAbsent is the error that the archive has no part with a name.
var errAbsent = errors.New("the file is an archive, but not a workbook of Excel (.xlsx)")

// open opens a part of the archive.
func (x *Reader) open(name string) (io.ReadCloser, error) {
	k := slices.IndexFunc(x.zip.File, func(f *zip.File) bool { return strings.EqualFold(f.Name, name) })
	if k < 0 {
		return nil, errAbsent
	}
	f, err := x.zip.File[k].Open()
	if err != nil {
		return nil, fmt.Errorf("the workbook is damaged: %s: %w", name, err)
	}
	return &limited{io.LimitedReader{R: f, N: maxPart}, f}, nil
}

// decode reads a part as a whole. A part that is optional may be absent.
func (x *Reader) decode(name string, optional bool, to any) error {
	f, err := x.open(name)
	if optional && errors.Is(err, errAbsent) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := xml.NewDecoder(f).Decode(to); err != nil {
		return fmt.Errorf("the workbook is damaged: %s: %w", name, err)
	}
	return nil
}

// workbook reads the list of sheets, and returns the name of the part of one.
func (x *Reader) workbook(sheet string) (string, error) {
	var book struct {
		Properties struct {
			Date1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
			ID2  string `xml:"http://purl.oclc.org/ooxml/officeDocument/relationships id,attr"` // of the strict variant
		} `xml:"sheets>sheet"`
	}
	if err := x.decode("xl/workbook.xml", false, &book); err != nil {
		return "", err
	}
	x.epoch = daysTo1900
	if v := book.Properties.Date1904; v == "1" || v == "true" {
		x.epoch = daysTo1904
	}
	names := make([]string, 0, len(book.Sheets))
	for _, s := range book.Sheets {
		names = append(names, s.Name)
	}
	k := slices.Index(names, sheet)
	switch {
	case sheet == "" && len(names) == 1:
		k = 0
	case sheet == "":
		return "", fmt.Errorf("the workbook has %d sheets: set sheet to one of %q", len(names), names)
	case k < 0:
		return "", fmt.Errorf("the workbook has no sheet %q: want one of %q", sheet, names)
	}
	var relations struct {
		List []struct {
			ID     string `xml:"Id,attr"`
			Type   string `xml:"Type,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if err := x.decode("xl/_rels/workbook.xml.rels", false, &relations); err != nil {
		return "", err
	}
	for _, r := range relations.List {
		if r.ID != book.Sheets[k].ID && r.ID != book.Sheets[k].ID2 {
			continue
		}
		if !strings.HasSuffix(r.Type, "/worksheet") {
			return "", fmt.Errorf("sheet %q has no cells", names[k])
		}
		if target, absolute := strings.CutPrefix(r.Target, "/"); absolute {
			return target, nil
		}
		return path.Join("xl", r.Target), nil
	}
	return "", fmt.Errorf("the workbook is damaged: sheet %q has no part", names[k])
}

// text is a text that may consist of runs with different formats.
type text struct {
	Plain []string `xml:"t"`
	Runs  []string `xml:"r>t"`
}

func (t *text) String() string { return strings.Join(t.Plain, "") + strings.Join(t.Runs, "") }

// readStrings reads the texts that cells share.
func (x *Reader) readStrings() error {
	const name = "xl/sharedStrings.xml"
	f, err := x.open(name)
	if errors.Is(err, errAbsent) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	for d, total := xml.NewDecoder(f), 0; ; {
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "si" {
			var t text
			if err = d.DecodeElement(&t, &start); err == nil {
				x.strings = append(x.strings, t.String())
				total += len(t.String()) + 16
			}
		}
		if err == nil && total > maxStrings {
			err = fmt.Errorf("more than %d bytes of texts", maxStrings)
		}
		if err != nil {
			return fmt.Errorf("the workbook is damaged: %s: %w", name, err)
		}
	}
}

// Next returns the texts of the cells of the next row that has any, and its number, from 1; or io.EOF. Dates are in the
// form 2026-01-31T12:00:00. The caller must not keep the slice.
func (x *Reader) Next() (fields []string, line int, err error) {
	for {
		token, err := x.xml.Token()
		if err == io.EOF {
			return nil, x.row, io.EOF
		}
		if err != nil {
			return nil, x.row, fmt.Errorf("the workbook is damaged: %w", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "row" {
			continue
		}
		var row row
		if err := x.xml.DecodeElement(&row, &start); err != nil {
			return nil, x.row, fmt.Errorf("the workbook is damaged: %w", err)
		}
		if x.row++; row.Number > 0 {
			x.row = row.Number
		}
		if fields, err = x.fields(&row); err != nil {
			return nil, x.row, err
		}
		if slices.ContainsFunc(fields, func(f string) bool { return f != "" }) {
			return fields, x.row, nil
		}
	}
}

// row is a row of a sheet.
type row struct {
	Number int    `xml:"r,attr"`
	Cells  []cell `xml:"c"`
}

// cell is a cell: its address, type, style and value.
type cell struct {
	Address string `xml:"r,attr"`
	Type    string `xml:"t,attr"`
	Style   int    `xml:"s,attr"`
	Value   string `xml:"v"`
	Inline  text   `xml:"is"`
}

// fields returns the texts of the cells of a row by columns.
func (x *Reader) fields(r *row) ([]string, error) {
	var fields []string
	column := -1
	for i := range r.Cells {
		c := &r.Cells[i]
		column++
		if c.Address != "" {
			if column = columnOf(c.Address); column < 0 {
				return nil, fmt.Errorf("the workbook is damaged: a cell has the address %.20q", c.Address)
			}
		}
		if column >= maxColumns {
			return nil, fmt.Errorf("the workbook is damaged: more than %d columns", maxColumns)
		}
		value, err := x.value(c)
		if err != nil {
			return nil, fmt.Errorf("cell %s: %w", c.Address, err)
		}
		if value = strings.TrimSpace(value); value == "" {
			continue
		}
		for len(fields) <= column {
			fields = append(fields, "")
		}
		fields[column] = value
	}
	return fields, nil
}

// columnOf returns the column of an address such as AB12, from 0; -1 if it is not one.
func columnOf(address string) int {
	column := 0
	for _, c := range address {
		switch {
		case c >= 'A' && c <= 'Z' && column <= maxColumns:
			column = column*26 + int(c-'A') + 1
		case c < '0' || c > '9':
			return -1
		}
	}
	return column - 1
}

// value returns the text of a cell.
func (x *Reader) value(c *cell) (string, error) {
	switch c.Type {
	case "s":
		k, err := strconv.Atoi(strings.TrimSpace(c.Value))
		if err != nil || k < 0 || k >= len(x.strings) {
			return "", fmt.Errorf("the workbook is damaged: text number %.20q of %d", c.Value, len(x.strings))
		}
		return x.strings[k], nil
	case "inlineStr":
		return c.Inline.String(), nil
	case "", "n":
		if c.Value != "" && c.Style >= 0 && c.Style < len(x.dates) && x.dates[c.Style] {
			return x.date(c.Value)
		}
	}
	return c.Value, nil // also a date of ISO 8601, a text of a formula, an error such as #N/A
}
