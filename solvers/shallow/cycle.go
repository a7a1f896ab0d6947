package shallow

// cycleLength is the number of steps after which the use of states, clocks and limits repeats.
const cycleLength = 4

// cycleStep is the number of a step, modulo cycleLength. States, clocks and limits rotate, so that nothing is copied
// between steps, and several steps can be queued without the host:
//
//	                     step k reads    and writes
//	state                k%2             (k+1)%2
//	clock                k               k+1: a kernel where steps are queued, else the host
//	limit of its length  k               k+1; it clears k+2
//	where steps lag      k-1             the same
//
// A limit is the largest step that the waves of a state allow. Limits k-1 to k+2 are in use at the same time, hence a
// cycle of four.
type cycleStep int

// plus is the step that is n later.
func (k cycleStep) plus(n int) cycleStep { return (k + cycleStep(n)) % cycleLength }

// from is the index of the state before the step, to that of the state after it.
func (k cycleStep) from() int { return int(k % 2) }
func (k cycleStep) to() int   { return int(1 - k%2) }

// limit is the index of the limit that sets the length of the step.
func (k cycleStep) limit(lag bool) cycleStep {
	if lag {
		return k.plus(cycleLength - 1)
	}
	return k
}
