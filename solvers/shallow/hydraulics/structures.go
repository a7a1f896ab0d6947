// Package hydraulics has structures that move water of one layer between places, or into and out of the domain:
// sources, culverts, bridges, gates, breaches and pumps; and rules by which these open and run.
package hydraulics

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/sphere"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/structures"
)

// Structure moves water from one place to another.
type Structure struct {
	Name     string
	Kind     string // source, culvert, bridge, gate, breach or pump
	From, To *Place // nil for outside the domain
	// Value is the discharge of a source, which comes in at To or is withdrawn there if negative, or the capacity of a
	// pump, m³/s; the share of a culvert that is open; the opening of a gate, m; or the height of the crest of a breach
	// above the datum, m.
	Value  []series.Row
	Length []series.Row // of a breach, m. Times of both are since it opened, if it is ruled

	Rules  []Rule  // each lets it use a share of Value; the least counts
	Travel float64 // time in which that share changes by 1 at most, s; 0: at once

	Barrel               *Barrel // of a culvert or a bridge
	Barrels              int
	InvertFrom, InvertTo float64 // heights of the bottom of a culvert at its ends above the datum, m; NaN: that of the bed
	OneWay               bool    // a flap keeps water from flowing back
	Deck                 float64 // height of a bridge's deck, or of the top of a closed gate, above the datum, m
	Crest                float64 // weir coefficient times the length of the deck, m^1.5/s; of a breach the former alone

	Width, Contraction float64 // of a gate, m; and the depth of the jet under it over its opening. InvertFrom is its sill

	Ruled bool    // a breach opens at a level
	Start float64 // that level, m above the datum
}

// inside reports whether a structure moves water inside the domain.
func (s *Structure) inside() bool { return s.From != nil && s.To != nil }

// ends returns the places at which water leaves and enters, nil for none.
func (s *Structure) ends() [2]*Place { return [2]*Place{s.From, s.To} }

// Place is the cell with a point, or the cells that a line from it crosses, and the cells whose centroids are within a
// radius of that, m.
type Place struct {
	X, Y, Radius float64
	Line         [][]float64 // corners of the line, nil for none
}

var kinds = map[string]int32{"source": structures.Source, "culvert": structures.Culvert, "bridge": structures.Culvert,
	"breach": structures.Breach, "gate": structures.Gate, "pump": structures.Pump}

// Setting is what structures stand in: a part of a mesh and its bed. Note, unless it is nil, gets what is hardly
// possible.
type Setting struct {
	Note         func(text string)
	Part         *mesh.Part
	Cells        *solvers.Space
	Depth        []float64 // of the bed below the datum, m
	Gravity, CFL float64
	// Prescribe adds a prescribed number, of which steps use the mean, and returns its index among all.
	Prescribe func(name, unit string, rows []series.Row) int32
}

// Layout is what a rank knows of structures: all of them, and its own cells at their ends. Each rank reads its cells,
// and from what all have read it computes all discharges, and moves the water in its cells.
type Layout[F num.Float] struct {
	given  []Structure
	list   []structures.Structure
	asked  []*Rule // of all structures, one after the other
	rules  []structures.Rule
	rows   []kernels.Row
	places []structures.Place // of owned cells, by cell
	spots  []structures.Spot
	probes []structures.Probe
	keys   []int64 // of places: twice the structure, plus 1 for To, above the global id of the cell
	own    []bool  // which readings this rank makes
}

// Find finds the cells of structures. All ranks call it.
func Find[F num.Float](ctx context.Context, comm dist.Comm, given []Structure, at *Setting) (*Layout[F], error) {
	l := &Layout[F]{given: given}
	if len(given) == 0 {
		return l, nil
	}
	for k := range given {
		if err := l.add(&given[k], at); err != nil {
			return nil, fmt.Errorf("%s %q: %w", given[k].Kind, given[k].Name, err)
		}
	}
	own, err := l.ownSites(ctx, at)
	if err != nil {
		return nil, err
	}
	sites, err := domain.Gather(ctx, comm, own)
	if err != nil {
		return nil, err
	}
	sites = sorted(sites)
	if err := l.setEnds(sites); err != nil {
		return nil, err
	}
	if err := l.setWatched(sites); err != nil {
		return nil, err
	}
	l.setPlaces(sites, at)
	open, err := l.inTheOpen(ctx, comm, at, sites)
	if err != nil {
		return nil, err
	}
	for _, note := range append(l.Notes(), open...) {
		if at.Note != nil {
			at.Note(note)
		}
	}
	return l, nil
}

// Cells returns the owned cells at the ends of structures; none of a nil layout.
func (l *Layout[F]) Cells() (list []int32) {
	if l == nil {
		return nil
	}
	for _, p := range l.places {
		list = append(list, p.Cell)
	}
	return list
}

// site is a cell of an end of a structure, or of a place that a rule watches.
type site struct {
	Structure, End int32 // a rule counts as a structure after all others. The latter is 0 for From, 1 for To
	Global         int64
	Lowest, Area   float64 // height of the bed, m, and area, m²
	Contains       bool    // the point
	Near           bool    // within the radius
	X, Y           float64 // of a rule that watches a discharge: the normal of its line in the cell, of its length, m
}

// ownSites returns those of the owned cells of a rank.
func (l *Layout[F]) ownSites(ctx context.Context, at *Setting) (own []site, err error) {
	find := func(structure, end int, place *Place) {
		inside := at.Cells.Locate([][]float64{{place.X, place.Y}})[0]
		for i := range at.Part.Owned {
			contains, near := i == inside, place.near(at.Part, i)
			if contains || near {
				own = append(own, site{Structure: int32(structure), End: int32(end), Global: int64(at.Part.Global[i]),
					Lowest: -float64(F(at.Depth[i])), Area: float64(F(at.Part.Area(i))), Contains: contains, Near: near})
			}
		}
	}
	for k := range l.given {
		for end, place := range l.given[k].ends() {
			if place != nil {
				find(k, end, place)
			}
		}
	}
	for n, r := range l.asked {
		switch {
		case r.At != nil && r.flow():
			crossed, err := at.crossed(ctx, r.At.Line)
			if err != nil {
				return nil, err
			}
			for _, x := range crossed {
				own = append(own, site{Structure: int32(len(l.given) + n), Global: int64(at.Part.Global[x.Cell]), Contains: true,
					Near: true, X: x.X, Y: x.Y})
			}
		case r.At != nil:
			find(len(l.given)+n, 0, r.At)
		}
	}
	return own, nil
}

// sorted sorts sites by structure, end and cell. A point on an edge is in the cell with the lowest id; around a point
// outside of the mesh there are none.
func sorted(sites []site) (list []site) {
	slices.SortFunc(sites, func(a, b site) int {
		return cmp.Or(cmp.Compare(a.Structure, b.Structure), cmp.Compare(a.End, b.End), cmp.Compare(a.Global, b.Global))
	})
	type end struct{ Structure, End int32 }
	cellOf := map[end]int64{} // the cell with the point
	for _, s := range slices.Backward(sites) {
		if s.Contains {
			cellOf[end{s.Structure, s.End}] = s.Global
		}
	}
	for _, s := range sites {
		if cell, inside := cellOf[end{s.Structure, s.End}]; inside && (s.Near || s.Global == cell) {
			list = append(list, s)
		}
	}
	return list
}

// add adds a structure without its ends.
func (l *Layout[F]) add(s *Structure, at *Setting) error {
	kind, ok := kinds[s.Kind]
	if !ok {
		return fmt.Errorf("the kind is not known; choose source, culvert, bridge, gate, breach or pump")
	}
	name, unit := s.Name+"_discharge", "m³/s"
	switch kind {
	case structures.Culvert:
		name, unit = s.Name+"_opening", "1"
	case structures.Breach:
		name, unit = s.Name+"_crest", "m"
	case structures.Gate:
		name, unit = s.Name+"_opening", "m"
	}
	to := structures.Structure{Kind: kind, InvertFrom: s.InvertFrom, InvertTo: s.InvertTo, OneWay: s.OneWay,
		Deck: s.Deck, Crest: s.Crest, Ruled: s.Ruled, Start: s.Start, Travel: s.Travel,
		Jet: s.Width * math.Sqrt(2*at.Gravity), Span: s.Width, Contraction: s.Contraction}
	if kind == structures.Gate {
		to.X, to.Y = at.direction(s.From, s.To)
	}
	l.addRules(&to, s.Rules)
	if kind == structures.Breach && s.Ruled {
		to.Bottom, to.Width = l.addTable(held(s.Value)), l.addTable(held(s.Length))
	} else {
		if kind == structures.Breach {
			to.Length = at.Prescribe(s.Name+"_length", "m", s.Length)
		}
		to.Value = at.Prescribe(name, unit, s.Value)
	}
	if kind == structures.Culvert {
		if err := s.Barrel.check(); err != nil {
			return err
		}
		to.Height, to.Barrels, to.Loss = s.Barrel.top(), float64(s.Barrels), s.Barrel.Losses/(2*at.Gravity)
		c := s.Barrel.curves(at.Gravity)
		to.Inlet, to.Critical = l.addTable(c.Inlet), l.addTable(c.Critical)
		to.Flow, to.Friction = l.addTable(c.Flow), l.addTable(c.Friction)
	}
	l.list = append(l.list, to)
	return nil
}

// direction returns the unit vector from one place to another.
func (at *Setting) direction(from, to *Place) (x, y float64) {
	x, y = to.X-from.X, to.Y-from.Y
	if at.Part.Geographic {
		x, y = sphere.Seen(from.X, from.Y, to.X, to.Y)
	}
	length := math.Sqrt(x*x + y*y)
	if length == 0 { // setEnds refuses it
		return 0, 0
	}
	return x / length, y / length
}

// held returns rows between which a table is linear, and after which it has the last value.
func held(rows []series.Row) []series.Row {
	last := rows[len(rows)-1]
	return append(slices.Clone(rows), series.Row{T: last.T + 1, Value: last.Value})
}

func (l *Layout[F]) addTable(rows []series.Row) structures.Table {
	t := structures.Table{First: int32(len(l.rows)), Count: int32(len(rows))}
	for _, r := range rows {
		l.rows = append(l.rows, kernels.Row{T: r.T, Value: r.Value})
	}
	return t
}

// setEnds sets the ends of the structures from the cells of all ranks.
func (l *Layout[F]) setEnds(sites []site) error {
	users := map[int64]int32{}
	from := map[[2]int64]bool{} // structures and cells at their ends From
	sites = sites[:l.ofStructures(sites)]
	for _, s := range sites {
		users[s.Global]++
		key := [2]int64{int64(s.Structure), s.Global}
		if given := &l.given[s.Structure]; s.End == 1 && from[key] {
			return fmt.Errorf("%s %q: cell %d belongs to both ends: move these apart, or make radius, %g m, smaller",
				given.Kind, given.Name, s.Global, given.From.Radius)
		}
		from[key] = from[key] || s.End == 0
	}
	for n, s := range sites {
		end := &l.list[s.Structure].From
		if s.End == 1 {
			end = &l.list[s.Structure].To
		}
		extend(end, n, s)
		end.Users = max(end.Users, users[s.Global])
	}
	for k := range l.list {
		s, given := &l.list[k], &l.given[k]
		for n, end := range []*structures.End{&s.From, &s.To} {
			if place := given.ends()[n]; place != nil && end.Count == 0 {
				return fmt.Errorf("%s %q: (%g, %g) is outside of the mesh", given.Kind, given.Name, place.X, place.Y)
			}
		}
		if math.IsNaN(s.InvertFrom) {
			s.InvertFrom = s.From.Lowest
		}
		if math.IsNaN(s.InvertTo) {
			s.InvertTo = s.To.Lowest
		}
		if s.Kind == structures.Breach || s.Kind == structures.Gate && math.IsNaN(given.InvertFrom) {
			s.InvertFrom = max(s.From.Lowest, s.To.Lowest) // it does not cut into the ground on either side
		}
	}
	return nil
}

// extend extends an end by site number n.
func extend(end *structures.End, n int, s site) {
	if end.Count == 0 {
		end.First, end.Lowest = int32(2*n), s.Lowest
	}
	end.Count++
	end.Area += s.Area
	end.Lowest = min(end.Lowest, s.Lowest)
}

// ofStructures returns the number of sites of structures, after which those of rules come.
func (l *Layout[F]) ofStructures(sites []site) int {
	n := slices.IndexFunc(sites, func(s site) bool { return int(s.Structure) >= len(l.given) })
	if n < 0 {
		return len(sites)
	}
	return n
}

// setMotion returns the first of the readings of motion at each site of a gate, which follow those of the water at all
// sites.
func (l *Layout[F]) setMotion(sites []site) map[int]int32 {
	motion := map[int]int32{}
	for n, s := range sites[:l.ofStructures(sites)] {
		g := &l.list[s.Structure]
		if g.Kind != structures.Gate {
			continue
		}
		next := int32(2 * (len(sites) + len(motion)))
		motion[n] = next
		first := n == 0 || sites[n-1].Structure != s.Structure || sites[n-1].End != s.End
		switch {
		case first && s.End == 0:
			g.FromMotion = next
		case first:
			g.ToMotion = next
		}
	}
	return motion
}

// setPlaces sets what this rank does, from the cells of all ranks.
func (l *Layout[F]) setPlaces(sites []site, at *Setting) {
	local := map[int64]int32{}
	for i := range at.Part.Owned {
		local[int64(at.Part.Global[i])] = int32(i)
	}
	motion := l.setMotion(sites)
	l.own = make([]bool, 2*(len(sites)+len(motion)))
	for n, s := range sites {
		cell, ok := local[s.Global]
		if !ok {
			continue
		}
		if r, ofGate := motion[n]; ofGate {
			g := &l.list[s.Structure]
			l.own[r], l.own[r+1] = true, true
			root := math.Sqrt(s.Area)
			l.probes = append(l.probes, structures.Probe{Cell: cell, Reading: r, X: g.X * root, Y: g.Y * root, Motion: true})
		}
		l.own[2*n], l.own[2*n+1] = true, true
		probe := structures.Probe{Cell: cell, Reading: int32(2 * n), X: s.X, Y: s.Y}
		if int(s.Structure) >= len(l.given) {
			probe.Lowest = l.rules[int(s.Structure)-len(l.given)].Watched.Lowest
			l.probes = append(l.probes, probe)
			continue
		}
		place := structures.Place{Cell: cell, Structure: s.Structure, Reading: probe.Reading, To: s.End == 1}
		probe.Lowest = l.list[s.Structure].From.Lowest
		if place.To {
			probe.Lowest = l.list[s.Structure].To.Lowest
		}
		l.probes, l.places = append(l.probes, probe), append(l.places, place)
	}
	slices.SortStableFunc(l.places, func(a, b structures.Place) int { return cmp.Compare(a.Cell, b.Cell) })
	for n, p := range l.places {
		end := int64(0)
		if p.To {
			end = 1
		}
		l.keys = append(l.keys, (2*int64(p.Structure)+end)<<32|int64(at.Part.Global[p.Cell]))
		if last := len(l.spots) - 1; last >= 0 && l.spots[last].Cell == p.Cell {
			l.spots[last].Count++
			continue
		}
		i := int(p.Cell)
		l.spots = append(l.spots, structures.Spot{Cell: p.Cell, First: int32(n), Count: 1,
			Way: 2 * at.CFL * float64(F(at.Part.Area(i))) / at.Part.Perimeter(i)})
	}
}
