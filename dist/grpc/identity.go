package grpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	rpcpeer "google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/atoll-hpc/atoll/dist/grpc/certs"
	"github.com/atoll-hpc/atoll/internal/guard"
)

// mutualTLS is TLS that uses the current certificates of the store at each handshake.
type mutualTLS struct {
	store   *certs.Store
	rank    int        // of a client: the rank to connect to
	lastErr *lastError // of a client, may be nil
	refused *refusals  // of a server
}

// clientCredentials returns the credentials of connections to a rank or to certs.Coordinator.
func (cfg *Config) clientCredentials(rank int, lastErr *lastError) credentials.TransportCredentials {
	if cfg.Certificates == nil {
		return insecure.NewCredentials()
	}
	return &mutualTLS{store: cfg.Certificates, rank: rank, lastErr: lastErr}
}

// serverCredentials returns the credentials of a server.
func (cfg *Config) serverCredentials(refused *refusals) credentials.TransportCredentials {
	if cfg.Certificates == nil {
		return insecure.NewCredentials()
	}
	return &mutualTLS{store: cfg.Certificates, refused: refused}
}

func (m *mutualTLS) ClientHandshake(ctx context.Context, _ string, c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	tlsConn, info, err := credentials.NewTLS(m.store.Client(m.rank)).ClientHandshake(ctx, certs.Name(m.rank), c)
	if err != nil {
		m.lastErr.set(errors.New(certs.Explain(err)))
		return nil, nil, err
	}
	return &firstRead{Conn: tlsConn, ended: func(_ byte, err error) {
		if err != nil { // the server may have refused the certificate
			m.lastErr.set(errors.New(certs.Explain(err)))
		}
	}}, info, nil
}

func (m *mutualTLS) ServerHandshake(c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	tlsConn, info, err := credentials.NewTLS(m.store.Server()).ServerHandshake(c)
	if v := guard.Of(c.RemoteAddr()); v != nil && err != nil && m.refused != nil {
		m.refused.add(noCertificate, "a connection from "+v.Origin(), "without a certificate of the job: "+
			certs.Explain(err))
	}
	return tlsConn, info, err
}

func (m *mutualTLS) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "tls"}
}

func (m *mutualTLS) Clone() credentials.TransportCredentials {
	clone := *m
	return &clone
}

func (m *mutualTLS) OverrideServerName(string) error { return nil } // the name contains the rank, whatever the address

// rankName is the rank in the certificate of the client that opened a stream. Without certificates, given is false.
type rankName struct {
	given bool
	rank  int
}

func (n rankName) String() string { return "the certificate of " + certs.Name(n.rank) }

// certifiedRank returns the rank in the certificate of the client that opened a stream.
func certifiedRank(ctx context.Context) (rankName, error) {
	p, ok := rpcpeer.FromContext(ctx)
	if !ok {
		return rankName{}, nil
	}
	info, ok := p.AuthInfo.(credentials.TLSInfo)
	if !ok {
		return rankName{}, nil
	}
	return rankNameOf(info.State)
}

func rankNameOf(s tls.ConnectionState) (rankName, error) {
	if len(s.VerifiedChains) == 0 {
		return rankName{}, status.Error(codes.Unauthenticated, "no certificate of the job")
	}
	rank, err := certs.Rank(s.PeerCertificates[0])
	if err != nil {
		return rankName{}, status.Error(codes.PermissionDenied, err.Error())
	}
	return rankName{true, rank}, nil
}

// Metadata keys with which the client that opens a stream of frames sends its rank and session.
const (
	rankKey    = "atoll-rank"
	sessionKey = "atoll-session"
)

func withIdentity(ctx context.Context, rank int, session uint64) context.Context {
	return metadata.AppendToOutgoingContext(ctx, rankKey, strconv.Itoa(rank), sessionKey, strconv.FormatUint(session, 16))
}

// identity returns the rank that has opened a stream. It returns an error for invalid ranks, other sessions, and
// certificates of other ranks.
func identity(ctx context.Context, size int, session uint64, refused *refusals) (rank int, err error) {
	md, _ := metadata.FromIncomingContext(ctx)
	v := guardedConnOf(ctx)
	refuse := func(why reason, code codes.Code, format string, args ...any) error {
		text := fmt.Sprintf(format, args...)
		from := "a stream"
		if v != nil {
			from += " from " + v.Origin()
		}
		refused.add(why, from, text)
		return status.Error(code, text)
	}
	rank, err = strconv.Atoi(singleValue(md, rankKey))
	if err != nil || rank < 0 || rank >= size {
		return 0, refuse(wrongRank, codes.InvalidArgument, "of rank %s, which does not exist among %d",
			quoted(singleValue(md, rankKey)), size)
	}
	if got := singleValue(md, sessionKey); got != strconv.FormatUint(session, 16) {
		return 0, refuse(wrongSession, codes.FailedPrecondition, "of rank %d of another session", rank)
	}
	name, err := certifiedRank(ctx)
	if err != nil {
		return 0, refuse(wrongName, codes.PermissionDenied, "of rank %d: %v", rank, err)
	}
	if name.given && name.rank != rank {
		return 0, refuse(wrongName, codes.PermissionDenied, "of rank %d with %v", rank, name)
	}
	return rank, nil
}

// trustConnection removes the limits from the connection of a stream.
func trustConnection(ctx context.Context) error {
	if v := guardedConnOf(ctx); v != nil && !v.Trust() {
		return status.Error(codes.Unavailable, "closed: too many newer unverified connections")
	}
	return nil
}

func singleValue(md metadata.MD, key string) string {
	if v := md.Get(key); len(v) == 1 {
		return v[0]
	}
	return ""
}
