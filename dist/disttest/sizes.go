//go:build !race

package disttest

// sizes are the numbers of ranks with which Run tests.
var sizes = []int{1, 2, 3, 4, 7}
