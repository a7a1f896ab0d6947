//go:build !invariants

package halo

const poisoning = false
