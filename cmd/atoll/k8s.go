package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/grpc/certs"
	"github.com/atoll-hpc/atoll/internal/pattern"
	"github.com/atoll-hpc/atoll/internal/process"
	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/launch/kube"
	"github.com/atoll-hpc/atoll/solvers"
)

// k8sFlags are the flags of atoll launch k8s.
type k8sFlags struct {
	job                            kube.Job
	kubeconfig, context, namespace string
	set                            []string
	out                            string
	dryRun, keep, checkpoints      bool
	attach, remove                 bool
	patience                       time.Duration
}

func launchK8sCommand() *cobra.Command {
	var f k8sFlags
	c := &cobra.Command{
		Use:   "k8s CASE.toml",
		Short: "Run a case as a Kubernetes job, and download its results",
		Long: "Run a case as a Kubernetes job, and download its results: summary, tables, frames.\n" +
			"The command waits until the job has ended. Ctrl-C asks whether to leave the job running; --attach follows " +
			"it again.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), args[0]) },
	}
	p, j := c.Flags(), &f.job
	p.IntVarP(&j.Ranks, "ranks", "n", 1, "number of ranks, each in a pod of its own")
	p.StringVar(&j.Elastic, "elastic", "", "MIN:MAX ranks that the job may be changed to while it runs, by atoll ranks "+
		"--job; certificates are made for MAX (default: fixed)")
	p.StringVar(&j.Name, "name", "", "name of the job (default: that of the case)")
	p.StringVar(&j.Image, "image", "atoll:latest", "container image that has atoll")
	p.StringVar(&j.Pull, "pull", "IfNotPresent", "when the image is pulled: IfNotPresent, Always or Never")
	p.StringVar(&j.CPU, "cpu", "1", "CPUs that each rank requests, which are its threads")
	p.StringVar(&j.Memory, "memory", "1Gi", "memory of each rank")
	p.StringVar(&j.Storage, "storage", "10Gi", "size of the volume for output and checkpoints")
	p.StringVar(&j.Class, "storage-class", "", "storage class of that volume, which must offer ReadWriteMany (default: "+
		"that of the cluster)")
	p.StringVar(&j.Claim, "claim", "", "existing PersistentVolumeClaim to use instead of a new volume")
	p.StringSliceVar(&j.Components, "component", nil, "a part of k8s/components: gpu, kueue or insecure; may be repeated")
	p.StringArrayVar(&f.set, "set", nil, "override a key of the case, as in --set time.end=1; may be repeated")
	p.StringVar(&f.out, "out", "", "folder for the results (default: output.dir of the case)")
	p.BoolVar(&f.checkpoints, "checkpoints", false, "download checkpoints too")
	p.BoolVar(&f.keep, "keep", false, "leave the job and its volume in the cluster when it has ended")
	p.BoolVar(&f.attach, "attach", false, "follow the existing job of that name")
	p.BoolVar(&f.remove, "delete", false, "remove the job of that name with its output, and stop")
	p.BoolVar(&f.dryRun, "dry-run", false, "print the manifests, and stop")
	p.DurationVar(&f.patience, "patience", 2*time.Minute, "how long the job may stay pending before it is given up")
	p.StringVar(&f.kubeconfig, "kubeconfig", "", "file that describes the cluster (default: KUBECONFIG, or "+
		"~/.kube/config)")
	p.StringVar(&f.context, "context", "", "context in that file (default: the current one)")
	p.StringVar(&f.namespace, "namespace", "", "namespace of the job (default: that of the context)")
	return c
}

func (f *k8sFlags) run(ctx context.Context, path string) error {
	c, err := solvers.Load(path, f.set)
	if err != nil {
		return badInput(err)
	}
	if err := f.complete(c, path); err != nil {
		return usageError{err}
	}
	if f.dryRun {
		text, err := f.job.Render()
		if err == nil {
			_, err = os.Stdout.Write(text)
		}
		return badInput(err)
	}
	cluster, err := kube.Connect(f.kubeconfig, f.context, f.namespace)
	if err != nil {
		return usageError{err}
	}
	if f.remove {
		return cluster.Remove(ctx, f.job.Name, true)
	}
	if !f.attach {
		secrets, err := f.secrets()
		if err != nil {
			return err
		}
		if err := cluster.Submit(ctx, &f.job, secrets); err != nil {
			return badInput(err)
		}
	}
	fmt.Printf("%-16s %s in namespace %s, %d pods\n", "job", f.job.Name, cluster.Namespace, f.job.Ranks)
	return f.follow(ctx, cluster)
}

var notInNames = pattern.Of(`[^a-z0-9]+`)

// complete fills in the settings that follow from the case.
func (f *k8sFlags) complete(c *config.Case, path string) error {
	f.job.Name = cmp.Or(f.job.Name, strings.Trim(notInNames().ReplaceAllString(strings.ToLower(c.Name), "-"), "-"))
	f.out = cmp.Or(f.out, c.Output.Dir)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f.job.Case = filepath.Base(path)
	f.job.Files = map[string][]byte{f.job.Case: text}
	for _, name := range c.Inputs() {
		if f.job.Files[name], err = os.ReadFile(c.Path(name)); err != nil {
			return err
		}
	}
	for _, s := range f.set {
		f.job.Args = append(f.job.Args, "--set="+s)
	}
	return f.job.Check()
}

// follow waits for the end of the job, and downloads its output.
func (f *k8sFlags) follow(ctx context.Context, cluster *kube.Client) error {
	follower := kube.Follow{Client: cluster, Name: f.job.Name, Out: os.Stdout, Log: os.Stderr, StartTimeout: f.patience}
	err := follower.Wait(ctx)
	uncancelled := context.WithoutCancel(ctx)
	if ctx.Err() != nil {
		return f.interrupted(uncancelled, cluster, err)
	}
	var failed *kube.FailedError
	if err != nil && !errors.As(err, &failed) {
		return err // the job may still run
	}
	if err == nil {
		files, bad := cluster.Fetch(ctx, f.job.Name, f.job.Image, f.job.Pull, f.claim(), f.out, f.checkpoints)
		if bad != nil {
			return fmt.Errorf("the job is done, but its output was not downloaded: %w; it is on the volume %s, and --attach "+
				"tries again", bad, f.claim())
		}
		fmt.Printf("%-16s %s to %s\n", "copied", words.Count(files, "file"), f.out)
	}
	if !f.keep {
		err = errors.Join(err, cluster.Remove(uncancelled, f.job.Name, err == nil))
	}
	if failed != nil {
		fmt.Fprintf(os.Stderr, "atoll: the output of the job is on the volume %s: the same command continues from its last "+
			"checkpoint, --delete removes it\n", f.claim())
	}
	if failed != nil && failed.BadInput {
		return badInput(err)
	}
	return err
}

func (f *k8sFlags) claim() string { return cmp.Or(f.job.Claim, f.job.Name+"-output") }

// interrupted asks at a terminal whether to leave the job running. Without a terminal or an answer the job
// continues.
func (f *k8sFlags) interrupted(ctx context.Context, cluster *kube.Client, err error) error {
	if process.Ask(os.Stdin, os.Stderr, fmt.Sprintf("\nLeave the job %s running? [Y/n] ", f.job.Name), 30*time.Second) {
		fmt.Fprintf(os.Stderr, "atoll: the job continues; follow it with --attach, or end it with --delete\n")
		return err
	}
	return errors.Join(err, cluster.Remove(ctx, f.job.Name, false))
}

// secrets makes the certificates of the ranks; nil if they communicate without TLS.
func (f *k8sFlags) secrets() (kube.Secrets, error) {
	if slices.Contains(f.job.Components, "insecure") {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "atoll-certs")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if _, err := certs.Make(dir, f.job.MaxRanks(), 30*24*time.Hour); err != nil {
		return nil, err
	}
	var byRank kube.Secrets
	for rank := range f.job.MaxRanks() {
		files := map[string][]byte{}
		for _, name := range []string{"ca.crt", "tls.crt", "tls.key"} {
			if files[name], err = os.ReadFile(filepath.Join(dir, fmt.Sprintf("rank-%d", rank), name)); err != nil {
				return nil, err
			}
		}
		byRank = append(byRank, files)
	}
	return byRank, nil
}
