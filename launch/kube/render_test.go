package kube

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

func compareWithGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".yaml")
	if *rewrite {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != string(got) {
		t.Errorf("%s differs from the rendered text (%v): run with -rewrite, and check the difference", path, err)
	}
}

// TestManifests compares base, components and overlays, as kustomize renders them, with the golden files.
func TestManifests(t *testing.T) {
	folder, err := filepath.Abs(filepath.Join("..", "..", "k8s"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"base", "overlays/jobset", "overlays/mpijob", "components/gpu", "components/kueue",
		"components/insecure"} {
		files, root := filesys.MakeFsOnDisk(), filepath.Join(folder, name)
		if strings.HasPrefix(name, "components/") {
			root = t.TempDir()
			text := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [" + relative(t, root,
				folder, "base") + "]\ncomponents: [" + relative(t, root, folder, name) + "]\n"
			if err := os.WriteFile(filepath.Join(root, "kustomization.yaml"), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, root)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, err := resources.AsYaml()
		if err != nil {
			t.Fatal(err)
		}
		compareWithGolden(t, filepath.Base(name), text)
	}
}

func relative(t *testing.T, from, folder, name string) string {
	t.Helper()
	path, err := filepath.Rel(from, filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func sample() *Job {
	return &Job{Name: "wave", Ranks: 2, Image: "registry:5000/team/atoll:1.2", Pull: "Always", CPU: "500m",
		Memory: "2Gi", Storage: "5Gi", Class: "fast", Args: []string{"--set=time.end=1"},
		Case: "wave.toml", Files: map[string][]byte{"wave.toml": []byte("solver = \"x\"\n"), "bed.asc": []byte("1 2 3\n")}}
}

// TestJob compares the manifests of a Job with the golden files.
func TestJob(t *testing.T) {
	j := sample()
	text, err := j.Render()
	if err != nil {
		t.Fatal(err)
	}
	compareWithGolden(t, "job", text)
	j.Elastic = "1:3"
	j.Claim, j.Components, j.Image = "shared", []string{"insecure", "gpu"}, "atoll@sha256:"+strings.Repeat("0", 64)
	if text, err = j.Render(); err != nil {
		t.Fatal(err)
	}
	compareWithGolden(t, "job-components", text)
}

// TestJobIsRefused: Check returns an error for parameters that Kubernetes would refuse.
func TestJobIsRefused(t *testing.T) {
	for want, change := range map[string]func(j *Job){
		"the name":     func(j *Job) { j.Name = "Wave_1" },
		"ranks":        func(j *Job) { j.Ranks = 0 },
		"ConfigMap":    func(j *Job) { j.Files["mesh.msh"] = make([]byte, 1<<20) },
		"folder":       func(j *Job) { j.Files["a/b.msh"] = nil },
		"pull policy":  func(j *Job) { j.Pull = "often" },
		"of memory":    func(j *Job) { j.Memory = "2 GB" },
		"MIN:MAX":      func(j *Job) { j.Elastic = "4" },
		"range 3:4":    func(j *Job) { j.Elastic = "3:4" },
		"no component": func(j *Job) { j.Components = []string{"mtls"} },
		"the image":    func(j *Job) { j.Image = "" },
	} {
		j := sample()
		change(j)
		if _, err := j.Render(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}
