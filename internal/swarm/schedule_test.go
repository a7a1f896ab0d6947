package swarm

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/run"
	"github.com/atoll-hpc/atoll/run/watch"
)

// schedule is a run of a case: what it writes, and its legs, each of which but the last is stopped and continues in
// the next.
type schedule struct {
	Sets []string // overrides: how the state is computed, and output
	Legs []leg
}

// leg is a part of a run on some ranks.
type leg struct {
	Ranks, Threads int
	Transport      string // local, delayed or grpc
	Device         string // cpu, fake (separate memory), recorder (and recordings), linked (and links) or cuda
	Halo           string // "", staged, p2p or nccl
	Vectors        bool
	Polls          []poll // they are repeated
	StopAt         int    // the number of the poll that stops the leg, from 1; 0 for none
}

// poll is what rank 0 decides at a poll.
type poll struct {
	Steps int // to the next poll
	Save  bool
	View  int
}

// intervals are numbers of steps, most of them odd and without common factors.
var intervals = []int{1, 3, 2, 5, 7, 11, 13, 24, 1000, 23, 10, 25}

// drawSchedule draws a run.
func (c *testCase) drawSchedule(rt *rapid.T, label string, scheduled, keys []config.Key, l limits) schedule {
	var r schedule
	for n := range 1 + below(rt, label+" stops", 3) {
		r.Legs = append(r.Legs, drawLeg(rt, fmt.Sprintf("%s leg %d", label, n+1), l))
	}
	for n := range r.Legs[1:] {
		r.Legs[n].StopAt = 1 + below(rt, label+" stop at", 5)
	}
	var sets []string
	for _, k := range scheduled {
		options := k.Options
		if k.Kind != config.Integer && k.Kind != config.Number {
			options = optionsOf(k)
		}
		if oneIn(rt, label+" "+k.String(), 2) {
			sets = append(sets, k.String()+"="+pick(rt, label+" "+k.String(), options...))
		}
	}
	if c.Thick > 0 && !oneIn(rt, label+" any exchange", 3) {
		sets = append(sets, "method.exchange='steps'", "method.sweep='tiles'")
		for n := range r.Legs {
			r.Legs[n].Ranks = 1 + r.Legs[n].Ranks%c.Thick
		}
	}
	sets = append(sets, c.drawBlocks(rt, label, r.Legs)...)
	sets = append(sets, c.drawOutput(rt, label, keys)...)
	r.Sets = c.valid(rt, c.Sets, sets)
	return r
}

// drawBlocks draws the blocks of a grid, for a run on one number of ranks.
func (c *testCase) drawBlocks(rt *rapid.T, label string, legs []leg) []string {
	if len(legs) > 1 || c.Solver != "vof" && c.Solver != "level-set" || !oneIn(rt, label+" blocks", 3) {
		return nil
	}
	ranks := legs[0].Ranks
	return []string{"grid.blocks=" + pick(rt, label+" blocks", list("%d", []int{ranks, 1}), list("%d", []int{1, ranks}),
		list("%d", []int{1, 1, ranks}), list("%d", []int{ranks, 1, 1}), list("%d", []int{1, ranks, 1}))}
}

// drawOutput draws when rows, gauges, transects, frames and checkpoints are written.
func (c *testCase) drawOutput(rt *rapid.T, label string, keys []config.Key) (sets []string) {
	sets = append(sets, fmt.Sprint("output.conservation_every=", pick(rt, label+" rows every", intervals...)))
	unit := 1.0
	if c.Solver == "shallow-water" {
		unit = 4
	}
	times := []float64{.07 * unit, .031 * unit, .13 * unit, .5 * unit, .011 * unit}
	if oneIn(rt, label+" checkpoints", 2) {
		sets = append(sets, fmt.Sprint("checkpoint.steps=", pick(rt, label+" checkpoints every", intervals...)))
	}
	every := 4
	if c.Thick > 0 { // many steps, of each of which the reference would write a frame
		every = 32
	}
	formats := some(rt, label+" format", optionsNamed(keys, "output.format"), every)
	sets = append(sets, "output.format="+list("%s", formats))
	available := slices.DeleteFunc(optionsNamed(keys, "output.fields"), func(name string) bool {
		return c.Solver == "smooth" && (name == "'area'" || name == "'volume'") // of triangles or tetrahedra alone
	})
	if fields := some(rt, label+" field", available, 3); len(fields) > 0 {
		sets = append(sets, "output.fields="+list("%s", fields))
	}
	if c.Solver == "smooth" {
		return append(sets, fmt.Sprint("output.every=", pick(rt, label+" frames every", 1, 2, 3, 5, 7)))
	}
	if len(formats) > 0 {
		sets = append(sets, fmt.Sprint("output.every=", pick(rt, label+" frames every", times...)))
	}
	interval := func(p place) float64 {
		return pick(rt, label+" "+p.Name+" every", append([]float64{0}, times...)...)
	}
	if chosen := some(rt, label+" gauge", c.Gauges, 2); len(chosen) > 0 {
		sets = append(sets, tables("gauge", chosen, interval))
	}
	if chosen := some(rt, label+" transect", c.Lines, 2); len(chosen) > 0 {
		sets = append(sets, tables("transect", chosen, interval))
	}
	return sets
}

// tables formats gauges or transects.
func tables(key string, places []place, every func(place) float64) string {
	var texts []string
	for _, p := range places {
		texts = append(texts, fmt.Sprintf("{ name = '%s', %s = %s, every = %v }", p.Name, p.Key, p.Value, every(p)))
	}
	return key + "=" + list("%s", texts)
}

// optionsNamed returns the options of a key, quoted.
func optionsNamed(keys []config.Key, name string) (options []string) {
	for _, k := range keys {
		if k.String() == name {
			for _, o := range k.Options {
				options = append(options, "'"+o+"'")
			}
		}
	}
	return options
}

// drawLeg draws ranks, devices and polls.
func drawLeg(rt *rapid.T, label string, l limits) leg {
	g := leg{Ranks: 1 + below(rt, label+" ranks", 7), Threads: pick(rt, label+" threads", 1, 1, 2, 3),
		Transport: pick(rt, label+" transport", "local", "local", "local", "local", "local", "local", "delayed", "grpc"),
		Device:    pick(rt, label+" device", "cpu", "recorder", "linked", "fake"), Vectors: oneIn(rt, label+" vectors", 2)}
	if oneIn(rt, label+" halo", 3) {
		g.Halo = "staged"
	}
	if l.gpus > 0 && !oneIn(rt, label+" host", 5) {
		g.Device = "cuda"
		g.Halo = pick(rt, label+" cuda halo", "", "staged", "p2p", "nccl")
		if oneIn(rt, label+" one GPU each", 2) {
			g.Ranks = 1 + below(rt, label+" gpus", l.gpus)
		}
	}
	for n := range 1 + below(rt, label+" polls", 5) {
		name := fmt.Sprintf("%s poll %d", label, n+1)
		g.Polls = append(g.Polls, poll{Steps: pick(rt, name+" steps", intervals...), Save: oneIn(rt, name+" saves", 5),
			View: pick(rt, name+" view", int(watch.WantNothing), int(watch.WantNothing), int(watch.WantPhases),
				int(watch.WantPicture))})
	}
	return g
}

// orders returns the decisions at the polls of a leg.
func (g *leg) orders() func(steps int) run.Orders {
	count := 0
	return func(int) run.Orders {
		p := g.Polls[count%len(g.Polls)]
		count++
		return run.Orders{Stop: count == g.StopAt, Save: p.Save, View: watch.Want(p.View), Steps: p.Steps}
	}
}

// reference returns the run with which the others are compared: it writes each step, and all that they write.
func (c *testCase) reference(rt failer) schedule {
	var formats, fields []string
	for _, r := range c.Runs {
		parsed, err := c.parse(".", r.Sets...)
		if err != nil {
			rt.Fatalf("%v\n%s", err, c.Text)
		}
		formats, fields = append(formats, parsed.Output.Format...), append(fields, parsed.Output.Fields...)
	}
	slices.Sort(formats)
	slices.Sort(fields)
	formats, fields = slices.Compact(formats), slices.Compact(fields)
	every := "output.every=1"
	const frames = 9e5 // as many as a run can have
	if c.Solver != "smooth" {
		every = fmt.Sprint("output.every=", c.End/frames)
	}
	sets := []string{"output.conservation_every=1", "output.format=" + list("'%s'", formats), "output.fields=" +
		list("'%s'", fields), every}
	each := func(place) float64 { return 0 }
	if len(c.Gauges) > 0 {
		sets = append(sets, tables("gauge", c.Gauges, each))
	}
	if len(c.Lines) > 0 {
		sets = append(sets, tables("transect", c.Lines, each))
	}
	return schedule{Sets: sets, Legs: []leg{{Ranks: 1, Threads: 1, Transport: "local", Device: "cpu",
		Polls: []poll{{Steps: 1 << 30}}}}}
}

// failer is what fails a test.
type failer interface {
	Fatalf(format string, args ...any)
}
