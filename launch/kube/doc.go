// Package kube runs a case as an Indexed Job of Kubernetes.
//
// A Job has the parameters of a run; Job.Render makes its manifests from those of package k8s. A Client, from Connect,
// sends requests to the API server of a cluster by REST: it submits a Job, changes its number of ranks, fetches its
// output and removes it. Follow shows a job's log until the job ends, and reports why it does not start.
package kube
