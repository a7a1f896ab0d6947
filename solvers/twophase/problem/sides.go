package problem

import (
	"fmt"
	"math"
	"sort"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/twophase"
	"github.com/atoll-hpc/atoll/solvers/twophase/ghosts"
)

// Side is the condition at a side of the grid, as the case gives it. Values that the case does not give are nil.
type Side struct {
	Kind     string
	Velocity []float64 // of a wall, or of an inflow; nil for one with Profile
	Profile  [3]*Value // u, v, w of an inflow
	Factor   *Value    // of an inflow's velocity
	Fraction *Value    // of an inflow, or of fluid that enters through an outflow
	Pressure *Value    // of an outflow
	Angle    float64   // contact angle at a wall in degrees
}

// Value is a number, an expression over x, y, z and t, or a column of a file. Series is set for a file, otherwise
// Field.
type Value struct {
	Field  config.Field
	Series config.Series
}

func (v *Value) isFile() bool { return v.Series.File != "" }

// printed is the value as a case has it.
func (v *Value) printed() any {
	if v.isFile() {
		return v.Series
	}
	return v.Field
}

// constant returns the value, if it is a number or an expression over nothing.
func (v *Value) constant() (number float64, ok bool) {
	if v.isFile() || v.Field.Program == nil {
		return 0, false
	}
	return v.Field.Program.Constant()
}

// value declares a value; nil stands for a case without it.
func value(name, unit string, v **Value, doc string) *config.Spec {
	k := config.Key{Name: name, Unit: unit, Kind: config.Expression, Doc: doc}
	return config.Special(k, func(s *config.Section) {
		if !s.Has(name) {
			return
		}
		*v = &Value{Series: config.Series{Unit: unit}}
		if !s.Table(name, (*v).Series.FileKeys) {
			(*v).Field = s.TimeField(name, config.Required, nil, "")
		}
	}, func() any {
		if *v == nil {
			return nil
		}
		return (*v).printed()
	}).Within((&config.Series{}).FileKeys)
}

// sides declares the keys of the section.
func (w *Sections) sides(key func(*config.Spec)) {
	for d := range w.Grid.Dim {
		for side, name := range sideKeys[d] {
			key(w.Sides[d][side].spec(name, d, w.Grid.Dim).When(!w.Grid.Periodic[d],
				"[grid] periodic has this axis: leave out one of them"))
		}
	}
}

// spec declares a side of an axis: a kind, or a table with a kind.
func (q *Side) spec(name string, axis, dim int) *config.Spec {
	keys := func(key func(*config.Spec)) { q.keys(axis, dim, key) }
	k := config.Key{Name: name, Kind: config.OneOf, Options: twophase.SideKinds, Doc: "the kind of this side, or a table",
		Default: "`" + twophase.Slip + "`"}
	return config.Special(k, func(s *config.Section) {
		if q.Angle = twophase.RightAngle; s.Table(name, keys) {
			return
		}
		if q.Kind = s.Choice(name, twophase.Slip, twophase.SideKinds...); q.Kind == twophase.Inflow {
			s.Fail(name, `an inflow needs its velocity: { kind = "inflow", velocity = [1, 0] }`)
		}
	}, func() any {
		if table := config.InlineOf(keys); len(table) > 1 {
			return table
		}
		return q.Kind
	}).Within(keys)
}

// keys declares the keys of the table of a side.
func (q *Side) keys(axis, dim int, key func(*config.Spec)) {
	key(config.OneWord("kind", &q.Kind, config.Required, twophase.SideKinds, "what the side is"))
	isInflow, isOutflow := q.Kind == twophase.Inflow, q.Kind == twophase.Outflow
	velocity := config.Any.Or(0)
	if isInflow {
		velocity = config.Any.Or(math.NaN()) // there may be a profile instead
	}
	key(config.List("velocity", "m/s", &q.Velocity, dim, velocity, "of an inflow, or of a no-slip wall along itself, a "+
		"number for each axis").IfSet().Otherwise("0; required for an inflow").
		When(isInflow || q.Kind == twophase.NoSlip, "applies only to kinds no-slip and inflow").
		Check(func(s *config.Section) {
			if q.Kind == twophase.NoSlip && q.Velocity != nil && q.Velocity[axis] != 0 {
				s.Fail("velocity", "a wall moves along itself only: component %d must be 0", axis+1)
			}
		}))
	const inflow = "applies only to kind inflow"
	for d := range dim {
		key(value(velocityKeys[d], "m/s", &q.Profile[d], "of an inflow, instead of `velocity`: a component").Otherwise("0").
			When(isInflow, inflow).When(q.Velocity == nil, "velocity has this component: leave out one of them"))
	}
	key(value("factor", "", &q.Factor, "of an inflow: multiplies the velocity").Otherwise("1").When(isInflow, inflow).
		Check(func(s *config.Section) {
			if isInflow && !s.Has("velocity") && q.Profile == [3]*Value{} {
				s.Fail("velocity", "is required for an inflow, or %s", velocityKeys[axis])
			}
		}))
	key(value("fraction", "1", &q.Fraction, "volume fraction of the first fluid in what flows in, or back through an "+
		"outflow").Otherwise("0; that of the cell at an outflow").
		When(isInflow || isOutflow, "applies only to kinds inflow and outflow").Check(func(s *config.Section) {
		if q.Fraction == nil {
			return
		}
		if v, ok := q.Fraction.constant(); ok && (v < 0 || v > 1) {
			s.Fail("fraction", "%g must be from 0 to 1", v)
		}
	}))
	key(value("pressure", "Pa", &q.Pressure, "of an outflow").Otherwise("0").
		When(isOutflow, "applies only to kind outflow"))
	key(config.Real("contact_angle", "degree", &q.Angle, config.Bound{Least: twophase.LeastAngle,
		Most: 180 - twophase.LeastAngle}.Or(twophase.RightAngle), "of slip and no-slip sides").IfSet().
		When(q.Kind == twophase.Slip || q.Kind == twophase.NoSlip, "applies only to kinds slip and no-slip"))
}

// constantSides are the sides with functions that are not to be called: they are in files.
func (w *Sections) constantSides() (sides [3][2]twophase.Side) {
	for d := range sides {
		for side, q := range w.Sides[d] {
			to := &sides[d][side]
			to.Kind, to.Angle = q.Kind, q.Angle
			copy(to.Velocity[:], q.Velocity)
			to.Backflow = q.Kind == twophase.Outflow && q.Fraction != nil
			if q.Fraction != nil {
				if v, ok := q.Fraction.constant(); ok {
					to.Fraction = v
				} else {
					to.Mixture = &ghosts.Given{}
				}
			}
			if q.Pressure != nil {
				to.Pressure = &ghosts.Given{}
			}
			for e := range w.Grid.Dim {
				if q.Profile[e] != nil || q.Factor != nil {
					to.Profile[e] = &ghosts.Given{}
				}
			}
		}
	}
	return sides
}

// setFunctions sets the functions of sides.
func (w *Sections) setFunctions(c *config.Case, cfg *twophase.Config) (err error) {
	for d := range cfg.Sides {
		for side := range cfg.Sides[d] {
			to, q := &cfg.Sides[d][side], &w.Sides[d][side]
			set := func(key string, g **ghosts.Given, of func() (*ghosts.Given, error)) {
				if *g == nil || err != nil {
					return
				}
				if *g, err = of(); err != nil {
					err = fmt.Errorf("[sides] %s %s: %w", sideKeys[d][side], key, err)
				}
			}
			set("fraction", &to.Mixture, func() (*ghosts.Given, error) { return fractionOf(c, q.Fraction) })
			set("pressure", &to.Pressure, func() (*ghosts.Given, error) { return given(c, q.Pressure) })
			for e := range to.Profile {
				set(velocityKeys[e], &to.Profile[e], func() (*ghosts.Given, error) { return q.component(c, e) })
			}
		}
	}
	return err
}

// component is component d of an inflow's velocity.
func (q *Side) component(c *config.Case, d int) (*ghosts.Given, error) {
	v, err := constant(0), error(nil)
	switch {
	case q.Velocity != nil:
		v = constant(q.Velocity[d])
	case q.Profile[d] != nil:
		v, err = given(c, q.Profile[d])
	}
	if err != nil || q.Factor == nil {
		return v, err
	}
	f, err := given(c, q.Factor)
	if err != nil {
		return nil, fmt.Errorf("factor: %w", err)
	}
	return &ghosts.Given{Steady: v.Steady && f.Steady, At: func(x, y, z, t float64) (float64, error) {
		a, err := v.At(x, y, z, t)
		if err != nil {
			return 0, err
		}
		b, err := f.At(x, y, z, t)
		return a * b, err
	}}, nil
}

func constant(v float64) *ghosts.Given {
	return &ghosts.Given{Steady: true, At: func(_, _, _, _ float64) (float64, error) { return v, nil }}
}

// fractionOf is a volume fraction, which is refused at the first point where it is not one.
func fractionOf(c *config.Case, v *Value) (*ghosts.Given, error) {
	g, err := given(c, v)
	if err != nil {
		return nil, err
	}
	return &ghosts.Given{Steady: g.Steady, At: func(x, y, z, t float64) (float64, error) {
		f, err := g.At(x, y, z, t)
		if err == nil && !(f >= 0 && f <= 1) {
			err = fmt.Errorf("the fraction at (%g, %g, %g) at t = %g s is %g: it must be from 0 to 1", x, y, z, t, f)
		}
		return f, err
	}}, nil
}

// given is a value as a function of position and time.
func given(c *config.Case, v *Value) (*ghosts.Given, error) {
	if !v.isFile() {
		p := v.Field.Program
		return &ghosts.Given{Steady: !p.Mentions("t"), At: func(x, y, z, t float64) (float64, error) {
			return p.Eval(x, y, z, t)
		}}, nil
	}
	rows, err := series.FromCase(c, v.Series)
	if err != nil {
		return nil, err
	}
	return &ghosts.Given{At: func(_, _, _, t float64) (float64, error) { return valueAt(rows, t), nil }}, nil
}

// valueAt is the value of a series at a time: linear between rows, and that after a jump at its time.
func valueAt(rows []series.Row, t float64) float64 {
	k := sort.Search(len(rows), func(k int) bool { return rows[k].T > t })
	switch k {
	case 0:
		return rows[0].Value
	case len(rows):
		return rows[k-1].Value
	}
	a, b := rows[k-1], rows[k]
	return a.Value + (b.Value-a.Value)*((t-a.T)/(b.T-a.T))
}
