package main

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/atoll-hpc/atoll/cmd/atoll/members"
	"github.com/atoll-hpc/atoll/dist/grpc"
	"github.com/atoll-hpc/atoll/dist/grpc/certs"
	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/launch"
	"github.com/atoll-hpc/atoll/run/summary"
)

// connectFlags are the flags for how ranks connect, when one counts as lost, and how ranks authenticate each other.
type connectFlags struct {
	silence, joinTimeout time.Duration // 0: see waits
	listen, announce     string
	certs                string
	insecure             bool
}

func (f *connectFlags) register(p *pflag.FlagSet) {
	p.Var((*waitLimit)(&f.silence), "silence", "how long a rank may send no heartbeat before it counts as lost (default "+
		"3s, above 128 ranks over gRPC 3s for each 128)")
	p.Var((*waitLimit)(&f.joinTimeout), "join", "how long ranks wait for each other at the start (default 1m, above 128 "+
		"ranks 1m for each 128)")
	p.StringVar(&f.listen, "listen", "", "host:port at which this rank accepts connections over gRPC, as in :7000 "+
		"(default: a unix socket, or a free port of loopback)")
	p.StringVar(&f.announce, "announce", "", "host:port at which other ranks reach this one, if it differs from --listen")
	p.StringVar(&f.certs, "certs", "", "folder with this rank's certificate, as atoll certs makes it, for mutual TLS "+
		"over gRPC: ca.crt, tls.crt and tls.key, or a folder rank-R with them for each rank")
	p.BoolVar(&f.insecure, "insecure", false, "let ranks communicate over a network in plaintext: anybody who can reach "+
		"it can read and change the run")
}

// waits returns the silence after which a rank counts as lost, and how long so many ranks wait for each other.
func (f *connectFlags) waits(ranks int) (silence, join time.Duration) {
	silence, join = grpc.Patience(ranks)
	return cmp.Or(f.silence, silence), cmp.Or(f.joinTimeout, join)
}

func (f *connectFlags) validate() error {
	if f.insecure && f.certs != "" {
		return usageError{errors.New("--insecure is for runs without certificates, --certs for those with: leave one out")}
	}
	return nil
}

// waitLimit is the value of a flag for how long ranks wait for each other; 0 if the flag is not given.
type waitLimit time.Duration

// minWait is the shortest time that ranks on a busy machine can keep.
const minWait = 100 * time.Millisecond

func (p *waitLimit) Type() string { return "duration" }

func (p *waitLimit) String() string {
	if *p == 0 {
		return ""
	}
	return time.Duration(*p).String()
}

// Set refuses times below minWait.
func (p *waitLimit) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err == nil && d < minWait {
		err = fmt.Errorf("at least %v, or a rank on a busy machine counts as lost", minWait)
	}
	*p = waitLimit(d)
	return err
}

// args returns the flags that pass these settings on to a rank process.
func (f *connectFlags) args() []string {
	var args []string
	for _, flag := range []struct {
		name  string
		value time.Duration
	}{{"--silence", f.silence}, {"--join", f.joinTimeout}} {
		if flag.value != 0 {
			args = append(args, flag.name, flag.value.String())
		}
	}
	for _, flag := range []struct{ name, value string }{
		{"--listen", f.listen}, {"--announce", f.announce}, {"--certs", f.certs},
	} {
		if flag.value != "" {
			args = append(args, flag.name, flag.value)
		}
	}
	if f.insecure {
		args = append(args, "--insecure")
	}
	return args
}

// ensureToken sets the token by which the ranks of this job recognise each other in the environment, unless it is
// set: a random secret that the rank processes inherit.
func ensureToken() error {
	if os.Getenv(members.EnvToken) != "" {
		return nil
	}
	return os.Setenv(members.EnvToken, rand.Text())
}

// joinConfig returns the configuration by which a rank joins the others. notify is called with messages about ranks
// that are missing and connections that are refused.
func (f *connectFlags) joinConfig(env launch.Environment, caseHash string, notify func(line string)) (grpc.Config,
	error) {
	cfg := grpc.Config{
		Rank: env.Rank, Size: env.Size, Coordinator: env.Coordinator, Listen: f.listen, Announce: f.announce,
		BuildID: summary.BuildID(), CaseHash: caseHash, Epoch: env.Epoch,
		Token:    members.RankToken(os.Getenv(members.EnvToken), env.Epoch),
		Insecure: f.insecure, Silence: f.silence, JoinTimeout: f.joinTimeout, Notify: notify,
	}
	if f.certs != "" {
		store, err := certs.Open(f.certs, env.Rank, notify)
		if err != nil {
			return cfg, &sharedError{usageError{err}, env.Rank} // the error of this rank alone, which prints it
		}
		cfg.Certificates = store
	}
	return cfg, nil
}

func certsCommand() *cobra.Command {
	var ranks int
	var valid time.Duration
	c := &cobra.Command{
		Use:   "certs DIR",
		Short: "Make the certificates of a job, for ranks that communicate over a network",
		Long: strings.TrimSpace(`
Make a certificate authority for one job, and the certificates by which its ranks authenticate each other.
Give each rank its folder DIR/rank-R, and nobody else: pass that folder to --certs, or DIR if a rank has all of them.
DIR/ca.key, the key of the authority, signs new certificates: keep it on the machine where this command runs.
Run again, the command renews the certificates with the existing authority. Ranks read them without a restart.`),
		Example: "  atoll certs certs --ranks 16\n  atoll run case.toml --certs certs --listen :7000 --announce node3:7000",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if ranks < 1 || ranks > maxRanks || valid < time.Minute {
				return usageError{fmt.Errorf("--ranks %d --valid %v: want 1 to %d ranks, and at least a minute", ranks,
					valid, maxRanks)}
			}
			isNew, err := certs.Make(args[0], ranks, valid)
			if err != nil {
				return err
			}
			authority := "the existing authority"
			if isNew {
				authority = "a new authority"
			}
			fmt.Printf("%s: certificates of %s and a coordinator, valid for %v, signed by %s\n", args[0], words.Count(ranks,
				"rank"),
				valid, authority)
			return nil
		},
	}
	c.Flags().IntVarP(&ranks, "ranks", "n", 1, "number of ranks, the most that the run will have")
	c.Flags().DurationVar(&valid, "valid", 30*24*time.Hour, "how long the certificates are valid")
	return c
}
