package progress

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// manualClock is a clock that tests advance.
type manualClock struct{ now time.Time }

func (c *manualClock) Now() time.Time { return c.now }

func newClock() *manualClock { return &manualClock{time.Unix(1e9, 0)} }

func fixedWidth(columns int) func() int { return func() int { return columns } }

func TestPlainLinesComeByTenthsButNotTooOften(t *testing.T) {
	var out bytes.Buffer
	clock := newClock()
	l := New(Options{Out: &out, Now: clock.Now}, Run{Cells: 1e6, End: 10})
	for step := 1; step <= 100; step++ { // half a second each, 1 % of the run
		clock.now = clock.now.Add(time.Second / 2)
		l.Step(step, float64(step)/10, 0.1)
	}
	l.Finish()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 10 {
		t.Fatalf("%d lines\n%s", len(lines), &out)
	}
	if want := "step 50  t 5 of 10 s  dt 1.00e-01   50 %  ETA 00:25  2 Mcell/s"; lines[4] != want {
		t.Errorf("%q, want %q", lines[4], want)
	}
	if strings.Contains(out.String(), "\x1b") || strings.Contains(out.String(), "\r") {
		t.Errorf("control characters in %q", &out)
	}

	out.Reset()
	l = New(Options{Out: &out, Now: clock.Now}, Run{Cells: 1, End: 10})
	for step := range 19 { // a run of 1.9 s prints no line
		clock.now = clock.now.Add(time.Second / 10)
		l.Step(step, float64(step)/2, 0.5)
	}
	if out.Len() > 0 {
		t.Errorf("a run of 1.9 s printed %q, want nothing", &out)
	}

	l = New(Options{Out: &out, Now: clock.Now}, Run{Cells: 1, End: 1e6})
	for step := range 600 { // a slow run prints a line each minute
		clock.now = clock.now.Add(time.Second)
		l.Step(step, 0, 0.5)
	}
	if got := strings.Count(out.String(), "\n"); got != 10 || !strings.Contains(out.String(), "ETA --:--") {
		t.Errorf("%d lines\n%s", got, &out)
	}
}

func TestTerminalIsRepaintedTenTimesASecondAndLeftClean(t *testing.T) {
	var out bytes.Buffer
	clock := newClock()
	l := New(Options{Out: &out, Width: fixedWidth(100), Now: clock.Now}, Run{Cells: 2e6, End: 1, Step: 100, Time: 0.5})
	for step := range 1000 { // 2 s in all
		clock.now = clock.now.Add(2 * time.Millisecond)
		l.Step(101+step, 0.5+float64(step+1)/4000, 2.5e-4)
	}
	paints := strings.Split(out.String(), eraseLine)[1:]
	if len(paints) != 20 {
		t.Fatalf("%d paints", len(paints))
	}
	want := "step 1100  t 0.75 of 1 s  dt 2.50e-04  [==================>      ]  75 %  ETA 00:02  1000 Mcell/s"
	if paints[19] != want {
		t.Errorf("%q, want\n%q", paints[19], want)
	}
	out.Reset()
	if _, err := io.WriteString(l, "frame 3 is written\n"); err != nil ||
		out.String() != eraseLine+"frame 3 is written\n" {
		t.Errorf("a message printed %q, %v, want it on an erased line", &out, err)
	}
	l.Step(1101, 0.76, 1e-4) // painted at once, because the message replaced the line
	if !strings.Contains(out.String(), "step 1101") {
		t.Errorf("after a message: %q, want step 1101", &out)
	}
	out.Reset()
	l.Finish()
	l.Finish()
	if out.String() != eraseLine {
		t.Errorf("Finish printed %q, want one erased line", &out)
	}
}

// TestSweeps checks that a run without time shows sweeps.
func TestSweeps(t *testing.T) {
	var out bytes.Buffer
	clock := newClock()
	l := New(Options{Out: &out, Width: fixedWidth(70), Now: clock.Now}, Run{Cells: 1e6, MaxSteps: 200})
	clock.now = clock.now.Add(time.Second)
	l.Step(50, 50, 1)
	if want := eraseLine + "sweep 50 of 200  [====>              ]  25 %  ETA 00:03  50 Mcell/s"; out.String() != want {
		t.Errorf("%q, want\n%q", &out, want)
	}
}

// TestLineFits checks that a painted line is printable and shorter than the terminal, for any numbers.
func TestLineFits(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var out bytes.Buffer
		clock := newClock()
		columns := rapid.IntRange(-1, 200).Draw(r, "columns")
		run := Run{Cells: rapid.Int64Range(0, 1<<40).Draw(r, "cells"), End: rapid.Float64Range(-1, 1e300).Draw(r, "end"),
			MaxSteps: rapid.IntRange(0, 1e9).Draw(r, "most")}
		l := New(Options{Out: &out, Width: fixedWidth(columns), Now: clock.Now}, run)
		clock.now = clock.now.Add(time.Duration(rapid.Int64Range(int64(repaintInterval), 1<<60).Draw(r, "elapsed")))
		l.Step(rapid.IntRange(0, 1e12).Draw(r, "step"), rapid.Float64().Draw(r, "t"), rapid.Float64().Draw(r, "dt"))
		line, ok := strings.CutPrefix(out.String(), eraseLine)
		most := columns - 1
		if columns <= 0 {
			most = defaultWidth - 1
		}
		if !ok || len(line) > most {
			r.Fatalf("%d columns: %q", columns, &out)
		}
		if strings.ContainsFunc(line, func(c rune) bool { return c < ' ' || c > '~' }) {
			r.Fatalf("%q", line)
		}
	})
}

func TestStepsLimitCountsToo(t *testing.T) {
	run := Run{End: 10, MaxSteps: 100}
	if got := run.portion(50, 1); got != 0.5 {
		t.Errorf("got %g, want 0.5, by steps", got)
	}
	if got := run.portion(5, 11); got != 1 {
		t.Errorf("got %g, want 1, by time", got)
	}
}

func TestQuietWritesNothing(t *testing.T) {
	l := New(For(os.Stderr, true), Run{End: 1})
	l.Step(1, 0.5, 0.1)
	if n, err := io.WriteString(l, "x\n"); n != 2 || err != nil {
		t.Errorf("got %d, %v, want 2 bytes", n, err)
	}
	l.Finish()
	if f, err := os.CreateTemp(t.TempDir(), ""); err != nil || For(f, false).Width != nil {
		t.Errorf("a file was treated as a terminal, or error %v", err)
	}
}

func TestStepsThatShowNothingAllocateNothing(t *testing.T) {
	for _, width := range []func() int{nil, fixedWidth(80)} {
		clock := newClock()
		l := New(Options{Out: io.Discard, Width: width, Now: clock.Now}, Run{Cells: 1, End: 1})
		step := 0
		if n := testing.AllocsPerRun(1000, func() { step++; l.Step(step, 0.5, 0.1) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	var out bytes.Buffer
	l := New(Options{Out: &out, Width: fixedWidth(80)}, Run{Cells: 1, End: 1})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for step := range 100 {
				l.Step(step, 0.5, 0.1)
				_, _ = io.WriteString(l, "message\n")
			}
		})
	}
	wg.Wait()
	l.Finish()
	if got := strings.Count(out.String(), "message\n"); got != 400 {
		t.Errorf("%d messages", got)
	}
}

func BenchmarkStep(b *testing.B) {
	l := New(Options{Out: io.Discard, Width: fixedWidth(80)}, Run{Cells: 1, End: 1})
	b.ReportAllocs()
	for i := range b.N {
		l.Step(i, 0.5, 0.1)
	}
}

// TestTerminalWithoutWidth checks that a terminal of unknown width gets the same line as one of 80 columns.
func TestTerminalWithoutWidth(t *testing.T) {
	var painted [2]string
	for i, columns := range []int{0, 80} {
		var out bytes.Buffer
		clock := newClock()
		l := New(Options{Out: &out, Width: fixedWidth(columns), Now: clock.Now}, Run{Cells: 1e6, End: 10})
		clock.now = clock.now.Add(time.Second)
		l.Step(5, 5, 0.1)
		painted[i] = out.String()
	}
	if painted[0] != painted[1] || !strings.Contains(painted[0], "step 5") {
		t.Errorf("unknown width: %q, 80 columns: %q", painted[0], painted[1])
	}
}
