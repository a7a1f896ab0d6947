// Package syntax reads of the text of a case file what its values do not tell: the lines of keys, and the parts of
// overrides.
package syntax

import (
	"sort"
	"strconv"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Lines returns the line of every key of a TOML document, from 1 on. A key's path consists of the keys from the root to
// it, each followed by \x00; elements of arrays have their index as key.
func Lines(data []byte) map[string]int {
	x := &lineIndex{lines: map[string]int{}, arrays: map[string]int{}}
	for i, b := range data {
		if b == '\n' {
			x.starts = append(x.starts, i+1)
		}
	}
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		switch n := p.Expression(); n.Kind {
		case unstable.KeyValue:
			x.pair(x.table, n)
		case unstable.Table, unstable.ArrayTable:
			x.enter(n)
		}
	}
	return x.lines
}

// lineIndex notes the line of each key of a document, by its path.
type lineIndex struct {
	lines  map[string]int
	starts []int          // of lines
	arrays map[string]int // tables so far of each [[array]]
	table  string         // path of the table that keys belong to now
}

// note keeps the line where a path comes first.
func (x *lineIndex) note(path string, n *unstable.Node) {
	if _, known := x.lines[path]; !known {
		x.lines[path] = 1 + sort.SearchInts(x.starts, int(n.Raw.Offset)+1)
	}
}

// enter moves to the table of a [header], or to a new table of an [[array]].
func (x *lineIndex) enter(n *unstable.Node) {
	x.table = ""
	for k := n.Key(); k.Next(); {
		x.table += string(k.Node().Data) + "\x00"
		if n.Kind == unstable.ArrayTable && k.IsLast() {
			x.arrays[x.table]++
		}
		if count := x.arrays[x.table]; count > 0 {
			x.table += strconv.Itoa(count-1) + "\x00"
		}
		x.note(x.table, k.Node())
	}
}

// pair notes a key below a path, and the keys in its value.
func (x *lineIndex) pair(path string, n *unstable.Node) {
	for k := n.Key(); k.Next(); {
		path += string(k.Node().Data) + "\x00"
		x.note(path, k.Node())
	}
	x.value(path, n.Value())
}

// value notes the keys in a value: those of inline tables, also within arrays.
func (x *lineIndex) value(path string, n *unstable.Node) {
	children := n.Children()
	switch n.Kind {
	case unstable.InlineTable:
		for children.Next() {
			x.pair(path, children.Node())
		}
	case unstable.Array:
		for i := 0; children.Next(); {
			if children.Node().Kind != unstable.Comment {
				x.value(path+strconv.Itoa(i)+"\x00", children.Node())
				i++
			}
		}
	}
}
