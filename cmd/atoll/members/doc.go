// Package members has what the command needs for runs whose ranks come and go: the journal in the folder of a run, the
// doors through which other machines join it, and the commands ranks and supervise.
package members
