package progress

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

func TestStages(t *testing.T) {
	var out bytes.Buffer
	clock := newClock()
	s := NewStages(Options{Out: &out, Now: clock.Now})
	s.Update("mesh", 0, 0) // too short for a line
	for n := range 8 {
		clock.now = clock.now.Add(time.Second)
		s.Update("volume fractions", n, 16)
	}
	fmt.Fprintln(s, "a message")
	s.Finish()
	want := "set-up           volume fractions    6 %  ETA 00:15\n" +
		"set-up           volume fractions   18 %  ETA 00:13\n" +
		"set-up           volume fractions   31 %  ETA 00:11\n" +
		"set-up           volume fractions   43 %  ETA 00:09\na message\n"
	if out.String() != want {
		t.Errorf("%s, want\n%s", &out, want)
	}
	out.Reset()
	s = NewStages(Options{Out: &out, Width: fixedWidth(30), Now: clock.Now})
	clock.now = clock.now.Add(time.Second)
	s.Update("mesh", 0, 0)
	s.Update("tiles", 0, 0) // too soon after the last paint
	fmt.Fprintln(s, "a message")
	clock.now = clock.now.Add(time.Second)
	s.Update("tiles", 1, 3)
	s.Finish()
	s.Finish()
	want = eraseLine + "set-up           mesh" + eraseLine + "a message\n" + eraseLine + "set-up           tiles   33 %" +
		eraseLine
	if out.String() != want {
		t.Errorf("%q, want\n%q", &out, want)
	}
}
