package kube

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// sorted sorts the lists in a value that are merged by a key, by this key: their order has no meaning.
func sorted(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, part := range v {
			v[k] = sorted(k, part)
		}
	case []any:
		for i := range v {
			v[i] = sorted("", v[i])
		}
		if by := mergeKeys[key]; by != "" {
			slices.SortFunc(v, func(a, b any) int {
				return strings.Compare(textOf(a, by), textOf(b, by))
			})
		}
	}
	return v
}

func textOf(item any, key string) string {
	text, _ := yaml.Marshal(item.(map[string]any)[key])
	return string(text)
}

// TestPatchesAsKustomize: the patches of each component give the Job that kustomize makes of them, which TestManifests
// compares with the same files.
func TestPatchesAsKustomize(t *testing.T) {
	for _, name := range []string{"base", "gpu", "insecure", "kueue"} {
		m, err := loadManifests("base")
		if err != nil {
			t.Fatal(err)
		}
		if name != "base" {
			if err := m.patchBy("components/" + name); err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range bytes.Split(text, []byte("---\n")) {
			want := map[string]any{}
			if err := yaml.Unmarshal(document, &want); err != nil {
				t.Fatal(err)
			}
			kind := want["kind"].(string)
			if kind == "ConfigMap" { // which is made of files
				continue
			}
			got := m.find(kind)
			got.at("metadata", "labels")["app.kubernetes.io/name"] = "atoll"
			if !reflect.DeepEqual(sorted("", map[string]any(got)), sorted("", want)) {
				text, err := yaml.Marshal(got)
				t.Errorf("%s of %s: got\n%s(%v), want\n%s", kind, name, text, err, document)
			}
		}
	}
}
