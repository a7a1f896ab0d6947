package members

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/atoll-hpc/atoll/dist/grpc/certs"
	"github.com/atoll-hpc/atoll/launch/supervise"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
)

// MaxRanks is the largest number of ranks that a command line may ask for.
const MaxRanks = 4096

// SilenceLimit is how long a supervisor, or the launcher, may send no heartbeat before it counts as lost.
const SilenceLimit = 3 * time.Second

// EnvToken names the environment variable with the secret of a job that all its processes must present.
const EnvToken = supervise.EnvToken

// ServerConfig configures the server through which supervisors on other machines join a run.
type ServerConfig struct {
	Address   string // host:port or unix:/path
	Certs     string // folder with the coordinator's certificate, "" for none
	Insecure  bool   // connections beyond this machine may be plaintext
	JoinToken string // as PrepareTokens returns it
	Aligned   bool   // each supervisor has the certificate of its rank, this process that of rank 0
}

// Listen opens the server at which supervisors join.
func Listen(c ServerConfig) (*supervise.Server, error) {
	var store *certs.Store
	var err error
	if c.Certs != "" {
		rank := certs.Coordinator
		if c.Aligned {
			rank = 0
		}
		store, err = openCertificates(c.Certs, rank)
	} else {
		err = requireLocal(c.Address, c.Insecure)
	}
	if err != nil {
		return nil, err
	}
	network, address := splitAddress(c.Address)
	if network == "unix" { // left behind by a launcher that was killed
		_ = os.Remove(address)
	}
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, badInput(fmt.Errorf("--places: %w", err))
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	server := &supervise.Server{Listener: l, Token: c.JoinToken, RankToken: os.Getenv(EnvToken), Build: summary.BuildID(),
		SilenceLimit: SilenceLimit, Dir: dir}
	if store != nil {
		server.TLS = &tls.Config{MinVersion: tls.VersionTLS13,
			GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return store.Server(), nil }}
		if c.Aligned {
			server.CertifiedOrdinal = certifiedRank
		}
	}
	return server, nil
}

// certifiedRank returns the rank that the certificate of a supervisor names. Call it after the first message, when
// the TLS handshake is complete.
func certifiedRank(conn net.Conn) (rank int, err error) {
	tlsConn, ok := conn.(*tls.Conn)
	if !ok || len(tlsConn.ConnectionState().VerifiedChains) == 0 {
		return 0, errors.New("it has no certificate of the job")
	}
	return certs.Rank(tlsConn.ConnectionState().PeerCertificates[0])
}

// badInput marks an error that the user's input caused.
func badInput(err error) error {
	if err == nil {
		return nil
	}
	return &solvers.BadInput{Err: err}
}

// openCertificates opens the certificate of a rank, or of the coordinator.
func openCertificates(dir string, rank int) (*certs.Store, error) {
	store, err := certs.Open(dir, rank, func(line string) { fmt.Fprintln(os.Stderr, "atoll:", line) })
	if err != nil {
		return nil, badInput(err)
	}
	return store, nil
}

// Name returns a name for this process that is unique among supervisors.
func Name() string {
	host, err := os.Hostname()
	if err != nil {
		host = "a machine"
	}
	return fmt.Sprintf("%s (process %d)", host, os.Getpid())
}

// splitAddress splits an address into the network and address that package net expects.
func splitAddress(address string) (network, where string) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return "unix", path
	}
	return "tcp", address
}

// requireLocal returns an error if other machines can reach the address in plaintext, unless insecure is set.
func requireLocal(address string, insecure bool) error {
	if strings.HasPrefix(address, "unix:") {
		return nil
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return badInput(fmt.Errorf("%q is neither unix:/path nor host:port", address))
	}
	if ip := net.ParseIP(host); insecure || host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return badInput(fmt.Errorf("%s can be reached from other machines, which needs mutual TLS: give --certs, or "+
		"--insecure if everybody on the network may read and change the run", address))
}
