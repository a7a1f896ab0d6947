package series

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// records reads the rows of a text file as fields. Columns are separated by semicolons, tabs or commas, the first of
// these that the first row has, or by spaces. A comma that does not separate columns is a decimal sign, as Excel writes
// it in most of Europe. Empty lines and lines that start with # are skipped.
type records struct {
	separator rune // ' ' for spaces
	csv       *csv.Reader
	lines     *bufio.Scanner // if columns are separated by spaces
	line      int            // of the last row
	width     int            // fields of the first row; 0 before
}

// headSize is how many bytes of a file are searched for the first row.
const headSize = 1 << 14

// quoted matches text in which separators are letters.
var quoted = regexp.MustCompile(`"[^"]*"`)

// newRecords finds out how columns are separated.
func newRecords(r io.Reader) (*records, error) {
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
	t := &records{separator: ' '}
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
			t.line++
			line = sign
		}
		line = quoted.ReplaceAllString(line, "")
		if k := slices.IndexFunc([]string{";", "\t", ","}, func(s string) bool { return strings.Contains(line, s) }); k >= 0 {
			t.separator = rune(";\t,"[k])
		}
		break
	}
	if t.separator == ' ' {
		t.lines = bufio.NewScanner(in)
		return t, nil
	}
	t.csv = csv.NewReader(in)
	t.csv.Comma, t.csv.Comment, t.csv.TrimLeadingSpace, t.csv.ReuseRecord = t.separator, '#', t.separator != '\t', true
	t.csv.FieldsPerRecord = -1
	return t, nil
}

// next returns the fields of the next row, without spaces around them, or io.EOF.
func (t *records) next() (fields []string, err error) {
	if t.csv != nil {
		if fields, err = t.csv.Read(); err != nil {
			var p *csv.ParseError
			if errors.As(err, &p) {
				t.line, err = p.Line, p.Err
			}
			return nil, err
		}
		t.line, _ = t.csv.FieldPos(0)
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
	case len(fields) != t.width && t.separator != ',' && len(fields) == 1:
		return nil, fmt.Errorf("%.40q: columns are separated by %q in the first row, but not here", fields[0], t.separator)
	case len(fields) != t.width:
		return nil, fmt.Errorf("the row has %d columns, the first row has %d", len(fields), t.width)
	}
	return fields, nil
}

// words returns the words of the next line that is not empty. Units in brackets belong to the word before, and a
// time of day to the date before.
func (t *records) words() ([]string, error) {
	for t.lines.Scan() {
		t.line++
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
