package config

import (
	"slices"
	"strings"
)

// Key is a key of a case file for which a decoder has asked.
type Key struct {
	Path    string // of its section, such as "method", and "" at the top; of an array of tables, and of tables in tables
	Name    string
	Kind    KeyKind
	Options []string // of OneOf and SomeOf
	Bound   Bound    // of Integer and Number
	Unit    string   // "" for none
}

// String returns the key as an override names it.
func (k Key) String() string { return strings.TrimPrefix(k.Path+"."+k.Name, ".") }

// KeyKind is the kind of values that a key accepts.
type KeyKind int

const (
	OtherKind KeyKind = iota // a text, an expression, a list of numbers or a table
	OneOf                    // one of the options
	SomeOf                   // a list of options
	YesOrNo                  // true or false
	Integer
	Number
)

// declare records that the decoder has asked for a key of the section.
func (s *Section) declare(k Key) {
	k.Path = strings.ReplaceAll(strings.TrimSuffix(s.path, "\x00"), "\x00", ".")
	k.Unit = s.units[k.Name]
	same := func(other Key) bool { return other.Path == k.Path && other.Name == k.Name }
	if n := slices.IndexFunc(s.declared, same); n < 0 {
		s.declared = append(s.declared, k)
	} else if k.Kind != OtherKind {
		s.declared[n] = k
	}
}

// Declared returns the keys for which the decoders ask in a case, which may depend on the values of others, in the
// order in which they ask. The case need not be valid.
func Declared(data []byte, sets []string, solvers map[string]Decoder) ([]Key, error) {
	d, err := newDecoder("case.toml", data, sets)
	if err != nil {
		return nil, err
	}
	decodeCase(d, "case.toml", solvers)
	return d.declared, nil
}
