//go:build race

package disttest

// sizes are fewer under the race detector, where seven ranks take as long as all others, and do nothing that four or
// three do not. What arrives is looked at for all sizes without it.
var sizes = []int{1, 3, 4}
