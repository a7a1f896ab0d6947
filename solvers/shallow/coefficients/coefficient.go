// Package coefficients has the quantities with a value per cell, constant in time, that act on shallow water:
// roughness, the Coriolis parameter, what the ground takes. Each is declared once, in list. From its declaration follow
// its key in a case, with the unit and bounds, its values in the cells of a rank, the array that kernels read, and its
// memory.
package coefficients

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/sphere"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// Coefficient declares a quantity that a case gives by a field: a number, an expression, a raster, data of the mesh, or
// a table of classes.
type Coefficient struct {
	Section  string       // that has the key; "" for forcing
	Table    string       // of the section, that has the key; "" for none
	Key      string       // in the case: also the name of the coefficient
	Unit     string       // in the case, and in Values unless Key says otherwise
	Doc      string       // for the manual
	Default  string       // for the manual; "" for none, config.Required if there must be a value
	Always   bool         // a case without the key has the field Default, which stands for none
	Bound    config.Bound // of the value in each cell
	OneLayer bool         // it is for one layer of water
	Needs    []string     // keys of the section, of which the case must have one; nil for none
	Effect   Effect
	Ghosts   bool // kernels read it in ghosts too
	OfMesh   bool // it follows from the mesh, and is no key of a case

	least string // the coefficient that it must not be below; "" for none
	over  string // the coefficient that must be positive where this is given; "" for none

	gives   string                  // the coefficient that its values stand for, after convert; "" for itself
	convert func(v float64) float64 // nil for none
	array   array                   // that kernels read; without one, others are computed from its values
}

// Effect is what a coefficient does to the water by itself.
type Effect int

const (
	Modifies Effect = iota // what else acts or flows
	Acts                   // on the water, in the kernels' Forcing
	Drains                 // takes water, of which the cells keep account
)

// Fields are the fields of a case, Given tells which coefficients there are, and Values are their values in all cells
// of a part, ghosts included; by key. One that is absent has none.
type (
	Fields map[string]*config.Field
	Given  map[string]bool
	Values map[string][]float64
)

// All are the coefficients, without arrays of a run.
var All = list(Arrays[float64]{new([]float64), new(kernels.Forcing[float64]), new(kernels.Uplift[float64])})

// Keys declares the keys of a section, or of a table in it ("" for the section itself), which are read to f. has
// reports whether the case has another key of the section.
func (f Fields) Keys(section, table string, layers int, has func(key string) bool, key func(*config.Spec)) {
	for _, k := range All {
		if k.section() != section || k.Table != table || k.OfMesh {
			continue
		}
		s := f.spec(k)
		if k.OneLayer {
			s.When(layers == 1, "is for one layer: fresh water on two layers would need its own density")
		}
		if k.Needs != nil {
			s.When(slices.ContainsFunc(k.Needs, func(key string) bool { return f[key] != nil || has(key) }),
				"needs "+k.Needs[0]+" too")
		}
		key(s)
	}
}

// spec returns the spec of a key.
func (f Fields) spec(k Coefficient) *config.Spec {
	required, fallback := k.Default == config.Required, config.Required
	if k.Always {
		fallback = k.Default
	}
	return config.FieldOf(config.Key{Name: k.Key, Unit: k.Unit, Bound: k.Bound, Doc: k.Doc, Required: required,
		Default: strings.TrimPrefix(k.Default, config.Required)}, func(s *config.Section) {
		if !s.Has(k.Key) && !required && !k.Always {
			return
		}
		field := s.Field(k.Key, fallback, nil, "")
		f[k.Key] = &field
		if v, ok := field.Program.Constant(); ok && !k.Bound.Accepts(v) {
			s.Fail(k.Key, "%v must be %v", v, k.Bound)
		}
		if f[k.gives] != nil {
			s.Fail(k.Key, "cannot be combined with %s, which gives the same parameter", k.gives)
		}
	}, func() any {
		if f[k.Key] == nil {
			return nil
		}
		return *f[k.Key]
	})
}

func (k *Coefficient) section() string { return cmp.Or(k.Section, "forcing") }

// name returns the key of the coefficient for which the values of a field stand.
func (k *Coefficient) name() string { return cmp.Or(k.gives, k.Key) }

// given reports whether fields give a coefficient.
func (k *Coefficient) given(f Fields) bool {
	return f[k.Key] != nil && !(k.Always && f[k.Key].Expr == k.Default)
}

// List returns the fields that are given.
func (f Fields) List() (list []config.Field) {
	for _, k := range All {
		if f[k.Key] != nil {
			list = append(list, *f[k.Key])
		}
	}
	return list
}

// Given tells which coefficients the fields give.
func (f Fields) Given() Given {
	given := Given{}
	for _, k := range All {
		given[k.name()] = given[k.name()] || k.given(f)
	}
	return given
}

// Given tells which coefficients have values.
func (v Values) Given() Given {
	given := Given{}
	for key, list := range v {
		given[key] = list != nil
	}
	return given
}

// Has reports whether there is a coefficient with an effect.
func (g Given) Has(e Effect) bool {
	return slices.ContainsFunc(All, func(k Coefficient) bool { return k.Effect == e && g[k.Key] })
}

// Evaluate returns the values in the cells of a part, and adds what it finds in files of fields to markers. A value out
// of bounds is an error that names the cell.
func (f Fields) Evaluate(ctx context.Context, c *config.Case, part *mesh.Part, markers *domain.Markers) (Values,
	error) {
	values := Values{}
	for _, k := range All {
		if !k.given(f) {
			continue
		}
		fields, err := domain.Evaluate(ctx, c, []config.Field{*f[k.Key]}, part, markers)
		if err != nil {
			return nil, fmt.Errorf("[%s] %w", k.section(), err)
		}
		list := fields[k.Key]
		for cell, v := range list {
			if !k.Bound.Accepts(v) {
				x, y := part.Centroid(cell)
				return nil, fmt.Errorf("[%s] %s at cell %d at (%g, %g) is %g: it must be %v", k.section(), k.Key,
					part.Global[cell], x, y, v, k.Bound)
			}
			if k.convert != nil {
				list[cell] = k.convert(v)
			}
		}
		values[k.name()] = list
	}
	return values, values.compare(part)
}

// compare compares coefficients in the cells of a part with those that bound them.
func (v Values) compare(part *mesh.Part) error {
	for _, k := range All {
		list, least, over := v[k.Key], v[k.least], v[k.over]
		for i, value := range list {
			problem := ""
			switch {
			case least != nil && value < least[i]:
				problem = fmt.Sprintf("is below %s, %g", k.least, least[i])
			case k.over != "" && (over == nil || over[i] <= 0):
				problem = fmt.Sprintf("needs a positive %s there too", k.over)
			default:
				continue
			}
			x, y := part.Centroid(i)
			return fmt.Errorf("[%s] %s at cell %d at (%g, %g), %g, %s", k.section(), k.Key, part.Global[i], x, y, value,
				problem)
		}
	}
	return nil
}

// OfMesh returns the values with those that follow from the mesh of a part.
func (v Values) OfMesh(part *mesh.Part) Values {
	if !part.Geographic {
		return v
	}
	all := maps.Clone(v)
	if all == nil {
		all = Values{}
	}
	all[Curvature] = make([]float64, len(part.Cells))
	for i := range part.Cells {
		_, latitude := part.Centroid(i)
		all[Curvature][i] = sphere.Curvature(latitude)
	}
	return all
}

// Check refuses values of what is no coefficient, and lists whose length is not the number of cells of a part.
func (v Values) Check(cells int) error {
	for key, list := range v {
		if !slices.ContainsFunc(All, func(k Coefficient) bool { return k.name() == key }) {
			return fmt.Errorf("coefficient %q is not known", key)
		}
		if list != nil && len(list) != cells {
			return fmt.Errorf("coefficient %s has %d values for %d cells", key, len(list), cells)
		}
	}
	return nil
}
