package cuda

import (
	"errors"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
)

// TestAbortedCommunicator proves that calls after Abort return an error and do not use NCCL's destroyed communicator.
func TestAbortedCommunicator(t *testing.T) {
	l := &deviceComm{d: &Device{}, stream: &Stream{}}
	l.Abort() // there is no communicator to abort
	if err := l.message(ncclSend, backend.Message{Data: make([]byte, 1)}); !errors.Is(err, errAborted) {
		t.Errorf("error %v", err)
	}
	if l.d.err == nil {
		t.Error("the device did not store the error")
	}
}
