package problem

import (
	"fmt"
	"sort"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/twophase"
)

// Side is the condition at a side of the grid, as the case gives it. Values that the case does not give are nil.
type Side struct {
	Kind     string
	Velocity [3]float64 // of a wall, or of an inflow without Profile
	Profile  [3]*Value  // u, v, w of an inflow
	Factor   *Value     // of an inflow's velocity
	Fraction *Value     // of an inflow, or of fluid that enters through an outflow
	Pressure *Value     // of an outflow
	Angle    float64    // contact angle at a wall in degrees
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

// decodeValue reads a value, nil if the case does not have it.
func decodeValue(s *config.Section, key string) *Value {
	_, table := s.Within(key)
	s.Know(key)
	if !s.Has(key) {
		return nil
	}
	if table {
		v := s.Series(key, config.Any)
		if v.Driven {
			s.Fail(key, "a driver can set numbers only in shallow water")
		}
		return &Value{Series: v}
	}
	return &Value{Field: s.Formula(key, s.TimeField(key, config.Required, nil, ""))}
}

// decodeSides reads the sides of axes that are not periodic: a kind, or a table with a kind.
func decodeSides(s *config.Section, g config.Grid) (sides [3][2]Side) {
	for d := range g.Dim {
		for side, key := range sideKeys[d] {
			q := &sides[d][side]
			q.Kind, q.Angle = twophase.Slip, twophase.RightAngle
			switch sub, table := s.Within(key); {
			case g.Periodic[d] && s.Has(key):
				s.Know(key)
				s.Fail(key, "[grid] periodic has this axis: leave out one of them")
			case table:
				*q = decodeSide(sub, d, g.Dim)
			default:
				q.Kind = s.Choice(key, twophase.Slip, twophase.SideKinds...)
				if q.Kind == twophase.Inflow {
					s.Fail(key, `an inflow needs its velocity: { kind = "inflow", velocity = [1, 0] }`)
				}
			}
		}
	}
	s.Finish()
	return sides
}

func decodeSide(s *config.Section, axis, dim int) (q Side) {
	q.Kind = s.Choice("kind", config.Required, twophase.SideKinds...)
	s.Know("velocity")
	if s.Has("velocity") {
		copy(q.Velocity[:], s.Numbers("velocity", dim))
		switch {
		case q.Kind == twophase.NoSlip && q.Velocity[axis] != 0:
			s.Fail("velocity", "a wall moves along itself only: component %d must be 0", axis+1)
		case q.Kind == twophase.Slip || q.Kind == twophase.Outflow:
			s.Fail("velocity", "applies only to kinds no-slip and inflow")
		}
	}
	for d := range dim {
		q.Profile[d] = decodeValue(s, velocityKeys[d])
		switch {
		case q.Profile[d] == nil:
		case q.Kind != twophase.Inflow:
			s.Fail(velocityKeys[d], "applies only to kind inflow")
		case s.Has("velocity"):
			s.Fail(velocityKeys[d], "velocity has this component: leave out one of them")
		}
	}
	if q.Kind == twophase.Inflow && !s.Has("velocity") && q.Profile == [3]*Value{} {
		s.Fail("velocity", "is required for an inflow, or %s", velocityKeys[axis])
	}
	if q.Factor = decodeValue(s, "factor"); q.Factor != nil && q.Kind != twophase.Inflow {
		s.Fail("factor", "applies only to kind inflow")
	}
	if q.Fraction = decodeValue(s, "fraction"); q.Fraction != nil {
		if v, ok := q.Fraction.constant(); ok && (v < 0 || v > 1) {
			s.Fail("fraction", "%g must be from 0 to 1", v)
		}
		if q.Kind != twophase.Inflow && q.Kind != twophase.Outflow {
			s.Fail("fraction", "applies only to kinds inflow and outflow")
		}
	}
	if q.Pressure = decodeValue(s, "pressure"); q.Pressure != nil && q.Kind != twophase.Outflow {
		s.Fail("pressure", "applies only to kind outflow")
	}
	q.Angle = s.Number("contact_angle", config.Bound{Least: twophase.LeastAngle, Most: 180 - twophase.LeastAngle}.
		Or(twophase.RightAngle))
	if s.Has("contact_angle") && q.Kind != twophase.Slip && q.Kind != twophase.NoSlip {
		s.Fail("contact_angle", "applies only to kinds slip and no-slip")
	}
	s.Finish()
	return q
}

// constantSides are the sides with functions that are not to be called: they are in files.
func (w *Sections) constantSides() (sides [3][2]twophase.Side) {
	for d := range sides {
		for side, q := range w.Sides[d] {
			to := &sides[d][side]
			to.Kind, to.Velocity, to.Angle = q.Kind, q.Velocity, q.Angle
			to.Backflow = q.Kind == twophase.Outflow && q.Fraction != nil
			if q.Fraction != nil {
				if v, ok := q.Fraction.constant(); ok {
					to.Fraction = v
				} else {
					to.Mixture = &twophase.Given{}
				}
			}
			if q.Pressure != nil {
				to.Pressure = &twophase.Given{}
			}
			for e := range w.Grid.Dim {
				if q.Profile[e] != nil || q.Factor != nil {
					to.Profile[e] = &twophase.Given{}
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
			set := func(key string, g **twophase.Given, of func() (*twophase.Given, error)) {
				if *g == nil || err != nil {
					return
				}
				if *g, err = of(); err != nil {
					err = fmt.Errorf("[sides] %s %s: %w", sideKeys[d][side], key, err)
				}
			}
			set("fraction", &to.Mixture, func() (*twophase.Given, error) { return fractionOf(c, q.Fraction) })
			set("pressure", &to.Pressure, func() (*twophase.Given, error) { return given(c, q.Pressure) })
			for e := range to.Profile {
				set(velocityKeys[e], &to.Profile[e], func() (*twophase.Given, error) { return q.component(c, e) })
			}
		}
	}
	return err
}

// component is component d of an inflow's velocity.
func (q *Side) component(c *config.Case, d int) (*twophase.Given, error) {
	v, err := constant(q.Velocity[d]), error(nil)
	if q.Profile[d] != nil {
		v, err = given(c, q.Profile[d])
	}
	if err != nil || q.Factor == nil {
		return v, err
	}
	f, err := given(c, q.Factor)
	if err != nil {
		return nil, fmt.Errorf("factor: %w", err)
	}
	return &twophase.Given{Steady: v.Steady && f.Steady, At: func(x, y, z, t float64) (float64, error) {
		a, err := v.At(x, y, z, t)
		if err != nil {
			return 0, err
		}
		b, err := f.At(x, y, z, t)
		return a * b, err
	}}, nil
}

func constant(v float64) *twophase.Given {
	return &twophase.Given{Steady: true, At: func(_, _, _, _ float64) (float64, error) { return v, nil }}
}

// fractionOf is a volume fraction, which is refused at the first point where it is not one.
func fractionOf(c *config.Case, v *Value) (*twophase.Given, error) {
	g, err := given(c, v)
	if err != nil {
		return nil, err
	}
	return &twophase.Given{Steady: g.Steady, At: func(x, y, z, t float64) (float64, error) {
		f, err := g.At(x, y, z, t)
		if err == nil && !(f >= 0 && f <= 1) {
			err = fmt.Errorf("the fraction at (%g, %g, %g) at t = %g s is %g: it must be from 0 to 1", x, y, z, t, f)
		}
		return f, err
	}}, nil
}

// given is a value as a function of position and time.
func given(c *config.Case, v *Value) (*twophase.Given, error) {
	if !v.isFile() {
		p := v.Field.Program
		return &twophase.Given{Steady: !p.Mentions("t"), At: func(x, y, z, t float64) (float64, error) {
			return p.Eval(x, y, z, t)
		}}, nil
	}
	rows, err := series.FromCase(c, v.Series)
	if err != nil {
		return nil, err
	}
	return &twophase.Given{At: func(_, _, _, t float64) (float64, error) { return valueAt(rows, t), nil }}, nil
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

// printSide prints a side as Decode reads it.
func printSide(p *config.Printer, key string, q Side, dim int) {
	table := config.Inline{{"kind", q.Kind}}
	add := func(key string, value any) { table = append(table, config.Inline{{key, value}}...) }
	if q.Kind == twophase.Inflow && q.Profile == [3]*Value{} || q.Velocity != [3]float64{} {
		add("velocity", q.Velocity[:dim])
	}
	for d, key := range [6]string{"u", "v", "w", "factor", "fraction", "pressure"} {
		if v := [6]*Value{q.Profile[0], q.Profile[1], q.Profile[2], q.Factor, q.Fraction, q.Pressure}[d]; v != nil {
			add(key, v.printed())
		}
	}
	if q.Angle != twophase.RightAngle {
		add("contact_angle", q.Angle)
	}
	if len(table) == 1 {
		p.Pair(key, q.Kind)
		return
	}
	p.Pair(key, table)
}
