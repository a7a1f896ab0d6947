// Package supervise lets a run outlive its processes: supervisors stay, workers go.
//
// Each place (the launcher itself, and a process of atoll supervise on each other machine) has a supervisor, which
// starts the ranks of its share as workers, processes that live for one epoch. Whatever changes who takes part, a
// worker that dies or hangs, a place that comes or goes, a number of ranks that is asked for, is dealt with in one way:
// all workers end, the epoch grows by one, and those who are there then start all ranks anew, which go on from the last
// whole checkpoint. Nothing of the old epoch stays: no broken device, no half of a message.
//
//	          Join, Ask                    Raised
//	Waiting ------------> Raising ----------------------> Running
//	   ^                   ^   \                         /   |
//	   | too few slots     |    \ given up              /    | a worker fails, a place goes or comes,
//	   |                   |     v                     /     v Ask, Stop
//	   +-------------------+--- Over <----------------+--- Ending
//	                        all workers have ended
//
// Machine decides: it takes events and gives actions, knows no clock, process or network, and so replays any schedule
// to the same end. Run carries its actions out.
//
// # The epoch
//
// A Journal keeps the epoch, durably, where the run has its output, and only makes it grow. Two things follow. When the
// launcher dies its workers die with it, supervisors elsewhere end theirs and dial again, and the next launcher goes on
// with the next epoch. And a worker of an earlier epoch that wakes up later, on a machine that was cut off or frozen,
// finds that its epoch is over: what it would publish is refused.
//
// # How often
//
// A run that does not get on gives up: after Limits.Retries epochs in succession that ended in a loss and brought no
// later checkpoint, or when it fails twice with the same words. What a rank says of itself, that its input is wrong or
// its state broke, ends the run at once, unless Limits.Again tells that failures may be the machine's.
package supervise
