package grpc

import (
	"fmt"
	"time"

	"github.com/atoll-hpc/atoll/dist/grpc/certs"
	"github.com/atoll-hpc/atoll/dist/internal/life"
)

// Config is the configuration of a rank: its number, the addresses, what it must share with the others, and limits.
type Config struct {
	Rank, Size int

	// Coordinator is the address that the ranks join: "unix:/path" or "host:port". Rank 0 serves it, unless
	// External is set and ServeCoordinator runs elsewhere. A host name may become resolvable after Join is called.
	Coordinator string
	External    bool

	// Listen is where this rank accepts the streams of its neighbours. The default is a socket beside the
	// coordinator's, or any free port of 127.0.0.1. Announce is the host:port at which neighbours reach it if it
	// differs: a name, or the address of a listener on all networks. Its port may be 0, for the port of the
	// listener. Rank 0 has one listener for neighbours and coordinator if both have the same address.
	Listen, Announce string

	// BuildID and CaseHash identify the program and the case. If given, they must equal those of the coordinator
	// or, if it has none, of the first rank that joins with them. A rank with others is refused, and the run
	// continues.
	BuildID, CaseHash string

	// Epoch is the number of the run's epoch, and Token the secret of its job, at most 4 KiB. A rank with another
	// epoch or token is refused, and the run continues. Without certificates the token is the only protection
	// against other clients that can connect.
	Epoch uint64
	Token string

	// Certificates make all connections mutual TLS 1.3: the name in a certificate contains the rank. Without
	// certificates only unix sockets and loopback can be used, unless Insecure allows plaintext everywhere.
	Certificates *certs.Store
	Insecure     bool

	// Silence is how long a rank, or the coordinator, may send nothing before it counts as lost, by default as Patience
	// says. Beat is the interval of heartbeats: by default a thirtieth of Silence, and of many ranks up to a tenth.
	Beat, Silence time.Duration

	// JoinTimeout is how long a rank tries to connect to a neighbour, by default as Patience says, and how long a rank, or
	// the coordinator, may send nothing, if that is longer than Silence, before all ranks have joined: a machine on which
	// many processes start is slow. The context of Join limits Join itself.
	JoinTimeout time.Duration

	// Notify is called with lines for a log: which ranks are missing, and which connections were refused and why.
	// It is called from several goroutines, at any time until Close returns. The default does nothing.
	Notify func(line string)

	// UnexpectedLimit is how many bytes a neighbour may send before their receives are posted, 64 MiB by default.
	// Messages over 256 KiB wait at the sender and do not count.
	UnexpectedLimit int

	// CollectiveLimit is how many bytes a rank may contribute to a collective, 1 GiB by default.
	CollectiveLimit int

	// CloseTimeout is how long Close waits for ranks that still run while none of them calls it, 30 s by default.
	CloseTimeout time.Duration
}

const (
	minSilence = 100 * time.Millisecond
	maxToken   = 4 << 10 // bytes
)

func (cfg *Config) prepare() error {
	if cfg.Size < 1 || cfg.Rank < 0 || cfg.Rank >= cfg.Size {
		return fmt.Errorf("dist/grpc: rank %d of %d ranks: want one from 0 on, less than their number", cfg.Rank, cfg.Size)
	}
	silence, join := Patience(cfg.Size)
	setDefault(&cfg.Silence, silence)
	setDefault(&cfg.Beat, min(life.BeatInterval(cfg.Silence)*cfg.crowd(), cfg.Silence/10))
	setDefault(&cfg.JoinTimeout, join)
	setDefault(&cfg.UnexpectedLimit, 64<<20)
	setDefault(&cfg.CollectiveLimit, 1<<30)
	setDefault(&cfg.CloseTimeout, 30*time.Second)
	if cfg.Notify == nil {
		cfg.Notify = func(string) {}
	}
	switch {
	case cfg.Silence < minSilence:
		return fmt.Errorf("dist/grpc: silence limit %v: want at least %v, or a rank on a busy machine counts as lost",
			cfg.Silence, minSilence)
	case cfg.Beat > cfg.Silence/2:
		return fmt.Errorf("dist/grpc: heartbeat interval %v: want at most half of the silence limit %v",
			cfg.Beat, cfg.Silence)
	case len(cfg.Token) > maxToken:
		return fmt.Errorf("dist/grpc: a token of %d bytes: want at most %d", len(cfg.Token), maxToken)
	}
	return cfg.resolveAddresses()
}

// Patience returns the defaults of Silence and JoinTimeout for so many ranks. They are 3 s and 1 min up to 128 ranks,
// and above proportionally longer, at most 30 s and half an hour: if many processes share a machine, each waits for
// seconds until it runs.
func Patience(ranks int) (silence, join time.Duration) {
	const quiet, start = 3 * time.Second, time.Minute
	return min(quiet*time.Duration(max(ranks, 128))/128, 30*time.Second),
		min(start*time.Duration(max(ranks, 128))/128, 30*time.Minute)
}

// crowd is the factor by which many ranks beat and check less often: each time, a process has to run.
func (cfg *Config) crowd() time.Duration { return time.Duration(max(1, cfg.Size/256)) }

// checkInterval is how often a process checks whether others are silent.
func (cfg *Config) checkInterval() time.Duration {
	often := life.CheckInterval(cfg.Silence)
	return max(often, min(often*cfg.crowd(), cfg.Silence/16))
}

// silenceLimit returns how long the other side may send nothing.
func (cfg *Config) silenceLimit(allJoined bool) time.Duration {
	if allJoined {
		return cfg.Silence
	}
	return max(cfg.Silence, cfg.JoinTimeout)
}

func setDefault[T ~int | ~int64](v *T, value T) {
	if *v <= 0 {
		*v = value
	}
}
