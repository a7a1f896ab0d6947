package process

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// reader is a file whose reader can stop reading.
type reader struct {
	lock sync.Mutex
	text strings.Builder
	stop chan struct{} // a write waits until it is closed; nil for never
	err  error
}

func (r *reader) Write(p []byte) (int, error) {
	r.lock.Lock()
	stop := r.stop
	r.lock.Unlock()
	if stop != nil {
		<-stop
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.err != nil {
		return 0, r.err
	}
	return r.text.Write(p)
}

// TestOutputDoesNotWaitForItsReader: a reader that stops reading, at the start or later, delays the writer once and
// briefly. It gets everything when it reads again, except lines beyond the limit, which are counted.
func TestOutputDoesNotWaitForItsReader(t *testing.T) {
	for lines, leftOut := range map[int]int{0: 0, 1: 0, 100: 0, maxHeld/8 + 5: 5} { // a line has 8 bytes
		synctest.Test(t, func(t *testing.T) {
			r := &reader{}
			o := NewOutput(r)
			fmt.Fprintln(o, "started")
			if got := r.text.String(); got != "started\n" {
				t.Errorf("got %q at once", got)
			}
			r.stop = make(chan struct{})
			began := time.Now()
			for i := range lines + 1 {
				fmt.Fprintf(o, "%07d\n", i)
			}
			if took := time.Since(began); took > patience {
				t.Errorf("%d lines took %v", lines, took)
			}
			if o.Flush(time.Second) {
				t.Error("everything was accepted by a reader that does not read")
			}
			close(r.stop)
			r.lock.Lock()
			r.stop = nil
			r.lock.Unlock()
			if !o.Flush(time.Second) {
				t.Error("not everything was accepted")
			}
			got := strings.Count(r.text.String(), "\n")
			want, note := 2+lines, fmt.Sprintf("(%d lines were left out", leftOut)
			if leftOut > 0 {
				want -= leftOut - 1
			}
			if got != want || strings.Contains(r.text.String(), note) != (leftOut > 0) {
				t.Errorf("%d lines: the reader got %d, want %d, and %q", lines, got, want, note)
			}
		})
	}
}

// TestOutputOfAClosedPipe: after an error of the file, writes return it.
func TestOutputOfAClosedPipe(t *testing.T) {
	broken := errors.New("broken pipe")
	o := NewOutput(&reader{err: broken})
	fmt.Fprintln(o, "one")
	if _, err := fmt.Fprintln(o, "two"); !errors.Is(err, broken) || o.Flush(time.Minute) {
		t.Errorf("got error %v, want that of the file", err)
	}
}
