//go:build !unix

package process

// Limits are none that a run would meet.
func Limits() string { return "" }
