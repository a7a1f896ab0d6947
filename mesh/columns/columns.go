// Package columns has fields of several components, as files have them. A mesh holds such a field as several of one
// component, "velocity[0]", "velocity[1]" and so on.
package columns

import (
	"fmt"
	"maps"
	"slices"
)

// ComponentName is the name of component k of a field in a mesh.
func ComponentName(name string, k int) string { return fmt.Sprintf("%s[%d]", name, k) }

// Column is a field of one or more components, as files have them.
type Column struct {
	Name       string
	Components [][]float64 // each has a number of each vertex or cell
}

// Of returns the fields of a mesh in alphabetical order, with those that ComponentName has named joined to one.
func Of(fields map[string][]float64) (columns []Column) {
	joined := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var base string
		if end := len(name) - len("[0]"); end > 0 && name[end:] == "[0]" {
			base = name[:end]
		}
		c := Column{Name: base}
		for base != "" {
			f, ok := fields[ComponentName(base, len(c.Components))]
			if !ok || len(f) != len(fields[name]) {
				break
			}
			c.Components = append(c.Components, f)
		}
		if _, taken := fields[base]; taken || len(c.Components) < 2 {
			c = Column{Name: name, Components: [][]float64{fields[name]}}
		} else {
			for k := range c.Components {
				joined[ComponentName(base, k)] = true
			}
		}
		if len(c.Components) > 1 || !joined[name] {
			columns = append(columns, c)
		}
	}
	return columns
}

// Interleaved returns the numbers of all components of each vertex or cell, one after the other: those of the mesh
// itself if the field has one component.
func (c *Column) Interleaved() []float64 {
	if len(c.Components) == 1 {
		return c.Components[0]
	}
	n := len(c.Components)
	all := make([]float64, n*len(c.Components[0]))
	for k, f := range c.Components {
		for i, x := range f {
			all[i*n+k] = x
		}
	}
	return all
}
