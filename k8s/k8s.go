// Package k8s contains the manifests, for kustomize, that run a case as a Kubernetes Job. kubectl apply -k k8s/base
// applies them as they are; atoll launch k8s (package launch/kube) renders them for a case.
package k8s

import "embed"

// Files contains the base, its components, and the overlays.
//
//go:embed base components overlays
var Files embed.FS
