//go:build race

package smoothtest

// Raced is true with the race detector, which makes large cases slow.
const Raced = true
