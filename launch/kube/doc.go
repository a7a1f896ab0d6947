// Package kube runs a case as an Indexed Job of Kubernetes: it renders the manifests of package k8s for that case,
// submits them, follows the job, explains why it does not start, brings its files, and cleans up. It speaks to the API
// server by plain REST.
package kube
