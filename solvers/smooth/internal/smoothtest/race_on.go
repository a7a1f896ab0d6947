//go:build race

package smoothtest

// Raced tells that the race detector runs, which makes large cases slow.
const Raced = true
