//go:build !unix

package main

// limits are none that a run would meet.
func limits() string { return "" }
