package config

import (
	"fmt"
	"strings"

	"github.com/atoll-hpc/atoll/config/syntax"
)

// override applies "key.sub=value" to the document.
func (d *decoder) override(set string) error {
	key, text, ok := syntax.CutSet(set)
	if !ok {
		return fmt.Errorf("--set %s: write key=value", set)
	}
	keys, err := syntax.ParseKey(key)
	if err != nil {
		return fmt.Errorf("--set %s: %q is not a key such as time.end", set, key)
	}
	value, err := syntax.ParseValue(text)
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
