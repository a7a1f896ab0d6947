package kube

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"path"
	"slices"
	"unicode/utf8"

	"sigs.k8s.io/yaml"

	"github.com/atoll-hpc/atoll/k8s"
)

// object is an object of a manifest, or a part of one.
type object map[string]any

// at returns a part by its path. What is missing there is made.
func (o object) at(keys ...string) object {
	for _, key := range keys {
		next, ok := asObject(o[key])
		if !ok {
			next = object{}
			o[key] = map[string]any(next)
		}
		o = next
	}
	return o
}

// list returns the objects of a list.
func (o object) list(key string) (objects []object) {
	items, _ := o[key].([]any)
	for _, item := range items {
		if part, ok := asObject(item); ok {
			objects = append(objects, part)
		}
	}
	return objects
}

func asObject(v any) (object, bool) {
	m, ok := v.(map[string]any)
	return m, ok
}

// manifests are the objects of a job.
type manifests struct{ all []object }

// kustomization is what the program reads of a kustomization.yaml.
type kustomization struct {
	Resources []string `json:"resources"`
	Patches   []struct {
		Target struct {
			Kind string `json:"kind"`
		} `json:"target"`
		Patch string `json:"patch"`
	} `json:"patches"`
}

func readKustomization(folder string) (k kustomization, err error) {
	text, err := k8s.Files.ReadFile(path.Join(folder, "kustomization.yaml"))
	if err != nil {
		return k, err
	}
	return k, yaml.Unmarshal(text, &k)
}

// loadManifests reads the resources of a folder, one object a file.
func loadManifests(folder string) (*manifests, error) {
	k, err := readKustomization(folder)
	if err != nil {
		return nil, err
	}
	m := new(manifests)
	for _, name := range k.Resources {
		text, err := k8s.Files.ReadFile(path.Join(folder, name))
		o := object{}
		if err := errors.Join(err, yaml.Unmarshal(text, &o)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		m.all = append(m.all, o)
	}
	return m, nil
}

// find returns the object of a kind, which is there.
func (m *manifests) find(kind string) object {
	return m.all[slices.IndexFunc(m.all, func(o object) bool { return o["kind"] == kind })]
}

func (m *manifests) remove(kind string) {
	m.all = slices.DeleteFunc(m.all, func(o object) bool { return o["kind"] == kind })
}

// patchBy applies the patches of a component.
func (m *manifests) patchBy(folder string) error {
	k, err := readKustomization(folder)
	if err != nil {
		return err
	}
	for _, p := range k.Patches {
		if err := m.patch(p.Target.Kind, []byte(p.Patch)); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	return nil
}

// patch applies a strategic merge patch to the object of a kind. Its name and kind do not count.
func (m *manifests) patch(kind string, text []byte) error {
	p := object{}
	if err := yaml.Unmarshal(text, &p); err != nil {
		return err
	}
	delete(p.at("metadata"), "name")
	merge(m.find(kind), p)
	return nil
}

// mergeKeys are the lists that Kubernetes merges by a key of their items; others are replaced. (Types in
// k8s.io/api/core/v1, patchMergeKey.)
var mergeKeys = map[string]string{"containers": "name", "env": "name", "volumes": "name", "volumeMounts": "mountPath",
	"ports": "containerPort"}

// deleted is the directive by which an item of a patch deletes that of the same key.
const deleted = "$patch"

// merge applies a patch to an object.
func merge(to, p object) {
	for key, value := range p {
		if part, ok := asObject(value); ok {
			merge(to.at(key), part)
			continue
		}
		items, isList := value.([]any)
		if by := mergeKeys[key]; isList && by != "" {
			old, _ := to[key].([]any)
			to[key] = mergeList(old, items, by)
			continue
		}
		to[key] = value
	}
}

// mergeList applies the items of a patch to those with the same key. New ones come last.
func mergeList(old, items []any, by string) []any {
	for _, item := range items {
		p, _ := asObject(item)
		i := slices.IndexFunc(old, func(v any) bool {
			o, ok := asObject(v)
			return ok && o[by] == p[by]
		})
		switch {
		case p[deleted] == "delete":
			if i >= 0 {
				old = slices.Delete(old, i, i+1)
			}
		case i < 0:
			old = append(old, item)
		default:
			o, _ := asObject(old[i])
			if p["valueFrom"] != nil {
				delete(o, "value") // of a variable: one of both
			}
			merge(o, p)
		}
	}
	return old
}

// configMap returns a ConfigMap of files.
func configMap(name string, files map[string][]byte) object {
	o := object{"apiVersion": "v1", "kind": "ConfigMap"}
	o.at("metadata")["name"] = name
	for file, data := range files {
		if utf8.Valid(data) {
			o.at("data")[file] = string(data)
		} else {
			o.at("binaryData")[file] = base64.StdEncoding.EncodeToString(data)
		}
	}
	return o
}

// yaml returns the text of all objects.
func (m *manifests) yaml() ([]byte, error) {
	var texts [][]byte
	for _, o := range m.all {
		text, err := yaml.Marshal(o)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return bytes.Join(texts, []byte("---\n")), nil
}
