package scale

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/solvers"
)

// Options are those of a prediction.
type Options struct {
	Ranks   []string // numbers of ranks, such as 1e3
	Traced  []int    // numbers of ranks on which steps are recorded; nil for a choice
	Steps   int      // that are recorded and simulated
	Machine string   // a name or a file: see FindMachine
	Step    time.Duration
	Weak    bool // each rank has as much as with the first number of ranks
	Noise   float64
	Seed    uint64
	Load    func(sets ...string) (*config.Case, error) // loads the case with further overrides
	Picture string                                     // a file for the picture; "" for none
	JSON    bool                                       // print JSON instead of a table
}

const (
	mostRanks  = 1 << 20
	mostTraced = 128
	mostSteps  = 1000
)

// check returns the numbers of ranks, in ascending order, or what is wrong with the options.
func (o *Options) check() (ranks []int, err error) {
	for _, text := range o.Ranks {
		n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || n != math.Trunc(n) || n < 1 || n > mostRanks {
			return nil, fmt.Errorf("--ranks %s: give whole numbers from 1 to %d with commas between them, as 10,1e3,1e5", text,
				mostRanks)
		}
		ranks = append(ranks, int(n))
	}
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	switch {
	case len(ranks) == 0:
		return nil, errors.New("--ranks is missing: give numbers of ranks with commas between them, as 10,1e3,1e5")
	case o.Steps < 20 || o.Steps > mostSteps:
		return nil, fmt.Errorf("--steps %d: give 20 to %d", o.Steps, mostSteps)
	case !(o.Noise >= 0 && o.Noise <= 10):
		return nil, fmt.Errorf("--noise %g: give the mean share by which computations take longer, from 0 to 10", o.Noise)
	case o.Step < 0:
		return nil, fmt.Errorf("--step %v: give the time of a step of the case on one rank, above 0", o.Step)
	}
	for _, n := range o.Traced {
		if n < 2 || n > mostTraced {
			return nil, fmt.Errorf("--record %d: give 2 to %d ranks, which run in this process", n, mostTraced)
		}
	}
	if o.Weak {
		for _, n := range ranks {
			if n%ranks[0] != 0 {
				return nil, fmt.Errorf("--weak with %d and %d ranks: give multiples of the first number", ranks[0], n)
			}
		}
	}
	if o.Picture != "" {
		if _, err := figure.FormatOf(o.Picture); err != nil {
			return nil, fmt.Errorf("--picture: %w", err)
		}
	}
	return ranks, nil
}

// Run predicts, and writes a table or JSON to out and what it does to progress.
func Run(ctx context.Context, c *config.Case, o Options, out, progress io.Writer) error {
	ranks, err := o.check()
	if err != nil {
		return &solvers.BadInput{Err: err}
	}
	machine, err := FindMachine(ctx, o.Machine)
	if err != nil {
		return err
	}
	if o.Step > 0 {
		machine.Step = o.Step.Seconds()
	}
	say := func(line string) { fmt.Fprintln(progress, line) }
	record := Recording{Ranks: slices.Clone(o.Traced), Steps: o.Steps, Most: ranks[len(ranks)-1], Load: o.Load, Say: say}
	if record.Ranks == nil {
		record.Ranks = []int{2, 8}
	}
	slices.Sort(record.Ranks)
	record.Ranks = slices.Compact(record.Ranks)
	m, err := Build(ctx, c, machine, record)
	if err != nil {
		return err
	}
	m.Noise = Noise{o.Noise, o.Seed}
	var rows []*Prediction
	for _, n := range ranks {
		p, err := m.row(ctx, n, ranks[0], o.Weak, say)
		if err != nil {
			return err
		}
		if o.Weak {
			p.Alone = p.Step
			if len(rows) > 0 && rows[0].Refused == "" {
				p.Alone = rows[0].Step
			}
			p.Efficiency = p.Alone / p.Step
		}
		rows = append(rows, p)
	}
	if !slices.ContainsFunc(rows, func(p *Prediction) bool { return p.Refused == "" }) {
		return &solvers.BadInput{Err: fmt.Errorf("the case cannot be divided among %d ranks: %s", ranks[0], rows[0].Refused)}
	}
	if err := m.write(out, rows, o.JSON); err != nil || o.Picture == "" {
		return err
	}
	title := c.Title
	if title == "" {
		title = c.Name
	}
	f, err := Draw(title+", predicted for "+machine.Name, rows)
	if err != nil {
		return &solvers.BadInput{Err: err}
	}
	return f.Write(o.Picture)
}

// row predicts for a number of ranks, after it has told how long that takes if it is long.
func (m *Model) row(ctx context.Context, ranks, base int, weak bool, say func(string)) (*Prediction, error) {
	const longEvents, perEvent, bytesPerRank = 1e8, 6e-9, 6 << 10
	need := int64(ranks) * bytesPerRank * int64(1+len(m.plans)/4)
	if free, source := cpu.FreeMemory(); need > free {
		return nil, &solvers.BadInput{Err: fmt.Errorf("a model of %d ranks needs about %s of memory, %s has %s free: take "+
			"fewer ranks", ranks, words.Bytes(need), source, words.Bytes(free))}
	}
	if n := m.Events(ranks); n > longEvents {
		say(fmt.Sprintf("simulating %d ranks: some %.1g events, about %.0f s and %s", ranks, n, n*perEvent,
			words.Bytes(need)))
	}
	if weak {
		return m.PredictWeak(ctx, base, ranks)
	}
	return m.Predict(ctx, ranks)
}

// write writes the predictions with their assumptions.
func (m *Model) write(out io.Writer, rows []*Prediction, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Case        string        `json:"case"`
			Solver      string        `json:"solver"`
			Machine     *Machine      `json:"machine"`
			Assumptions []string      `json:"assumptions"`
			Predictions []*Prediction `json:"predictions"`
		}{m.Case.Name, m.Case.Solver, m.Machine, m.Assumptions(), rows})
	}
	fmt.Fprintf(out, "%s, solver %s: %s\n\n", m.Case.Name, m.Case.Solver,
		words.Count(m.last.Size.Entities, m.last.Size.Unit))
	WriteTable(out, rows)
	fmt.Fprintln(out, "\nassumed:")
	for _, line := range m.Assumptions() {
		fmt.Fprintln(out, "  -", line)
	}
	return nil
}
