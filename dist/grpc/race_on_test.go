//go:build race

package grpc

// Under the race detector sync.Pool throws away at random what it is given.
const poolsForget = true
