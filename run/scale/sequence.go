package scale

import (
	"slices"

	"github.com/atoll-hpc/atoll/halo"
)

// operation is a part of the recorded steps in which all ranks take part.
type operation struct {
	kind  opKind
	tag   int     // of an exchange
	bytes float64 // of a reduction; of an exchange for each item that a message has, or of all messages without a plan
	of    int     // the group of the computation before it

	messages float64 // that the rank has sent, without a plan
}

type opKind uint8

const (
	opStart  opKind = iota // an exchange begins: the messages of its first phase are sent
	opFinish               // an exchange is completed: its later phases are made
	opReduce               // a collective
	opEnd                  // the end of the steps
)

// rankOps is what a rank has done.
type rankOps struct {
	ops   []operation
	times []float64 // s, of the computation before each
}

// parse finds the operations of a rank. The messages of later phases, and what lies between them, belong to the
// operation that completes the exchange.
func parse(events []event, plans map[int]halo.Route) (r rankOps, err error) {
	p := parser{rankOps: &r, phases: map[int][][]halo.Count{}, open: map[int]*exchangeState{}}
	for tag, plan := range plans {
		counts, err := halo.Counts(plan)
		if err != nil {
			return r, err
		}
		counts = slices.DeleteFunc(counts, func(c []halo.Count) bool { return len(c) == 0 })
		p.phases[tag] = counts
	}
	for k := range events {
		p.event(&events[k])
	}
	return r, nil
}

type parser struct {
	*rankOps
	phases map[int][][]halo.Count // by tag
	open   map[int]*exchangeState
	carry  float64 // s that belong to the next operation
}

// exchangeState is an exchange that is not complete.
type exchangeState struct {
	phase  int
	posted bool // messages of the phase are on their way
	op     int  // that started it
	varies bool // a message is longer than a count, or of another length than others
	length int  // of the first message
}

// varying is added to the tags of exchanges without a plan in which the lengths of messages vary. Others tell peers how
// many items follow, and have counts alone.
const varying = 1 << 30

// countBytes is the length of a count of items.
const countBytes = 8

func (p *parser) add(o operation) {
	p.ops, p.times = append(p.ops, o), append(p.times, p.carry)
	p.carry = 0
}

func (p *parser) event(e *event) {
	p.carry += e.before
	switch e.kind {
	case post:
		p.post(e)
	case wait:
		for _, tag := range e.tags {
			p.wait(tag)
		}
	case collective:
		p.add(operation{kind: opReduce, bytes: float64(e.bytes)})
	case end:
		p.add(operation{kind: opEnd})
	}
}

func (p *parser) post(e *event) {
	x := p.open[e.tag]
	switch {
	case x == nil:
		x = &exchangeState{op: len(p.ops), length: e.bytes}
		p.open[e.tag] = x
		p.add(operation{kind: opStart, tag: e.tag})
	case x.phase == 0 && x.op == len(p.ops)-1: // packing of a further message
		p.times[x.op] += p.carry
		p.carry = 0
	}
	x.posted = true
	o := &p.ops[x.op]
	counts, planned := p.phases[e.tag]
	if !planned {
		x.varies = x.varies || e.bytes > countBytes || e.bytes != x.length
		if e.peer >= 0 {
			o.bytes += float64(e.bytes)
			o.messages++
		}
		return
	}
	if e.peer < 0 || x.phase >= len(counts) {
		return
	}
	for _, c := range counts[x.phase] {
		if c.Rank == e.peer && c.Send > 0 {
			o.bytes = float64(e.bytes) / float64(c.Send)
		}
	}
}

func (p *parser) wait(tag int) {
	x := p.open[tag]
	if x == nil || !x.posted {
		return
	}
	if x.phase == 0 {
		finish := operation{kind: opFinish, tag: tag}
		if x.varies {
			p.ops[x.op].tag += varying
			finish.tag += varying
		}
		p.add(finish)
	}
	x.posted = false
	if x.phase++; x.phase >= len(p.phases[tag]) {
		delete(p.open, tag)
	}
}

// sequence is what all ranks do, and how long each has computed before each operation.
type sequence struct {
	ops    []operation
	groups int
	counts []int // of the computations in each group
	alike  bool  // those of a group are the same in each step, so that their median is their time
}

// join returns the sequence of the rank with most operations. If all steps are alike, its computations are grouped by
// their place in a step, otherwise by the operations between which they lie.
func join(ranks []rankOps, steps int) (s sequence) {
	longest := 0
	for r := range ranks {
		if len(ranks[r].ops) > len(ranks[longest].ops) {
			longest = r
		}
	}
	s.ops = slices.Clone(ranks[longest].ops)
	s.meanBytes(ranks)
	if s.groupByPlace(steps) {
		return s
	}
	type key struct {
		before, after       opKind
		tagBefore, tagAfter int
	}
	groups := map[key]int{}
	last := operation{kind: opEnd}
	for k := range s.ops {
		o := &s.ops[k]
		id := key{last.kind, o.kind, last.tag, o.tag}
		g, known := groups[id]
		if !known {
			g = len(groups)
			groups[id] = g
			s.counts = append(s.counts, 0)
		}
		s.counts[g]++
		last = *o
		o.of = g
	}
	s.groups = len(groups)
	return s
}

// groupByPlace groups computations by their place in a step; it returns false if the steps are not alike.
func (s *sequence) groupByPlace(steps int) bool {
	n := len(s.ops) - 1 // without opEnd
	if n == 0 || n%steps != 0 {
		return false
	}
	period := n / steps
	for k := period; k < n; k++ {
		if a, b := &s.ops[k], &s.ops[k-period]; a.kind != b.kind || a.tag != b.tag {
			return false
		}
	}
	s.groups, s.counts, s.alike = period+1, make([]int, period+1), true
	for k := range s.ops {
		if s.ops[k].of = k % period; k == n {
			s.ops[k].of = period
		}
		s.counts[s.ops[k].of]++
	}
	return true
}

// meanBytes sets the bytes of each exchange with a plan to the mean of the ranks that have sent some.
func (s *sequence) meanBytes(ranks []rankOps) {
	type nth struct{ tag, n int }
	sums, counts := map[nth]float64{}, map[nth]float64{}
	for _, r := range ranks {
		seen := map[int]int{}
		for _, o := range r.ops {
			if o.kind != opStart {
				continue
			}
			if at := (nth{o.tag, seen[o.tag]}); o.bytes > 0 && o.messages == 0 {
				sums[at] += o.bytes
				counts[at]++
			}
			seen[o.tag]++
		}
	}
	seen := map[int]int{}
	for k := range s.ops {
		if o := &s.ops[k]; o.kind == opStart {
			if at := (nth{o.tag, seen[o.tag]}); counts[at] > 0 {
				o.bytes = sums[at] / counts[at]
			}
			seen[o.tag]++
		}
	}
}

// loose is what all ranks have sent in exchanges with a tag that have no plan.
type loose struct {
	starts          int // of the rank with most
	messages, bytes float64
}

// looseOf returns the exchanges without a plan, by tag.
func looseOf(ranks []rankOps, planned func(tag int) bool) map[int]*loose {
	all := map[int]*loose{}
	for _, r := range ranks {
		starts := map[int]int{}
		for _, o := range r.ops {
			if o.kind != opStart || planned(o.tag) {
				continue
			}
			if all[o.tag] == nil {
				all[o.tag] = &loose{}
			}
			l := all[o.tag]
			l.messages += o.messages
			l.bytes += o.bytes
			starts[o.tag]++
			l.starts = max(l.starts, starts[o.tag])
		}
	}
	return all
}

// align returns the time of a computation of a rank in each group, s: the median if they are alike, or else the mean. A
// rank without some neighbours lacks operations.
func (s *sequence) align(r *rankOps) []float64 {
	all := make([][]float64, s.groups)
	at, carry := 0, 0.0
	for k, o := range r.ops {
		carry += r.times[k]
		next := slices.IndexFunc(s.ops[at:], func(p operation) bool { return p.kind == o.kind && p.tag == o.tag })
		if next < 0 {
			continue
		}
		at += next
		g := s.ops[at].of
		all[g] = append(all[g], carry)
		at++
		carry = 0
	}
	times := make([]float64, s.groups)
	for g, list := range all {
		switch {
		case len(list) == 0:
		case s.alike:
			slices.Sort(list)
			times[g] = list[len(list)/2]
		default:
			for _, t := range list {
				times[g] += t / float64(s.counts[g])
			}
		}
	}
	return times
}
