package halo

// invariants is set by the linker, as make test does: -ldflags='-X github.com/atoll-hpc/atoll/halo.invariants=on'.
// Ghosts then hold NaN from the start of an exchange to its end, and buffers are overwritten after use, so that whoever
// uses either too early or too late notices. With a build tag all that imports this package would be compiled twice.
var invariants string

var poisoning = invariants != ""

// poison fills the ghosts of the fields with bytes that are a NaN in either precision.
func poison(plan *Plan, fields []Field) {
	for _, f := range fields {
		overwrite(f.data[plan.Owned*f.size:])
	}
}

func overwrite(b []byte) {
	for i := range b {
		b[i] = 0xff
	}
}
