// Package launch finds out where this process runs and who its peers are, and starts the rank processes of a run on
// one machine.
package launch
