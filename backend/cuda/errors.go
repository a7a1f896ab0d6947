package cuda

import (
	"fmt"
	"strings"
)

// Error is what a call of the driver returned.
type Error struct {
	Call    string // the function of the driver
	Code    int    // CUresult
	Name    string // CUDA's name of the code, such as CUDA_ERROR_INVALID_VALUE
	Text    string // CUDA's description
	Subject string // what the call was about: a kernel, a module
	Log     string // of the PTX compiler
}

func (e *Error) Error() string {
	var s strings.Builder
	if e.Subject != "" {
		s.WriteString(e.Subject + ": ")
	}
	fmt.Fprintf(&s, "%s: %s (%s, %d)", e.Call, e.Text, e.Name, e.Code)
	if e.Log != "" {
		s.WriteString("\n" + e.Log)
	}
	return s.String()
}

// about says what a call was about.
func about(err error, subject string) error {
	if e, ok := err.(*Error); ok && e.Subject == "" {
		e.Subject = subject
	}
	return err
}

const (
	codeOutOfMemory = 2
	codeNoDevice    = 100
)

// OutOfMemory is the error of an allocation that did not fit.
type OutOfMemory struct {
	Device             string
	Asked, Free, Total uint64 // bytes
}

func (e *OutOfMemory) Error() string {
	return fmt.Sprintf("out of memory on %s: %s asked for, %s of %s free", e.Device, amount(e.Asked), amount(e.Free),
		amount(e.Total))
}

func amount(n uint64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.2f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}
