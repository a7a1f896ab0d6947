package config

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/atoll-hpc/atoll/config/literal"
)

// override applies "key.sub=value" to the document.
func (d *decoder) override(set string) error {
	key, text, ok := CutSet(set)
	if !ok {
		return fmt.Errorf("--set %s: write key=value", set)
	}
	keys, err := parseKey(key)
	if err != nil {
		return fmt.Errorf("--set %s: %q is not a key such as time.end", set, key)
	}
	value, err := parseValue(text)
	if err != nil {
		return fmt.Errorf("--set %s: %w", key, err)
	}
	table, path := d.root, ""
	for i, k := range keys[:len(keys)-1] {
		path += k + "\x00"
		if table[k] == nil {
			table[k] = map[string]any{}
			d.sets[path] = strings.Join(keys[:i+1], ".")
		}
		if table, ok = table[k].(map[string]any); !ok {
			return fmt.Errorf("--set %s: %s is no table: use --set %[2]s=VALUE", key, strings.Join(keys[:i+1], "."))
		}
	}
	lastKey := keys[len(keys)-1]
	path += lastKey + "\x00"
	for known := range d.lines { // forget the lines of the previous value, and overrides within it
		if strings.HasPrefix(known, path) {
			delete(d.lines, known)
		}
	}
	for known := range d.sets {
		if strings.HasPrefix(known, path) {
			delete(d.sets, known)
		}
	}
	table[lastKey] = value
	d.sets[path] = key
	return nil
}

// CutSet splits an override at the first equals sign outside quotes.
func CutSet(set string) (key, value string, ok bool) {
	var quote rune
	for i, r := range set {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '=':
			return strings.TrimSpace(set[:i]), strings.TrimSpace(set[i+1:]), true
		}
	}
	return "", "", false
}

// parseKey splits a dotted key, such as boundary."east coast", into its parts.
func parseKey(key string) ([]string, error) {
	var p unstable.Parser
	p.Reset([]byte(key + " = 0"))
	var keys []string
	for p.NextExpression() {
		n := p.Expression()
		if n.Kind != unstable.KeyValue || keys != nil {
			return nil, fmt.Errorf("not one key")
		}
		for k := n.Key(); k.Next(); {
			keys = append(keys, string(k.Node().Data))
		}
	}
	if p.Error() == nil && keys == nil {
		return nil, fmt.Errorf("no key")
	}
	return keys, p.Error()
}

// parseValue reads a TOML value, or takes the text as a string if it is not TOML.
func parseValue(text string) (any, error) {
	var doc map[string]any
	err := toml.Unmarshal([]byte("value = "+text), &doc)
	if err == nil && len(doc) == 1 {
		return doc["value"], nil
	}
	if err != nil && text != "" && strings.ContainsRune(`"'[{`, rune(text[0])) {
		return nil, fmt.Errorf("%s: %s", text, strings.TrimPrefix(err.Error(), "toml: "))
	}
	err = toml.Unmarshal([]byte("value = "+literal.Text(text)), &doc)
	if err != nil {
		return nil, fmt.Errorf("%q is not valid text: %s", text, strings.TrimPrefix(err.Error(), "toml: "))
	}
	return doc["value"], nil
}
