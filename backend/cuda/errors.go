package cuda

import (
	"fmt"
	"strings"
)

// Error is an error that the driver returned.
type Error struct {
	Call    string // the driver's function
	Code    int    // CUresult
	Name    string // CUDA's name of the code, such as CUDA_ERROR_INVALID_VALUE
	Text    string // CUDA's description
	Subject string // the kernel or module of the call, if known
	Log     string // messages of the PTX compiler
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

// withSubject sets the subject of an error that has none.
func withSubject(err error, subject string) error {
	if e, ok := err.(*Error); ok && e.Subject == "" {
		e.Subject = subject
	}
	return err
}

const (
	codeOutOfMemory = 2
	codeNoDevice    = 100
)

// OutOfMemory is the error of an allocation that failed for lack of memory.
type OutOfMemory struct {
	Device                 string
	Requested, Free, Total uint64 // bytes
}

func (e *OutOfMemory) Error() string {
	return fmt.Sprintf("out of memory on %s: %s requested, %s of %s free", e.Device, formatBytes(e.Requested),
		formatBytes(e.Free), formatBytes(e.Total))
}

func formatBytes(n uint64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.2f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}
