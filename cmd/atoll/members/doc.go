// Package members has what the command needs for runs whose members come and go: the journal in the folder of a run,
// the server at which other machines join it, and the commands ranks and supervise.
package members
