//go:build !unix

package main

// whenUnread does nothing where no signal tells that nobody reads the output.
func whenUnread(func()) {}
