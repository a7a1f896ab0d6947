package halo

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/dist"
)

// messages holds the pending sends and receives of an exchange. After a failure none are pending, and buffers are
// no longer accessed.
type messages struct {
	comm dist.Comm
	tag  int
	reqs []dist.Request
}

func newMessages(comm dist.Comm, tag, maxRequests int) messages {
	return messages{comm: comm, tag: tag, reqs: make([]dist.Request, 0, maxRequests)}
}

func (m *messages) receive(ctx context.Context, source int, buf []byte) error {
	req, err := m.comm.Irecv(ctx, source, m.tag, buf)
	return m.addRequest("receive", req, err)
}

// receiveUpTo is receive for a message of unknown length, which is stored in *length.
func (m *messages) receiveUpTo(ctx context.Context, source int, buf []byte, length *int) error {
	req, err := m.comm.IrecvUpTo(ctx, source, m.tag, buf, length)
	return m.addRequest("receive", req, err)
}

func (m *messages) send(ctx context.Context, dest int, buf []byte) error {
	req, err := m.comm.Isend(ctx, dest, m.tag, buf)
	return m.addRequest("send", req, err)
}

// addRequest adds a message that was posted to the pending ones. If posting it failed, it cancels them all.
func (m *messages) addRequest(what string, req dist.Request, err error) error {
	if err != nil {
		m.cancelPosted()
		return fmt.Errorf("halo: %s: %w", what, err)
	}
	m.reqs = append(m.reqs, req)
	return nil
}

// wait waits for all messages, or until the first fails.
func (m *messages) wait(ctx context.Context) error {
	err := m.comm.Wait(ctx, m.reqs)
	m.reqs = m.reqs[:0]
	if err != nil {
		return fmt.Errorf("halo: exchange: %w", err)
	}
	return nil
}

// cancelPosted cancels the messages posted before a failure.
func (m *messages) cancelPosted() {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	_ = m.comm.Wait(cancelled, m.reqs) // the first failure is returned already
	m.reqs = m.reqs[:0]
}
