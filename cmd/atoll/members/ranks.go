package members

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/launch/kube"
	"github.com/atoll-hpc/atoll/run/folder"
)

// Until a run that has its folder answers, and until it has changed.
const (
	replyTimeout  = 10 * time.Second
	resizeTimeout = 5 * time.Minute
	pollInterval  = 50 * time.Millisecond
)

// RanksCommand is atoll ranks.
func RanksCommand() *cobra.Command {
	var job bool
	var kubeconfig, where, namespace string
	c := &cobra.Command{
		Use:   "ranks DIR|JOB [N]",
		Short: "Tell on how many ranks a run under way is, or have it continue with N",
		Long: "Tell on how many ranks the run in a folder is, or a job of Kubernetes, or have it continue with N.\n" +
			"It saves its state, ends its ranks, and continues with others, to the same bits. Only a run whose ranks are\n" +
			"processes over gRPC can.",
		Example: "  atoll ranks out/dam-break 6\n  atoll ranks --job dam-break 6",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			n := 0
			if len(args) == 2 {
				var err error
				if n, err = strconv.Atoi(args[1]); err != nil || n < 1 || n > MaxRanks {
					return bad(fmt.Errorf("%q ranks: a number from 1 to %d", args[1], MaxRanks))
				}
			}
			switch {
			case job:
				cluster, err := kube.Connect(kubeconfig, where, namespace)
				if err != nil {
					return bad(err)
				}
				return resizeJob(cmd.Context(), cluster, args[0], n)
			case n == 0:
				return printRanks(args[0])
			}
			return resize(cmd.Context(), args[0], n)
		},
	}
	p := c.Flags()
	p.BoolVar(&job, "job", false, "it is a job of Kubernetes, as atoll launch k8s starts it")
	p.StringVar(&kubeconfig, "kubeconfig", "", "with --job: file that describes the cluster (default: KUBECONFIG, or "+
		"~/.kube/config)")
	p.StringVar(&where, "context", "", "with --job: context in that file (default: the current one)")
	p.StringVar(&namespace, "namespace", "", "with --job: of the job (default: that of the context)")
	return c
}

// resizeJob tells on how many ranks a job is, or has it continue with n.
func resizeJob(ctx context.Context, cluster *kube.Client, name string, n int) error {
	if n > 0 {
		if err := cluster.Resize(ctx, name, n, func(line string) { fmt.Fprintln(os.Stderr, "atoll:", line) }); err != nil {
			return bad(err)
		}
	}
	now, err := cluster.Ranks(ctx, name)
	if err != nil {
		return bad(err)
	}
	fmt.Printf("job %s: on %s\n", name, words.Count(now, "rank"))
	return nil
}

// supervisedEpoch is the epoch of a supervised run.
func supervisedEpoch(dir string) (folder.Epoch, error) {
	e, err := folder.ReadEpoch(dir)
	if err == nil && e.Epoch == 0 {
		err = fmt.Errorf("%s has no run whose ranks are processes over gRPC", dir)
	}
	return e, bad(err)
}

func printRanks(dir string) error {
	e, err := supervisedEpoch(dir)
	if err != nil {
		return err
	}
	fmt.Printf("%s: epoch %d since %s, on %s\n", dir, e.Epoch, e.Raised.Format(time.DateTime),
		words.Count(e.Ranks, "rank"))
	for _, m := range e.Members {
		fmt.Printf("  ranks %d to %d: %s\n", m.First, m.First+m.Ranks-1, m.Member)
	}
	return nil
}

// resize asks a run for another number of ranks, and waits until it has them.
func resize(ctx context.Context, dir string, n int) error {
	before, err := supervisedEpoch(dir)
	if err != nil {
		return err
	}
	if owned, err := folder.InUse(dir); err != nil || !owned {
		return errors.Join(err, bad(fmt.Errorf("no run is under way in %s", dir)))
	}
	ask := folder.ResizeRequest{ID: fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano()), Ranks: n}
	if err := ask.Submit(dir); err != nil {
		return err
	}
	answer, err := await(ctx, replyTimeout, "the run does not answer", func() (folder.ResizeRequest, bool, error) {
		a, there := folder.TakeResizeReply(dir, ask.ID)
		return a, there, nil
	})
	if err != nil {
		return err
	}
	if answer.Answer != "" {
		return bad(errors.New(answer.Answer))
	}
	if before.Ranks == n {
		return printRanks(dir)
	}
	_, err = await(ctx, resizeTimeout, fmt.Sprintf("the run does not continue with %s yet: is there room for them?",
		words.Count(n, "rank")), func() (folder.Epoch, bool, error) {
		now, err := folder.ReadEpoch(dir)
		if owned, failed := folder.InUse(dir); err == nil && failed == nil && !owned {
			err = fmt.Errorf("the run in %s has ended", dir)
		}
		return now, now.Epoch > before.Epoch && now.Ranks == n, err
	})
	if err != nil {
		return err
	}
	return printRanks(dir)
}

// await looks until something is there.
func await[T any](ctx context.Context, limit time.Duration, late string, look func() (T, bool, error)) (T, error) {
	ctx, stop := context.WithTimeoutCause(ctx, limit, errors.New(late))
	defer stop()
	for {
		v, there, err := look()
		if err != nil || there {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, context.Cause(ctx)
		case <-time.After(pollInterval):
		}
	}
}
