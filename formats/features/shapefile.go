package features

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/formats/epsg"
)

// readShapefile reads a Shapefile (ESRI Shapefile Technical Description, 1998): geometries of .shp, properties of .dbf
// and the coordinate reference system of .prj beside it, if there are any.
func (f *File) readShapefile(path string) error {
	data, err := readBounded(path)
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(path, filepath.Ext(path))
	rows, err := readRows(base)
	if err != nil {
		return err
	}
	if text, err := readBeside(base, ".prj"); err != nil {
		return err
	} else if text != nil {
		system, err := epsg.ParsePRJ(string(text))
		if err != nil {
			return fmt.Errorf("the coordinate reference system in %s.prj is not understood: %w", base, err)
		}
		f.EPSG, f.Unit = system.Code, system.Unit
	}
	return f.parseShapes(data, rows)
}

// readBeside reads a file with another extension, in lower or upper case; nil if there is none.
func readBeside(base, extension string) ([]byte, error) {
	for _, e := range []string{extension, strings.ToUpper(extension)} {
		data, err := readBounded(base + e)
		if !errors.Is(err, fs.ErrNotExist) {
			return data, err
		}
	}
	return nil, nil
}

// Kinds of shapes: 10 more with heights, 20 more with other measures.
const (
	shapeNull    = 0
	shapePoint   = 1
	shapeLine    = 3
	shapePolygon = 5
	shapePoints  = 8
)

const shapeHeader = 100 // bytes of the header of a file

var errShort = errors.New("the file is shorter than it says")

// parseShapes reads the records of a file .shp. rows has the properties of each record, or is nil.
func (f *File) parseShapes(data []byte, rows []map[string]any) error {
	if len(data) < shapeHeader || binary.BigEndian.Uint32(data) != 9994 {
		return errors.New("it is not a Shapefile")
	}
	data = data[shapeHeader:]
	for number := 1; len(data) > 0; number++ {
		if len(data) < 12 {
			return fmt.Errorf("record %d: %w", number, errShort)
		}
		length := int64(binary.BigEndian.Uint32(data[4:])) * 2
		if length < 4 || length > int64(len(data)-8) {
			return fmt.Errorf("record %d: %w", number, errShort)
		}
		record := data[8 : 8+length]
		data = data[8+length:]
		kind := binary.LittleEndian.Uint32(record)
		if kind == shapeNull {
			continue
		}
		one, err := shapeOf(kind, record[4:])
		if err != nil {
			return fmt.Errorf("record %d: %w", number, err)
		}
		one.Number = number
		if rows != nil {
			if number > len(rows) {
				return fmt.Errorf("the .dbf beside it has %d rows, less than there are shapes", len(rows))
			}
			one.Properties = rows[number-1]
		}
		if err := f.add(one); err != nil {
			return err
		}
	}
	return nil
}

// shapeOf decodes the geometry of a record.
func shapeOf(kind uint32, data []byte) (x Feature, err error) {
	hasHeights := kind > 10 && kind < 20
	plain := kind % 10
	if kind > 30 {
		plain = shapeNull
	}
	switch plain {
	case shapePoint:
		if len(data) < 16 || hasHeights && len(data) < 24 {
			return x, errShort
		}
		p := Position{number(data, 0), number(data, 8), math.NaN()}
		if hasHeights {
			p.Z = number(data, 16)
		}
		return Feature{Kind: Points, Parts: [][]Position{{p}}}, nil
	case shapePoints, shapeLine, shapePolygon:
	default:
		return x, fmt.Errorf("shapes of kind %d are not supported: want points, lines or polygons", kind)
	}
	const box = 32
	parts, points, at := 1, 0, box
	if plain == shapePoints {
		if len(data) < box+4 {
			return x, errShort
		}
		points, at = int(binary.LittleEndian.Uint32(data[box:])), box+4
	} else {
		if len(data) < box+8 {
			return x, errShort
		}
		parts, points = int(binary.LittleEndian.Uint32(data[box:])), int(binary.LittleEndian.Uint32(data[box+4:]))
		at = box + 8
	}
	starts := []int{0}
	if plain != shapePoints {
		if parts > (len(data)-at)/4 {
			return x, errShort
		}
		starts = starts[:0]
		for k := range parts {
			starts = append(starts, int(binary.LittleEndian.Uint32(data[at+4*k:])))
		}
		at += 4 * parts
	}
	if points > (len(data)-at)/16 {
		return x, errShort
	}
	all := make([]Position, points)
	for k := range all {
		all[k] = Position{number(data, at+16*k), number(data, at+16*k+8), math.NaN()}
	}
	if at += 16*points + 16; hasHeights && len(data) >= at+8*points {
		for k := range all {
			all[k].Z = number(data, at+8*k)
		}
	}
	return divided(plain, all, starts)
}

// divided makes a feature of positions and the first position of each part.
func divided(plain uint32, all []Position, starts []int) (x Feature, err error) {
	switch plain {
	case shapePoints:
		for _, p := range all {
			x.Parts = append(x.Parts, []Position{p})
		}
		return x, nil
	case shapeLine:
		x.Kind = Lines
	case shapePolygon:
		x.Kind = Polygons
	}
	for k, from := range starts {
		to := len(all)
		if k+1 < len(starts) {
			to = starts[k+1]
		}
		if from < 0 || from >= to || to > len(all) {
			return x, fmt.Errorf("part %d has the positions %d to %d of %d", k+1, from, to, len(all))
		}
		x.Parts = append(x.Parts, all[from:to:to])
	}
	return x, nil
}

func number(data []byte, at int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(data[at:]))
}

// readRows reads the rows of the file .dbf beside a Shapefile, nil if there is none.
func readRows(base string) ([]map[string]any, error) {
	data, err := readBeside(base, ".dbf")
	if data == nil || err != nil {
		return nil, err
	}
	rows, err := parseRows(data)
	if err != nil {
		return nil, fmt.Errorf("%s.dbf: %w", base, err)
	}
	return rows, nil
}

// column is a column of a table of dBASE.
type column struct {
	name     string
	kind     byte // N and F are numbers, L is a truth value, others are texts
	from, to int  // bytes in a row
}

// parseRows reads a table of dBASE III.
func parseRows(data []byte) ([]map[string]any, error) {
	const header, descriptor = 32, 32
	if len(data) < header {
		return nil, errShort
	}
	count := int(binary.LittleEndian.Uint32(data[4:]))
	first, length := int(binary.LittleEndian.Uint16(data[8:])), int(binary.LittleEndian.Uint16(data[10:]))
	if first < header || first > len(data) || length < 1 || count > (len(data)-first)/length {
		return nil, errShort
	}
	var columns []column
	at := 1 // after the mark of deleted rows
	for d := data[header:first]; len(d) >= descriptor && d[0] != '\r'; d = d[descriptor:] {
		name, _, _ := bytes.Cut(d[:11], []byte{0})
		columns = append(columns, column{strings.TrimSpace(string(name)), d[11], at, at + int(d[16])})
		at += int(d[16])
	}
	if at > length {
		return nil, fmt.Errorf("the columns have %d bytes, a row has %d", at, length)
	}
	rows := make([]map[string]any, count)
	for k := range rows {
		row := data[first+k*length:][:length]
		rows[k] = make(map[string]any, len(columns))
		for _, c := range columns {
			if v := c.value(row[c.from:c.to]); v != nil {
				rows[k][c.name] = v
			}
		}
	}
	return rows, nil
}

// value converts a field; nil if it is empty.
func (c *column) value(field []byte) any {
	text := strings.TrimSpace(strings.TrimRight(string(field), "\x00"))
	switch {
	case text == "" || strings.Trim(text, "*") == "":
		return nil
	case c.kind == 'N' || c.kind == 'F':
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return v
		}
	case c.kind == 'L':
		return strings.ContainsAny(text, "YyTt")
	}
	return text
}
