package partition

import "fmt"

// OrderReport measures how far apart neighbours are in an ordering. The literature compares the bandwidth; the mean
// distance is a better measure of cache use: a Hilbert curve has a large bandwidth and a small mean.
type OrderReport struct {
	Cells     int
	Edges     int
	Bandwidth int     // the largest |i-j| over the edges
	Mean      float64 // the mean |i-j| over the edges; 0 without edges
	Profile   int64   // the sum of i - j over all i with neighbours before i; j is the first of them
}

// ReportOrder measures the ordering perm, perm[new] = old, of g. It returns an error if perm is no permutation.
func ReportOrder(g Graph, perm []int32) (OrderReport, error) {
	n := g.N()
	if len(perm) != n {
		return OrderReport{}, fmt.Errorf("the ordering has %d cells, the graph has %d", len(perm), n)
	}
	position := make([]int32, n)
	for v := range position {
		position[v] = -1
	}
	for i, v := range perm {
		if v < 0 || int(v) >= n {
			return OrderReport{}, fmt.Errorf("the ordering has cell %d at position %d, which is not in 0..%d", v, i, n-1)
		}
		if position[v] >= 0 {
			return OrderReport{}, fmt.Errorf("cell %d is at positions %d and %d of the ordering", v, position[v], i)
		}
		position[v] = int32(i)
	}
	r := OrderReport{Cells: n, Edges: g.Edges()}
	sum, widest := int64(0), int32(0)
	for i, v := range perm {
		first := int32(i)
		for _, u := range g.Neighbours(v) {
			first = min(first, position[u])
			if d := int32(i) - position[u]; d > 0 { // each edge once
				sum += int64(d)
			}
		}
		widest = max(widest, int32(i)-first)
		r.Profile += int64(int32(i) - first)
	}
	r.Bandwidth = int(widest)
	if r.Edges > 0 {
		r.Mean = float64(sum) / float64(r.Edges)
	}
	return r, nil
}

// String returns a table with one measure a line.
func (r OrderReport) String() string {
	return fmt.Sprintf("cells          %d\nedges          %d\nbandwidth      %d\nmean distance  %.2f\nprofile        %d\n",
		r.Cells, r.Edges, r.Bandwidth, r.Mean, r.Profile)
}
