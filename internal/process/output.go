package process

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// Output writes to a file, such as standard output, whose reader may stop reading: a paused terminal, a pager, or a log
// collector that hangs. A write waits until the file has accepted it, but only patience; then later ones return at
// once, until the file accepts data again. What is written meanwhile is held, up to maxHeld bytes; lines beyond are
// counted, and a line with their number takes their place.
//
//	from      to        when
//	ready     writing   Write
//	writing   ready     the file has accepted everything
//	writing   stalled   it has not within patience
//	stalled   ready     it has at last
//	any       broken    the file returns an error: everything else is discarded
type Output struct {
	file io.Writer

	lock     sync.Mutex
	state    outputState
	held     []byte        // not passed to the file yet
	left     int           // number of lines that were left out after held
	accepted int           // number of bytes that the file has accepted
	ready    chan struct{} // closed when everything is accepted, or the file is broken; nil in state ready
	err      error
}

type outputState uint8

const (
	outputReady outputState = iota
	outputWriting
	outputStalled
	outputBroken
)

const (
	maxHeld  = 1 << 20
	patience = 200 * time.Millisecond
)

// NewOutput returns an Output that writes to a file.
func NewOutput(file io.Writer) *Output { return &Output{file: file} }

// Write writes text, which is whole lines, or holds it. It returns the error of an earlier write if the file is broken.
func (o *Output) Write(text []byte) (int, error) {
	o.lock.Lock()
	if o.state == outputBroken {
		defer o.lock.Unlock()
		return 0, o.err
	}
	if len(o.held)+len(text) > maxHeld && len(o.held) > 0 || o.left > 0 {
		o.left += max(1, bytes.Count(text, []byte{'\n'}))
	} else {
		o.held = append(o.held, text...)
	}
	if o.state == outputReady {
		o.state, o.ready = outputWriting, make(chan struct{})
		go o.pass(o.ready)
	}
	ready, stalled := o.ready, o.state == outputStalled
	o.lock.Unlock()
	if stalled {
		return len(text), nil
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-ready:
	case <-timer.C:
		o.lock.Lock()
		defer o.lock.Unlock()
		if o.ready == ready && o.state == outputWriting {
			o.state = outputStalled
		}
	}
	return len(text), nil
}

// pass passes to the file what is held, until nothing is.
func (o *Output) pass(ready chan struct{}) {
	defer close(ready)
	o.lock.Lock()
	defer o.lock.Unlock()
	for len(o.held) > 0 || o.left > 0 {
		text := o.held
		if o.left > 0 {
			text = fmt.Appendf(text, "(%d lines were left out: nobody read this output)\n", o.left)
		}
		o.held, o.left = nil, 0
		o.lock.Unlock()
		n, err := o.file.Write(text)
		o.lock.Lock()
		if o.accepted += n; err != nil {
			o.state, o.err = outputBroken, err
			return
		}
	}
	o.state = outputReady
}

// Flush returns when the file has accepted everything, or nothing for the time limit. It returns whether it has
// accepted everything.
func (o *Output) Flush(limit time.Duration) bool {
	for before := -1; ; {
		o.lock.Lock()
		ready, accepted, state := o.ready, o.accepted, o.state
		o.lock.Unlock()
		switch {
		case state == outputReady:
			return true
		case state == outputBroken, accepted == before:
			return false
		}
		before = accepted
		timer := time.NewTimer(limit)
		select {
		case <-ready:
		case <-timer.C:
		}
		timer.Stop()
	}
}
