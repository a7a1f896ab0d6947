package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// Ask writes a yes-or-no question to out and reads the answer from the terminal in. It returns false if the answer is
// no, and true otherwise: also if there is no answer before the timeout, or in is not a terminal.
func Ask(in *os.File, out io.Writer, question string, timeout time.Duration) bool {
	if !term.IsTerminal(int(in.Fd())) {
		return true
	}
	fmt.Fprint(out, question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n') // without a line the answer is yes
		answer <- line
	}()
	select {
	case line := <-answer:
		return !strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "n")
	case <-time.After(timeout):
		fmt.Fprintln(out)
		return true
	}
}
