// Package relief shades the ground of maps.
package relief

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

const (
	typical = 0.35 // steepness that nine of ten cells do not exceed, after exaggeration
	most    = 30   // exaggeration
	flat    = 1e-6
	darkest = 0.55
	lights  = 1.3
)

// Of returns the brightness of the ground in some of the cells of a frame, the triangles between vertices at x and y,
// as Shade does; nil if the fields of the frame do not tell its height.
func Of(data vtk.Arrays, which []int, x, y []float64, cells [][3]int32) []float64 {
	for _, a := range data {
		declared, _, _ := solvers.FieldOf(a.Name)
		if declared.Ground == nil {
			continue
		}
		all := declared.Ground(func(name string) []float64 {
			if other, ok := data.Find(name); ok && other.Components <= 1 {
				return other.Float64s()
			}
			return nil
		})
		if all == nil {
			continue
		}
		ground := make([]float64, len(which))
		for i, c := range which {
			ground[i] = all[c]
		}
		return Shade(x, y, cells, ground)
	}
	return nil
}

// Shade returns the brightness of the ground in each triangle, by light from the north-west at 45° above the horizon:
// 1 where it is level. x and y are the positions of vertices, and ground is the height of each cell, in the same unit;
// heights that are not finite count as level. Relief is exaggerated so that gentle ground shows. The result is nil for
// ground without relief.
func Shade(x, y []float64, cells [][3]int32, ground []float64) []float64 {
	if len(cells) == 0 {
		return nil
	}
	slopes := slopesOf(x, y, cells, ground)
	steepness := make([]float64, len(cells))
	for i, s := range slopes {
		steepness[i] = math.Hypot(s[0], s[1])
	}
	slices.Sort(steepness)
	steep := steepness[len(steepness)*9/10]
	if steep < flat {
		return nil
	}
	exaggeration := max(1, min(most, typical/steep))
	shade := make([]float64, len(cells))
	for i, s := range slopes {
		sx, sy := exaggeration*s[0], exaggeration*s[1]
		// The normal of the ground times the direction to the light (-1/2, 1/2, √½), relative to level ground.
		brightness := (sx/2 - sy/2 + math.Sqrt2/2) / math.Sqrt(1+sx*sx+sy*sy) * math.Sqrt2
		shade[i] = max(darkest, min(lights, brightness))
	}
	return shade
}

// slopesOf returns the gradients in cells of planes that fit the heights of all cells with a vertex of the cell.
func slopesOf(x, y []float64, cells [][3]int32, ground []float64) [][2]float64 {
	around := make([]moments, len(x)) // of the cells of each vertex
	for i, c := range cells {
		if h := ground[i]; !math.IsNaN(h) && !math.IsInf(h, 0) {
			m := momentsOf((x[c[0]]+x[c[1]]+x[c[2]])/3-x[0], (y[c[0]]+y[c[1]]+y[c[2]])/3-y[0], h)
			for _, k := range c {
				around[k] = around[k].plus(m)
			}
		}
	}
	slopes := make([][2]float64, len(cells))
	for i, c := range cells {
		slopes[i] = around[c[0]].plus(around[c[1]]).plus(around[c[2]]).slope()
	}
	return slopes
}

// moments are sums over points of 1, x, y, h, x², xy, y², xh and yh.
type moments [9]float64

func momentsOf(x, y, h float64) moments {
	return moments{1, x, y, h, x * x, x * y, y * y, x * h, y * h}
}

func (m moments) plus(o moments) moments {
	for k, v := range o {
		m[k] += v
	}
	return m
}

// slope returns the gradient of the plane of least squares; 0 if the points are on a line.
func (m moments) slope() [2]float64 {
	n := max(m[0], 1)
	xx, xy, yy := m[4]-m[1]*m[1]/n, m[5]-m[1]*m[2]/n, m[6]-m[2]*m[2]/n
	xh, yh := m[7]-m[1]*m[3]/n, m[8]-m[2]*m[3]/n
	d := xx*yy - xy*xy
	if !(d > 1e-9*xx*yy) {
		return [2]float64{}
	}
	return [2]float64{(xh*yy - yh*xy) / d, (yh*xx - xh*xy) / d}
}
