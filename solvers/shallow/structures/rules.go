package structures

import (
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/hydraulics"
)

// Rule is a section [[rule]]: it operates a gate, a culvert or a pump.
type Rule struct {
	Structure string
	Watch     string      // from, to, fall, level or discharge
	At        []float64   // of level
	Radius    float64     // of the cells around At
	Line      [][]float64 // of discharge
	// Numbers at which a gate opens and closes, and a pump starts and stops; NaN with Table.
	Open, Close, Start, Stop float64
	Table                    [][]float64 // rows of the number that it watches and the share

	kind string // of the structure; "" if there is no such one
}

// DecodeRules reads all sections of rules.
func DecodeRules(root *config.Section, list []Structure) (rules []Rule) {
	for _, s := range root.Subs("rule") {
		r := Rule{Structure: s.Text("structure", "")}
		if k := slices.IndexFunc(list, func(t Structure) bool { return t.Name == r.Structure }); k >= 0 {
			r.kind = list[k].Kind
			r.refuse(s, &list[k])
		}
		r.Keys(s.Read)
		s.Finish()
		rules = append(rules, r)
	}
	astray := slices.ContainsFunc(rules, func(r Rule) bool { return r.kind == "" }) // it may be meant for any structure
	for k := range list {
		if t := &list[k]; t.Travel > 0 && !astray && len(rulesOf(t, rules)) == 0 {
			t.section.Fail("travel", "is the time in which a [[rule]] opens or closes %q, and there is none for it", t.Name)
		}
	}
	return rules
}

// refuse refuses rules of structures that have none.
func (r *Rule) refuse(s *config.Section, t *Structure) {
	switch {
	case !slices.Contains([]string{"gate", "culvert", "pump"}, t.Kind):
		s.Fail("structure", "%q is a %s: a rule operates a gate, a culvert or a pump", t.Name, t.Kind)
	case t.Kind == "pump" && t.begins():
		s.Fail("structure", "the pump %q has start already: give that and stop here", t.Name)
	}
}

// Keys declares the keys of the section.
func (r *Rule) Keys(key func(*config.Spec)) {
	key(config.Phrase("structure", &r.Structure, config.Required, "name of the gate, culvert or pump that it operates. "+
		"Of several rules for one the least share counts").Check(func(s *config.Section) {
		if s.Has("structure") && r.kind == "" {
			s.Fail("structure", "there is no structure %q", r.Structure)
		}
	}))
	watches := []string{"from", "to", "fall", "level", "discharge"}
	key(config.OneWord("watch", &r.Watch, "from", watches, "what it watches: the level at an end of the structure, "+
		"`from` or `to`; `fall`, the level at `from` less that at `to`; the `level` at the place `at`; the `discharge` "+
		"through `line`. A level is the mean of the water, or the lowest ground where there is none"))
	key(config.List("at", "m", &r.At, 2, config.Any.Or(math.NaN()), position+"the level that it watches").
		When(r.Watch == "level", "needs watch = \"level\"").Otherwise("with `level`").Check(func(s *config.Section) {
		if r.Watch == "level" && !s.Has("at") {
			s.Fail("at", "is required: the position [x, y] of the level")
		}
	}))
	key(config.Real("radius", "m", &r.Radius, config.NonNegative.Or(0), "of the mean around `at`; 0: one cell").IfSet().
		When(r.Watch == "level", "needs watch = \"level\""))
	key(config.Special(config.Key{Name: "line", Default: "with `discharge`", Doc: "the corners `[[x, y], [x, y]]` of " +
		"the line of the discharge, which is positive to its right, as through a [transect](#transect)"},
		func(s *config.Section) {
			if s.Has("line") || r.Watch == "discharge" {
				r.Line = s.Corners("line", 2)
			}
		}, func() any {
			if r.Line == nil {
				return nil
			}
			return r.Line
		}).When(r.Watch == "discharge", "needs watch = \"discharge\""))
	r.lawKeys(key)
}

// lawKeys declares how the share follows from what the rule watches.
func (r *Rule) lawKeys(key func(*config.Spec)) {
	number := func(name string, v *float64, applies bool, needs, doc string) *config.Spec {
		return config.Real(name, "", v, config.Any.Or(math.NaN()), doc).IfSet().Otherwise("this or `table`").
			When(applies, needs)
	}
	const gates = "is for a gate or a culvert; a pump has start and stop"
	const pumps = "is for a pump; a gate has open and close"
	key(number("open", &r.Open, r.kind != "pump", gates, "of a gate or a culvert: number, in m or m³/s, at which it "+
		"opens"))
	key(number("close", &r.Close, r.kind != "pump", gates, "number at which it closes: below `open`, when it falls to "+
		"this, or above, when it rises to this. In between the gate stays as it is, at the start as after a rise").
		Check(func(s *config.Section) { differ(s, "open", "close", r.Open == r.Close) }))
	key(number("start", &r.Start, r.kind == "pump", pumps, "of a pump: number at which it starts"))
	key(number("stop", &r.Stop, r.kind == "pump", pumps, "number at which it stops: below `start`, or above if the pump "+
		"lets it rise. In between it goes on as it does, at the start as after a rise").
		Check(func(s *config.Section) {
			if differ(s, "start", "stop", r.Start == r.Stop); r.Watch == "from" && r.Stop > r.Start {
				s.Fail("stop", "%g m is above start, %g m: a pump ends below the level at which it begins", r.Stop, r.Start)
			}
		}))
	key(config.Special(config.Key{Name: "table", Default: "or numbers above", Doc: "rows `[[number, share], …]`: the " +
		"share, from 0 to 1, of `opening` or `discharge` that it lets the structure use, linear in between and the same " +
		"beyond"},
		r.readTable, func() any {
			if r.Table == nil {
				return nil
			}
			return r.Table
		}))
}

// differ refuses one of two numbers without the other, and two that are equal.
func differ(s *config.Section, first, second string, equal bool) {
	switch {
	case s.Has(first) && !s.Has(second):
		s.Fail(second, "is required with %s", first)
	case s.Has(second) && !s.Has(first):
		s.Fail(first, "is required with %s", second)
	case equal:
		s.Fail(second, "is the same as %s: it would move in each step. Between both the water changes while it stays", first)
	}
}

// bounds returns the numbers of a gate or a pump, NaN with a table.
func (r *Rule) bounds() (begin, end float64) {
	if r.kind == "pump" {
		return r.Start, r.Stop
	}
	return r.Open, r.Close
}

// readTable reads the table, or checks that there is another law.
func (r *Rule) readTable(s *config.Section) {
	begin, end := r.bounds()
	twice := begin == begin || end == end
	switch {
	case !s.Has("table") && !twice:
		s.Fail("", "needs two numbers, open and close, of a pump start and stop; or a table")
	case s.Has("table") && twice:
		s.Fail("table", "cannot be combined with the numbers at which it opens or starts")
	case s.Has("table"):
		r.Table = s.Corners("table", 2)
	}
	for k, row := range r.Table {
		switch {
		case k > 0 && !(row[0] > r.Table[k-1][0]):
			s.Fail("table", "number %g of row %d is not above the one before", row[0], k+1)
		case !(row[1] >= 0 && row[1] <= 1):
			s.Fail("table", "share %g of row %d is not from 0 to 1", row[1], k+1)
		}
	}
}

// rulesOf returns the rules of a structure for the solver: those of its name, and that of a pump with levels.
func rulesOf(t *Structure, rules []Rule) (list []hydraulics.Rule) {
	if t.Kind == "pump" && t.begins() {
		list = append(list, hydraulics.Rule{Watch: "from", Start: t.Start, Stop: t.Stop})
	}
	for _, r := range rules {
		if r.Structure != t.Name {
			continue
		}
		rule := hydraulics.Rule{Watch: r.Watch, At: place(r.At, r.Radius)}
		rule.Start, rule.Stop = r.bounds()
		if r.Line != nil {
			rule.At = &hydraulics.Place{X: r.Line[0][0], Y: r.Line[0][1], Line: r.Line}
		}
		for _, row := range r.Table {
			rule.Table = append(rule.Table, series.Row{T: row[0], Value: row[1]})
		}
		list = append(list, rule)
	}
	return list
}
