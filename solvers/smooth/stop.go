package smooth

// Reason is the rule by which smoothing ended.
type Reason string

const (
	AllSweeps    Reason = "sweeps"  // all sweeps were made
	Settled      Reason = "settled" // no vertex moves any more
	GoodMean     Reason = "mean quality reached"
	GoodWorst    Reason = "worst quality reached"
	NoMoreRising Reason = "quality rises no more"
)

// Rises tells whether the mean or the worst quality is higher than it was by as much as that, or more.
func (d *Diagnostics) Rises(was *Diagnostics, by float64) bool {
	return d.QualityMean-was.QualityMean >= by || d.QualityMin-was.QualityMin >= by
}
