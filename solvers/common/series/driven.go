package series

import "math"

// Driven returns the rows of a number that the driver of a run sets. Before that it has a value. The first and the last
// row, before and after all times, have the least and the largest one that it may be set to.
func Driven(value, least, most float64) []Row {
	return []Row{{T: math.Inf(-1), Value: least}, {Value: value}, {T: math.Inf(1), Value: most}}
}

// AsDriven returns the arguments of Driven from its rows; ok is false for other rows.
func AsDriven(rows []Row) (value, least, most float64, ok bool) {
	if len(rows) != 3 || !math.IsInf(rows[0].T, -1) {
		return 0, 0, 0, false
	}
	return rows[1].Value, rows[0].Value, rows[2].Value, true
}
