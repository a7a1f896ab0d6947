package shallow

// cycleLength is the number of steps after which the use of states, clocks and limits repeats.
const cycleLength = 4

// cycleStep is the number of a step, modulo cycleLength. States, clocks and limits rotate, so that nothing is copied
// between steps, and several steps can be queued without the host:
//
//	                            step k reads    and writes
//	state                       k%2             (k+1)%2
//	clock                       k               k+1: by a kernel if steps are queued, else by the host
//	limit of the step's length  k               k+1; it clears k+2
//	the same, if steps lag      k-1             k+1; it clears k+2
//
// A limit is the largest step that the waves of a state allow. Limits k-1 to k+2 are in use at the same time, hence a
// cycle of four.
type cycleStep int

// plus is the step that is n later.
func (k cycleStep) plus(n int) cycleStep { return (k + cycleStep(n)) % cycleLength }

// from returns the index of the state before the step, and to that of the state after it.
func (k cycleStep) from() int { return int(k % 2) }
func (k cycleStep) to() int   { return int(1 - k%2) }

// limit returns the index of the limit that sets the length of the step.
func (k cycleStep) limit(lag bool) cycleStep {
	if lag {
		return k.plus(cycleLength - 1)
	}
	return k
}
