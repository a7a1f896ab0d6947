package cuda

import (
	"errors"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
)

// TestAbortedCommunicator proves that calls after Abort return an error and do not use NCCL's destroyed communicator.
func TestAbortedCommunicator(t *testing.T) {
	dc := &deviceComm{d: &Device{}, stream: &Stream{}}
	dc.Abort() // there is no communicator to abort
	if err := dc.message(ncclSend, backend.Message{Data: make([]byte, 1)}); !errors.Is(err, errAborted) {
		t.Errorf("error %v", err)
	}
	if dc.d.err == nil {
		t.Error("the device did not store the error")
	}
}
