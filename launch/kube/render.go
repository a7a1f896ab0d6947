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

// Job has the parameters of the Kubernetes Job that runs a case.
type Job struct {
	Name       string            // of the Job and its Service; a prefix of the names of all other objects
	Ranks      int               // number of ranks, and pods, at the start
	Elastic    string            // range MIN:MAX of ranks to which the job can be resized; "" if it cannot
	Case       string            // name of the case file in Files
	Files      map[string][]byte // the case file, and the files that it names in the same folder
	Image      string            // container image
	Pull       string            // pull policy of the image: IfNotPresent, Always or Never
	CPU        string            // CPU request of a rank, as in 2 or 500m
	Memory     string            // memory request and limit of a rank, as in 4Gi
	Storage    string            // size of the volume for output and checkpoints, as in 10Gi
	Class      string            // storage class of the volume; "" for the default of the cluster
	Claim      string            // existing volume claim to use for the output; "" to make one
	Components []string          // names of kustomize components in k8s/components
	Args       []string          // arguments of atoll run, in addition to those in k8s/base
}

const (
	maxPods      = 4096      // as in atoll run
	maxFilesSize = 900 << 10 // bytes: a ConfigMap holds 1 MiB, metadata included
	maxNameSize  = 52        // a pod's name is a host name of at most 63 characters, which ends in the pod's number
)

var (
	namePattern     = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	keyPattern      = regexp.MustCompile(`^[-._a-zA-Z0-9]+$`) // of a ConfigMap
	quantityPattern = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$`)
	pullPolicies    = []string{"IfNotPresent", "Always", "Never"}
)

// Check returns an error for parameters that Kubernetes or atoll run would refuse.
func (j *Job) Check() error {
	size := 0
	for name, data := range j.Files {
		if !keyPattern.MatchString(name) {
			return fmt.Errorf("%s: want a file in the folder of the case, with a name of letters, digits and - _ . only: "+
				"copy it there, or put it on the volume and refer to it as /output/NAME", name)
		}
		size += len(data)
	}
	switch {
	case !namePattern.MatchString(j.Name) || len(j.Name) > maxNameSize:
		return fmt.Errorf("the name %q: want at most %d characters a-z, 0-9 and -, a letter first", j.Name, maxNameSize)
	case j.Ranks < 1 || j.Ranks > maxPods:
		return fmt.Errorf("%d ranks: want 1 to %d", j.Ranks, maxPods)
	case size > maxFilesSize:
		return fmt.Errorf("the case and its files have %d bytes, but a ConfigMap holds only %d: put large files on the "+
			"volume, and refer to them as /output/NAME", size, maxFilesSize)
	case !slices.Contains(pullPolicies, j.Pull):
		return fmt.Errorf("the pull policy %q: want one of %s", j.Pull, strings.Join(pullPolicies, ", "))
	}
	if least, most, err := j.bounds(); err != nil {
		return err
	} else if j.Ranks < least || j.Ranks > most {
		return fmt.Errorf("%d ranks: want a number in the range %s", j.Ranks, j.Elastic)
	}
	for resource, quantity := range map[string]string{"CPUs": j.CPU, "memory": j.Memory, "storage": j.Storage} {
		if !quantityPattern.MatchString(quantity) {
			return fmt.Errorf("%q of %s: want a Kubernetes quantity, as in 2, 500m or 4Gi", quantity, resource)
		}
	}
	for _, c := range j.Components {
		if _, err := fs.Stat(k8s.Files, path.Join("components", c)); err != nil {
			return fmt.Errorf("there is no component %q", c)
		}
	}
	return nil
}

// overlay is the kustomization of a job: it changes the base manifests. It is executed with values.
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

// patch is the patch of the Job object. It is executed with values.
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

// rename is a change of the name of an object in the base.
type rename struct {
	Kind, From, To string
	Selectors      []string // paths of fields that select pods by the job's name
}

// bounds returns the least and the largest number of ranks.
func (j *Job) bounds() (minRanks, maxRanks int, err error) {
	return parseBounds(j.Bounds())
}

// Bounds returns the range of ranks as MIN:MAX.
func (j *Job) Bounds() string {
	return cmp.Or(j.Elastic, fmt.Sprintf("%d:%[1]d", j.Ranks))
}

// MaxRanks returns the largest number of ranks, if Check has returned nil.
func (j *Job) MaxRanks() int {
	_, maxRanks, _ := j.bounds()
	return maxRanks
}

func parseBounds(text string) (minRanks, maxRanks int, err error) {
	low, high, hasColon := strings.Cut(text, ":")
	minRanks, errLow := strconv.Atoi(low)
	maxRanks, errHigh := strconv.Atoi(high)
	if !hasColon || errLow != nil || errHigh != nil || minRanks < 1 || maxRanks < minRanks || maxRanks > maxPods {
		return 0, 0, fmt.Errorf("the range of ranks %q: want MIN:MAX, as in 2:8, with MAX at most %d", text, maxPods)
	}
	return minRanks, maxRanks, nil
}

// Secure reports whether ranks have certificates.
func (j *Job) Secure() bool { return !slices.Contains(j.Components, "insecure") }

// Render returns the manifests of a job in YAML. It applies kustomize to the files in k8s, as kubectl apply -k does.
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
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/k8s/job")
	if err != nil {
		return nil, fmt.Errorf("kustomize: %w", err)
	}
	return resources.AsYaml()
}

// values is the data of the templates.
type values struct {
	*Job
	Repository, Tag, Digest string
	Names                   []string
	Numbers                 []int
	Renamed                 []rename
}

func (j *Job) values() (*values, error) {
	v := &values{Job: j}
	v.Repository, v.Digest, _ = strings.Cut(j.Image, "@")
	if colon := strings.LastIndexByte(v.Repository, ':'); colon > strings.LastIndexByte(v.Repository, '/') {
		v.Repository, v.Tag = v.Repository[:colon], v.Repository[colon+1:]
	}
	if v.Repository == "" {
		return nil, fmt.Errorf("the image %q has no repository: want REPOSITORY:TAG or REPOSITORY@DIGEST", j.Image)
	}
	for name := range j.Files {
		v.Names = append(v.Names, name)
	}
	slices.Sort(v.Names)
	for r := range j.MaxRanks() {
		v.Numbers = append(v.Numbers, r)
	}
	v.Renamed = []rename{
		{"Job", "atoll", j.Name, nil},
		{"Service", "atoll", j.Name, []string{"/spec/selector"}},
		{"ServiceAccount", "atoll", j.Name, nil},
		{"NetworkPolicy", "atoll", j.Name, []string{"/spec/podSelector/matchLabels",
			"/spec/ingress/0/from/0/podSelector/matchLabels"}},
		{"ConfigMap", "atoll-case", j.Name + "-case", nil},
	}
	if j.Claim == "" {
		v.Renamed = append(v.Renamed, rename{"PersistentVolumeClaim", "atoll-output", j.Name + "-output", nil})
	}
	return v, nil
}
