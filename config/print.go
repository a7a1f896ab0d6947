package config

import (
	"fmt"
	"strings"

	"github.com/atoll-hpc/atoll/config/literal"
)

// String returns the effective case, with all defaults, in the form of a case file.
func (c *Case) String() string {
	var p Printer
	c.keys("", p.Print)
	c.Sections.Print(&p)
	c.printExact(&p)
	if c.Time != (Time{}) {
		p.Section("[time]")
		c.Time.keys(p.Print)
	}
	p.Section("[output]")
	c.Output.keys("", Outputs{Formats: []string{"nc"}, Mesh: true}, p.Print)
	if c.Checkpoint != (Checkpoint{}) {
		p.Section("[checkpoint]")
		c.Checkpoint.keys(p.Print)
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
	p.WriteString(literal.Key(key) + " = " + printValue(value) + "\n")
}

// Inline is a table that Pair writes in one line.
type Inline []struct {
	Key   string
	Value any
}

func printValue(value any) string {
	switch v := value.(type) {
	case string:
		return literal.Text(v)
	case float64:
		return literal.Number(v)
	case []int:
		return printList(v)
	case []float64:
		return printList(v)
	case []string:
		return printList(v)
	case [][]float64:
		return printList(v)
	case Field:
		if !v.IsFile() {
			return literal.Text(v.Expr)
		}
		return printValue(InlineOf(v.keys))
	case Inline:
		texts := make([]string, len(v))
		for i, pair := range v {
			texts[i] = literal.Key(pair.Key) + " = " + printValue(pair.Value)
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
