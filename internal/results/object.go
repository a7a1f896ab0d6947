package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// incidental are, for each JSON file of a run, the keys that tell where, when, by what and how fast a case was run, and
// not what came out. A key within the elements of an array is written as array[].key.
var incidental = map[string][]string{
	"summary.json": {"wall_s", "updates_per_s", "phases", "version", "host", "fma", "case_sha256", "transport", "backend",
		"halo", "threads"},
	"run.json":   {"version", "case_dir", "case_sha256", "start_sha256"},
	"epoch.json": {"raised", "job", "places[].place"},
}

// objects compares two JSON objects key by key, but for the keys that are skipped. Numbers are compared as they are
// written: atoll writes the shortest decimals that give the same bits.
func objects(before, after []byte, skipped []string) ([]Difference, error) {
	a, err := flatten(before, skipped)
	if err != nil {
		return nil, fmt.Errorf("of the old build: %w", err)
	}
	b, err := flatten(after, skipped)
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

// flatten returns the leaves of a JSON object as text by their keys, such as "metrics.mass1", but for those that are
// skipped with all below them.
func flatten(text []byte, skipped []string) (map[string]string, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var root map[string]any
	if err := d.Decode(&root); err != nil {
		return nil, err
	}
	leaves := map[string]string{}
	leavesOf("", root, skipped, leaves)
	return leaves, nil
}

var indices = regexp.MustCompile(`\[\d+\]`)

func leavesOf(key string, value any, skipped []string, into map[string]string) {
	if slices.Contains(skipped, indices.ReplaceAllString(key, "[]")) {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for k, child := range v {
			if key != "" {
				k = key + "." + k
			}
			leavesOf(k, child, skipped, into)
		}
	case []any:
		for i, child := range v {
			leavesOf(fmt.Sprintf("%s[%d]", key, i), child, skipped, into)
		}
	default:
		into[key] = fmt.Sprint(v)
	}
}
