package hydraulics

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/structures"
)

// TestImplausibleStructuresAreNoted: heights that are far from the ground, and openings in millimetres, and only these.
func TestImplausibleStructuresAreNoted(t *testing.T) {
	culvert := func(height, from, to float64) structures.Structure {
		s := structures.Structure{Kind: structures.Culvert, Height: height, InvertFrom: from, InvertTo: to}
		s.From.Lowest, s.To.Lowest = 20, 19
		return s
	}
	gate := func(sill float64) structures.Structure {
		s := culvert(0, sill, 0)
		s.Kind = structures.Gate
		return s
	}
	breach := structures.Structure{Kind: structures.Breach, InvertFrom: 20}
	for _, test := range []struct {
		kind, want string
		s          structures.Structure
		crest      float64
	}{
		{"culvert", "", culvert(1, 19, 18), 0},
		{"culvert", "", culvert(5, 24, 15), 0},
		{"culvert", `its opening is 1500 m high: "1500 mm" is in millimetres`, culvert(1500, 20, 19), 0},
		{"culvert", "invert_from is 205 m, and the lowest bed there 20 m: its bottom is 185 m above", culvert(1, 205, 19), 0},
		{"culvert", "invert_to is 12.5 m, and the lowest bed there 19 m: its bottom is 6.5 m below", culvert(1, 20, 12.5), 0},
		{"bridge", "[[bridge]] x: invert is 30 m, and the lowest bed there 19 m", culvert(3, 30, 30), 0},
		{"bridge", "", culvert(3, 18, 18), 0},
		{"gate", "", gate(19.6), 0},
		{"gate", "its sill is 18 m, and the ground beside it 20 m high", gate(18), 0},
		{"breach", "", breach, 19.8},
		{"breach", "its crest falls to 2 m, and the ground beside it is 20 m high", breach, 2},
	} {
		l := Layout[float64]{list: []structures.Structure{test.s}, given: []Structure{{Name: "x", Kind: test.kind,
			Value: []series.Row{{T: 0, Value: 22}, {T: 9, Value: test.crest}}}}}
		if notes := strings.Join(l.Notes(), "\n"); !strings.Contains(notes, test.want) || test.want == "" && notes != "" {
			t.Errorf("%s %+v: %q, want %q", test.kind, test.s, notes, test.want)
		}
	}
}
