package shallow

import (
	"slices"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// prescribed is the name of a prescribed number, as drivers call it, and its unit.
type prescribed struct{ name, unit string }

// driven is a prescribed number that a driver sets. No series determines it, so that its elements of Prescribed and
// Ahead stay what they are: the second is the largest value that it may be set to, for which steps are always short
// enough, since a limit of steps must not depend on what the driver does later.
type driven struct {
	prescribed
	slot               int32
	row                int // of the series that integrates it, which has one row; -1 for none
	use                use
	value, least, most float64
}

// addDriven adds a number that a driver sets.
func (o *outlets[F]) addDriven(p prescribed, rows []series.Row, u use) (slot int32, ok bool) {
	value, least, most, ok := series.AsDriven(rows)
	if !ok {
		return 0, false
	}
	slot = o.addConstant(value, u)
	o.boundary.Ahead[slot] = F(o.rounded(most, u))
	o.driven = append(o.driven, driven{p, slot, -1, u, value, least, most})
	return slot, true
}

// integrate adds a series that integrates the driven number that was added last, and changes nothing else.
func (o *outlets[F]) integrate() {
	last := &o.driven[len(o.driven)-1]
	last.row = len(o.rows)
	o.addSeries(o.addConstant(last.value, last.use), series.Constant(last.value), last.use)
}

// inputs are what a driver can set.
type inputs[F num.Float] struct {
	list []driven
	put  func(d *driven) error // brings a value to the device
}

// all returns the inputs for drivers.
func (s *inputs[F]) all() (list []solvers.Input) {
	for k := range s.list {
		d := &s.list[k]
		list = append(list, solvers.Input{Name: d.name, Unit: d.unit, Doc: "set by the driver of the run", Least: d.least,
			Most: d.most, Get: func() float64 { return d.value }, Set: func(value float64) error {
				d.value = value
				return s.put(d)
			}})
	}
	return list
}

// saved are the values, which checkpoints have.
func (s *inputs[F]) saved() (list []engine.Scalar) {
	for k := range s.list {
		list = append(list, engine.SavesNumber("driven_"+s.list[k].name, &s.list[k].value))
	}
	return list
}

// restore brings all values to the device.
func (s *inputs[F]) restore() error {
	for k := range s.list {
		if err := s.put(&s.list[k]); err != nil {
			return err
		}
	}
	return nil
}

// newInputs returns what drivers can set.
func (s *solver[F]) newInputs(o *outlets[F]) inputs[F] {
	list := slices.Clone(o.driven)
	rounded := o.rounded
	return inputs[F]{list: list, put: func(d *driven) error {
		to := s.boundary.Prescribed[d.slot : d.slot+1]
		if err := backend.Upload(s.dev, to, []F{F(rounded(d.value, d.use))}); err != nil {
			return err
		}
		if err := s.forgetDry(); err != nil {
			return err
		}
		if d.row < 0 {
			return nil
		}
		return backend.Upload(s.dev, s.rows[d.row:d.row+1], []kernels.Row{{Value: d.value}})
	}}
}
