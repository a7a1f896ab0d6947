//go:build linux && !race

package readahead

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// socketPair returns both ends of a unix socket.
func socketPair(t interface {
	Helper()
	Fatal(...any)
}, dir string) (net.Conn, net.Conn) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return a, b
}

// Bytes arrive once each and in order, whatever the sizes of writes and reads.
func TestReadAheadReadsTheSameBytes(t *testing.T) {
	dir, err := os.MkdirTemp("", "atoll")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	size := rapid.OneOf(rapid.IntRange(1, 40), rapid.IntRange(1, 3*aheadBytes), rapid.SampledFrom([]int{9, 16384, 70000}))
	rapid.Check(t, func(t *rapid.T) {
		w, plain := socketPair(t, dir)
		defer plain.Close()
		r, err := New(plain)
		if err != nil {
			t.Fatal(err)
		}
		sent := make([]byte, rapid.IntRange(0, 200_000).Draw(t, "bytes"))
		rng := rand.NewChaCha8([32]byte{1})
		_, _ = rng.Read(sent)
		writeSizes := rapid.SliceOfN(size, 1, 20).Draw(t, "written")
		go func() {
			defer w.Close()
			for i, rest := 0, sent; len(rest) > 0; i++ {
				n := min(writeSizes[i%len(writeSizes)], len(rest))
				if _, err := w.Write(rest[:n]); err != nil {
					return // the reader reports the missing bytes
				}
				rest = rest[n:]
			}
		}()
		readSizes := rapid.SliceOfN(size, 1, 20).Draw(t, "asked")
		var got []byte
		for i := 0; ; i++ {
			p := make([]byte, readSizes[i%len(readSizes)])
			n, err := io.ReadFull(r, p)
			got = append(got, p[:n]...)
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(got, sent) {
			t.Fatalf("received %d bytes of %d, the first difference at %d", len(got), len(sent), firstDifference(got, sent))
		}
	})
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

func TestReadAheadEndsWithDeadlineAndClose(t *testing.T) {
	dir, err := os.MkdirTemp("", "atoll")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	w, plain := socketPair(t, dir)
	defer w.Close()
	r, err := New(plain)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.SetReadDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 9)
	if n, err := r.Read(p); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(n, err)
	}
	if err := r.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := r.Read(p)
		ended <- err
	}()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Fatal(err)
	}
}
