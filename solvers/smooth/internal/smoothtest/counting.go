package smoothtest

import (
	"context"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/dist"
)

// CountingComm counts the bytes and messages that its rank sends.
type CountingComm struct {
	dist.Comm
	Bytes, Messages *atomic.Int64
}

// Isend counts a message.
func (w CountingComm) Isend(ctx context.Context, to, tag int, buf []byte) (dist.Request, error) {
	w.Bytes.Add(int64(len(buf)))
	w.Messages.Add(1)
	return w.Comm.Isend(ctx, to, tag, buf)
}
