package problem

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	rows "github.com/atoll-hpc/atoll/formats/series"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// Boundary is the section [boundary]: for each physical group of edges "wall", "open", or a prescribed condition.
type Boundary struct {
	Default string            // for edges of groups that are not named, or without a group; wall
	Groups  map[string]string // by name of the group
	Given   map[string]Given  // by name of the group
}

// Given is a condition prescribed at the edges of a group, for one layer: { level = 2.0 }.
type Given struct {
	Kind   string         // one of givenKinds
	Value  config.Series  // level in m, discharge per metre in m²/s, or inflow in m³/s
	Slope  float64        // of normal: that of uniform flow
	Wave   *config.Series // of radiation: height of the incoming wave in m; nil for none
	Depth  *config.Series // of a supercritical discharge or inflow, m; nil for a subcritical one
	File   string         // of rating: a CSV file with levels in m and discharges in m³/s, relative to the case file
	Sheet  string         // of rating: the sheet of a workbook; "" for the only one
	Column string         // of rating: title of the column with discharges; "" for the second one
}

// givenKinds are the keys of conditions.
var givenKinds = []string{"level", "discharge", "inflow", "radiation", "normal", "critical", "rating"}

// inline returns the condition as a table in a case file.
func (g Given) inline() any {
	if g.Kind == "critical" {
		return g.Kind
	}
	table := config.Inline{{Key: g.Kind, Value: g.Value}}
	switch g.Kind {
	case "rating":
		table[0].Value = g.File
	case "normal":
		table[0].Value = g.Slope
	}
	for _, pair := range []struct {
		key   string
		value *config.Series
	}{{"incident", g.Wave}, {"depth", g.Depth}} {
		if pair.value != nil {
			table = append(table, config.Inline{{Key: pair.key, Value: *pair.value}}...)
		}
	}
	if g.Sheet != "" {
		table = append(table, config.Inline{{Key: "sheet", Value: g.Sheet}}...)
	}
	if g.Column != "" {
		table = append(table, config.Inline{{Key: "column", Value: g.Column}}...)
	}
	return table
}

func decodeBoundary(s *config.Section, layers int) Boundary {
	b := Boundary{Groups: map[string]string{}, Given: map[string]Given{}}
	s.Read(b.defaultKey())
	s.Units(map[string]string{"level": "m", "discharge": "m2/s", "inflow": "m3/s", "radiation": "m", "incident": "m",
		"depth": "m"})
	s.Open()
	for _, group := range s.Keys() {
		table, ok := s.Within(group)
		critical := s.IsText(group) && s.Text(group, "") == "critical"
		switch {
		case group == "default":
		case (ok || critical) && layers == 2:
			s.Fail(group, "prescribes a condition for one layer, and there are two, whose characteristics are coupled: "+
				"choose wall or open")
		case critical:
			b.Given[group] = Given{Kind: "critical"}
		case ok:
			b.Given[group] = decodeGiven(table)
		default:
			if s.IsText(group) && s.Text(group, "") == "periodic" {
				s.Fail(group, "periodic sides are not supported: a cell would have a distant neighbour, which the mesh's halo "+
					"does not know; choose wall or open, and a mesh so long that the sides do not matter")
				break
			}
			b.Groups[group] = s.Choice(group, config.Required, "wall", "open", "critical")
		}
	}
	s.Finish()
	return b
}

func (b *Boundary) defaultKey() *config.Spec {
	return config.OneWord("default", &b.Default, "wall", []string{"wall", "open"}, "edges of groups that have no key, "+
		"and without a group")
}

// decodeGiven reads the table of a condition.
func decodeGiven(s *config.Section) Given {
	var g Given
	for _, kind := range givenKinds {
		if s.Know(kind); !s.Has(kind) {
			continue
		}
		if g.Kind != "" {
			s.Fail(kind, "cannot be combined with %s", g.Kind)
		}
		g.Kind = kind
		switch kind {
		case "critical":
			if !s.Boolean(kind, true) {
				s.Fail(kind, "is false; choose wall or another condition")
			}
		case "rating":
			g.Sheet, g.Column = s.Text("sheet", ""), s.Text("column", "")
			if g.File = s.Text(kind, config.Required); g.File == "" {
				s.Fail(kind, "is empty; give a CSV file of levels and discharges")
			}
		case "normal":
			g.Slope = s.Number(kind, config.Positive)
		case "level", "radiation":
			g.Value = s.Series(kind, config.Any)
		default:
			g.Value = s.Series(kind, config.NonNegative)
		}
	}
	optional := func(key string, bound config.Bound, kinds ...string) *config.Series {
		if s.Know(key); !s.Has(key) {
			return nil
		}
		if !slices.Contains(kinds, g.Kind) {
			s.Fail(key, "needs %s", map[string]string{"incident": "the level of the water at rest too: radiation = 0",
				"depth": "discharge, in m²/s, or inflow, in m³/s, too"}[key])
			return nil
		}
		v := s.Series(key, bound)
		return &v
	}
	g.Wave = optional("incident", config.Any, "radiation")
	g.Depth = optional("depth", config.Positive, "discharge", "inflow")
	if s.Know("sheet", "column"); g.Kind == "" && !s.Has("incident") && !s.Has("depth") {
		s.Fail("", "is empty; choose level, discharge, inflow, radiation, normal, critical or rating")
	}
	s.Finish()
	return g
}

// boundaryKinds returns for each group of the mesh whether its edges are open. It refuses names of groups that the mesh
// does not have.
func boundaryKinds(b Boundary, groups []mesh.Group) ([]bool, error) {
	open := make([]bool, len(groups))
	names := groupNames(groups)
	for i, g := range groups {
		kind, ok := b.Groups[g.Name]
		if !ok {
			kind = b.Default
		}
		open[i] = kind == "open"
	}
	for _, name := range b.names() {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("[boundary] %q: the mesh has no edges of that group; its groups are %q", name, names)
		}
	}
	return open, nil
}

// names are the groups with a condition of their own.
func (b *Boundary) names() []string {
	return slices.Concat(slices.Sorted(maps.Keys(b.Groups)), slices.Sorted(maps.Keys(b.Given)))
}

// conditionsOf returns the prescribed condition of each group of the mesh, nil for none.
func conditionsOf(c *config.Case, b Boundary, groups []mesh.Group) ([]*shallow.Given, error) {
	all := make([]*shallow.Given, len(groups))
	for i, g := range groups {
		given, ok := b.Given[g.Name]
		if !ok || g.Dim != 1 {
			continue
		}
		var err error
		if all[i], err = given.condition(c); err != nil {
			return nil, fmt.Errorf("[boundary] %s: %w", g.Name, err)
		}
	}
	return all, nil
}

// condition returns the condition with its rows.
func (g *Given) condition(c *config.Case) (out *shallow.Given, err error) {
	out = &shallow.Given{Kind: g.Kind}
	switch g.Kind {
	case "critical":
		return out, nil
	case "rating":
		out.Curve, err = ratingCurve(c, rows.Table{Path: c.Path(g.File), Sheet: g.Sheet}, g.Column)
		return out, err
	case "normal":
		out.Value = series.Constant(g.Slope)
		return out, nil
	}
	if out.Value, err = series.FromCase(c, g.Value); err != nil {
		return nil, err
	}
	for _, r := range out.Value {
		if (g.Kind == "discharge" || g.Kind == "inflow") && r.Value < 0 {
			return nil, fmt.Errorf("the %s at t = %g s is %g: it must not be negative", g.Kind, r.T, r.Value)
		}
	}
	if g.Wave != nil {
		if out.Wave, err = series.FromCase(c, *g.Wave); err != nil {
			return nil, err
		}
	}
	if g.Depth == nil {
		return out, nil
	}
	if out.Depth, err = series.FromCase(c, *g.Depth); err != nil {
		return nil, err
	}
	gravity := c.Sections.(*Sections).Physics.Gravity
	q, h := out.Value[0].Value, out.Depth[0].Value
	if wave := math.Sqrt(gravity * h); g.Kind == "discharge" && len(out.Value)+len(out.Depth) == 2 && q <= wave*h {
		return nil, fmt.Errorf("a discharge of %g m²/s is subcritical at a depth of %g m, so that its depth follows from "+
			"the water inside: leave depth out, or give more than %.4g m²/s", q, h, wave*h)
	}
	return out, nil
}

// ratingCurve reads a curve of levels and discharges.
func ratingCurve(c *config.Case, from rows.Table, column string) ([]series.Row, error) {
	path := from.Path
	table, err := rows.ReadCurve(from, column)
	var curve []series.Row
	var notes []string
	if err == nil {
		notes, err = table.Convert(path, "m3/s")
	}
	if err == nil {
		curve, err = table.Complete()
	}
	if err != nil {
		return nil, fmt.Errorf("rating curve, with the level in the place of the time: %w", err)
	}
	for _, note := range notes {
		c.Note(note)
	}
	if len(curve) < 2 {
		return nil, fmt.Errorf("%s: a rating curve needs at least two rows", path)
	}
	if curve[0].Value != 0 {
		return nil, fmt.Errorf("%s: the first row of a rating curve must have the discharge 0, not %g: add the level below "+
			"which nothing flows", path, curve[0].Value)
	}
	for k, r := range curve[1:] {
		if r.Value < curve[k].Value {
			return nil, fmt.Errorf("%s: the discharge falls from %g to %g m³/s where the level rises to %g m", path,
				curve[k].Value, r.Value, r.T)
		}
	}
	return curve, nil
}
