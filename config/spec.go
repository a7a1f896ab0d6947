package config

import (
	"slices"
	"strings"
)

// Spec declares a key of a section once: its name, type, unit, bounds, default and meaning, and whether it applies. A
// section has a function that calls another with the specs of its keys, which point to its values:
//
//	func (m *Method) keys(key func(*config.Spec)) {
//		key(config.OneWord("advect", &m.Advect, "weno", advections, "scheme of advection"))
//		key(config.Real("cfl", "", &m.CFL, config.Share.Or(m.usualCFL()), "CFL number of a step"))
//	}
//
// Called with Section.Read it decodes the keys, one after the other, so that a declaration may depend on the keys
// before it; called with Printer.Print it writes them in the effective case. The schema and the tables of the manual
// follow from what is read.
type Spec struct {
	Key
	read   func(s *Section)
	value  func() any
	unset  func() bool           // whether the value is the default
	quiet  bool                  // the default is not printed
	absent bool                  // the case does not have the key
	needs  string                // why the key has no effect; "" if it has
	within func(key func(*Spec)) // declares the keys of a table that may be the value; nil if none may
	checks []func(s *Section)    // called after the key has been read
}

// IfSet makes the effective case leave out the default.
func (s *Spec) IfSet() *Spec {
	s.quiet = true
	return s
}

// If declares that a case has the key only if a condition holds; otherwise the key is unknown.
func (s *Spec) If(condition bool) *Spec {
	s.absent = !condition
	return s
}

// When declares that the key has an effect only if a condition holds, which follows from other keys. Otherwise a case
// that gives it is refused with a text that says what it needs, it is not printed, and its value is the default.
func (s *Spec) When(applies bool, needs string) *Spec {
	if !applies && s.needs == "" {
		s.needs = needs
	}
	return s
}

// Otherwise is the text of the manual for a default that is not a value, or depends on other keys.
func (s *Spec) Otherwise(text string) *Spec {
	s.Key.Default = text
	return s
}

// Check makes Section.Read call a function after it has read the key, whether the case has it or not.
func (s *Spec) Check(check func(s *Section)) *Spec {
	s.checks = append(s.checks, check)
	return s
}

// Within declares the keys of a table that may be the value: see Section.Table, which reads it.
func (s *Spec) Within(keys func(key func(*Spec))) *Spec {
	s.within, s.Table = keys, true
	return s
}

// Range is the text of the manual for the bounds, instead of those of the spec.
func (s *Spec) Range(text string) *Spec {
	s.Key.Range = text
	return s
}

// newSpec returns the spec of a key whose value v points to.
func newSpec[T comparable](k Key, v *T, fallback T, optional bool, read func(s *Section) T) *Spec {
	if optional && k.Default == "" {
		if k.Default = strings.Trim(printValue(any(fallback)), `"`); k.Kind == OneOf && k.Default != "" {
			k.Default = "`" + k.Default + "`"
		}
	}
	k.Required = !optional
	return &Spec{Key: k, read: func(s *Section) { *v = read(s) }, value: func() any { return *v },
		unset: func() bool {
			return optional && (*v == fallback || *v != *v && fallback != fallback) // NaN stands for no value
		}}
}

// Real declares a number within a bound, in a unit ("" for none).
func Real(name, unit string, v *float64, b Bound, doc string) *Spec {
	k := Key{Name: name, Unit: unit, Kind: Number, Bound: b, Doc: doc}
	return newSpec(k, v, b.Fallback, b.Optional, func(s *Section) float64 { return s.Number(name, b) })
}

// Whole declares an integer between least and most; Needed as fallback means that it is required.
func Whole[T int | uint64 | float64](name string, v *T, fallback, least, most int64, doc string) *Spec {
	k := Key{Name: name, Kind: Integer, Bound: Bound{Least: float64(least), Most: float64(most)}, Doc: doc}
	return newSpec(k, v, T(max(fallback, 0)), fallback != Needed, func(s *Section) T {
		return T(s.Integer(name, fallback, least, most))
	})
}

// Flag declares true or false.
func Flag(name string, v *bool, fallback bool, doc string) *Spec {
	return newSpec(Key{Name: name, Kind: YesOrNo, Doc: doc}, v, fallback, true, func(s *Section) bool {
		return s.Boolean(name, fallback)
	})
}

// OneWord declares one of some options.
func OneWord(name string, v *string, fallback string, options []string, doc string) *Spec {
	k := Key{Name: name, Kind: OneOf, Options: options, Doc: doc}
	return newSpec(k, v, fallback, fallback != Required, func(s *Section) string {
		return s.Choice(name, fallback, options...)
	})
}

// Precision declares the key precision: float32 or float64.
func Precision(v *string, doc string) *Spec {
	return OneWord("precision", v, "float64", []string{"float32", "float64"}, doc)
}

// Words declares a list of different options.
func Words(name string, v *[]string, fallback, options []string, doc string) *Spec {
	return &Spec{Key: Key{Name: name, Kind: SomeOf, Options: options, Doc: doc, Default: strings.Join(fallback, " ")},
		read: func(s *Section) { *v = s.Choices(name, fallback, options...) }, value: func() any { return *v },
		unset: func() bool { return slices.Equal(*v, fallback) }}
}

// FileName declares a required name that names files, too: see NamesFile.
func FileName(name string, v *string, doc string) *Spec {
	return Special(Key{Name: name, Kind: Text, Doc: doc, Required: true},
		func(s *Section) { *v = s.Name(name, Required) }, func() any { return *v })
}

// Phrase declares a text; Required as fallback means that it has no default.
func Phrase(name string, v *string, fallback, doc string) *Spec {
	return newSpec(Key{Name: name, Kind: Text, Doc: doc}, v, strings.TrimPrefix(fallback, Required), fallback != Required,
		func(s *Section) string { return s.Text(name, fallback) })
}

// List declares a list of count numbers within a bound. The default of a bound is that of each of them; if it is NaN, v
// is nil in a case without the key.
func List(name, unit string, v *[]float64, count int, b Bound, doc string) *Spec {
	return listOf(Key{Name: name, Unit: unit, Kind: Numbers, Count: count, Bound: b, Doc: doc}, v)
}

// ListOrNumber is a List that may be given by one number, which stands for each.
func ListOrNumber(name, unit string, v *[]float64, count int, b Bound, doc string) *Spec {
	return listOf(Key{Name: name, Unit: unit, Kind: NumberOrNumbers, Count: count, Bound: b, Doc: doc}, v)
}

func listOf(k Key, v *[]float64) *Spec {
	b := k.Bound
	k.Required = !b.Optional
	var fallback []float64
	if b.Optional && b.Fallback == b.Fallback {
		fallback = slices.Repeat([]float64{b.Fallback}, k.Count)
		k.Default = printValue(b.Fallback)
	}
	return &Spec{Key: k, read: func(s *Section) {
		if *v = fallback; !b.Optional || s.Has(k.Name) {
			*v = s.numbersWithin(k)
		}
	}, value: func() any { return *v }, quiet: fallback == nil && b.Optional, unset: func() bool {
		return *v == nil || slices.Equal(*v, fallback)
	}}
}

// Files declares the names of one or several files, a text or a list of texts; nil stands for a case without it.
func Files(name string, v *[]string, doc string) *Spec {
	return Special(Key{Name: name, Kind: TextOrTexts, Doc: doc}, func(s *Section) {
		if s.Has(name) {
			*v = s.Texts(name)
		}
	}, func() any {
		switch len(*v) {
		case 0:
			return nil
		case 1:
			return (*v)[0]
		}
		return *v
	})
}

// FieldOf declares a field that functions read, by Section.Field, and return: see Special.
func FieldOf(k Key, read func(s *Section), value func() any) *Spec {
	k.Kind = Expression
	return Special(k, read, value).Within((&Field{}).keys)
}

// Formula declares a field that is a number or an expression over the position. With Required as fallback it has no
// default.
func Formula(name, unit string, v *Field, fallback, doc string) *Spec {
	k := Key{Name: name, Unit: unit, Kind: Expression, Doc: doc, Default: strings.TrimPrefix(fallback, Required),
		Required: fallback == Required}
	return Special(k, func(s *Section) { *v = s.Expression(name, fallback) }, func() any { return *v })
}

// OptionalField declares a field that does not depend on t; nil stands for a case without it.
func OptionalField(name, unit string, v **Field, doc string) *Spec {
	return optional(Key{Name: name, Unit: unit, Kind: Expression, Doc: doc}, v, func(s *Section) Field {
		return s.Field(name, Required, nil, "")
	}).Within((&Field{}).keys)
}

// OptionalSeries declares a number that may depend on t, and is within a bound if it does not; nil stands for a case
// without it.
func OptionalSeries(name, unit string, v **Series, b Bound, doc string) *Spec {
	return optional(Key{Name: name, Unit: unit, Kind: Expression, Doc: doc}, v, func(s *Section) Series {
		return s.Series(name, b)
	}).Within((&Series{Unit: unit, bound: b}).allKeys)
}

// OverTime declares a number that may depend on t, and is within a bound if it does not. With Required as fallback it
// has no default.
func OverTime(name, unit string, v *Series, fallback string, b Bound, doc string) *Spec {
	k := Key{Name: name, Unit: unit, Kind: Expression, Doc: doc, Default: strings.TrimPrefix(fallback, Required),
		Required: fallback == Required}
	return Special(k, func(s *Section) {
		if *v = (Series{Expr: k.Default}); k.Required || s.Has(name) {
			*v = s.Series(name, b)
		}
	}, func() any { return *v }).Within((&Series{Unit: unit, bound: b}).allKeys)
}

// OptionalReal declares a number within a bound; nil stands for a case without it.
func OptionalReal(name, unit string, v **float64, b Bound, doc string) *Spec {
	return optional(Key{Name: name, Unit: unit, Kind: Number, Bound: b, Doc: doc}, v, func(s *Section) float64 {
		return s.Number(name, b)
	})
}

// OptionalTable declares a table with keys of its own; nil stands for a case without it. A value that is none is
// refused with the text example.
func OptionalTable[T any](name string, v **T, keys func(t *T, key func(*Spec)), example, doc string) *Spec {
	within := func(key func(*Spec)) {
		t := *v
		if t == nil {
			t = new(T)
		}
		keys(t, key)
	}
	return Special(Key{Name: name, Kind: OnlyTable, Doc: doc}, func(s *Section) {
		if !s.Has(name) {
			return
		}
		*v = new(T)
		if !s.Table(name, within) {
			s.Fail(name, "must be a table: %s", example)
		}
	}, func() any {
		if *v == nil {
			return nil
		}
		return InlineOf(within)
	}).Within(within)
}

func optional[T any](k Key, v **T, read func(s *Section) T) *Spec {
	return Special(k, func(s *Section) {
		if s.Has(k.Name) {
			given := read(s)
			*v = &given
		}
	}, func() any {
		if *v == nil {
			return nil
		}
		return **v
	})
}

// Special declares a key that functions read and return. A nil value is not printed. A key without read is read with
// another one, and one without value is printed otherwise.
func Special(k Key, read func(s *Section), value func() any) *Spec {
	if read == nil {
		read = func(*Section) {}
	}
	if value == nil {
		value = func() any { return nil }
	}
	return &Spec{Key: k, read: read, value: value, quiet: true, unset: func() bool { return value() == nil }}
}

// given returns a value if a condition holds, otherwise nil: see Special.
func given(condition bool, value any) any {
	if !condition {
		return nil
	}
	return value
}

// Read reads a key of the section into the value to which its spec points.
func (s *Section) Read(k *Spec) {
	if s.Declare(k); k.Unit != "" {
		if s.units == nil {
			s.units = map[string]string{}
		}
		s.units[k.Name] = k.Unit
	}
	switch {
	case k.absent:
		return
	case k.needs != "" && s.Has(k.Name):
		s.Fail(k.Name, "%s", k.needs)
		return
	case k.needs != "" && k.Required:
		return
	}
	k.read(s)
	for _, check := range k.checks {
		check(s)
	}
}

// Declare declares a key, and those of tables that may be its value, without reading it.
func (s *Section) Declare(k *Spec) {
	if k.absent {
		return
	}
	s.know(k.Name)
	s.declare(k.Key)
	if k.within != nil {
		k.within((&Section{decoder: s.decoder, path: s.path + k.Name + "\x00", inner: true}).Declare)
	}
}

// Fill reads the section of a name by the declarations of its keys, and refuses other keys.
func (s *Section) Fill(name string, keys func(key func(*Spec))) *Section {
	sub := s.Sub(name)
	keys(sub.Read)
	sub.Finish()
	return sub
}

// Table reads the table that is the value of a key by the declarations of its keys, and refuses other keys. It reports
// whether the value is a table.
func (s *Section) Table(name string, keys func(key func(*Spec))) bool {
	sub, ok := s.Within(name)
	if ok {
		keys(sub.Read)
		sub.Finish()
	}
	return ok
}

func (k *Spec) isPrinted() bool { return !k.absent && k.needs == "" && !(k.quiet && k.unset()) }

// Print writes a key with its value, if it applies.
func (p *Printer) Print(k *Spec) {
	if k.isPrinted() {
		p.Pair(k.Name, k.value())
	}
}

// InlineOf returns the table of the keys that a function declares, as the effective case has it.
func InlineOf(keys func(key func(*Spec))) (table Inline) {
	keys(func(k *Spec) {
		if k.isPrinted() {
			table = append(table, Inline{{k.Name, k.value()}}...)
		}
	})
	return table
}
