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

// Time limits for the reply to a resize request, and for the run to continue with the new number of ranks.
const (
	replyTimeout  = 10 * time.Second
	resizeTimeout = 5 * time.Minute
	pollInterval  = 50 * time.Millisecond
)

// RanksCommand returns the command atoll ranks.
func RanksCommand() *cobra.Command {
	var job bool
	var kubeconfig, kubeContext, namespace string
	c := &cobra.Command{
		Use:   "ranks DIR|JOB [N]",
		Short: "Show the number of ranks of a run under way, or change it to N",
		Long: "Show the number of ranks of the run in a folder, or of a Kubernetes job, or change it to N.\n" +
			"The run saves its state, ends its ranks, and continues on N ranks with the same bits. Only runs whose ranks are\n" +
			"processes over gRPC can change.",
		Example: "  atoll ranks out/dam-break 6\n  atoll ranks --job dam-break 6",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			n := 0
			if len(args) == 2 {
				var err error
				if n, err = strconv.Atoi(args[1]); err != nil || n < 1 || n > MaxRanks {
					return badInput(fmt.Errorf("%q ranks: want a number from 1 to %d", args[1], MaxRanks))
				}
			}
			switch {
			case job:
				cluster, err := kube.Connect(kubeconfig, kubeContext, namespace)
				if err != nil {
					return badInput(err)
				}
				return resizeJob(cmd.Context(), cluster, args[0], n)
			case n == 0:
				return printRanks(args[0])
			}
			return resize(cmd.Context(), args[0], n)
		},
	}
	p := c.Flags()
	p.BoolVar(&job, "job", false, "the argument names a Kubernetes job, started by atoll launch k8s")
	p.StringVar(&kubeconfig, "kubeconfig", "", "with --job: file that describes the cluster (default: KUBECONFIG, or "+
		"~/.kube/config)")
	p.StringVar(&kubeContext, "context", "", "with --job: context in that file (default: the current one)")
	p.StringVar(&namespace, "namespace", "", "with --job: namespace of the job (default: that of the context)")
	return c
}

// resizeJob changes the number of ranks of a Kubernetes job to n, unless n is 0, and prints the number.
func resizeJob(ctx context.Context, cluster *kube.Client, name string, n int) error {
	if n > 0 {
		if err := cluster.Resize(ctx, name, n, func(line string) { fmt.Fprintln(os.Stderr, "atoll:", line) }); err != nil {
			return badInput(err)
		}
	}
	now, err := cluster.Ranks(ctx, name)
	if err != nil {
		return badInput(err)
	}
	fmt.Printf("job %s: on %s\n", name, words.Count(now, "rank"))
	return nil
}

// supervisedEpoch returns the epoch of a supervised run.
func supervisedEpoch(dir string) (folder.Epoch, error) {
	e, err := folder.ReadEpoch(dir)
	if err == nil && e.Epoch == 0 {
		err = fmt.Errorf("%s has no run whose ranks are processes over gRPC", dir)
	}
	return e, badInput(err)
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

// resize asks a run to continue on n ranks, and waits until it does.
func resize(ctx context.Context, dir string, n int) error {
	before, err := supervisedEpoch(dir)
	if err != nil {
		return err
	}
	if owned, err := folder.InUse(dir); err != nil || !owned {
		return errors.Join(err, badInput(fmt.Errorf("no run is under way in %s", dir)))
	}
	request := folder.ResizeRequest{ID: fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano()), Ranks: n}
	if err := request.Submit(dir); err != nil {
		return err
	}
	answer, err := await(ctx, replyTimeout, "the run does not answer", func() (folder.ResizeRequest, bool, error) {
		a, found := folder.TakeResizeReply(dir, request.ID)
		return a, found, nil
	})
	if err != nil {
		request.Withdraw(dir)
		return err
	}
	if answer.Answer != "" {
		return badInput(errors.New(answer.Answer))
	}
	if before.Ranks == n {
		return printRanks(dir)
	}
	_, err = await(ctx, resizeTimeout, fmt.Sprintf("the run does not continue with %s yet: are there enough slots?",
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

// await polls until poll returns true or an error. After limit it returns an error with the text late.
func await[T any](ctx context.Context, limit time.Duration, late string, poll func() (T, bool, error)) (T, error) {
	ctx, stop := context.WithTimeoutCause(ctx, limit, errors.New(late))
	defer stop()
	for {
		v, done, err := poll()
		if err != nil || done {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, context.Cause(ctx)
		case <-time.After(pollInterval):
		}
	}
}
