//go:build amd64 && !race

package lanes

// built tells whether this build has code for vectors. One for the race detector has not, so that it sees every access
// to memory.
const built = true
