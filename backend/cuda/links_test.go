package cuda

import (
	"errors"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
)

// TestLinksThatWereEndedRefuse: once a lost rank has made the watcher end the links, NCCL's communicator must not be
// used any more.
func TestLinksThatWereEndedRefuse(t *testing.T) {
	l := &deviceComm{d: &Device{}, stream: &Stream{}}
	l.Abort() // of links that have none: nothing to end
	if err := l.message(ncclSend, backend.Message{Data: make([]byte, 1)}); !errors.Is(err, errAborted) {
		t.Errorf("error %v", err)
	}
	if l.d.err == nil {
		t.Error("the device goes on without its links")
	}
}
