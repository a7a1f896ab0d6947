package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Listing lists the cells of a block that have a jump, row after row along x. The kernels have an index of 0 along x.
//
//atoll:constant
type Listing[F num.Float] struct {
	Lattice
	Long    int32 // cells of a row
	Rows    int32 // in a layer across z
	F, Jump []F
	First   []int32 // where the cells of each row begin in the list
	Column  []F     // of each listed cell: its index along x
	AreaX   []F     // the part of the interface's area that has its jump: see areaAcross
	AreaY   []F
	AreaZ   []F // in space
	Value   []F // the jump, or what is added to it
}

func (q *Listing[F]) row(j, k int) int { return j + k*int(q.Rows) }

// CountJumps counts the cells of a row, in First.
//
//atoll:kernel
func CountJumps[F num.Float](i, j, k int, q *Listing[F]) {
	begin, n := q.at(0, j, k), int32(0)
	for c := begin; c < begin+int(q.Long); c++ {
		if q.Jump[c] != NoJump {
			n++
		}
	}
	q.First[q.row(j, k)] = n
}

// ListJumps lists the cells of a row.
//
//atoll:kernel
func ListJumps[F num.Float](i, j, k int, q *Listing[F]) {
	begin, n := q.at(0, j, k), int(q.First[q.row(j, k)])
	for x := range int(q.Long) {
		c := begin + x
		if q.Jump[c] == NoJump {
			continue
		}
		q.Column[n] = F(x)
		q.Value[n] = q.Jump[c]
		q.AreaX[n] = q.areaAcross(c, 1)
		q.AreaY[n] = q.areaAcross(c, int(q.SY))
		if q.Dim == 3 {
			q.AreaZ[n] = q.areaAcross(c, int(q.SZ))
		}
		n++
	}
}

// areaAcross is a component of the area vector of the interface at which the jump of cell c acts, into the first fluid:
// the force of surface tension along the axis at the two faces of the cell is the jump times it, and those of the next
// cells.
func (q *Listing[F]) areaAcross(c, s int) F {
	return q.partBeside(c, c-s)*(q.F[c]-q.F[c-s]) + q.partBeside(c, c+s)*(q.F[c+s]-q.F[c])
}

// partBeside is the weight of the jump of a cell at its face with another one.
func (q *Listing[F]) partBeside(c, other int) F {
	part := F(1)
	if q.Jump[other] != NoJump {
		part = partOf(q.F[c], q.F[other])
	}
	return part
}

// AddToJumps adds Value to the jumps of a row.
//
//atoll:kernel
func AddToJumps[F num.Float](i, j, k int, q *Listing[F]) {
	begin, n := q.at(0, j, k), int(q.First[q.row(j, k)])
	for c := begin; c < begin+int(q.Long); c++ {
		if q.Jump[c] != NoJump {
			q.Jump[c] += q.Value[n]
			n++
		}
	}
}
