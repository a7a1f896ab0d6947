package cuda

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/backend"
)

// linkedRank is a rank with a GPU of its own.
type linkedRank struct {
	rank, size int
	d          *Device
	comm       backend.DeviceComm
}

// linkGPUs opens the first GPUs, each for a rank, and links them by a kind of device communicator. It skips the test if
// that is not possible.
func linkGPUs(t testing.TB, kind string, size int) []linkedRank {
	t.Helper()
	ranks, offers := make([]linkedRank, size), make([][]byte, size)
	for r := range ranks {
		d, err := Open(Options{LocalRank: r})
		ok(t, err)
		t.Cleanup(d.Close)
		ranks[r] = linkedRank{rank: r, size: size, d: d}
		if kind != "nccl" {
			offers[r], err = d.PeerOffer(size, kind == "slots")
		} else if r == 0 {
			offers[0], err = d.LinkID()
		}
		if err != nil {
			t.Skip("NOT TESTED:", err)
		}
	}
	ok(t, onRanks(ranks, func(r *linkedRank) (err error) {
		if kind != "nccl" {
			r.comm, err = r.d.LinkPeers(r.rank, offers)
		} else {
			r.comm, err = r.d.Link(r.rank, size, offers[0])
		}
		return err
	}))
	return ranks
}

// onRanks runs f on all ranks at the same time.
func onRanks(ranks []linkedRank, f func(r *linkedRank) error) error {
	errs := make([]error, len(ranks))
	var wg sync.WaitGroup
	for r := range ranks {
		wg.Go(func() { errs[r] = f(&ranks[r]) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// countGPUs returns the number of GPUs. With fewer than two it skips the test.
func countGPUs(t testing.TB) int {
	t.Helper()
	gpus, err := Devices()
	if err != nil || len(gpus) < 2 {
		t.Skipf("NOT TESTED: %d GPUs, two are needed", len(gpus))
	}
	return len(gpus)
}

// onLinkedGPUs runs f on a rank for each of two to four GPUs, for each kind of device communicator. "slots" is P2P with
// messages that pass through slots, as between processes.
func onLinkedGPUs(t *testing.T, f func(r linkedRank) error) {
	n := countGPUs(t)
	for _, kind := range []string{"p2p", "slots", "nccl"} {
		for size := 2; size <= min(n, 4); size++ {
			t.Run(fmt.Sprintf("%s, %d GPUs", kind, size), func(t *testing.T) {
				ranks := linkGPUs(t, kind, size)
				err := onRanks(ranks, func(r *linkedRank) error { return f(*r) })
				ok(t, errors.Join(err, onRanks(ranks, func(r *linkedRank) error { return r.comm.Close() })))
			})
		}
	}
}

// TestMessagesBetweenGPUs proves that messages of all lengths and alignments arrive whole, in recordings too, also if
// their memory changes as soon as the exchange is complete.
func TestMessagesBetweenGPUs(t *testing.T) { onLinkedGPUs(t, exchangeMessages) }

// exchangeMessages exchanges messages of many lengths and compares what arrives.
func exchangeMessages(r linkedRank) error {
	lengths := []int{1, 7, 8, 24, 1000, 16384, 16400, 1<<20 + 16, 8<<20 + 8}
	const offset = 4 // of the messages of odd ranks, which are not aligned like others
	longest := slices.Max(lengths) + offset
	out, err1 := backend.Make[byte](r.d, longest)
	in, err2 := backend.Make[byte](r.d, longest*r.size)
	text, got := make([]byte, longest), make([]byte, longest*r.size)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	// Each rank sends to all others, but the last one only to rank 0.
	sends := func(from, to int) bool { return from != to && (from < r.size-1 || to == 0) }
	exchange := func(length, from int) error {
		var send, recv []backend.Message
		for p := range r.size {
			if sends(r.rank, p) {
				send = append(send, backend.Message{Peer: p, Data: out[from : from+length]})
			}
			if sends(p, r.rank) {
				recv = append(recv, backend.Message{Peer: p, Data: in[p*longest : p*longest+length]})
			}
		}
		return errors.Join(r.comm.Exchange(send, recv), r.comm.Join())
	}
	pattern := func(rank, round, i int) byte { return byte(1 + rank*31 + round*7 + i%251) }
	for round, length := range lengths {
		from := offset * (r.rank % 2)
		for i := range length {
			text[from+i] = pattern(r.rank, round, i)
		}
		if err := backend.Upload(r.d, out, text); err != nil {
			return err
		}
		queue := func() error { return exchange(length, from) }
		if round%2 == 1 {
			g, err := r.d.Capture(queue)
			if err != nil {
				return err
			}
			defer g.Close()
			g.Launch()
			g.Launch()
		} else if err := queue(); err != nil {
			return err
		}
		clear(text)
		if err := errors.Join(backend.Upload(r.d, out, text), backend.Download(r.d, got, in)); err != nil {
			return err
		}
		for p := range r.size {
			for i, v := range got[p*longest : p*longest+length] {
				if want := pattern(p, round, i); sends(p, r.rank) && v != want {
					return fmt.Errorf("rank %d: byte %d of the %d from rank %d is %d, want %d", r.rank, i, length, p, v, want)
				}
			}
		}
	}
	return nil
}

// TestMaximaOverGPUs proves that each rank gets the maxima of many rounds, which follow each other without waits of the
// host.
func TestMaximaOverGPUs(t *testing.T) { onLinkedGPUs(t, takeMaxima) }

// takeMaxima compares the maxima of many rounds.
func takeMaxima(r linkedRank) error {
	const rounds = 100
	keys, err := backend.Make[uint64](r.d, 2*rounds)
	if err != nil {
		return err
	}
	host := make([]uint64, 2*rounds)
	for i := range host {
		host[i] = uint64((i*7+r.rank*13)%29) << 40
	}
	if err := backend.Upload(r.d, keys, host); err != nil {
		return err
	}
	for i := range rounds {
		if err := errors.Join(r.comm.Max(keys[2*i:2*i+2]), r.comm.Join()); err != nil {
			return err
		}
	}
	if err := backend.Download(r.d, host, keys); err != nil {
		return err
	}
	for i, got := range host {
		want := uint64(0)
		for p := range r.size {
			want = max(want, uint64((i*7+p*13)%29)<<40)
		}
		if got != want {
			return fmt.Errorf("rank %d: maximum %d is %d, want %d", r.rank, i, got>>40, want>>40)
		}
	}
	return nil
}

// TestSumsOverGPUs proves that each rank gets the sums of integers of both signs, of one word to more than a part, in
// many rounds, between maxima, and in recordings.
func TestSumsOverGPUs(t *testing.T) { onLinkedGPUs(t, takeSums) }

// takeSums compares sums of several lengths.
func takeSums(r linkedRank) error {
	for _, n := range []int{1, 2, 71, 512, 513, 3000} {
		for _, recorded := range []bool{false, true} {
			if err := takeSumsOf(r, n, recorded); err != nil {
				return fmt.Errorf("%d words, recorded %t: %w", n, recorded, err)
			}
		}
	}
	return nil
}

func takeSumsOf(r linkedRank, n int, recorded bool) error {
	words, err := backend.Make[int64](r.d, n)
	if err != nil {
		return err
	}
	key, err := backend.Make[uint64](r.d, 1)
	if err != nil {
		return err
	}
	value := func(i, rank int) int64 { return int64(i*31+rank*17)%1009 - 500 + int64(rank)<<40 - int64(i)<<33 }
	host := make([]int64, n)
	for i := range host {
		host[i] = value(i, r.rank)
	}
	err = errors.Join(backend.Upload(r.d, words, host), backend.Upload(r.d, key, []uint64{uint64(r.rank)}))
	if err != nil {
		return err
	}
	sum := func() error { return errors.Join(r.comm.Sum(words), r.comm.Max(key), r.comm.Join()) }
	const rounds = 3
	if recorded {
		recording, err := r.d.Record(sum)
		if err != nil {
			return err
		}
		defer recording.Close()
		for range rounds {
			recording.Launch()
		}
	} else {
		for range rounds {
			if err := sum(); err != nil {
				return err
			}
		}
	}
	if err := backend.Download(r.d, host, words); err != nil {
		return err
	}
	for i, got := range host {
		want := int64(0)
		for p := range r.size {
			want += value(i, p)
		}
		for range rounds - 1 {
			want *= int64(r.size)
		}
		if got != want {
			return fmt.Errorf("rank %d: sum %d is %d, want %d", r.rank, i, got, want)
		}
	}
	return nil
}

// TestAbortEndsTheWait proves that a rank whose peer never sends does not wait after Abort.
func TestAbortEndsTheWait(t *testing.T) {
	onLinkedGPUs(t, func(r linkedRank) error {
		data, err := backend.Make[byte](r.d, 64)
		if err != nil || r.rank > 1 {
			r.comm.Abort()
			return err
		}
		message := []backend.Message{{Peer: 1 - r.rank, Data: data}}
		if err := errors.Join(r.comm.Exchange(message, message), r.comm.Join(), r.d.Sync()); err != nil {
			return err
		}
		defer time.AfterFunc(50*time.Millisecond, r.comm.Abort).Stop()
		if r.rank == 1 {
			time.Sleep(100 * time.Millisecond)
			return nil
		}
		if err := errors.Join(r.comm.Exchange(nil, message), r.comm.Join()); err != nil {
			return err
		}
		if err := r.d.Sync(); err != nil {
			return nil // NCCL may report the abort
		}
		if err := r.comm.Max(nil); !errors.Is(err, errAborted) {
			return fmt.Errorf("error %w after Abort", err)
		}
		return nil
	})
}

// BenchmarkExchangeBetweenGPUs has the time of an exchange of two GPUs, in recordings of 100.
func BenchmarkExchangeBetweenGPUs(b *testing.B) {
	countGPUs(b)
	for _, kind := range []string{"p2p", "slots", "nccl"} {
		for _, length := range []int{8, 4096, 262144, 1 << 20, 8 << 20} {
			b.Run(fmt.Sprintf("%s/%d", kind, length), func(b *testing.B) { benchmarkExchange(b, kind, length) })
		}
	}
}

func benchmarkExchange(b *testing.B, kind string, length int) {
	const recorded = 100
	ok(b, onRanks(linkGPUs(b, kind, 2), func(r *linkedRank) error {
		data, err := backend.Make[byte](r.d, 2*length)
		if err != nil {
			return err
		}
		send := []backend.Message{{Peer: 1 - r.rank, Data: data[:length]}}
		recv := []backend.Message{{Peer: 1 - r.rank, Data: data[length:]}}
		queue := func() (err error) {
			for range recorded {
				err = errors.Join(err, r.comm.Exchange(send, recv), r.comm.Join())
			}
			return err
		}
		if err := errors.Join(queue(), r.d.Sync()); err != nil {
			return err
		}
		g, err := r.d.Capture(queue)
		if err != nil {
			return err
		}
		start := time.Now()
		for range b.N {
			g.Launch()
		}
		err = r.d.Sync()
		if r.rank == 0 {
			b.ReportMetric(float64(time.Since(start).Microseconds())/float64(b.N*recorded), "µs/exchange")
		}
		g.Close() // before the communicator, whose kernels it has
		return errors.Join(err, r.comm.Close())
	}))
}
