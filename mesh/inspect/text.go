package inspect

import (
	"fmt"
	"math"
	"strings"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/mesh/sphere"
)

// Text returns the report for people.
func (r *Report) Text() string {
	var b strings.Builder
	cell, facets, size, lengths := "cell", words.Count(r.Facets, "edge")+" between cells", "area", "edges"
	if r.Dim == 3 {
		cell, facets, size = "tetrahedron", words.Count(r.Facets, "tagged face"), "volume"
	}
	fmt.Fprintf(&b, "%s, %s, %s\n", words.Count(r.Cells, cell), words.Count(r.Vertices, "vertex"), facets)
	if r.Geographic {
		b.WriteString("positions are longitudes and latitudes in degrees, lengths and areas those on the earth in m and m²\n")
	}
	fmt.Fprintf(&b, "%s %s, from %s to %s\n", size, words.Rounded(r.Size, 10), r.position(r.Bounds[0]),
		r.position(r.Bounds[1]))
	if r.Cells > 0 {
		fmt.Fprintf(&b, "%s of %s to %s (mean %s); the shortest at %s\n", lengths, words.Rounded(r.ShortestEdge.Value, 4),
			words.Rounded(r.LongestEdge.Value, 4), words.Rounded(r.MeanEdge, 4), r.where(&r.ShortestEdge))
		kind := "angles"
		if r.Dim == 3 {
			kind = "angles between faces"
		}
		fmt.Fprintf(&b, "%s of %.4g to %.4g degrees; the smallest at %s\n", kind, r.SmallestAngle.Value,
			r.LargestAngle.Value, r.where(&r.SmallestAngle))
		fmt.Fprintf(&b, "cells of %s %s to %s; the smallest at %s\n", size, words.Rounded(r.SmallestCell.Value, 4),
			words.Rounded(r.LargestCell.Value, 4), r.where(&r.SmallestCell))
		fmt.Fprintf(&b, "shapes of %.4g (mean %.4g), where 1 is equilateral; the worst at %s\n", r.WorstShape.Value,
			r.MeanShape, r.where(&r.WorstShape))
	}
	if r.Dim == 2 && r.Cells > 0 && r.SmallestInradius.Value > 0 {
		b.WriteString(r.steps())
	}
	if r.Boundary > 0 {
		fmt.Fprintf(&b, "boundary of length %s, of it %s in no group\n", words.Rounded(r.Boundary, 6),
			words.Rounded(r.Ungrouped, 6))
	}
	for _, g := range r.Groups {
		b.WriteString(g.text())
	}
	for _, name := range r.VertexFields {
		fmt.Fprintf(&b, "vertex field %q\n", name)
	}
	for _, name := range r.CellFields {
		fmt.Fprintf(&b, "cell field %q\n", name)
	}
	return b.String()
}

// steps tells how long the steps of an explicit scheme are that follows long waves of water at rest.
func (r *Report) steps() string {
	const gravity, cfl = 9.81, 0.9
	step := func(depth float64) float64 { return cfl * r.SmallestInradius.Value / math.Sqrt(gravity*depth) }
	unit, depths := "in metres, ", [3]float64{1, 10, 100}
	if r.Geographic {
		unit, depths = "", [3]float64{10, 200, 4000}
	}
	return fmt.Sprintf("smallest inscribed circle of radius %.4g, at %s: %sexplicit steps at CFL %g for long waves are "+
		"%.3g s in water %g m deep, %.3g s in %g m, %.3g s in %g m\n", r.SmallestInradius.Value,
		r.where(&r.SmallestInradius), unit, cfl, step(depths[0]), depths[0], step(depths[1]), depths[1], step(depths[2]),
		depths[2])
}

func (g *Group) text() string {
	name := ""
	if g.Name != "" {
		name = fmt.Sprintf("%q ", g.Name)
	}
	text := fmt.Sprintf("group %s(dimension %d, tag %d): %s", name, g.Dim, g.Tag, words.Count(g.Elements, "element"))
	if g.Dim > 0 {
		text += fmt.Sprintf(", %s %s", [...]string{1: "length", 2: "area", 3: "volume"}[g.Dim], words.Rounded(g.Size, 6))
	}
	return text + "\n"
}

func (r *Report) where(e *Extreme) string { return r.position(e.At) }

// position formats coordinates with the digits that tell vertices apart, and not fewer than nine.
func (r *Report) position(x []float64) string {
	texts, shortest := make([]string, len(x)), r.ShortestEdge.Value
	if r.Geographic {
		shortest = sphere.Degrees(shortest)
	}
	for k, v := range x {
		texts[k] = words.Resolved(v, min(math.Abs(v)*1e-8, shortest/10))
	}
	return "(" + strings.Join(texts, ", ") + ")"
}
