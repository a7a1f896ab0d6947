// Package members implements runs whose members (supervisors that offer slots for ranks) join and leave: the
// journal in the folder of a run, the server through which supervisors on other machines join, and the commands
// ranks and supervise.
package members
