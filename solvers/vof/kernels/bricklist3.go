package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// A step moves fluid at most to the next cell along each axis, so that ListSteps steps move it at most to the brick
// that many bricks away.
const (
	bricksX = (ListSteps + brickX - 1) / brickX
	bricksY = (ListSteps + brickY - 1) / brickY
	bricksZ = (ListSteps + brickZ - 1) / brickZ

	// The cells of a tile or brick are divided into pieces, and these into groups, whose kinds are found by one thread
	// each.
	kindPieces, kindGroups = 256, 16
)

// BrickList finds the bricks in which anything may change in the next ListSteps steps.
//
//atoll:constant
type BrickList[F num.Float] struct {
	Lattice
	Bricks
	RoundOff F
	F        []F // the state
	Second   []F // the fields between the sweeps of a step
	Third    []F
	Kinds    []int32 // of bricks: NotEmpty and NotFull
	Marks    []int32 // of bricks: Active if the brick belongs to the list, Sent if it is computed in each sweep anyhow
	Copied   []int32 // of bricks: Synchronised if all fields are the same, since the brick was not in the last list
}

// KindOfBrick finds the kind of brick t, unless it was not in the last list: then it is still the same.
//
//atoll:kernel tile block=256
func KindOfBrick[F num.Float](t int, l *BrickList[F], pieces *[kindPieces]int32, groups *[kindGroups]int32) {
	x, y, z := l.corner(int32(t))
	changed := l.mayHaveChanged(t)
	for k := range changed * kindPieces {
		pieces[k] = l.kindOf(k, x, y, z)
	}
	for k := range changed * kindGroups {
		groups[k] = combine(pieces[:], k, kindGroups, kindPieces/kindGroups)
	}
	for range changed {
		l.Kinds[t] = combine(groups[:], 0, 1, kindGroups)
	}
}

// mayHaveChanged returns 0 if brick t was not in the last list, otherwise 1.
func (l *BrickList[F]) mayHaveChanged(t int) int32 { return flag(l.Copied[t]&Synchronised == 0) }

// kindOf returns the kind of every kindPieces-th cell of a brick, starting with number k.
func (l *BrickList[F]) kindOf(k, x, y, z int32) int32 {
	kind := int32(0)
	for at := k; at < brickCells; at += kindPieces {
		i, j, h := x+at%brickX, y+at/brickX%brickY, z+at/(brickX*brickY)
		if !l.has(i, j, h) {
			continue
		}
		f := l.F[l.at(int(i), int(j), int(h))]
		if !empty(f, l.RoundOff) {
			kind |= NotEmpty
		}
		if !full(f, l.RoundOff) {
			kind |= NotFull
		}
	}
	return kind
}

// combine returns the combined kind of n pieces, stride apart.
func combine(pieces []int32, first, stride, n int32) int32 {
	kind := int32(0)
	for k := range n {
		kind |= pieces[first+k*stride]
	}
	return kind
}

// MarkBrick puts brick t into the list if a brick within reach is mixed, belongs to another rank or is of another
// kind, and if other ranks need none of its cells.
//
//atoll:kernel
func MarkBrick[F num.Float](t int, l *BrickList[F]) {
	row := int32(t) / l.Count[0]
	x, y, z := int32(t)%l.Count[0], row%l.Count[1], row/l.Count[1]
	kind := l.Kinds[t]
	marks := int32(0)
	if kind == Mixed2 || l.beyond(0, x, bricksX) || l.beyond(1, y, bricksY) || l.beyond(2, z, bricksZ) {
		marks = Active
	}
	for k := num.Larger(z-bricksZ, 0); k < num.Smaller(z+bricksZ+1, l.Count[2]); k++ {
		for j := num.Larger(y-bricksY, 0); j < num.Smaller(y+bricksY+1, l.Count[1]); j++ {
			for i := num.Larger(x-bricksX, 0); i < num.Smaller(x+bricksX+1, l.Count[0]); i++ {
				if l.Kinds[i+l.Count[0]*(j+l.Count[1]*k)] != kind {
					marks = Active
				}
			}
		}
	}
	if l.Sent(int32(t)) {
		marks = Sent
	}
	l.Marks[t] = marks
}

// beyond reports whether cells of another rank, which may hold anything, are at most reach bricks away from brick p
// along an axis. The last brick of the block may be incomplete.
func (l *BrickList[F]) beyond(axis, p, reach int32) bool {
	return l.Open[axis][0] > 0 && p < reach || l.Open[axis][1] > 0 && p+reach+1 >= l.Count[axis]
}

// CopyIdleBrick copies brick t to the other fields if it is not in the list but was in the last one: bricks beside it
// may be, and read its cells in each sweep.
//
//atoll:kernel tile block=256
func CopyIdleBrick[F num.Float](t int, l *BrickList[F]) {
	x, y, z := l.corner(int32(t))
	idle := l.idle(t)
	for k := range idle {
		i, j, h := x+k%brickX, y+k/brickX%brickY, z+k/(brickX*brickY)
		if l.has(i, j, h) {
			c := l.at(int(i), int(j), int(h))
			l.Second[c] = l.F[c]
			l.Third[c] = l.F[c]
		}
	}
	for range 1 {
		l.Copied[t] = flag(l.Marks[t] == 0) * Synchronised
	}
}

// idle returns the number of cells of brick t to copy: none if it is in the list, or was not in the last one.
func (l *BrickList[F]) idle(t int) int32 {
	if l.Marks[t] != 0 || l.Copied[t]&Synchronised != 0 {
		return 0
	}
	return brickCells
}
