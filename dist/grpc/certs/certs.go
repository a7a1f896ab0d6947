// Package certs makes and reads the certificates by which ranks know each other.
//
// Each job has a certificate authority of its own, and each rank a certificate that it has signed, whose DNS name says
// which rank holds it: rank-3.atoll.internal. Nobody looks that name up; where a rank is found does not matter. A
// folder of a certificate holds what Kubernetes puts into a secret of type kubernetes.io/tls:
//
//	ca.crt   the authorities that are trusted, in PEM
//	tls.crt  the certificate, followed by any between it and the authority
//	tls.key  its private key
package certs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	domain      = "atoll.internal"
	coordinator = "coordinator"
	rankPrefix  = "rank-"

	authorityFile   = "ca.crt"
	certificateFile = "tls.crt"
	keyFile         = "tls.key"
)

// Coordinator stands for a coordinator outside all ranks where a rank is asked for.
const Coordinator = -1

// Name is the DNS name in the certificate of a rank.
func Name(rank int) string { return commonName(rank) + "." + domain }

func commonName(rank int) string {
	if rank == Coordinator {
		return coordinator
	}
	return rankPrefix + strconv.Itoa(rank)
}

// Rank is whose certificate it is: a rank, or Coordinator.
func Rank(c *x509.Certificate) (int, error) {
	for _, name := range c.DNSNames {
		host, ok := strings.CutSuffix(name, "."+domain)
		if !ok || len(c.DNSNames) > 1 {
			continue
		}
		if host == coordinator {
			return Coordinator, nil
		}
		digits, ok := strings.CutPrefix(host, rankPrefix)
		if rank, err := strconv.Atoi(digits); ok && err == nil && rank >= 0 && Name(rank) == name {
			return rank, nil
		}
	}
	return 0, fmt.Errorf("a certificate for %q: want one DNS name, such as %s", c.DNSNames, Name(0))
}

// Store is the certificate of one rank and the authorities that it trusts. It reads them again when their files have
// changed: a run need not be started again for new ones. What cannot be read leaves those before in use.
type Store struct {
	dir    string
	rank   int
	notify func(line string)

	mu      sync.Mutex
	stamps  [3]stamp
	pair    *tls.Certificate
	trusted *x509.CertPool
}

// stamp tells one state of a file from another.
type stamp struct {
	changed time.Time
	size    int64
}

// Open reads the certificate of a rank: from the folder, or from rank-R in it as Make writes them. notify, which may be
// nil, is told in a line when certificates were read again, or could not be.
func Open(dir string, rank int, notify func(line string)) (*Store, error) {
	if notify == nil {
		notify = func(string) {}
	}
	s := &Store{dir: dir, rank: rank, notify: notify}
	if _, err := os.Stat(filepath.Join(dir, certificateFile)); errors.Is(err, os.ErrNotExist) {
		s.dir = filepath.Join(dir, commonName(rank))
	}
	stamps, err := s.fileStamps()
	if err != nil {
		return nil, err
	}
	return s, s.read(stamps)
}

func (s *Store) files() [3]string {
	return [3]string{filepath.Join(s.dir, certificateFile), filepath.Join(s.dir, keyFile),
		filepath.Join(s.dir, authorityFile)}
}

func (s *Store) fileStamps() (stamps [3]stamp, err error) {
	for i, file := range s.files() {
		info, err := os.Stat(file)
		if err != nil {
			return stamps, fmt.Errorf("certificates: %w", err)
		}
		stamps[i] = stamp{info.ModTime(), info.Size()}
	}
	return stamps, nil
}

// read takes what the files hold, if it fits together.
func (s *Store) read(stamps [3]stamp) error {
	f := s.files()
	pair, err := tls.LoadX509KeyPair(f[0], f[1])
	if err != nil {
		return fmt.Errorf("certificates: %s with %s: %w", f[0], keyFile, err)
	}
	rank, err := Rank(pair.Leaf)
	if err != nil {
		return fmt.Errorf("certificates: %s: %w", f[0], err)
	}
	if rank != s.rank {
		return fmt.Errorf("certificates: %s is that of %s, and not of %s", f[0], commonName(rank), commonName(s.rank))
	}
	if now := time.Now(); now.After(pair.Leaf.NotAfter) {
		return fmt.Errorf("certificates: %s has expired on %v: make new ones with atoll certs", f[0], pair.Leaf.NotAfter)
	}
	pem, err := os.ReadFile(f[2])
	if err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(pem) {
		return fmt.Errorf("certificates: %s holds no certificate in PEM", f[2])
	}
	s.stamps, s.pair, s.trusted = stamps, &pair, trusted
	return nil
}

// current returns what the files hold, or held when they could be read last.
func (s *Store) current() (*tls.Certificate, *x509.CertPool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stamps, err := s.fileStamps()
	if err == nil && stamps != s.stamps {
		before := s.stamps
		if err = s.read(stamps); err == nil {
			s.notify("certificates: read again from " + s.dir)
		} else if s.stamps = stamps; before != stamps { // told once for each state of the files
			s.notify(err.Error() + "; those before stay in use")
		}
	}
	return s.pair, s.trusted
}

func (s *Store) config() *tls.Config {
	pair, trusted := s.current()
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{*pair}, RootCAs: trusted,
		ClientCAs: trusted, ClientAuth: tls.RequireAndVerifyClientCert, SessionTicketsDisabled: true}
}

// Server is how the rank answers those who call it now.
func (s *Store) Server() *tls.Config { return s.config() }

// Client is how it calls another rank, or Coordinator, now.
func (s *Store) Client(rank int) *tls.Config {
	c := s.config()
	c.ServerName = Name(rank)
	return c
}
