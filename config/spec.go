package config

import (
	"slices"
	"strings"
)

// Spec declares a key of a section once: its name, type, unit, bounds, default and meaning. A section lists the specs
// of a value of its type, whose fields they point to; from the list follow decoding (Section.Read), printing of the
// effective case (Printer.Specs), and the schema.
type Spec struct {
	Key
	read   func(s *Section)
	value  func() any
	unset  func() bool // whether the value is the default
	quiet  bool        // the default is not printed
	absent bool        // the case does not have the key
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

// Otherwise is the text of the manual for a default that is not a value, such as a name of the case.
func (s *Spec) Otherwise(text string) *Spec {
	s.Key.Default = text
	return s
}

// newSpec returns the spec of a key whose value v points to.
func newSpec[T comparable](k Key, v *T, fallback T, optional bool, read func(s *Section) T) *Spec {
	if optional && k.Default == "" {
		k.Default = strings.Trim(printValue(any(fallback)), `"`)
	}
	k.Required = !optional
	return &Spec{Key: k, read: func(s *Section) { *v = read(s) }, value: func() any { return *v },
		unset: func() bool { return optional && *v == fallback }}
}

// Real declares a number within a bound, in a unit ("" for none).
func Real(name, unit string, v *float64, b Bound, doc string) *Spec {
	k := Key{Name: name, Unit: unit, Kind: Number, Bound: b, Doc: doc}
	return newSpec(k, v, b.Fallback, b.Optional, func(s *Section) float64 { return s.Number(name, b) })
}

// Whole declares an integer between least and most; Needed as fallback means that it is required.
func Whole(name string, v *int, fallback, least, most int64, doc string) *Spec {
	k := Key{Name: name, Kind: Integer, Bound: Bound{Least: float64(least), Most: float64(most)}, Doc: doc}
	return newSpec(k, v, int(max(fallback, 0)), fallback != Needed, func(s *Section) int {
		return int(s.Integer(name, fallback, least, most))
	})
}

// Flag declares true or false; false is the default.
func Flag(name string, v *bool, doc string) *Spec {
	return newSpec(Key{Name: name, Kind: YesOrNo, Doc: doc}, v, false, true, func(s *Section) bool {
		return s.Boolean(name, false)
	})
}

// OneWord declares one of some options.
func OneWord(name string, v *string, fallback string, options []string, doc string) *Spec {
	k := Key{Name: name, Kind: OneOf, Options: options, Doc: doc}
	return newSpec(k, v, fallback, true, func(s *Section) string { return s.Choice(name, fallback, options...) })
}

// Words declares a list of different options.
func Words(name string, v *[]string, fallback, options []string, doc string) *Spec {
	return &Spec{Key: Key{Name: name, Kind: SomeOf, Options: options, Doc: doc, Default: strings.Join(fallback, " ")},
		read: func(s *Section) { *v = s.Choices(name, fallback, options...) }, value: func() any { return *v },
		unset: func() bool { return slices.Equal(*v, fallback) }}
}

// Phrase declares a text; Required as fallback means that it has no default.
func Phrase(name string, v *string, fallback, doc string) *Spec {
	return newSpec(Key{Name: name, Kind: Text, Doc: doc}, v, strings.TrimPrefix(fallback, Required), fallback != Required,
		func(s *Section) string { return s.Text(name, fallback) })
}

// Read reads the keys of the section into the values to which the specs point.
func (s *Section) Read(specs ...*Spec) {
	units := map[string]string{}
	for _, k := range specs {
		if k.Unit != "" {
			units[k.Name] = k.Unit
		}
	}
	s.Units(units)
	for _, k := range specs {
		if !k.absent {
			s.declare(k.Key)
			k.read(s)
		}
	}
}

// Specs writes the keys with their values.
func (p *Printer) Specs(specs ...*Spec) {
	for _, k := range specs {
		if !k.absent && !(k.quiet && k.unset()) {
			p.Pair(k.Name, k.value())
		}
	}
}
