//go:build amd64 && !race

package lanes

// built reports whether this build has vector code. A build for the race detector has none, so that the detector sees
// every memory access.
const built = true
