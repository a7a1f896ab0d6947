package config

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/config/literal"
	"github.com/atoll-hpc/atoll/config/paths"
	"github.com/atoll-hpc/atoll/internal/words"
)

// Section gives typed access to a table. Each getter records a problem for a value of the wrong type or range, and
// marks its key as known; Finish refuses the other keys.
type Section struct {
	*decoder
	path, title string
	values      map[string]any
	known       []string
	units       map[string]string // of keys
	inner       bool              // a table that is the value of a key
}

// Required, given as the fallback of a key, means that the key has no default and must be in the file. Needed means
// this for integers.
const (
	Required = "\x00"
	Needed   = math.MinInt64
)

// Sub returns the table of a key, empty if the key is not given.
func (s *Section) Sub(key string) *Section {
	if s.know(key) && s.path == "" {
		s.sections = append(s.sections, DeclaredSection{Name: key})
	}
	sub := &Section{decoder: s.decoder, path: s.path + key + "\x00", title: "[" + key + "]"}
	v, ok := s.values[key]
	if sub.values, _ = v.(map[string]any); ok && sub.values == nil {
		s.Fail(key, "is %s; a table is needed: [%s]", kind(v), key)
	}
	return sub
}

// Subs returns the tables of an array of tables.
func (s *Section) Subs(key string) []*Section {
	if s.know(key) && s.path == "" {
		s.sections = append(s.sections, DeclaredSection{Name: key, List: true})
	}
	v, ok := s.values[key]
	list, isList := v.([]any)
	if ok && !isList {
		s.Fail(key, "is %s; write [[%s]]", kind(v), key)
	}
	var subs []*Section
	for i, v := range list {
		values, ok := v.(map[string]any)
		if !ok {
			s.Fail(key, "holds %s; write [[%s]]", kind(v), key)
			continue
		}
		path := s.path + key + "\x00" + strconv.Itoa(i) + "\x00"
		subs = append(subs, &Section{decoder: s.decoder, path: path, title: "[[" + key + "]]", values: values})
	}
	return subs
}

// Within returns the table that is the value of a key; ok reports whether it is one.
func (s *Section) Within(key string) (sub *Section, ok bool) {
	s.declare(Key{Name: key, Table: true})
	values, ok := s.values[key].(map[string]any)
	if !ok {
		return nil, false
	}
	s.Know(key)
	title := s.title + " " + literal.Key(key)
	return &Section{decoder: s.decoder, path: s.path + key + "\x00", title: title, values: values, inner: true}, true
}

// Open declares that the keys of a section are names that the case chooses, such as groups of the mesh. The spec, of
// name "*", declares their values.
func (s *Section) Open(k *Spec) {
	s.Declare(k)
	for k := range s.sections {
		if s.sections[k].Name+"\x00" == s.path {
			s.sections[k].Open = true
		}
	}
}

// Know marks keys as known.
func (s *Section) Know(keys ...string) {
	for _, key := range keys {
		if s.know(key) {
			s.declare(Key{Name: key})
		}
	}
}

// know marks a key or a section as known, and reports whether it was not.
func (s *Section) know(key string) bool {
	if slices.Contains(s.known, key) {
		return false
	}
	s.known = append(s.known, key)
	return true
}

// Has reports whether the file has a key.
func (s *Section) Has(key string) bool { _, ok := s.values[key]; return ok }

// IsText reports whether the value of a key is a string.
func (s *Section) IsText(key string) bool { _, ok := s.values[key].(string); return ok }

// IsTable reports whether the value of a key is a table.
func (s *Section) IsTable(key string) bool { _, ok := s.values[key].(map[string]any); return ok }

// Keys returns the keys of the section in the file, sorted.
func (s *Section) Keys() []string { return slices.Sorted(maps.Keys(s.values)) }

// Fail records a problem with a key, or with the section itself if the key is "".
func (s *Section) Fail(key, format string, args ...any) {
	title, path := s.title, s.path
	if key != "" {
		path += key + "\x00"
		separator := " "
		if title == "" {
			separator = ""
		} else if !strings.HasSuffix(title, "]") { // a table that is the value of a key
			separator = "."
		}
		title += separator + literal.Key(key)
	}
	s.decoder.fail(path, title, format, args...)
}

// get returns the value of a key. It records a problem if the key is required and missing.
func (s *Section) get(key string, required bool) (v any, ok bool) {
	s.Know(key)
	v, ok = s.values[key]
	if !ok && required {
		s.Fail(key, "is required")
	}
	return v, ok
}

func (s *Section) wrong(key string, v any, want string) {
	s.Fail(key, "is %s; %s is needed", kind(v), want)
}

// Text returns a string.
func (s *Section) Text(key, fallback string) string {
	v, ok := s.get(key, fallback == Required)
	s.declare(Key{Name: key, Kind: Text})
	if !ok {
		return strings.TrimPrefix(fallback, Required)
	}
	text, ok := v.(string)
	if !ok {
		s.wrong(key, v, "a string")
	}
	s.checkPath(key, text)
	return text
}

// checkPath refuses a path that cannot be meant.
func (s *Section) checkPath(key, text string) {
	if problem := paths.Problem(key, text, filepath.Dir(s.file)); problem != "" {
		s.Fail(key, "%s", problem)
	}
}

// Name returns a text that can be a file name: see NamesFile.
func (s *Section) Name(key, fallback string) string {
	name := s.Text(key, fallback)
	bad := !NamesFile(name)
	if _, isText := s.values[key].(string); bad && (isText || !s.Has(key) && fallback != Required) {
		s.Fail(key, "%q cannot name files; use up to 100 letters, digits, -, _, and inner dots and spaces", name)
	}
	return name
}

// Choice returns one of the options.
func (s *Section) Choice(key, fallback string, options ...string) string {
	v := s.Text(key, fallback)
	s.declare(Key{Name: key, Kind: OneOf, Options: options})
	if _, isText := s.values[key].(string); isText && !slices.Contains(options, v) {
		s.Fail(key, "%q is not known; %s", v, words.Choose(options))
	}
	return v
}

// Boolean returns true or false.
func (s *Section) Boolean(key string, fallback bool) bool {
	v, ok := s.get(key, false)
	s.declare(Key{Name: key, Kind: YesOrNo})
	if !ok {
		return fallback
	}
	b, ok := v.(bool)
	if !ok {
		s.wrong(key, v, "true or false")
	}
	return b
}

// Integer returns an integer between least and most.
func (s *Section) Integer(key string, fallback, least, most int64) int64 {
	v, ok := s.get(key, fallback == Needed)
	s.declare(Key{Name: key, Kind: Integer, Bound: Bound{Least: float64(least), Most: float64(most)}})
	if !ok {
		return max(fallback, 0)
	}
	n, ok := v.(int64)
	switch {
	case !ok:
		s.wrong(key, v, "an integer")
	case n < least || n > most:
		s.Fail(key, "%d is not between %d and %d", n, least, most)
		return least
	}
	return n
}

// Bound is the range of numbers that a key accepts.
type Bound struct {
	Least, Most float64
	AboveLeast  bool // Least itself is not accepted
	BelowMost   bool // Most itself is not accepted
	Optional    bool // the key may be missing: its value is then Fallback
	Fallback    float64
}

// Common ranges: above 0, from 0 on, and above 0 up to 1.
var (
	Positive    = Bound{Most: math.MaxFloat64, AboveLeast: true}
	NonNegative = Bound{Most: math.MaxFloat64}
	Share       = Bound{Most: 1, AboveLeast: true}
)

// Or makes the key optional, with a default.
func (b Bound) Or(fallback float64) Bound {
	b.Optional, b.Fallback = true, fallback
	return b
}

// Accepts reports whether a number is within the bound.
func (b Bound) Accepts(f float64) bool {
	return f >= b.Least && f <= b.Most && !(b.AboveLeast && f == b.Least) && !(b.BelowMost && f == b.Most)
}

func (b Bound) String() string {
	switch {
	case b.Least == -math.MaxFloat64 && b.Most == math.MaxFloat64:
		return "a finite number"
	case b.BelowMost && b.AboveLeast:
		return fmt.Sprintf("above %g and below %g", b.Least, b.Most)
	case b.BelowMost:
		return fmt.Sprintf("%g or more and below %g", b.Least, b.Most)
	case b.Most < math.MaxFloat64 && b.AboveLeast:
		return fmt.Sprintf("above %g and at most %g", b.Least, b.Most)
	case b.Most < math.MaxFloat64:
		return fmt.Sprintf("between %g and %g", b.Least, b.Most)
	case b.AboveLeast:
		return fmt.Sprintf("a finite number above %g", b.Least)
	}
	return fmt.Sprintf("a finite number, %g or more", b.Least)
}

// Number returns a number within a bound, which may be written with the unit of its spec or another one.
func (s *Section) Number(key string, b Bound) float64 {
	v, ok := s.get(key, !b.Optional)
	s.declare(Key{Name: key, Kind: Number, Bound: b})
	if !ok {
		return b.Fallback
	}
	f, ok := toFloat(s.converted(key, v))
	switch {
	case !ok && s.units[key] != "":
		s.Fail(key, "is %s; a number is needed, in %s or with another unit, as in \"20 %[2]s\"", kind(v), s.units[key])
	case !ok:
		s.wrong(key, v, "a number")
	case !b.Accepts(f):
		s.Fail(key, "%v must be %v", v, b)
	}
	return f
}

// Numbers returns a list of count finite numbers; nil after recording a problem.
func (s *Section) Numbers(key string, count int) []float64 {
	v, ok := s.get(key, true)
	s.declare(Key{Name: key, Kind: Numbers, Count: count, Bound: Any})
	if !ok {
		return nil
	}
	list, _ := v.([]any)
	if len(list) != count {
		s.Fail(key, "must be a list of %d numbers%s", count, asList(v, true))
		return nil
	}
	numbers := make([]float64, count)
	for i, e := range list {
		if numbers[i], ok = toFloat(s.converted(key, e)); !ok || numbers[i]-numbers[i] != 0 {
			s.Fail(key, "must be a list of %d finite numbers; number %d is not one", count, i+1)
			return nil
		}
	}
	return numbers
}

// numbersWithin returns the list of a key: see List and ListOrNumber.
func (s *Section) numbersWithin(k Key) []float64 {
	if _, one := toFloat(s.converted(k.Name, s.values[k.Name])); one && k.Kind == NumberOrNumbers {
		return slices.Repeat([]float64{s.Number(k.Name, k.Bound)}, k.Count)
	}
	list := s.Numbers(k.Name, k.Count)
	for i, v := range list {
		if !k.Bound.Accepts(v) {
			s.Fail(k.Name, "number %d, %g, must be %v", i+1, v, k.Bound)
		}
	}
	return list
}

// Choices returns a list of different options.
func (s *Section) Choices(key string, fallback []string, options ...string) []string {
	v, ok := s.get(key, false)
	s.declare(Key{Name: key, Kind: SomeOf, Options: options})
	if !ok {
		return fallback
	}
	list, ok := v.([]any)
	if !ok {
		s.Fail(key, "is %s; a list of strings is needed%s", kind(v), asList(v, false))
		return fallback
	}
	var chosen []string
	for _, e := range list {
		text, ok := e.(string)
		switch {
		case !ok:
			s.Fail(key, "holds %s; a list of strings is needed", kind(e))
		case !slices.Contains(options, text):
			s.Fail(key, "%q is not known; %s", text, words.Choose(options))
		case slices.Contains(chosen, text):
			s.Fail(key, "%q is given twice", text)
		}
		chosen = append(chosen, text)
	}
	return chosen
}

// Texts returns a string, or a list of strings, as a list; nil after recording a problem.
func (s *Section) Texts(key string) (texts []string) {
	v, ok := s.get(key, true)
	s.declare(Key{Name: key, Kind: TextOrTexts})
	if !ok {
		return nil
	}
	if text, ok := v.(string); ok {
		s.checkPath(key, text)
		return []string{text}
	}
	list, _ := v.([]any)
	for _, e := range list {
		text, ok := e.(string)
		if !ok {
			s.Fail(key, "holds %s; a string or a list of strings is needed", kind(e))
			return nil
		}
		s.checkPath(key, text)
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		s.wrong(key, v, "a string or a list of strings")
	}
	return texts
}

// asList returns ": " and the list that was probably meant by a string of words or numbers between commas or blanks;
// "" for other values.
func asList(v any, numbers bool) string {
	text, _ := v.(string)
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	for i, word := range words {
		if !numbers {
			words[i] = literal.Text(word)
		} else if _, err := strconv.ParseFloat(word, 64); err != nil {
			return ""
		}
	}
	if len(words) == 0 {
		return ""
	}
	return ": [" + strings.Join(words, ", ") + "]"
}

// Finish refuses the keys that are not known.
func (s *Section) Finish() {
	for _, key := range s.Keys() {
		if slices.Contains(s.known, key) {
			continue
		}
		switch s.values[key].(type) {
		case map[string]any, []any:
			if s.path == "" {
				s.Fail(key, "no such section; %s", words.Suggest(key, s.known))
				continue
			}
		}
		s.Fail(key, "no such key; %s", words.Suggest(key, s.known))
	}
}

func toFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// kind describes the TOML type of a value.
func kind(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case int64:
		return "an integer"
	case float64:
		return "a float"
	case bool:
		return "a boolean"
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return "a date or time"
}
