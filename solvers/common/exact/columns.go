package exact

// A tile kernel of Threads threads that measures some cells together has columns in shared memory: a column is an array
// of one result of each thread, such as its Part of a sum; several columns are one after the other. Two loops of the
// kernel merge them: the first over all groups of threads of all columns (there are Groups of each column), by
// MergeGroup, AddGroup or MaxGroup; the second over the columns, by FlushColumn, AddColumn or MaxColumn.
const (
	Threads = 128
	Groups  = Threads / group
	group   = 8 // threads whose results one of them merges
)

// MergeGroup merges group g of columns of parts; words are the sum in memory for the group's column.
func MergeGroup(columns []Part, g int32, words []int64) {
	o := columns[g*group]
	for k := g*group + 1; k < (g+1)*group; k++ {
		p := columns[k]
		o.Merge(&p, words)
	}
	columns[g*group] = o
}

// FlushColumn adds column c of columns whose groups are merged to the sum in memory.
func FlushColumn(columns []Part, c int32, words []int64) {
	o := columns[c*Threads]
	for k := c*Threads + group; k < (c+1)*Threads; k += group {
		p := columns[k]
		o.Merge(&p, words)
	}
	o.Flush(words)
}

// AddGroup adds up group g of columns of integers.
func AddGroup(columns []int64, g int32) {
	sum := int64(0)
	for k := g * group; k < (g+1)*group; k++ {
		sum += columns[k]
	}
	columns[g*group] = sum
}

// AddColumn returns the sum of column c of columns whose groups are added up.
func AddColumn(columns []int64, c int32) int64 {
	sum := int64(0)
	for k := c * Threads; k < (c+1)*Threads; k += group {
		sum += columns[k]
	}
	return sum
}

// MaxGroup finds the largest of group g of columns of OrderedBits.
func MaxGroup(columns []uint64, g int32) {
	most := uint64(0)
	for k := g * group; k < (g+1)*group; k++ {
		most = max(most, columns[k])
	}
	columns[g*group] = most
}

// MaxColumn returns the largest of column c, after MaxGroup has found the largest of each group.
func MaxColumn(columns []uint64, c int32) uint64 {
	most := uint64(0)
	for k := c * Threads; k < (c+1)*Threads; k += group {
		most = max(most, columns[k])
	}
	return most
}

// Box is the indices [Lo, Hi) along each axis: an abi.Box that kernels can take.
type Box struct{ Lo, Hi [3]int }
