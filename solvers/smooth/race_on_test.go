//go:build race

package smooth

// raced tells that the race detector runs, which makes large cases slow.
const raced = true
