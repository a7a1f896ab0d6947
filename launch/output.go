package launch

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"reflect"
	"time"
)

// outputDelay is how long after a rank's exit its output is read until the pipe is closed.
const outputDelay = 500 * time.Millisecond

// output copies what a rank writes to a pipe to another writer.
//
// exec.Cmd would do that, but its WaitDelay limits both reading and writing. A child that has left the rank's process
// group may hold the pipe open for ever, so the time after the rank's exit needs a limit; output that a slow receiver,
// such as a pager, had not accepted by then would be lost. Here the limit applies to reading only: after outputDelay
// the bytes that the pipe holds, which include all that the rank wrote, are read without waiting.
type output struct {
	dst       io.Writer
	pipe      *os.File      // the read end
	remaining io.Reader     // what the pipe held after outputDelay, nil before
	copied    chan struct{} // closed when everything has been copied, or copying has failed
	ended     chan error    // receives one value then
}

// startPiped starts cmd with a pipe in place of each writer that is not a file. If Stdout and Stderr are the same
// writer, they share a pipe. When the process has ended, the caller calls rankExited of each output and then receives
// from its channel ended.
func startPiped(cmd *exec.Cmd) ([]*output, error) {
	var outputs []*output
	var writeEnds []*os.File
	replace := func(w *io.Writer) error {
		if _, file := (*w).(*os.File); file || *w == nil {
			return nil
		}
		in, out, err := os.Pipe()
		if err != nil {
			return err
		}
		outputs = append(outputs, &output{dst: *w, pipe: in, copied: make(chan struct{}), ended: make(chan error, 1)})
		writeEnds = append(writeEnds, out)
		*w = out
		return nil
	}
	sameWriter := reflect.ValueOf(cmd.Stdout).Comparable() && cmd.Stdout == cmd.Stderr
	err := replace(&cmd.Stdout)
	if sameWriter {
		cmd.Stderr = cmd.Stdout
	} else if err == nil {
		err = replace(&cmd.Stderr)
	}
	if err == nil {
		err = cmd.Start()
	}
	for _, end := range writeEnds { // the process has duplicates of these descriptors
		_ = end.Close()
	}
	for _, o := range outputs {
		if err != nil {
			_ = o.pipe.Close()
		} else {
			go o.copy()
		}
	}
	return outputs, err
}

// copy copies until the output ends or dst fails. It then closes the pipe, so that a process that still writes to it
// gets SIGPIPE instead of blocking.
func (o *output) copy() {
	_, err := io.Copy(o.dst, o)
	_ = o.pipe.Close()
	close(o.copied)
	o.ended <- err
}

// rankExited starts outputDelay. Call it when the rank has ended.
func (o *output) rankExited() {
	// The only possible error is that copy has closed the pipe.
	_ = o.pipe.SetReadDeadline(time.Now().Add(outputDelay))
}

// Read reads from the pipe until its end or, after the deadline that rankExited sets, the bytes that the pipe then
// holds.
func (o *output) Read(p []byte) (int, error) {
	if o.remaining == nil {
		n, err := o.pipe.Read(p)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		held, err := unreadBytes(o.pipe)
		if err != nil {
			return 0, err
		}
		if err := o.pipe.SetReadDeadline(time.Time{}); err != nil {
			return 0, err
		}
		o.remaining = io.LimitReader(o.pipe, held)
	}
	return o.remaining.Read(p)
}
