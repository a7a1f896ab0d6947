package process

import (
	"os"
	"os/signal"
)

// NotifyEnd sends the signals upon which a command ends to c, except those that were ignored when it started: nohup
// ignores SIGHUP, and shells ignore SIGINT for commands in the background.
func NotifyEnd(c chan<- os.Signal) {
	for _, s := range EndSignals {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
}
