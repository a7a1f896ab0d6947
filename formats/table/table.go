// Package table reads the rows of text files in the dialects that programs write: CSV, also with semicolons and decimal
// commas, tabs, or columns between spaces.
package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/formats/xlsx"
)

// Reader reads the rows of a text file as fields. Columns are separated by semicolons, tabs or commas, the first of
// these that the first row has, or by spaces. A comma that does not separate columns is a decimal sign, as Excel writes
// it in most of Europe. Empty lines and lines that start with # are skipped.
type Reader struct {
	Separator rune // between columns; ' ' for spaces
	csv       *csv.Reader
	lines     *bufio.Scanner // if columns are separated by spaces
	sheet     *xlsx.Reader   // of a workbook
	Line      int            // of the last row
	width     int            // fields of the first row; 0 before
	commas    bool           // a number had a decimal comma
	points    bool           // a number had a decimal point
}

// Open opens a text file, or a sheet of an Excel workbook (.xlsx); "" is the only one. Lines are then rows of the
// sheet. The caller closes the file. Errors are without a place.
func Open(f io.ReaderAt, size int64, sheet string) (*Reader, error) {
	var magic [4]byte
	n, err := f.ReadAt(magic[:], 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch start := string(magic[:n]); {
	case xlsx.IsOld(start):
		return nil, errors.New("the workbook is encrypted, or in the format of Excel before 2007: save it as .xlsx or CSV")
	case xlsx.Is(start):
		x, err := xlsx.Open(f, size, sheet)
		if err != nil {
			return nil, err
		}
		return &Reader{sheet: x}, nil
	case sheet != "":
		return nil, fmt.Errorf("sheet %q: the file is no Excel workbook (.xlsx)", sheet)
	}
	return New(io.NewSectionReader(f, 0, size))
}

// headSize is how many bytes of a file are searched for the first row.
const headSize = 1 << 14

// quoted matches text in which separators are letters.
var quoted = regexp.MustCompile(`"[^"]*"`)

// New finds out how columns are separated. Errors are without a place.
func New(r io.Reader) (*Reader, error) {
	in := bufio.NewReaderSize(r, headSize)
	head, err := in.Peek(headSize)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return nil, errors.New("the file is text in UTF-16: save it as UTF-8")
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) { // byte order mark
		head = head[3:]
		_, _ = in.Discard(3) // it is in the buffer
	}
	t := &Reader{Separator: ' '}
	for line := range strings.Lines(string(head)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if sign, ok := strings.CutPrefix(line, "sep="); ok && len(sign) == 1 { // a hint for Excel
			_, err = io.CopyN(io.Discard, in, int64(bytes.Index(head, []byte("sep="))+len(line)))
			if err != nil {
				return nil, err
			}
			t.Line++
			line = sign
		}
		line = quoted.ReplaceAllString(line, "")
		if k := slices.IndexFunc([]string{";", "\t", ","}, func(s string) bool { return strings.Contains(line, s) }); k >= 0 {
			t.Separator = rune(";\t,"[k])
		}
		break
	}
	if t.Separator == ' ' {
		t.lines = bufio.NewScanner(in)
		return t, nil
	}
	t.csv = csv.NewReader(in)
	t.csv.Comma, t.csv.Comment, t.csv.TrimLeadingSpace, t.csv.ReuseRecord = t.Separator, '#', t.Separator != '\t', true
	t.csv.FieldsPerRecord = -1
	return t, nil
}

// Next returns the fields of the next row, without spaces around them, or io.EOF.
func (t *Reader) Next() (fields []string, err error) {
	if t.sheet != nil {
		return t.cells()
	}
	if t.csv != nil {
		if fields, err = t.csv.Read(); err != nil {
			var p *csv.ParseError
			if errors.As(err, &p) {
				t.Line, err = p.Line, p.Err
			}
			return nil, err
		}
		t.Line, _ = t.csv.FieldPos(0)
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
	} else if fields, err = t.words(); err != nil {
		return nil, err
	}
	switch {
	case t.width == 0:
		t.width = len(fields)
	case len(fields) > t.width && !slices.ContainsFunc(fields[t.width:], func(f string) bool { return f != "" }):
		fields = fields[:t.width] // separators at the end of a line
	case len(fields) != t.width && t.Separator != ',' && len(fields) == 1:
		return nil, fmt.Errorf("%.40q: columns are separated by %q in the first row, but not here", fields[0], t.Separator)
	case len(fields) != t.width:
		return nil, fmt.Errorf("the row has %d columns, the first row has %d", len(fields), t.width)
	}
	return fields, nil
}

// cells returns the next row of a sheet that has cells below those of the first row. Empty cells are empty fields.
func (t *Reader) cells() ([]string, error) {
	for {
		fields, line, err := t.sheet.Next()
		if t.Line = line; err != nil {
			return nil, err
		}
		if t.width == 0 {
			t.width = len(fields)
		}
		fields = append(fields, make([]string, max(0, t.width-len(fields)))...)[:t.width]
		if slices.ContainsFunc(fields, func(f string) bool { return f != "" }) {
			return fields, nil
		}
	}
}

// words returns the words of the next line that is not empty. Units in brackets belong to the word before, and a
// time of day to the date before.
func (t *Reader) words() ([]string, error) {
	for t.lines.Scan() {
		t.Line++
		var list []string
		for word := range strings.FieldsSeq(t.lines.Text()) {
			n := len(list)
			isUnit := n > 0 && (word[0] == '[' || word[0] == '(')
			isTime := n == 1 && strings.Contains(word, ":") && strings.Count(list[0], "-") == 2
			if isUnit || isTime {
				list[n-1] += " " + word
				continue
			}
			list = append(list, word)
		}
		if len(list) > 0 && list[0][0] != '#' {
			return list, nil
		}
	}
	if err := t.lines.Err(); err != nil {
		return nil, err
	}
	return nil, io.EOF
}

// ParseNumber parses a finite number with a decimal point or, if commas do not separate columns, a decimal comma.
func (t *Reader) ParseNumber(field string) (float64, error) {
	text := field
	if strings.Contains(field, ",") {
		if t.Separator == ',' {
			return 0, fmt.Errorf("%.40q is not a finite number: write the decimal sign as a point, or separate columns by "+
				"semicolons", field)
		}
		text = strings.Replace(field, ",", ".", 1)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v-v != 0 {
		return 0, fmt.Errorf("%.40q is not a finite number", field)
	}
	t.commas = t.commas || text != field
	t.points = t.points || strings.Contains(field, ".")
	if t.commas && t.points {
		return 0, fmt.Errorf("%.40q: other numbers have another decimal sign, of comma and point: want one in all", field)
	}
	return v, nil
}

// Fields splits a line of numbers at semicolons, else at white space, if there are at least count fields, else at
// commas and white space. In the first two cases a comma within a field is a decimal sign, and becomes a point.
func Fields(line string, count int) []string {
	var words []string
	switch spaced := strings.Fields(strings.ReplaceAll(line, ", ", ",")); {
	case strings.Contains(line, ";"):
		words = strings.Split(line, ";")
	case len(spaced) >= count:
		words = strings.Fields(line)
	default:
		return strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	}
	for i, word := range words {
		words[i] = strings.TrimSuffix(strings.TrimSpace(word), ",")
		if strings.Trim(words[i], "+-.,0123456789eE") == "" {
			words[i] = strings.Replace(words[i], ",", ".", 1)
		}
	}
	return words
}
