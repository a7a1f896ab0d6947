package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/atoll-hpc/atoll/cmd/atoll/members"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/mpi"
	"github.com/atoll-hpc/atoll/launch"
)

// joinMPI initialises MPI and checks that all ranks belong to one run: started by the launcher of this MPI, with
// the same identity, a text with the build and, for a measurement, its options. notify is called with messages about
// heartbeats. silence is 0 for the default.
func joinMPI(ctx context.Context, env launch.Environment, identity string, silence time.Duration,
	notify func(line string)) (dist.Comm, error) {
	comm, err := mpi.Init()
	if err != nil {
		return nil, usageError{err}
	}
	if env.Launcher != launch.None && comm.Size() != env.Size {
		err := fmt.Errorf("%v, but %s, with which this program was built, sees %d rank(s): start it with the mpirun of "+
			"that MPI", env, mpi.Version(), comm.Size())
		return nil, errors.Join(usageError{err}, comm.Close())
	}
	if err := agreeOn(ctx, comm, identity, "rank %d runs %q, rank 0 %q: start all ranks with the same program and "+
		"arguments"); err != nil {
		return nil, errors.Join(err, comm.Close())
	}
	if err := mpi.Watch(ctx, comm, cmp.Or(silence, members.SilenceLimit), notify); err != nil {
		return nil, errors.Join(err, comm.Close())
	}
	return comm, nil
}
