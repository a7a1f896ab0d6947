// Package schema makes a JSON schema of case files, by which editors complete and check keys.
package schema

import (
	"encoding/json"
	"fmt"
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
		definitions[name] = x.schema(definitions)
		variants = append(variants, object{"$ref": "#/$defs/" + name})
	}
	text, err := json.MarshalIndent(object{"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title": "A case of Atoll", "oneOf": variants, "$defs": definitions}, "", " ")
	return append(text, '\n'), err
}

// schema returns the schema of the cases of the solver. It adds those of tables that are values to definitions, each
// once.
func (x *explorer) schema(definitions object) object {
	x.definitions = definitions
	root := x.table("")
	properties := root["properties"].(object)
	for _, s := range x.sections {
		table := x.table(s.Name)
		if s.List {
			table = object{"type": "array", "items": table}
		}
		properties[s.Name] = table
	}
	properties["solver"] = object{"const": x.name}
	root["required"] = []string{"solver"}
	return root
}

// table returns the schema of a table: a section, or a table that is the value of a key.
func (x *explorer) table(path string) object {
	properties, others := object{}, any(false)
	for _, name := range x.order {
		switch k := x.keys[name][0]; {
		case k.Path != path:
		case k.Name == "*": // names that the case chooses
			others = x.describe(x.keys[name])
		default:
			properties[k.Name] = x.describe(x.keys[name])
		}
	}
	return object{"type": "object", "properties": properties, "additionalProperties": others}
}

// inner returns the schema of a table that is the value of a key: a reference to its definition.
func (x *explorer) inner(path string) object {
	table := x.table(path)
	if len(table["properties"].(object)) == 0 { // of a solver that reads it otherwise
		return object{"type": "object"}
	}
	text := fmt.Sprint(table)
	if x.tables[text] == "" {
		name := x.name + "." + strings.ReplaceAll(path, "*", "any")
		x.tables[text], x.definitions[name] = "#/$defs/"+name, table
	}
	return object{"$ref": x.tables[text]}
}

// describe returns the schema of a key, from its declarations in different cases.
func (x *explorer) describe(list []config.Key) object {
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
			continue // only marked as known in these cases, or read otherwise
		}
		types = append(types, typesOf(k)...)
		if about == "" && k.Unit != "" {
			about = "in " + k.Unit
		}
	}
	if table {
		types = append(types, x.inner(list[0].String()))
	}
	s := oneOf(types)
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
		return numbers(k)
	case config.Text:
		return []any{object{"type": "string"}}
	case config.TextOrTexts:
		return []any{object{"type": "string"}, object{"type": "array", "items": object{"type": "string"}, "minItems": 1}}
	case config.Numbers:
		return []any{object{"type": "array", "items": oneOf(numbers(k)), "minItems": k.Count, "maxItems": k.Count}}
	case config.NumberOrNumbers:
		list := *k
		list.Kind = config.Numbers
		return append(numbers(k), typesOf(&list)...)
	case config.OnlyTable:
		return nil
	}
	return []any{object{"type": []string{"number", "string"}}}
}

// numbers returns the schemas of numbers that a key accepts, also with a unit.
func numbers(k *config.Key) []any {
	list := []any{boundOf(k.Bound, "number")}
	if k.Unit != "" {
		list = append(list, object{"type": "string", "pattern": `^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*\S`})
	}
	return list
}

// oneOf returns a schema of values of one of several kinds.
func oneOf(types []any) object {
	switch len(types) {
	case 0:
		return object{}
	case 1:
		return types[0].(object)
	}
	return object{"anyOf": types}
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
