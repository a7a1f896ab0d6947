//go:build race

package smoothtest

// RaceDetector is true in builds with the race detector, which makes large cases slow.
const RaceDetector = true
