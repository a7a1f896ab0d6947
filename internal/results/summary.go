package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// incidental are the keys of a summary that tell where, by what and how fast a case was run, and not what came out.
var incidental = []string{"wall_s", "updates_per_s", "phases", "version", "host", "fma", "case_sha256", "transport",
	"backend", "halo", "threads"}

// summaries compares two files summary.json key by key. Numbers are compared as they are written: atoll writes the
// shortest decimals that give the same bits.
func summaries(before, after []byte) ([]Difference, error) {
	a, err := flatten(before)
	if err != nil {
		return nil, fmt.Errorf("of the old build: %w", err)
	}
	b, err := flatten(after)
	if err != nil {
		return nil, fmt.Errorf("of the new build: %w", err)
	}
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	var found []Difference
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		x, inOld := a[key]
		y, inNew := b[key]
		switch {
		case inOld != inNew:
			found = append(found, only(key, inOld))
		case x != y:
			found = append(found, changed(key, x, y))
		}
	}
	return found, nil
}

// flatten returns the leaves of a summary as text by their keys, such as "metrics.mass1".
func flatten(text []byte) (map[string]string, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var root map[string]any
	if err := d.Decode(&root); err != nil {
		return nil, err
	}
	for _, key := range incidental {
		delete(root, key)
	}
	leaves := map[string]string{}
	leavesOf("", root, leaves)
	return leaves, nil
}

func leavesOf(key string, value any, into map[string]string) {
	switch v := value.(type) {
	case map[string]any:
		for k, child := range v {
			if key != "" {
				k = key + "." + k
			}
			leavesOf(k, child, into)
		}
	case []any:
		for i, child := range v {
			leavesOf(fmt.Sprintf("%s[%d]", key, i), child, into)
		}
	default:
		into[key] = fmt.Sprint(v)
	}
}
