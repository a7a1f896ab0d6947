// Package k8s contains the manifests for runs as Kubernetes jobs, for kustomize. They can be applied by kubectl
// apply -k k8s/base; atoll launch k8s renders them for a case.
package k8s

import "embed"

// Files contains the base, its components, and the overlays.
//
//go:embed base components overlays
var Files embed.FS
