package levels

// Counts are numbers of iterations since the start: of all solutions, of the one that took most, and the number of
// those that did not converge.
type Counts struct{ Total, Most, Failed int64 }

// Add counts those of a solution.
func (c *Counts) Add(it *Iteration) {
	c.Total += it.Count
	c.Most = max(c.Most, it.Count)
	if !(it.Residual <= it.Tolerance) {
		c.Failed++
	}
}
