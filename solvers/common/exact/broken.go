package exact

import "math"

// firstEntity is an upper bound of the numbers of entities: earlier ones have larger codes, so that a maximum finds the
// first.
const firstEntity = 1 << 48

// Broken returns the code of an entity whose number v is not finite, for FirstBroken, or 0 for a finite number.
func Broken(entity int64, v float64) int64 {
	if v-v == 0 {
		return 0
	}
	what := int64(0)
	if v > 0 {
		what = 1
	}
	if v < 0 {
		what = 2
	}
	return (firstEntity-entity)*4 + what
}

// FirstBroken returns the entity of the largest code, the first whose number is not finite, and that number: NaN or an
// infinity; -1 for the code 0.
func FirstBroken(code int64) (entity int, v float64) {
	if code == 0 {
		return -1, 0
	}
	entity = int(firstEntity - code/4)
	if code%4 == 0 {
		return entity, math.NaN()
	}
	return entity, math.Inf(3 - 2*int(code%4))
}
