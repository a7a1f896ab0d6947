// Package k8s holds the manifests of a run as a job of Kubernetes, for kustomize: kubectl apply -k k8s/base, and what
// atoll launch k8s makes of them.
package k8s

import "embed"

// Files are the base, its components, and the overlays.
//
//go:embed base components overlays
var Files embed.FS
