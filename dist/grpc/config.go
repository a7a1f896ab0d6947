package grpc

import (
	"fmt"
	"time"

	"github.com/atoll-hpc/atoll/dist/grpc/certs"
	"github.com/atoll-hpc/atoll/dist/internal/life"
)

// Config says who a rank is and where it finds the others.
type Config struct {
	Rank, Size int

	// Coordinator is the address at which the ranks meet: "unix:/path" or "host:port". Rank 0 serves it, unless External
	// tells that ServeCoordinator does elsewhere. A name need not be known yet when Join is called.
	Coordinator string
	External    bool

	// Listen is where this rank accepts the streams of its neighbours. The default is a socket beside the
	// coordinator's, or any free port of 127.0.0.1. Announce is the host:port at which neighbours find it, where that is
	// another: behind a name, or a listener on all networks. Its port may be 0, for the one that is listened on. Rank 0
	// has one listener for neighbours and coordinator when both are found at the same address.
	Listen, Announce string

	// BuildID and CaseHash must be the same on all ranks, as far as they are given: those of rank 0 count, or of the
	// coordinator, or of the first rank. Who comes with others is refused, and the run continues.
	BuildID, CaseHash string

	// Epoch is how often the run was begun anew, and Token the secret of its job. Who comes with another one is turned
	// away, and the run continues. Without certificates the token keeps others out who can connect; it is at most 4 KiB.
	Epoch uint64
	Token string

	// Certificates make all connections mutual TLS 1.3: the name in a rank's certificate says which rank it is. Without
	// them only unix sockets and loopback can be used, unless Insecure allows plaintext everywhere.
	Certificates *certs.Store
	Insecure     bool

	// Silence is how long a rank, or the coordinator, may give no sign of life, 3 s by default, and Beat the time
	// between signs: a thirtieth of Silence by default.
	Beat, Silence time.Duration

	// JoinTimeout is how long a neighbour may take to be found at its address, 1 min by default. How long Join takes at
	// most its context says.
	JoinTimeout time.Duration

	// Notify is told what happens besides the run, in a line each: who is waited for, and who was refused and why.
	// Goroutines call it at any time until Close returns. The default tells nobody.
	Notify func(line string)

	// UnexpectedLimit is how many bytes a neighbour may send before their receives are posted, 64 MiB by default. Messages
	// over 256 KiB wait at the sender and do not count.
	UnexpectedLimit int

	// CollectiveLimit is how many bytes a rank may bring to a collective, 1 GiB by default.
	CollectiveLimit int

	// CloseTimeout is how long Close waits for ranks that still run, 30 s by default.
	CloseTimeout time.Duration
}

const (
	minSilence = 100 * time.Millisecond
	maxToken   = 4 << 10
)

func (cfg *Config) prepare() error {
	if cfg.Size < 1 || cfg.Rank < 0 || cfg.Rank >= cfg.Size {
		return fmt.Errorf("dist/grpc: rank %d of %d", cfg.Rank, cfg.Size)
	}
	setDefault(&cfg.Silence, 3*time.Second)
	setDefault(&cfg.Beat, life.BeatInterval(cfg.Silence))
	setDefault(&cfg.JoinTimeout, time.Minute)
	setDefault(&cfg.UnexpectedLimit, 64<<20)
	setDefault(&cfg.CollectiveLimit, 1<<30)
	setDefault(&cfg.CloseTimeout, 30*time.Second)
	if cfg.Notify == nil {
		cfg.Notify = func(string) {}
	}
	switch {
	case cfg.Silence < minSilence:
		return fmt.Errorf("dist/grpc: a silence of %v: at least %v, or a busy machine is taken for a dead one", cfg.Silence,
			minSilence)
	case cfg.Beat > cfg.Silence/2:
		return fmt.Errorf("dist/grpc: a sign of life every %v, where a silence of %v is the end: at least two are to fit",
			cfg.Beat, cfg.Silence)
	case len(cfg.Token) > maxToken:
		return fmt.Errorf("dist/grpc: a token of %d bytes: at most %d", len(cfg.Token), maxToken)
	}
	return cfg.resolveAddresses()
}

func setDefault[T ~int | ~int64](v *T, value T) {
	if *v <= 0 {
		*v = value
	}
}
