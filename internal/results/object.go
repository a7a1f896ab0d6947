package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// ignoredKeys are, for each JSON file of a run, the keys that describe the machine, the program, the date and the run
// time, but not the results. A key of the elements of an array is written as array[].key.
var ignoredKeys = map[string][]string{
	"summary.json": {"wall_s", "updates_per_s", "phases", "version", "host", "fma", "case_sha256", "transport", "backend",
		"halo", "threads", "processor"},
	"run.json":   {"version", "case_dir", "case_sha256", "start_sha256"},
	"epoch.json": {"raised", "job", "holder", "by", "places[].place"},
}

// compareObjects compares two JSON objects key by key, without the skipped keys. Numbers are compared as text:
// atoll writes the shortest decimals that give the same bits.
func compareObjects(before, after []byte, skipped []string) ([]Difference, error) {
	a, err := flatten(before, skipped)
	if err != nil {
		return nil, fmt.Errorf("the file of the old build: %w", err)
	}
	b, err := flatten(after, skipped)
	if err != nil {
		return nil, fmt.Errorf("the file of the new build: %w", err)
	}
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	var differences []Difference
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		x, inOld := a[key]
		y, inNew := b[key]
		switch {
		case inOld != inNew:
			differences = append(differences, missing(key, inOld))
		case x != y:
			differences = append(differences, changed(key, x, y))
		}
	}
	return differences, nil
}

// flatten returns the values of a JSON object as text, by keys such as "metrics.mass1". It leaves out the skipped keys
// with all their values.
func flatten(text []byte, skipped []string) (map[string]string, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var root map[string]any
	if err := d.Decode(&root); err != nil {
		return nil, err
	}
	leaves := map[string]string{}
	addLeaves(leaves, "", root, skipped)
	return leaves, nil
}

var indices = regexp.MustCompile(`\[\d+\]`)

// addLeaves adds the values below a key to leaves.
func addLeaves(leaves map[string]string, key string, value any, skipped []string) {
	if slices.Contains(skipped, indices.ReplaceAllString(key, "[]")) {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for k, child := range v {
			if key != "" {
				k = key + "." + k
			}
			addLeaves(leaves, k, child, skipped)
		}
	case []any:
		for i, child := range v {
			addLeaves(leaves, fmt.Sprintf("%s[%d]", key, i), child, skipped)
		}
	default:
		leaves[key] = fmt.Sprint(v)
	}
}
