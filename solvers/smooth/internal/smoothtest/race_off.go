//go:build !race

package smoothtest

const RaceDetector = false
