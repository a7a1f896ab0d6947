package mpi

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist"
)

func TestNoticeRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := notice{
			kind:   noticeKind(rapid.IntRange(1, int(failed)).Draw(t, "kind")),
			source: rapid.IntRange(0, 99).Draw(t, "from"),
			about:  rapid.IntRange(0, 99).Draw(t, "about"),
			code:   int(rapid.Int32().Draw(t, "code")),
			sent:   rapid.Uint64().Draw(t, "sent"),
			cause:  rapid.StringN(0, 2000, -1).Draw(t, "cause"),
		}
		var buf [noticeBytes]byte
		length := n.encode(buf[:])
		got, err := decode(buf[:length], 100)
		if err != nil {
			t.Fatal(err)
		}
		if cut, ok := strings.CutSuffix(got.cause, cutMark); ok && len(n.cause) > noticeBytes-noticeHeader {
			if !strings.HasPrefix(n.cause, cut) || !utf8.ValidString(cut) || len(cut) < 900 {
				t.Fatalf("a cause of %d bytes was decoded as %q", len(n.cause), got.cause)
			}
			got.cause = n.cause
		}
		if got != n {
			t.Fatalf("got %+v, want %+v", got, n)
		}
	})
}

func TestFailureRoundTrip(t *testing.T) {
	var buf [noticeBytes]byte
	roundTrip := func(err error) error {
		n, e := decode(buf[:failureNotice(2, err).encode(buf[:])], 4)
		if e != nil {
			t.Fatal(e)
		}
		return n.failure()
	}
	var a *dist.AbortError
	if err := roundTrip(&dist.AbortError{Rank: 3, Code: 7, Cause: "out of memory"}); !errors.As(err, &a) ||
		*a != (dist.AbortError{Rank: 3, Code: 7, Cause: "out of memory"}) {
		t.Errorf("got %v, want the AbortError", err)
	}
	var p *dist.PeerError
	if err := roundTrip(&dist.PeerError{Rank: 1, Err: errors.New("hangs")}); !errors.As(err, &p) ||
		err.Error() != "rank 1: hangs" {
		t.Errorf("got %v, want the PeerError", err)
	}
	if err := roundTrip(errors.New("disk full")); !errors.As(err, &p) || p.Rank != 2 {
		t.Errorf("got %v, want a PeerError of the sender, rank 2", err)
	}
}

// decode returns a notice about existing ranks, or an error, for any input.
func FuzzDecodeNotice(f *testing.F) {
	var buf [noticeBytes]byte
	f.Add(buf[:notice{kind: left, source: 1, sent: 5}.encode(buf[:])])
	f.Add([]byte{})
	f.Add(make([]byte, noticeHeader))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := decode(data, 3)
		if err == nil && (n.source < 0 || n.source > 2 || n.about < 0 || n.about > 2 || n.kind < ask || n.kind > failed) {
			t.Errorf("accepted %+v", n)
		}
	})
}
