package progress

import (
	"fmt"
	"math"
	"time"
)

// state holds the numbers in a line.
type state struct {
	step, sweeps int // sweeps is the total number, for runs without time
	t, end, dt   float64
	portion      float64       // completed share of the run, from 0 to 1
	remaining    time.Duration // negative if not known yet
	rate         float64       // million cells per second since the start
}

func (l *Line) state(step int, t, dt float64, now time.Time) state {
	r := &l.run
	s := state{step: step, sweeps: r.MaxSteps, t: t, end: r.End, dt: dt}
	s.portion, s.remaining, s.rate = r.Estimate(step, t, now.Sub(l.start))
	s.rate /= 1e6
	return s
}

// Estimate returns the completed share of a run, from 0 to 1, when step and time t were reached after the given
// wall time; the estimated remaining wall time, negative if unknown; and the cells updated per second.
func (r *Run) Estimate(step int, t float64, wall time.Duration) (portion float64, remaining time.Duration,
	rate float64) {
	portion, remaining = r.portion(step, t), -1
	elapsed := wall.Seconds()
	if elapsed <= 0 {
		return portion, remaining, 0
	}
	if startPortion := r.portion(r.Step, r.Time); portion > startPortion {
		seconds := elapsed * (1 - portion) / (portion - startPortion)
		if seconds < 1e9 { // some 30 years; a Duration holds 290
			remaining = time.Duration(seconds * 1e9)
		}
	}
	return portion, remaining, float64(step-r.Step) * float64(r.Cells) / elapsed
}

// portion returns the completed share of a run at a step, by time or number of steps, whichever is further.
func (r *Run) portion(step int, t float64) float64 {
	portion := 0.0
	if r.End > 0 {
		portion = t / r.End
	}
	if r.MaxSteps > 0 {
		portion = math.Max(portion, float64(step)/float64(r.MaxSteps))
	}
	return math.Min(math.Max(portion, 0), 1)
}

// tenths returns the number of completed tenths, with a tolerance for the round-off of summed time steps.
func tenths(portion float64) int { return int(10*portion + 1e-9) }

// appendTo appends one line of ASCII text of at most columns characters. Less important parts are left out if the line
// would be longer.
func (s *state) appendTo(b []byte, columns int, bar bool) []byte {
	parts := []struct {
		text     string
		priority int // the lowest is left out first
	}{
		{fmt.Sprintf("step %d", s.step), 3},
		{fmt.Sprintf("t %.4g of %.4g s", s.t, s.end), 2},
		{fmt.Sprintf("dt %.2e", s.dt), 0},
		{fmt.Sprintf("%3.0f %%", math.Floor(100*s.portion)), 5},
		{"ETA " + clock(s.remaining), 4},
		{speed(s.rate), 1},
	}
	if s.end == 0 {
		parts[0].text, parts[1].text, parts[2].text = fmt.Sprintf("sweep %d of %d", s.step, s.sweeps), "", ""
	}
	const gap = 2
	width := func(minPriority int) int {
		w := -gap
		for _, p := range parts {
			if p.priority >= minPriority && p.text != "" {
				w += gap + len(p.text)
			}
		}
		return w
	}
	minPriority := 0
	for minPriority <= 5 && width(minPriority) > columns {
		minPriority++
	}
	start := len(b)
	for i, p := range parts {
		if p.priority < minPriority || p.text == "" {
			continue
		}
		if len(b) > start {
			b = append(b, "  "...)
		}
		if i == 3 && bar { // the bar comes before the percentage
			b = s.appendBar(b, columns-width(minPriority)-gap)
		}
		b = append(b, p.text...)
	}
	return b
}

// appendBar appends a progress bar and a space, together at most columns wide, if there is room for a bar of at least
// 8.
func (s *state) appendBar(b []byte, columns int) []byte {
	const minWidth, maxWidth = 8, 30
	inner := min(columns-3, maxWidth) // without brackets and the space
	if inner < minWidth {
		return b
	}
	filled := int(s.portion * float64(inner))
	b = append(b, '[')
	for i := range inner {
		c := byte(' ')
		switch {
		case i < filled:
			c = '='
		case i == filled:
			c = '>'
		}
		b = append(b, c)
	}
	return append(b, "] "...)
}

func speed(rate float64) string {
	if rate >= 100 && rate < 1e6 {
		return fmt.Sprintf("%.0f Mcell/s", rate)
	}
	return fmt.Sprintf("%.3g Mcell/s", rate)
}

// clock returns a duration as h:mm:ss or mm:ss.
func clock(d time.Duration) string {
	if d < 0 {
		return "--:--"
	}
	seconds := int64(d.Round(time.Second) / time.Second)
	if seconds < 3600 {
		return fmt.Sprintf("%02d:%02d", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}
