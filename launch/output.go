package launch

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"reflect"
	"time"
)

// outputDelay is how long after its rank's exit the end of an output is waited for.
const outputDelay = 500 * time.Millisecond

// output passes on what a rank writes to a pipe.
//
// exec.Cmd would do that, but it cannot tell a pipe that does not end from a receiver that is slow. A process that has
// left the rank's group may hold the pipe open for ever, and is not waited for; so the time after the exit has to have
// a limit, and what a receiver, say a pager, had not taken by then would be lost. Here only reading has a limit: when
// the time is up, what the pipe holds is read to its end, which needs no waiting and is all that is left of what the
// rank wrote.
type output struct {
	to        io.Writer
	pipe      *os.File   // the end to read from
	remaining io.Reader  // what the pipe held when the time was up, nil before
	ended     chan error // one value, when all has been passed on or that has failed
}

// startPiped starts cmd with a pipe in place of each writer that is not a file, one for both if they are the same.
// The caller calls exited of each output when the process has ended, and receives from its ended.
func startPiped(cmd *exec.Cmd) ([]*output, error) {
	var outputs []*output
	var ends []*os.File // to write to
	replace := func(w *io.Writer) error {
		if _, file := (*w).(*os.File); file || *w == nil {
			return nil
		}
		in, out, err := os.Pipe()
		if err != nil {
			return err
		}
		outputs = append(outputs, &output{to: *w, pipe: in, ended: make(chan error, 1)})
		ends = append(ends, out)
		*w = out
		return nil
	}
	same := reflect.ValueOf(cmd.Stdout).Comparable() && cmd.Stdout == cmd.Stderr
	err := replace(&cmd.Stdout)
	if same {
		cmd.Stderr = cmd.Stdout
	} else if err == nil {
		err = replace(&cmd.Stderr)
	}
	if err == nil {
		err = cmd.Start()
	}
	for _, end := range ends { // the process has its own
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

// copy copies until the output ends or cannot be passed on. Whoever still writes is told by SIGPIPE, and does not wait
// for a reader that has gone.
func (o *output) copy() {
	_, err := io.Copy(o.to, o)
	_ = o.pipe.Close()
	o.ended <- err
}

// exited tells that the rank has ended, and will write no more.
func (o *output) exited() {
	// The one way to fail is that the output has ended too, and its pipe is closed.
	_ = o.pipe.SetReadDeadline(time.Now().Add(outputDelay))
}

// Read reads to the end of the pipe, or of what it holds when the time is up.
func (o *output) Read(p []byte) (int, error) {
	if o.remaining == nil {
		n, err := o.pipe.Read(p)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		held, err := buffered(o.pipe)
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
