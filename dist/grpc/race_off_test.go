//go:build !race

package grpc

const poolsForget = false
