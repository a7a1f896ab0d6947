//go:build race

package disttest

// sizes are the numbers of ranks with which Run tests. Under the race detector seven ranks take as long as all
// others together, and do not cover more code than three and four.
var sizes = []int{1, 3, 4}
