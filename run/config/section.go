package config

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// section gives typed access to a table, and remembers which keys were asked for.
type section struct {
	*decoder
	path, title string
	values      map[string]any
	known       []string
}

// required in the place of a fallback says that there is none; needed says so for integers.
const (
	required = "\x00"
	needed   = math.MinInt64
)

// section returns the table of a key, empty where there is none.
func (s *section) section(key string) *section {
	s.know(key)
	sub := &section{decoder: s.decoder, path: s.path + key + "\x00", title: "[" + key + "]"}
	v, ok := s.values[key]
	if sub.values, _ = v.(map[string]any); ok && sub.values == nil {
		s.fail(key, "is %s; a table is needed: [%s]", kind(v), key)
	}
	return sub
}

// sections returns the tables of an array of tables.
func (s *section) sections(key string) []*section {
	s.know(key)
	v, ok := s.values[key]
	list, isList := v.([]any)
	if ok && !isList {
		s.fail(key, "is %s; it is written [[%s]]", kind(v), key)
	}
	var subs []*section
	for i, v := range list {
		values, ok := v.(map[string]any)
		if !ok {
			s.fail(key, "holds %s; it is written [[%s]]", kind(v), key)
			continue
		}
		path := s.path + key + "\x00" + strconv.Itoa(i) + "\x00"
		subs = append(subs, &section{decoder: s.decoder, path: path, title: "[[" + key + "]]", values: values})
	}
	return subs
}

// know marks keys as those of the section.
func (s *section) know(keys ...string) {
	for _, key := range keys {
		if !slices.Contains(s.known, key) {
			s.known = append(s.known, key)
		}
	}
}

func (s *section) has(key string) bool { _, ok := s.values[key]; return ok }

func (s *section) keys() []string { return slices.Sorted(maps.Keys(s.values)) }

// fail records a problem with a key, or with the section itself if the key is "".
func (s *section) fail(key, format string, args ...any) {
	title, path := s.title, s.path
	if key != "" {
		path += key + "\x00"
		between := " "
		if title == "" {
			between = ""
		} else if !strings.HasSuffix(title, "]") { // a table within a key
			between = "."
		}
		title += between + printKey(key)
	}
	s.decoder.fail(path, title, format, args...)
}

// get returns the value of a key, and records the problem if it must be there and is not.
func (s *section) get(key string, must bool) (v any, ok bool) {
	s.know(key)
	v, ok = s.values[key]
	if !ok && must {
		s.fail(key, "is required")
	}
	return v, ok
}

func (s *section) wrong(key string, v any, want string) {
	s.fail(key, "is %s; %s is needed", kind(v), want)
}

func (s *section) text(key, fallback string) string {
	v, ok := s.get(key, fallback == required)
	if !ok {
		return strings.TrimPrefix(fallback, required)
	}
	text, ok := v.(string)
	if !ok {
		s.wrong(key, v, "a string")
	}
	return text
}

// name is a text that can name a file.
func (s *section) name(key, fallback string) string {
	name := s.text(key, fallback)
	odd := func(r rune) bool {
		return !(unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_. ", r))
	}
	bad := name == "" || len(name) > 100 || strings.ContainsFunc(name, odd) || strings.Trim(name, ". ") != name
	if _, isText := s.values[key].(string); bad && (isText || !s.has(key) && fallback != required) {
		s.fail(key, "%q cannot name files; use up to 100 letters, digits, -, _, and . and spaces within", name)
	}
	return name
}

func (s *section) choice(key, fallback string, options ...string) string {
	v := s.text(key, fallback)
	if _, isText := s.values[key].(string); isText && !slices.Contains(options, v) {
		s.fail(key, "%q is not known; %s", v, choose(options))
	}
	return v
}

func (s *section) boolean(key string, fallback bool) bool {
	v, ok := s.get(key, false)
	if !ok {
		return fallback
	}
	b, ok := v.(bool)
	if !ok {
		s.wrong(key, v, "true or false")
	}
	return b
}

func (s *section) integer(key string, fallback, least, most int64) int64 {
	v, ok := s.get(key, fallback == needed)
	if !ok {
		return max(fallback, 0)
	}
	n, ok := v.(int64)
	switch {
	case !ok:
		s.wrong(key, v, "an integer")
	case n < least || n > most:
		s.fail(key, "%d is not between %d and %d", n, least, most)
		return least
	}
	return n
}

// bound says which numbers a key takes.
type bound struct {
	least, most float64
	open        bool // least itself is excluded
	under       bool // and so is most
	optional    bool
	fallback    float64
}

var (
	positive    = bound{most: math.MaxFloat64, open: true}
	nonNegative = bound{most: math.MaxFloat64}
	share       = bound{most: 1, open: true}
)

// or makes the key optional.
func (b bound) or(fallback float64) bound {
	b.optional, b.fallback = true, fallback
	return b
}

func (b bound) String() string {
	switch {
	case b.under && b.open:
		return fmt.Sprintf("above %g and below %g", b.least, b.most)
	case b.under:
		return fmt.Sprintf("%g or more and below %g", b.least, b.most)
	case b.most < math.MaxFloat64 && b.open:
		return fmt.Sprintf("above %g and at most %g", b.least, b.most)
	case b.most < math.MaxFloat64:
		return fmt.Sprintf("between %g and %g", b.least, b.most)
	case b.open:
		return fmt.Sprintf("a finite number above %g", b.least)
	}
	return fmt.Sprintf("a finite number, %g or more", b.least)
}

func (s *section) number(key string, b bound) float64 {
	v, ok := s.get(key, !b.optional)
	if !ok {
		return b.fallback
	}
	f, ok := toFloat(v)
	switch {
	case !ok:
		s.wrong(key, v, "a number")
	case !(f >= b.least && f <= b.most) || b.open && f == b.least || b.under && f == b.most:
		s.fail(key, "%v must be %v", v, b)
	}
	return f
}

// numbers returns a list of so many finite numbers, or nil where it is not one.
func (s *section) numbers(key string, count int) []float64 {
	v, ok := s.get(key, true)
	if !ok {
		return nil
	}
	list, _ := v.([]any)
	if len(list) != count {
		s.fail(key, "must be a list of %d numbers", count)
		return nil
	}
	numbers := make([]float64, count)
	for i, e := range list {
		if numbers[i], ok = toFloat(e); !ok || numbers[i]-numbers[i] != 0 {
			s.fail(key, "must be a list of %d finite numbers; number %d is not one", count, i+1)
			return nil
		}
	}
	return numbers
}

// choices returns a list of options, none twice.
func (s *section) choices(key string, fallback []string, options ...string) []string {
	v, ok := s.get(key, false)
	if !ok {
		return fallback
	}
	list, ok := v.([]any)
	if !ok {
		s.wrong(key, v, "a list of strings")
		return fallback
	}
	var chosen []string
	for _, e := range list {
		text, ok := e.(string)
		switch {
		case !ok:
			s.fail(key, "holds %s; a list of strings is needed", kind(e))
		case !slices.Contains(options, text):
			s.fail(key, "%q is not known; %s", text, choose(options))
		case slices.Contains(chosen, text):
			s.fail(key, "%q is there twice", text)
		}
		chosen = append(chosen, text)
	}
	return chosen
}

// finish reports the keys that nobody asked for.
func (s *section) finish() {
	for _, key := range s.keys() {
		if slices.Contains(s.known, key) {
			continue
		}
		switch s.values[key].(type) {
		case map[string]any, []any:
			if s.path == "" {
				s.fail(key, "no such section; %s", suggest(key, s.known))
				continue
			}
		}
		s.fail(key, "no such key; %s", suggest(key, s.known))
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

// kind says what a value is.
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
