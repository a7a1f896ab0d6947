package hydraulics

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/structures"
)

// Differences beyond these are possible, and usually another unit or datum than the writer of the case meant.
const (
	highBarrel = 20. // m
	farFromBed = 3.  // m, of the bottom of a culvert, if that is more than its height
	belowBed   = .5  // m, of the crest of a breach
)

// Notes tells what of the structures is hardly possible where they are, one text for each.
func (l *Layout[F]) Notes() (notes []string) {
	for k := range l.list {
		s, given := &l.list[k], &l.given[k]
		note := func(format string, values ...any) {
			notes = append(notes, fmt.Sprintf("[[%s]] %s: ", given.Kind, given.Name)+fmt.Sprintf(format, values...))
		}
		switch s.Kind {
		case structures.Culvert:
			if s.Height > highBarrel {
				note(`its opening is %g m high: "%[1]g mm" is in millimetres`, s.Height)
				continue
			}
			ends := []struct {
				key         string
				invert, bed float64
			}{{"invert_from", s.InvertFrom, s.From.Lowest}, {"invert_to", s.InvertTo, s.To.Lowest}}
			if given.Kind == "bridge" { // it has one, for the bed under it
				ends = ends[:1]
				ends[0].key, ends[0].bed = "invert", min(s.From.Lowest, s.To.Lowest)
			}
			for _, end := range ends {
				if off := end.invert - end.bed; math.Abs(off) > max(farFromBed, s.Height) {
					side := "above"
					if off < 0 {
						side = "below"
					}
					note("%s is %.6g m, and the lowest bed there %.6g m: its bottom is %.3g m %s the ground", end.key, end.invert,
						end.bed, math.Abs(off), side)
				}
			}
		case structures.Breach:
			for _, r := range given.Value {
				if r.Value < s.InvertFrom-belowBed {
					note("its crest falls to %.6g m, and the ground beside it is %.6g m high: water flows over that", r.Value,
						s.InvertFrom)
					break
				}
			}
		}
	}
	return notes
}
