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
	Kind  string         // the key that chooses it, such as level
	Value *config.Series // level in m, discharge per metre in m²/s, or inflow in m³/s; nil for other kinds
	Slope float64        // of normal: that of uniform flow
	Wave  *config.Series // of radiation: height of the incoming wave in m; nil for none
	// Ambient is the pressure of the air in Pa that a level goes with; nil if it has the effect of the pressure.
	Ambient *float64
	Depth   *config.Series // of a supercritical discharge or inflow, m; nil for a subcritical one
	File    string         // of rating: a CSV file with levels in m and discharges in m³/s, relative to the case file
	Sheet   string         // of rating: the sheet of a workbook; "" for the only one
	Column  string         // of rating: title of the column with discharges; "" for the second one
}

// keys declares the keys of a condition, the first of which choose its kind.
func (g *Given) keys(key func(*config.Spec)) {
	kind := func(k *config.Spec) {
		key(k.IfSet().When(g.Kind == "" || g.Kind == k.Name, "cannot be combined with "+g.Kind).Otherwise("one of these").
			Check(func(s *config.Section) {
				if s.Has(k.Name) {
					g.Kind = k.Name
				}
			}))
	}
	kind(config.OptionalSeries("level", "m", &g.Value, config.Any, "level of the surface above the datum; outgoing waves "+
		"leave. A level below the critical depth acts as `\"critical\"`"))
	kind(config.OptionalSeries("discharge", "m2/s", &g.Value, config.NonNegative, "inflow per metre of the group, at "+
		"least 0"))
	kind(config.OptionalSeries("inflow", "m3/s", &g.Value, config.NonNegative, "inflow through the whole group, at "+
		"least 0, distributed over its edges by [conveyance](shallow-water.md#boundary-conditions); it may begin on dry "+
		"ground. Edges beside it should be walls: through open ones, part of the water leaves at once"))
	kind(config.OptionalSeries("radiation", "m", &g.Value, config.Any, "outgoing waves leave over water at rest at this "+
		"level"))
	kind(config.Real("normal", "", &g.Slope, config.Positive.Or(0), "outflow of uniform flow down this slope, by "+
		"Manning's law; needs `manning`"))
	isCritical := g.Kind == "critical"
	kind(config.Flag("critical", &isCritical, false, "`true` is the same as `\"critical\"`").
		Check(func(s *config.Section) {
			if s.Has("critical") && !isCritical {
				s.Fail("critical", "is false; choose wall or another condition")
			}
		}))
	kind(config.Phrase("rating", &g.File, "", "outflow of the whole group, m³/s, for the level at it: a CSV file with a "+
		"header, or a sheet, of levels in m and discharges, the first of which is 0. Linear between the rows, and on the "+
		"line through the last two above them").Check(func(s *config.Section) {
		if s.Has("rating") && g.File == "" {
			s.Fail("rating", "is empty; give a CSV file of levels and discharges")
		}
	}))
	key(config.OptionalSeries("incident", "m", &g.Wave, config.Any, "of `radiation`: height of an incident wave above "+
		"that level").When(g.Kind == "radiation", "needs the level of the water at rest too: radiation = 0"))
	key(config.OptionalReal("ambient", "Pa", &g.Ambient, config.Positive, "of `level` and `radiation`: the pressure of "+
		"the air, such as that of the mean sea level, 101325, under which the water has this level; at each edge it is "+
		"higher by 1 cm for each hPa below that").Otherwise("the level has the effect of the pressure").
		When(g.Kind == "level" || g.Kind == "radiation", "needs level or radiation too"))
	key(config.OptionalSeries("depth", "m", &g.Depth, config.Positive, "of `discharge` and `inflow`: depth of a "+
		"supercritical inflow, which has no effect where deeper water inside drowns it").Otherwise("subcritical inflow").
		When(g.Kind == "discharge" || g.Kind == "inflow", "needs discharge, in m²/s, or inflow, in m³/s, too"))
	isRating, rating := g.Kind == "rating", "needs rating too"
	key(config.Phrase("sheet", &g.Sheet, "", "of `rating`: sheet of a workbook").IfSet().Otherwise("the only one").
		When(isRating, rating))
	key(config.Phrase("column", &g.Column, "", "of `rating`: title of the column with discharges").IfSet().
		Otherwise("the second one").When(isRating, rating).Check(func(s *config.Section) {
		if g.Kind == "" && !s.Has("incident") && !s.Has("depth") {
			s.Fail("", "has none of level, discharge, inflow, radiation, normal, critical and rating")
		}
	}))
}

func decodeBoundary(s *config.Section, layers int) Boundary {
	b := Boundary{Groups: map[string]string{}, Given: map[string]Given{}}
	s.Open(b.group("*", layers))
	b.keys(slices.DeleteFunc(s.Keys(), func(name string) bool { return name == "default" }), layers, s.Read)
	s.Finish()
	return b
}

// keys declares the keys of the section.
func (b *Boundary) keys(groups []string, layers int, key func(*config.Spec)) {
	key(config.OneWord("default", &b.Default, "wall", []string{"wall", "open"}, "edges of groups that have no key, "+
		"and without a group"))
	for _, name := range groups {
		key(b.group(name, layers))
	}
}

// group declares the condition of a group: a word, or a table.
func (b *Boundary) group(name string, layers int) *config.Spec {
	g := b.Given[name]
	k := config.Key{Name: name, Kind: config.OneOf, Options: []string{"wall", "open", "critical"},
		Doc: "a group of edges: `wall`, `open`, for one layer also `critical` or a table"}
	return config.Special(k, func(s *config.Section) {
		word, isTable := "", !s.IsText(name)
		if !isTable {
			word = s.Text(name, "")
		}
		switch {
		case layers == 2 && (isTable && s.IsTable(name) || word == "critical"):
			s.Fail(name, "prescribes a condition for one layer, and there are two, whose characteristics are coupled: "+
				"choose wall or open")
		case word == "periodic":
			s.Fail(name, "periodic sides are not supported: a cell would have a distant neighbour, which the mesh's halo "+
				"does not know; choose wall or open, and a mesh so long that the sides do not matter")
		case word == "critical":
			b.Given[name] = Given{Kind: word}
		case s.Table(name, g.keys):
			b.Given[name] = g
		default:
			b.Groups[name] = s.Choice(name, config.Required, k.Options...)
		}
	}, func() any {
		if word, ok := b.Groups[name]; ok {
			return word
		}
		if g.Kind == "critical" {
			return g.Kind
		}
		return config.InlineOf(g.keys)
	}).Within(g.keys)
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
		if len(names) == 0 {
			return nil, fmt.Errorf("[boundary] %q: the mesh has no groups of edges, as those of frames and of UGRID. To begin "+
				`with the state of another run, read the mesh of that run, and the state by h = { mesh = "h", file = `+
				`"out/NAME/NAME.pvd" } and so on`, name)
		}
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

// checkAmbient refuses levels that go with a pressure of the air where there is none, or none that is known over time.
func (w *Sections) checkAmbient(s *config.Section) {
	for _, name := range slices.Sorted(maps.Keys(w.Boundary.Given)) {
		switch given := w.Boundary.Given[name]; {
		case given.Ambient == nil:
		case !w.Forcing.presses():
			s.Fail(name, "ambient needs a pressure of the air: [forcing] pressure_field, storm or pressure")
		case w.Forcing.Course != nil:
			s.Fail(name, "ambient cannot be combined with pressure_course: give pressure_field")
		}
	}
}

// conditionsOf returns the prescribed condition of each group of the mesh, nil for none.
func conditionsOf(c *config.Case, b Boundary, groups []mesh.Group, density float64) ([]*shallow.Given, error) {
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
		if given.Ambient != nil {
			ambient := *given.Ambient / density
			all[i].Ambient = &ambient
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
	if out.Value, err = series.FromCase(c, *g.Value); err != nil {
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
		return nil, fmt.Errorf("rating curve: %w", err)
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
