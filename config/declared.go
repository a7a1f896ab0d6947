package config

import (
	"cmp"
	"strings"
)

// Key is a key of a case file for which a decoder has asked.
type Key struct {
	Path    string // of its section, such as "method", and "" at the top; of an array of tables, and of tables in tables
	Name    string
	Kind    KeyKind
	Options []string // of OneOf and SomeOf
	Bound   Bound    // of Integer and Number
	Count   int      // of Numbers
	Unit    string   // "" for none
	Table   bool     // a table is accepted, too
	Inner   bool     // in a table that is the value of a key

	// Doc, Default and Range are of keys that a Spec declares: what the key means, its default, and bounds other than
	// Bound, in Markdown.
	Doc, Default, Range string
	Required            bool
}

// String returns the key as an override names it.
func (k Key) String() string { return strings.TrimPrefix(k.Path+"."+k.Name, ".") }

// KeyKind is the kind of values that a key accepts.
type KeyKind int

const (
	OtherKind KeyKind = iota // any value: what it may be depends on others
	OneOf                    // one of the options
	SomeOf                   // a list of options
	YesOrNo                  // true or false
	Integer
	Number
	Text
	TextOrTexts     // a text or a list of texts
	Numbers         // a list of Count numbers
	NumberOrNumbers // one number, or a list of Count numbers
	Expression      // a number or an expression
	OnlyTable       // a table
)

// declare records that the decoder has asked for a key of the section.
func (s *Section) declare(k Key) {
	k.Path = strings.ReplaceAll(strings.TrimSuffix(s.path, "\x00"), "\x00", ".")
	k.Unit = cmp.Or(k.Unit, s.units[k.Name])
	k.Inner = s.inner
	n, found := s.places[s.path+k.Name]
	if !found {
		s.places[s.path+k.Name] = len(s.declared)
		s.declared = append(s.declared, k)
		return
	}
	known := s.declared[n]
	k.Table, known.Table = k.Table || known.Table, k.Table || known.Table
	switch isSpec := k.Doc == "" && known.Doc != ""; {
	case k.Kind == OtherKind || isSpec && known.Kind != OtherKind:
		k = known
	case isSpec:
		k.Doc, k.Default, k.Range, k.Required = known.Doc, known.Default, known.Range, known.Required
	}
	s.declared[n] = k
}

// DeclaredSection is a section of a case file for which a decoder has asked.
type DeclaredSection struct {
	Name  string
	List  bool // [[name]]
	Open  bool // its keys are names that the case chooses
	Given bool // the case has it
}

// Declared returns the keys and sections for which the decoders ask in a case, which may depend on other values, in the
// order in which they ask. The case need not be valid.
func Declared(data []byte, sets []string, solvers map[string]Decoder) ([]Key, []DeclaredSection, error) {
	d, err := newDecoder("case.toml", data, sets)
	if err != nil {
		return nil, nil, err
	}
	decodeCase(d, "case.toml", solvers)
	for k := range d.sections {
		_, d.sections[k].Given = d.root[d.sections[k].Name]
	}
	return d.declared, d.sections, nil
}
