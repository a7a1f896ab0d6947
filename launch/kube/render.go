package kube

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/atoll-hpc/atoll/k8s"
)

// Job is what a case is run by.
type Job struct {
	Name       string            // of the job, its service, and the beginning of all other names
	Ranks      int               // and pods, at first
	Elastic    string            // MIN:MAX, which the job may be changed to; "" for a job that stays as it is
	Case       string            // its file, of
	Files      map[string][]byte // the case and what it names, which lies beside it
	Image      string
	Pull       string // IfNotPresent, Always or Never
	CPU        string // that a rank requests, as in 2 or 500m
	Memory     string // of a rank, as in 4Gi: requested, and its limit
	Storage    string // for output and checkpoints, as in 10Gi
	Class      string // of the storage; "" for the default of the cluster
	Claim      string // that is there and used instead; "" for one of the job's own
	Components []string
	Args       []string // of atoll run, besides those of the base
}

const (
	mostPods  = 4096      // what atoll run takes
	mostFiles = 900 << 10 // that a ConfigMap holds, with room for the rest of its megabyte
	mostName  = 52        // so that a pod's name, which is a host's, has room for its number
)

var (
	names    = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	keys     = regexp.MustCompile(`^[-._a-zA-Z0-9]+$`)
	amounts  = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$`)
	policies = []string{"IfNotPresent", "Always", "Never"}
)

// Check refuses what Kubernetes would, and what would not fit.
func (j *Job) Check() error {
	size := 0
	for name, data := range j.Files {
		if !keys.MatchString(name) {
			return fmt.Errorf("%s: files of a job lie beside the case and have names of letters, digits and - _ . alone: "+
				"copy it there, or put it on the volume and name it by /output", name)
		}
		size += len(data)
	}
	switch {
	case !names.MatchString(j.Name) || len(j.Name) > mostName:
		return fmt.Errorf("the name %q: want at most %d of a-z, 0-9 and -, a letter first", j.Name, mostName)
	case j.Ranks < 1 || j.Ranks > mostPods:
		return fmt.Errorf("%d ranks: want 1 to %d", j.Ranks, mostPods)
	case size > mostFiles:
		return fmt.Errorf("the case and its files have %d bytes, and %d fit into a ConfigMap: put large ones on the volume, "+
			"and name them by /output", size, mostFiles)
	case !slices.Contains(policies, j.Pull):
		return fmt.Errorf("the policy of pulling %q: want one of %s", j.Pull, strings.Join(policies, ", "))
	}
	if least, most, err := j.bounds(); err != nil {
		return err
	} else if j.Ranks < least || j.Ranks > most {
		return fmt.Errorf("%d ranks: the bounds are %s", j.Ranks, j.Elastic)
	}
	for what, amount := range map[string]string{"CPUs": j.CPU, "memory": j.Memory, "storage": j.Storage} {
		if !amounts.MatchString(amount) {
			return fmt.Errorf("%q of %s: want a number of Kubernetes', as in 2, 500m or 4Gi", amount, what)
		}
	}
	for _, c := range j.Components {
		if _, err := fs.Stat(k8s.Files, path.Join("components", c)); err != nil {
			return fmt.Errorf("there is no component %q", c)
		}
	}
	return nil
}

// overlay is what makes the manifests those of a job.
var overlay = template.Must(template.New("overlay").Parse(`apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - ../base
{{- if .Components}}
components:
{{- range .Components}}
  - ../components/{{.}}
{{- end}}
{{- end}}
images:
  - name: atoll
    newName: {{.Repository}}
{{- with .Tag}}
    newTag: {{printf "%q" .}}
{{- end}}
{{- with .Digest}}
    digest: {{printf "%q" .}}
{{- end}}
configMapGenerator:
  - name: atoll-case
    behavior: replace
    files:
{{- range .Names}}
      - {{.}}
{{- end}}
generatorOptions:
  disableNameSuffixHash: true
labels:
  - pairs:
      atoll-hpc.github.io/job: {{.Name}}
patches:
  - path: job.yaml
  - target:
      kind: Job
    patch: |
      - op: replace
        path: /spec/template/spec/containers/0/args/1
        value: /case/{{.Case}}
{{- range .Args}}
  - target:
      kind: Job
    patch: |
      - op: add
        path: /spec/template/spec/containers/0/args/-
        value: {{printf "%q" .}}
{{- end}}
{{- range .Renamed}}
  - target:
      kind: {{.Kind}}
      name: {{.From}}
    options:
      allowNameChange: true
    patch: |
      - op: replace
        path: /metadata/name
        value: {{.To}}
{{- range .Selectors}}
      - op: replace
        path: {{.}}/batch.kubernetes.io~1job-name
        value: {{$.Name}}
{{- end}}
{{- end}}
{{- if .Claim}}
  - patch: |
      apiVersion: v1
      kind: PersistentVolumeClaim
      metadata:
        name: atoll-output
      $patch: delete
{{- else}}
  - patch: |
      apiVersion: v1
      kind: PersistentVolumeClaim
      metadata:
        name: atoll-output
      spec:
{{- with .Class}}
        storageClassName: {{printf "%q" .}}
{{- end}}
        resources:
          requests:
            storage: {{.Storage}}
{{- end}}
`))

// patch is that of the job itself.
var patch = template.Must(template.New("job").Parse(`apiVersion: batch/v1
kind: Job
metadata:
  name: atoll
spec:
  completions: {{.Ranks}}
  parallelism: {{.Ranks}}
  template:
    spec:
      subdomain: {{.Name}}
      containers:
        - name: rank
          imagePullPolicy: {{.Pull}}
          env:
            - {name: ATOLL_RANKS, value: "{{.Ranks}}"}
            - {name: ATOLL_ELASTIC, value: "{{.Bounds}}"}
            - {name: ATOLL_JOB, value: {{.Name}}}
            - {name: ATOLL_SERVICE, value: {{.Name}}}
          resources:
            requests: {cpu: "{{.CPU}}", memory: {{.Memory}}}
            limits: {memory: {{.Memory}}}
      volumes:
        - name: output
          persistentVolumeClaim:
            claimName: {{if .Claim}}{{.Claim}}{{else}}atoll-output{{end}}
{{- if .Secure}}
        - name: certs
          projected:
            defaultMode: 0440
            sources:
{{- range .Numbers}}
              - secret:
                  name: {{$.Name}}-rank-{{.}}
                  items:
                    - {key: ca.crt, path: rank-{{.}}/ca.crt}
                    - {key: tls.crt, path: rank-{{.}}/tls.crt}
                    - {key: tls.key, path: rank-{{.}}/tls.key}
{{- end}}
{{- end}}
`))

// renamed is an object whose name is that of the job, or begins with it.
type renamed struct {
	Kind, From, To string
	Selectors      []string // where pods are selected by the job's name
}

// bounds are how many ranks there may be.
func (j *Job) bounds() (least, most int, err error) {
	return parseBounds(j.Bounds())
}

// Bounds are MIN:MAX of the ranks.
func (j *Job) Bounds() string {
	return cmp.Or(j.Elastic, fmt.Sprintf("%d:%[1]d", j.Ranks))
}

// Most is how many ranks there may be.
func (j *Job) Most() int {
	_, most, _ := j.bounds() // Check has looked
	return most
}

func parseBounds(text string) (least, most int, err error) {
	low, high, two := strings.Cut(text, ":")
	least, bad := strconv.Atoi(low)
	most, bad2 := strconv.Atoi(high)
	if !two || bad != nil || bad2 != nil || least < 1 || most < least || most > mostPods {
		return 0, 0, fmt.Errorf("bounds of ranks %q: want MIN:MAX, as in 2:8, %d at most", text, mostPods)
	}
	return least, most, nil
}

// Secure tells that ranks have certificates.
func (j *Job) Secure() bool { return !slices.Contains(j.Components, "insecure") }

// Render makes the manifests of a job by kustomize, from the same files as kubectl apply -k does.
func (j *Job) Render() ([]byte, error) {
	if err := j.Check(); err != nil {
		return nil, err
	}
	files := filesys.MakeFsInMemory()
	err := fs.WalkDir(k8s.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := k8s.Files.ReadFile(name)
		if err != nil {
			return err
		}
		return files.WriteFile(path.Join("/k8s", name), data)
	})
	if err != nil {
		return nil, err
	}
	for name, data := range j.Files {
		if err := files.WriteFile(path.Join("/k8s/job", name), data); err != nil {
			return nil, err
		}
	}
	values, err := j.values()
	if err != nil {
		return nil, err
	}
	for name, t := range map[string]*template.Template{"kustomization.yaml": overlay, "job.yaml": patch} {
		var b bytes.Buffer
		if err := t.Execute(&b, values); err != nil {
			return nil, err
		}
		if err := files.WriteFile(path.Join("/k8s/job", name), b.Bytes()); err != nil {
			return nil, err
		}
	}
	all, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/k8s/job")
	if err != nil {
		return nil, fmt.Errorf("kustomize: %w", err)
	}
	return all.AsYaml()
}

// values are what the templates are filled with.
type values struct {
	*Job
	Repository, Tag, Digest string
	Names                   []string
	Numbers                 []int
	Renamed                 []renamed
}

func (j *Job) values() (*values, error) {
	v := &values{Job: j}
	v.Repository, v.Digest, _ = strings.Cut(j.Image, "@")
	if at := strings.LastIndexByte(v.Repository, ':'); at > strings.LastIndexByte(v.Repository, '/') {
		v.Repository, v.Tag = v.Repository[:at], v.Repository[at+1:]
	}
	if v.Repository == "" {
		return nil, fmt.Errorf("no image is named by %q", j.Image)
	}
	for name := range j.Files {
		v.Names = append(v.Names, name)
	}
	slices.Sort(v.Names)
	for r := range j.Most() {
		v.Numbers = append(v.Numbers, r)
	}
	v.Renamed = []renamed{
		{"Job", "atoll", j.Name, nil},
		{"Service", "atoll", j.Name, []string{"/spec/selector"}},
		{"ServiceAccount", "atoll", j.Name, nil},
		{"NetworkPolicy", "atoll", j.Name, []string{"/spec/podSelector/matchLabels",
			"/spec/ingress/0/from/0/podSelector/matchLabels"}},
		{"ConfigMap", "atoll-case", j.Name + "-case", nil},
	}
	if j.Claim == "" {
		v.Renamed = append(v.Renamed, renamed{"PersistentVolumeClaim", "atoll-output", j.Name + "-output", nil})
	}
	return v, nil
}
