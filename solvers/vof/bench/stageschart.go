package bench

import (
	"fmt"

	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// StagesChart draws the times that VofStages measured with several numbers of threads.
type StagesChart struct{ times []stageTimes }

// Draw draws the speedup and the time of each stage over threads, as Figure 6 of Francois, Lo and Sewell (ASME
// 2014). It needs one size.
func (c *StagesChart) Draw() (*figure.Figure, error) {
	n := c.times[0].n
	times := timesOf(c.times, n)
	if len(times) < len(c.times) {
		return nil, fmt.Errorf("a picture needs one number of cells")
	}
	speed := chart.Panel{Label: "speedup"}
	milliseconds := chart.Panel{Label: "ms"}
	var threads, ideal []float64
	for _, t := range times {
		threads = append(threads, float64(t.threads))
		ideal = append(ideal, float64(t.threads)/float64(times[0].threads))
	}
	for k, stage := range times[0].stages {
		ms := make([]float64, len(times))
		for i, t := range times {
			ms[i] = 1e3 * t.seconds[k]
		}
		speed.Curves = append(speed.Curves, chart.Curve{Name: stage.Name, Values: speedups(times, k)})
		milliseconds.Curves = append(milliseconds.Curves, chart.Curve{Name: stage.Name, Values: ms})
	}
	speed.Curves = append(speed.Curves, chart.Curve{Name: "ideal", Values: ideal})
	title := fmt.Sprintf("Stages of a reconstruction, %s cells", square(n))
	return (&chart.Series{Title: title, T: threads, XLabel: "threads", Panels: []chart.Panel{speed, milliseconds}}).Draw()
}
