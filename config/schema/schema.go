// Package schema makes a JSON schema of case files, by which editors complete and check keys.
package schema

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
)

// object is a JSON object.
type object = map[string]any

// Schema returns a JSON schema (draft 2020-12) of the case files of some solvers, by which editors complete keys and
// mark wrong ones. It has every key for which a decoder asks, with each option of each choice; it cannot express which
// keys exclude others, so a case that it accepts may still be refused.
func Schema(solvers map[string]config.Decoder) ([]byte, error) {
	var variants []any
	definitions := object{}
	for _, name := range slices.Sorted(maps.Keys(solvers)) {
		x, err := explore(name, solvers)
		if err != nil {
			return nil, err
		}
		definitions[name] = x.schema()
		variants = append(variants, object{"$ref": "#/$defs/" + name})
	}
	text, err := json.MarshalIndent(object{"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title": "A case of Atoll", "oneOf": variants, "$defs": definitions}, "", " ")
	return append(text, '\n'), err
}

// schema returns the schema of the cases of the solver.
func (x *explorer) schema() object {
	root := object{}
	sections := map[string]object{"": root}
	for _, s := range x.sections {
		sections[s.Name] = object{}
	}
	for _, name := range x.order {
		list := x.keys[name]
		if properties := sections[list[0].Path]; properties != nil {
			properties[list[0].Name] = describe(list)
		}
	}
	for _, s := range x.sections {
		table := object{"type": "object", "properties": sections[s.Name], "additionalProperties": s.Open}
		if s.List {
			table = object{"type": "array", "items": table}
		}
		root[s.Name] = table
	}
	root["solver"] = object{"const": x.name}
	return object{"type": "object", "properties": root, "additionalProperties": false, "required": []string{"solver"}}
}

// describe returns the schema of a key, from its declarations in different cases.
func describe(list []config.Key) object {
	var types []any
	table := false
	about := ""
	for i := range list {
		k := &list[i]
		if about == "" && k.Doc != "" {
			about = meaning(k)
		}
		table = table || k.Table
		if k.Kind == config.OtherKind {
			if len(list) == 1 {
				return object{}
			}
			continue // only marked as known in these cases
		}
		types = append(types, typesOf(k)...)
		if about == "" && k.Unit != "" {
			about = "in " + k.Unit
		}
	}
	if table {
		types = append(types, object{"type": "object"})
	}
	s := object{}
	if len(types) == 1 {
		maps.Copy(s, types[0].(object))
	} else {
		s["anyOf"] = types
	}
	if d := strings.TrimSpace(list[0].Default); d != "" {
		about = strings.TrimSpace(about + " (default: " + d + ")")
	}
	if about != "" {
		s["description"] = plain(about)
	}
	return s
}

// typesOf returns the schemas of the values that a key accepts.
func typesOf(k *config.Key) []any {
	switch k.Kind {
	case config.OneOf:
		return []any{object{"enum": k.Options}}
	case config.SomeOf:
		return []any{object{"type": "array", "items": object{"enum": k.Options}, "uniqueItems": true}}
	case config.YesOrNo:
		return []any{object{"type": "boolean"}}
	case config.Integer:
		return []any{boundOf(k.Bound, "integer")}
	case config.Number:
		list := []any{boundOf(k.Bound, "number")}
		if k.Unit != "" {
			list = append(list, object{"type": "string", "pattern": `^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*\S`})
		}
		return list
	case config.Text:
		return []any{object{"type": "string"}}
	case config.TextOrTexts:
		return []any{object{"type": "string"}, object{"type": "array", "items": object{"type": "string"}, "minItems": 1}}
	case config.Numbers:
		return []any{object{"type": "array", "items": object{"type": "number"}, "minItems": k.Count, "maxItems": k.Count}}
	}
	return []any{object{"type": []string{"number", "string", "object"}}}
}

// boundOf returns the schema of numbers within a bound.
func boundOf(b config.Bound, kind string) object {
	s := object{"type": kind}
	least, most := "minimum", "maximum"
	if b.AboveLeast {
		least = "exclusiveMinimum"
	}
	if b.BelowMost {
		most = "exclusiveMaximum"
	}
	if b.Least > -math.MaxFloat64 {
		s[least] = b.Least
	}
	if b.Most < 1<<53 {
		s[most] = b.Most
	}
	return s
}
