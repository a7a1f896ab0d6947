package cuda

import (
	"errors"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
)

// TestAbortedCommunicator proves that calls after Abort return an error and do not use NCCL's destroyed communicator.
func TestAbortedCommunicator(t *testing.T) {
	nc := &ncclComm{linkStream: linkStream{d: &Device{}, stream: &Stream{}}}
	nc.Abort() // there is no communicator to abort
	if err := nc.message(ncclSend, backend.Message{Data: make([]byte, 1)}); !errors.Is(err, errAborted) {
		t.Errorf("error %v", err)
	}
	if nc.d.err == nil {
		t.Error("the device did not store the error")
	}
}
