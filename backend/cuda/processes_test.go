package cuda

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// envOtherRank is set in the process of rank 1 of TestGPUsOfTwoProcesses.
const envOtherRank = "ATOLL_TEST_OTHER_RANK"

// TestGPUsOfTwoProcesses proves that GPUs of two processes exchange messages and take maxima by P2P.
func TestGPUsOfTwoProcesses(t *testing.T) {
	if os.Getenv(envOtherRank) != "" {
		ok(t, peerOfOtherProcess(t, 1, os.Stdin, os.Stdout))
		return
	}
	countGPUs(t)
	other := exec.Command(os.Args[0], "-test.run=^TestGPUsOfTwoProcesses$")
	other.Env = append(os.Environ(), envOtherRank+"=1")
	other.Stderr = os.Stderr
	in, err := other.StdinPipe()
	ok(t, err)
	out, err := other.StdoutPipe()
	ok(t, err)
	ok(t, other.Start())
	err = peerOfOtherProcess(t, 0, out, in)
	rest, _ := io.ReadAll(out)
	if waited := other.Wait(); err != nil || waited != nil {
		t.Fatalf("%v; the other process: %v, %s", err, waited, rest)
	}
}

// peerOfOtherProcess links a GPU with that of the other process, to which lines are written, and tests the link.
func peerOfOtherProcess(t *testing.T, rank int, from io.Reader, to io.Writer) error {
	d, err := Open(Options{LocalRank: rank})
	if err != nil {
		return err
	}
	t.Cleanup(d.Close)
	offers := make([][]byte, 2)
	if offers[rank], err = d.PeerOffer(2, true); err != nil {
		return err
	}
	lines := bufio.NewReader(from)
	fmt.Fprintf(to, "%x\n", offers[rank])
	line, err := lines.ReadString('\n')
	if err != nil {
		return err
	}
	if offers[1-rank], err = hex.DecodeString(strings.TrimSpace(line)); err != nil {
		return err
	}
	comm, err := d.LinkPeers(rank, offers)
	if err != nil {
		return err
	}
	r := linkedRank{rank: rank, size: 2, d: d, comm: comm}
	err = errors.Join(exchangeMessages(r), takeMaxima(r))
	fmt.Fprintln(to, "done")
	if _, e := lines.ReadString('\n'); e != nil { // neither ends before the other has read its messages
		err = errors.Join(err, e)
	}
	return errors.Join(err, comm.Close())
}
