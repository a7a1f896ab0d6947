package main

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/watch"
)

// serves tells whether an address is host:port, where host may be missing.
func serves(address string) bool {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

// watch lets the run be watched, by rank 0, where that was asked for. A place that cannot be had ends all ranks.
func (r *rank) watch(ctx context.Context, comm dist.Comm) (s *watch.Server, err error) {
	if r.serve == "" || r.check {
		return nil, nil
	}
	if comm.Rank() == 0 {
		if s, err = watch.Listen(r.serve); err != nil {
			err = usageError{fmt.Errorf("--serve %s: %w", r.serve, err)}
		}
	}
	if err := agreed(ctx, comm, err); err != nil {
		return nil, err
	}
	if s != nil && !r.quiet {
		fmt.Printf("%-16s http://%s/\n", "watch", s.Address())
	}
	return s, nil
}
