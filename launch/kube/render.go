package kube

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/atoll-hpc/atoll/internal/pattern"
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
	namePattern     = pattern.Of(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	keyPattern      = pattern.Of(`^[-._a-zA-Z0-9]+$`) // of a ConfigMap
	quantityPattern = pattern.Of(`^[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$`)
	pullPolicies    = []string{"IfNotPresent", "Always", "Never"}
)

// Check returns an error for parameters that Kubernetes or atoll run would refuse.
func (j *Job) Check() error {
	size := 0
	for name, data := range j.Files {
		if !keyPattern().MatchString(name) {
			return fmt.Errorf("%s: want a file in the folder of the case, with a name of letters, digits and - _ . only: "+
				"copy it there, or put it on the volume and refer to it as /output/NAME", name)
		}
		size += len(data)
	}
	switch {
	case !namePattern().MatchString(j.Name) || len(j.Name) > maxNameSize:
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
		if !quantityPattern().MatchString(quantity) {
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

// patch is the patch of the Job object. It is executed with the Job.
var patch = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("job").Parse(`apiVersion: batch/v1
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
            claimName: {{if .Claim}}{{.Claim}}{{else}}{{.Name}}-output{{end}}
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
})

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

// Render returns the manifests of a job in YAML: those in k8s/base with the components, changed for the job. It does
// what kustomize would do with an overlay, as a test checks; kustomize itself would be a tenth of the program.
func (j *Job) Render() ([]byte, error) {
	if err := j.Check(); err != nil {
		return nil, err
	}
	repository, _, _ := strings.Cut(j.Image, "@")
	if repository == "" || strings.HasPrefix(repository, ":") {
		return nil, fmt.Errorf("the image %q has no repository: want REPOSITORY:TAG or REPOSITORY@DIGEST", j.Image)
	}
	m, err := loadManifests("base")
	if err != nil {
		return nil, err
	}
	for _, c := range j.Components {
		if err := m.patchBy(path.Join("components", c)); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	if err := patch().Execute(&b, j); err != nil {
		return nil, err
	}
	if err := m.patch("Job", b.Bytes()); err != nil {
		return nil, err
	}
	j.specialize(m)
	return m.yaml()
}

// Numbers are those of all ranks that the job may have, for templates.
func (j *Job) Numbers() []int {
	numbers := make([]int, j.MaxRanks())
	for r := range numbers {
		numbers[r] = r
	}
	return numbers
}

// specialize sets what differs from job to job besides the patch: image, arguments, files, volume and names.
func (j *Job) specialize(m *manifests) {
	pod := m.find("Job").at("spec", "template", "spec")
	container := pod.list("containers")[0]
	container["image"] = j.Image
	args := container["args"].([]any)
	args[1] = "/case/" + j.Case
	for _, a := range j.Args {
		args = append(args, a)
	}
	container["args"] = args
	pod["serviceAccountName"] = j.Name
	for _, v := range pod.list("volumes") {
		if v["name"] == "case" {
			v.at("configMap")["name"] = j.Name + "-case"
		}
	}
	if j.Claim != "" {
		m.remove("PersistentVolumeClaim")
	} else {
		claim := m.find("PersistentVolumeClaim")
		claim.at("metadata")["name"] = j.Name + "-output"
		claim.at("spec", "resources", "requests")["storage"] = j.Storage
		if j.Class != "" {
			claim.at("spec")["storageClassName"] = j.Class
		}
	}
	for _, kind := range []string{"Job", "Service", "ServiceAccount", "NetworkPolicy"} {
		m.find(kind).at("metadata")["name"] = j.Name
	}
	const selector = "batch.kubernetes.io/job-name"
	m.find("Service").at("spec", "selector")[selector] = j.Name
	policy := m.find("NetworkPolicy").at("spec")
	policy.at("podSelector", "matchLabels")[selector] = j.Name
	policy.list("ingress")[0].list("from")[0].at("podSelector", "matchLabels")[selector] = j.Name
	m.all = append(m.all, configMap(j.Name+"-case", j.Files))
	for _, o := range m.all {
		labels := o.at("metadata", "labels")
		labels["app.kubernetes.io/name"], labels["atoll-hpc.github.io/job"] = "atoll", j.Name
	}
}
