package mutable

import (
	"math"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// makeCurves divides the lines into curves between corners. Where a closed line has no corner, its vertex of lowest
// id becomes one. byID are the vertices of lines in the order of their ids; the ends at each vertex are in the order of
// the ids of the other vertices.
func (t *Mesh) makeCurves(byID []int32) {
	t.Curves.First = []int32{0}
	for pass := range 2 {
		for _, v := range byID {
			if pass == 0 && t.Freedom[v] != 0 {
				continue
			}
			ends := t.Line(v)
			for k := range ends {
				if ends[k].Curve < 0 {
					t.Freedom[v] = 0
					t.traceCurve(v, &ends[k])
				}
			}
		}
	}
}

// traceCurve makes the curve that begins at a corner with one of its line edges.
func (t *Mesh) traceCurve(corner int32, e *LineEnd) {
	c := &t.Curves
	number := int32(len(c.First)) - 1
	c.X, c.S = append(c.X, t.X[corner]), append(c.S, 0)
	for a := corner; ; {
		b, s := e.To, c.S[len(c.S)-1]
		u := measure.Sub(&t.X[b], &t.X[a])
		end := s + math.Sqrt(measure.Dot(&u, &u))
		c.X, c.S = append(c.X, t.X[b]), append(c.S, end)
		back := t.openEnd(b, a)
		e.Curve, e.S = number, s
		back.Curve, back.S = number, end
		if t.Freedom[b] == 0 {
			break
		}
		a, e = b, t.openEnd(b, -1)
	}
	c.First = append(c.First, int32(len(c.S)))
}

// openEnd returns the line edge at v to another vertex, or to any if to is -1, that is on no curve yet.
func (t *Mesh) openEnd(v, to int32) *LineEnd {
	ends := t.Line(v)
	for i := range ends {
		if e := &ends[i]; e.Curve < 0 && (to < 0 || e.To == to) {
			return e
		}
	}
	return nil
}
