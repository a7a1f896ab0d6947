//go:build !race

package smoothtest

const Raced = false
