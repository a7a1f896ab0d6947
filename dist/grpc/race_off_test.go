//go:build !race

package grpc

const poolDropsItems = false
