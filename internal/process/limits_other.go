//go:build !unix

package process

// Limits returns "": this system has no limits that matter to a run.
func Limits() string { return "" }
