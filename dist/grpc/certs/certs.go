// Package certs makes and reads the certificates with which ranks authenticate each other: Make writes them, a
// Store reads them and gives the TLS configuration of servers and clients.
//
// Each job has its own certificate authority, which signs a certificate for each rank. The DNS name in a
// certificate contains the rank: rank-3.atoll.internal. The name is never resolved, so that a rank may run at any
// address. The folder of a certificate has the files of a Kubernetes secret of type kubernetes.io/tls:
//
//	ca.crt   the certificates of the trusted authorities, in PEM
//	tls.crt  the certificate, followed by intermediate ones
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

// Coordinator stands for a coordinator outside the processes of ranks, as the rank in Name, Open and Client.
const Coordinator = -1

// Name returns the DNS name in the certificate of a rank.
func Name(rank int) string { return commonName(rank) + "." + domain }

func commonName(rank int) string {
	if rank == Coordinator {
		return coordinator
	}
	return rankPrefix + strconv.Itoa(rank)
}

// Rank returns the rank that a certificate names, or Coordinator.
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

// Store is the certificate of one rank and the authorities that it trusts. It reloads them when their files have
// changed, so that certificates can be rotated while a run goes on. If the new files cannot be read, the
// certificates loaded before stay in use.
type Store struct {
	dir    string
	rank   int
	notify func(line string)

	mu      sync.Mutex
	stamps  [3]stamp
	pair    *tls.Certificate
	trusted *x509.CertPool
}

// stamp is the modification time and size of a file, to detect changes.
type stamp struct {
	changed time.Time
	size    int64
}

// Open reads the certificate of a rank from dir, or from its subfolder rank-R, as Make writes it. notify, which may
// be nil, is called with a line of text when certificates were reloaded or could not be.
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

// read loads the files and checks that key, certificate and rank match.
func (s *Store) read(stamps [3]stamp) error {
	f := s.files()
	if err := checkSecret(f[1]); err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(f[0], f[1])
	if err != nil {
		return fmt.Errorf("certificates: %s with %s: %w", f[0], keyFile, err)
	}
	rank, err := Rank(pair.Leaf)
	if err != nil {
		return fmt.Errorf("certificates: %s: %w", f[0], err)
	}
	if rank != s.rank {
		return fmt.Errorf("certificates: %s belongs to %s, not to %s", f[0], commonName(rank), commonName(s.rank))
	}
	switch now := time.Now(); {
	case now.After(pair.Leaf.NotAfter):
		return fmt.Errorf("certificates: %s has expired on %v: make new ones with atoll certs", f[0], pair.Leaf.NotAfter)
	case now.Before(pair.Leaf.NotBefore):
		return fmt.Errorf("certificates: %s is valid from %v on, and it is %v: is the clock of this machine right?", f[0],
			pair.Leaf.NotBefore, now.Round(time.Second))
	}
	pem, err := os.ReadFile(f[2])
	if err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(pem) {
		return fmt.Errorf("certificates: %s has no certificate in PEM", f[2])
	}
	if err := verify(&pair, trusted); err != nil {
		return fmt.Errorf("certificates: %s with %s: %w", f[0], authorityFile, err)
	}
	s.stamps, s.pair, s.trusted = stamps, &pair, trusted
	return nil
}

// verify returns the error with which others that trust the same authorities would refuse the certificate, as that of a
// server or of a client: a rank is both.
func verify(pair *tls.Certificate, trusted *x509.CertPool) error {
	intermediates := x509.NewCertPool()
	for _, der := range pair.Certificate[1:] {
		if c, err := x509.ParseCertificate(der); err == nil {
			intermediates.AddCert(c)
		}
	}
	for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
		_, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: trusted, Intermediates: intermediates,
			KeyUsages: []x509.ExtKeyUsage{usage}})
		if err != nil {
			return errors.New(Explain(err))
		}
	}
	return nil
}

// current returns the certificates in the files, or those loaded last if the files cannot be read.
func (s *Store) current() (*tls.Certificate, *x509.CertPool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stamps, err := s.fileStamps()
	if err == nil && stamps != s.stamps {
		before := s.stamps
		if err = s.read(stamps); err == nil {
			s.notify("certificates: reloaded from " + s.dir)
		} else if s.stamps = stamps; before != stamps { // one line for each change of the files
			s.notify(err.Error() + "; the certificates loaded before stay in use")
		}
	}
	return s.pair, s.trusted
}

func (s *Store) config() *tls.Config {
	pair, trusted := s.current()
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{*pair}, RootCAs: trusted,
		ClientCAs: trusted, ClientAuth: tls.RequireAndVerifyClientCert, SessionTicketsDisabled: true}
}

// Server returns the TLS configuration of a server, with the current certificates.
func (s *Store) Server() *tls.Config { return s.config() }

// Client returns the TLS configuration of a client that connects to another rank, or to Coordinator.
func (s *Store) Client(rank int) *tls.Config {
	c := s.config()
	c.ServerName = Name(rank)
	return c
}
