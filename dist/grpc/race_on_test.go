//go:build race

package grpc

// Under the race detector sync.Pool drops items at random.
const poolDropsItems = true
