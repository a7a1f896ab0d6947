package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// A patch is read in runs, each by a thread that reads all of its cells before it looks at any: a GPU then has
// enough on the way to be bound by its memory. The few cells that have work are listed in order and get a thread
// each.
const (
	run         = 8 // cells of a column
	patchRuns   = patchCells / run
	groupRuns   = 16 // runs whose cells to do are counted together
	patchGroups = patchRuns / groupRuns
)

// octet is the numbers of a run, from the lowest cell up.
type octet[F num.Float] struct{ a, b, c, d, e, f, g, h F }

// octetOf reads a field in run k of the patch at (x, y). Cells that are not to be done count as 0.
func octetOf[F num.Float](v []F, l *Lattice, p *Patches, k, x, y int32) octet[F] {
	i, j := x+k%patch, y+k/patch*run
	c, sy := l.at(int(i), int(j), 0), int(l.SY)
	var o octet[F]
	if p.has(i, j) {
		o.a = v[c]
	}
	if p.has(i, j+1) {
		o.b = v[c+sy]
	}
	if p.has(i, j+2) {
		o.c = v[c+2*sy]
	}
	if p.has(i, j+3) {
		o.d = v[c+3*sy]
	}
	if p.has(i, j+4) {
		o.e = v[c+4*sy]
	}
	if p.has(i, j+5) {
		o.f = v[c+5*sy]
	}
	if p.has(i, j+6) {
		o.g = v[c+6*sy]
	}
	if p.has(i, j+7) {
		o.h = v[c+7*sy]
	}
	return o
}

// mixed has a bit for each cell that is mixed, the lowest for the lowest cell.
func (o *octet[F]) mixed(dust F) int32 {
	return marked(mixed(o.a, dust)) | marked(mixed(o.b, dust))<<1 |
		marked(mixed(o.c, dust))<<2 | marked(mixed(o.d, dust))<<3 |
		marked(mixed(o.e, dust))<<4 | marked(mixed(o.f, dust))<<5 |
		marked(mixed(o.g, dust))<<6 | marked(mixed(o.h, dust))<<7
}

// nonzero has a bit for each number that is not zero.
func (o *octet[F]) nonzero() int32 {
	return marked(o.a != 0) | marked(o.b != 0)<<1 | marked(o.c != 0)<<2 | marked(o.d != 0)<<3 |
		marked(o.e != 0)<<4 | marked(o.f != 0)<<5 | marked(o.g != 0)<<6 | marked(o.h != 0)<<7
}

// ones is how many of eight bits are set.
func ones(bits int32) int32 {
	bits -= bits >> 1 & 0x55
	bits = bits&0x33 + bits>>2&0x33
	return (bits + bits>>4) & 15
}

// total is how many cells of a patch are to be done, by group.
func total(groups []int32) int32 {
	n := int32(0)
	for g := range int32(patchGroups) {
		n += groups[g]
	}
	return n
}

// runsToList is how many runs have to be looked at in order to list n cells.
func runsToList(n int32) int32 {
	if n == 0 {
		return 0
	}
	return patchRuns
}

// listRun lists the cells of run k that are to be done behind those of the runs before.
func listRun(list, bits, groups []int32, k int32) {
	if bits[k] == 0 {
		return
	}
	at := int32(0)
	for g := range k / groupRuns {
		at += groups[g]
	}
	for n := k / groupRuns * groupRuns; n < k; n++ {
		at += ones(bits[n])
	}
	for q := range int32(run) {
		if bits[k]>>q&1 != 0 {
			list[at] = k%patch + (k/patch*run+q)*patch
			at++
		}
	}
}
