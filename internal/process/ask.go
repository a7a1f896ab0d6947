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

// Ask puts a question to which yes is the answer unless somebody at a terminal says no in time.
func Ask(in *os.File, out io.Writer, question string, patience time.Duration) bool {
	if !term.IsTerminal(int(in.Fd())) {
		return true
	}
	fmt.Fprint(out, question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n') // none is yes
		answer <- line
	}()
	select {
	case line := <-answer:
		return !strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "n")
	case <-time.After(patience):
		fmt.Fprintln(out)
		return true
	}
}
