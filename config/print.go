package config

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns the effective case, with all defaults, in the form of a case file.
func (c *Case) String() string {
	var p Printer
	p.Pair("solver", c.Solver)
	p.Pair("name", c.Name)
	if c.Title != "" {
		p.Pair("title", c.Title)
	}
	if c.CRS != "" {
		p.Pair("crs", c.CRS)
	}
	c.Sections.Print(&p)
	c.printExact(&p)
	if c.Time != (Time{}) {
		p.Section("[time]")
		p.Specs(c.Time.specs()...)
		if c.Time.Epoch != "" {
			p.Pair("epoch", c.Time.Epoch)
		}
	}
	p.Section("[output]")
	p.Specs(c.Output.specs("", Outputs{Formats: []string{"nc"}, Mesh: true})...)
	if c.Checkpoint != (Checkpoint{}) {
		p.Section("[checkpoint]")
		p.Specs(c.Checkpoint.specs()...)
	}
	for _, g := range c.Gauges {
		g.print(&p)
	}
	for _, t := range c.Transects {
		t.print(&p)
	}
	return p.String()
}

// Printer writes TOML.
type Printer struct{ strings.Builder }

// Section begins a section.
func (p *Printer) Section(title string) { p.WriteString("\n" + title + "\n") }

// Pair writes a key and its value: a string, number, boolean, list of these, or Field.
func (p *Printer) Pair(key string, value any) {
	p.WriteString(printKey(key) + " = " + printValue(value) + "\n")
}

// Inline is a table that Pair writes in one line.
type Inline []struct {
	Key   string
	Value any
}

func printValue(value any) string {
	switch v := value.(type) {
	case string:
		return quote(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []int:
		return printList(v)
	case []float64:
		return printList(v)
	case []string:
		return printList(v)
	case [][]float64:
		return printList(v)
	case Field:
		return v.print()
	case Inline:
		texts := make([]string, len(v))
		for i, pair := range v {
			texts[i] = printKey(pair.Key) + " = " + printValue(pair.Value)
		}
		return "{ " + strings.Join(texts, ", ") + " }"
	}
	return fmt.Sprint(value) // integers and booleans
}

func printList[T any](list []T) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = printValue(v)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

func (f *Field) print() string {
	if !f.IsFile() {
		return quote(f.Expr)
	}
	text := "{ mesh = " + quote(f.Mesh)
	switch {
	case f.Rasters != nil:
		text = "{ raster = " + printFiles(f.Rasters)
	case f.Polygons != nil:
		text = "{ polygons = " + printFiles(f.Polygons)
	}
	if f.Variable != "" {
		text += ", variable = " + quote(f.Variable)
	}
	if f.Missing != nil {
		text += ", nodata = " + printValue(*f.Missing)
	}
	if f.Positive != "" {
		text += ", positive = " + quote(f.Positive)
	}
	switch {
	case f.Classes.Table != "":
		text += ", table = " + quote(f.Classes.Table) + ", column = " + quote(f.Classes.Column)
		if f.Classes.Property != "" {
			text += ", class = " + quote(f.Classes.Property)
		}
	case f.Mean:
		text += `, sample = "mean"`
	case f.Rasters != nil && f.Direction == "down":
		text += `, sample = "centroid"`
	}
	if f.Reach > 0 {
		text += ", reach = " + printValue(f.Reach)
	}
	if f.Crests != nil {
		text += ", lines = " + printFiles(f.Crests)
	}
	return text + " }"
}

// printFiles returns one file as a text, and several as a list.
func printFiles(files []string) string {
	if len(files) == 1 {
		return quote(files[0])
	}
	return printList(files)
}

// printKey returns a key, in quotes if TOML needs them.
func printKey(key string) string {
	bare := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	if key != "" && strings.TrimFunc(key, bare) == "" {
		return key
	}
	return quote(key)
}

// quote returns a basic string of TOML.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range []byte(text) {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteByte(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, "\\u%04X", r)
		default:
			b.WriteByte(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
