package watch

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/solvers"
)

//go:embed page.html
var templateText string

var pages = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(templateText)) })

// fullPage renders the page.
func (s *Server) fullPage() ([]byte, error) { return s.execute("page") }

// body renders the part of the page that changes.
func (s *Server) body() ([]byte, error) { return s.execute("body") }

func (s *Server) execute(name string) ([]byte, error) {
	var b bytes.Buffer
	err := pages().ExecuteTemplate(&b, name, s.view(time.Now()))
	return b.Bytes(), err
}

// view is the content of the page, as text for the template.
type view struct {
	Case, Title, CaseLine, RanksLine string
	Outcome                          string // "" while the run goes on
	Percent                          string
	Done                             float64 // percent
	Facts                            []fact
	Picture                          *pictureView
	Budget, Others                   []quantity
	Phases                           []phase
	Ranks                            []rank
	HiddenRanks                      int // number of ranks that are not shown
	Balance                          string
	Events                           []eventView
}

type fact struct{ Name, Value string }

type pictureView struct {
	*pictureInfo
	Field, Doc, Moment, Lo, Hi string
	Stops                      []stop
}

type stop struct{ Offset, Colour string }

type quantity struct {
	Name, Unit, Doc, Value string
	Curve                  string // points of a polyline in a box of 100 by 24; "" for none
}

type phase struct {
	Name, Seconds string // sum over ranks
	Colour        int
}

type rank struct {
	Rank    int
	Bars    []bar
	Seconds []string // by phase
}

type bar struct {
	X, Width string // percent of the longest
	Colour   int
}

type eventView struct{ At, Text string }

// view builds the content of the page from the current state.
func (s *Server) view(now time.Time) *view {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	st := &s.state
	a := &st.about
	v := &view{Case: a.Case, Title: cmp.Or(a.Title, a.Case), Outcome: st.outcome}
	v.CaseLine = fmt.Sprintf("%s, %s, %s", a.Solver, words.Count(int(a.Cells), a.Unit), a.Precision)
	v.RanksLine = fmt.Sprintf("%s by %s, %s, %s", words.Count(a.Ranks, "rank"), a.Transport, a.Backend,
		words.Count(a.Threads, "thread"))
	if st.started.IsZero() {
		v.Percent, v.CaseLine, v.RanksLine = "setting up", "", ""
		return v
	}
	v.progress(st, now)
	v.quantities(st)
	v.ranks(st.phases)
	if b := &st.balance; b.Share > 0 {
		v.Balance = fmt.Sprintf("The counted work of a rank is %.0f%% of the most; blocks have moved %s", 100*b.Share,
			words.Count(b.Moves, "time"))
		if b.Moves > 0 {
			v.Balance += fmt.Sprintf(", which raised it from %.0f%% to %.0f%%", 100*b.Before, 100*b.After)
		}
	}
	for _, e := range slices.Backward(st.events) {
		v.Events = append(v.Events, eventView{e.Time.Format(time.DateTime), e.Text})
	}
	v.picture(s.pictureInfo.Load(), a)
	return v
}

func (v *view) progress(st *state, now time.Time) {
	if !st.ended.IsZero() {
		now = st.ended
	}
	a, elapsed := &st.about, now.Sub(st.started)
	portion, remaining, rate := a.Estimate(st.clock.Steps, st.clock.Time, elapsed)
	v.Done = math.Floor(1000*portion) / 10
	v.Percent = fmt.Sprintf("%.0f %%", math.Floor(100*portion))
	eta := "unknown"
	if remaining >= 0 {
		eta = remaining.Round(time.Second).String()
	}
	v.Facts = []fact{
		{"time", fmt.Sprintf("%.5g of %.5g s", st.clock.Time, a.End)},
		{"step", fmt.Sprint(st.clock.Steps)},
		{"dt", fmt.Sprintf("%.3g s", st.clock.Dt)},
		{"left", eta},
		{"took", elapsed.Round(time.Second).String()},
		{"rate", fmt.Sprintf("%.4g million %s updates a second", rate/1e6, a.Unit)},
		{"restarts", fmt.Sprint(st.restarts)},
	}
	if a.Sweeps {
		v.Facts = slices.Replace(v.Facts, 0, 3, fact{"sweep", fmt.Sprintf("%d of %d", st.clock.Steps, a.MaxSteps)})
	}
	if v.Outcome != "" {
		v.Facts = slices.DeleteFunc(v.Facts, func(f fact) bool { return f.Name == "left" })
	}
}

// quantities adds the measured quantities: conserved ones with their sources, then the others.
func (v *view) quantities(st *state) {
	conserved, all := map[string]bool{}, st.allQuantities()
	for _, q := range all {
		if q.Outputs&solvers.Drift != 0 {
			conserved[strings.TrimSuffix(q.Name, "_drift")] = true
		}
	}
	for i, q := range all {
		shown := quantity{Name: q.Name, Unit: q.Unit, Doc: q.Doc, Value: fmt.Sprintf("%.8g", q.Value),
			Curve: curve(st.history.values(i, q.Value))}
		base, _, _ := strings.Cut(q.Name, solvers.SourceInfix)
		if conserved[strings.TrimSuffix(base, "_drift")] {
			v.Budget = append(v.Budget, shown)
		} else {
			v.Others = append(v.Others, shown)
		}
	}
}

// curve returns the points of a curve through values; "" if they are all equal.
func curve(values []float64) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, y := range values {
		if isFinite(y) {
			lo, hi = min(lo, y), max(hi, y)
		}
	}
	if !(hi > lo) || len(values) < 2 {
		return ""
	}
	var b strings.Builder
	for i, y := range values {
		if isFinite(y) {
			fmt.Fprintf(&b, "%.1f,%.1f ", 100*float64(i)/float64(len(values)-1), 23-22*(y/(hi-lo)-lo/(hi-lo)))
		}
	}
	return strings.TrimSuffix(b.String(), " ")
}

const maxRanks = 64 // largest number of ranks that the page lists

// ranks adds the time of each rank by phase, the phase with the largest sum first.
func (v *view) ranks(byRank []map[string]float64) {
	total, longest := map[string]float64{}, 0.0
	for _, phases := range byRank {
		sum := 0.0
		for name, seconds := range phases {
			total[name] += seconds
			sum += seconds
		}
		longest = max(longest, sum)
	}
	names := slices.SortedFunc(maps.Keys(total), func(a, b string) int {
		return cmp.Or(cmp.Compare(total[b], total[a]), strings.Compare(a, b))
	})
	for i, name := range names {
		v.Phases = append(v.Phases, phase{name, fmt.Sprintf("%.4g", total[name]), i % 8})
	}
	for r, phases := range byRank[:min(len(byRank), maxRanks)] {
		line, x := rank{Rank: r}, 0.0
		for i, name := range names {
			line.Seconds = append(line.Seconds, fmt.Sprintf("%.3f", phases[name]))
			if longest > 0 {
				width := 100 * phases[name] / longest
				line.Bars = append(line.Bars, bar{fmt.Sprintf("%.2f", x), fmt.Sprintf("%.2f", width), i % 8})
				x += width
			}
		}
		v.Ranks = append(v.Ranks, line)
	}
	v.HiddenRanks = len(byRank) - len(v.Ranks)
}

func (v *view) picture(latest *pictureInfo, a *About) {
	if latest == nil {
		return
	}
	p := &pictureView{pictureInfo: latest, Field: a.PictureOf, Doc: a.PictureDoc, Lo: fmt.Sprintf("%.4g", latest.Scale.Lo),
		Hi: fmt.Sprintf("%.4g", latest.Scale.Hi), Moment: fmt.Sprintf("t = %.5g s", latest.Clock.Time)}
	if a.PictureUnit != "" {
		p.Field += " (" + a.PictureUnit + ")"
	}
	if a.Sweeps {
		p.Moment = "after " + words.Count(latest.Clock.Steps, "sweep")
	}
	if latest.Projection != "" {
		p.Doc = strings.TrimSpace(p.Doc + "; " + string(latest.Projection))
	}
	const stops = 12
	for i := range stops + 1 {
		share := float64(i) / stops
		c := latest.Scale.colour(share)
		p.Stops = append(p.Stops, stop{fmt.Sprintf("%.0f%%", 100*share), fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)})
	}
	v.Picture = p
}
