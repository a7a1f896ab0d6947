package kube

import (
	"fmt"
	"strings"
)

// The types below have the fields of Kubernetes objects that this package reads, under their names in Kubernetes.

type metadata struct {
	Name              string
	UID               string `json:"uid"`
	Labels            map[string]string
	Annotations       map[string]string
	DeletionTimestamp string
}

type condition struct{ Type, Status, Reason, Message string }

type job struct {
	Metadata metadata
	Spec     struct {
		Completions int
		Template    struct {
			Spec struct {
				Containers []struct {
					Env []struct{ Name, Value string }
				}
			}
		}
	}
	Status struct {
		Active, Succeeded, Failed, Ready int
		Conditions                       []condition
	}
}

type pod struct {
	Metadata metadata
	Status   struct {
		Phase             string
		Reason, Message   string
		Conditions        []condition
		ContainerStatuses []struct {
			State struct {
				Waiting    *struct{ Reason, Message string }
				Running    *struct{}
				Terminated *struct {
					ExitCode        int
					Reason, Message string
				}
			}
		}
	}
}

type pods struct{ Items []pod }

// index is a pod's number in its job, which is its rank; "" if it has none.
func (p *pod) index() string {
	return p.Metadata.Annotations["batch.kubernetes.io/job-completion-index"]
}

// running reports whether the container of a pod runs.
func (p *pod) running() bool {
	s := p.Status.ContainerStatuses
	return len(s) > 0 && s[0].State.Running != nil
}

// exitCode returns the exit code of a pod's container, and whether the container has ended.
func (p *pod) exitCode() (code int, ended bool) {
	s := p.Status.ContainerStatuses
	if len(s) == 0 || s[0].State.Terminated == nil {
		return 0, false
	}
	return s[0].State.Terminated.ExitCode, true
}

// obstacle returns the reason why a pod does not start, "" for none, and whether the reason is permanent.
func (p *pod) obstacle() (reason string, permanent bool) {
	for _, c := range p.Status.Conditions {
		if c.Type == "PodScheduled" && c.Status == "False" && c.Message != "" {
			return fmt.Sprintf("no node accepts the pod: %s", c.Message), false
		}
	}
	for _, s := range p.Status.ContainerStatuses {
		w := s.State.Waiting
		if w == nil {
			continue
		}
		text := strings.TrimSuffix(w.Reason+": "+w.Message, ": ")
		switch w.Reason {
		case "ErrImageNeverPull", "InvalidImageName":
			return "the image is unavailable: " + text, true
		case "ErrImagePull", "ImagePullBackOff", "ImageInspectError", "RegistryUnavailable":
			return "the image is unavailable: " + text, false
		case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
			return "the container does not start: " + text, false
		}
	}
	return "", false
}
