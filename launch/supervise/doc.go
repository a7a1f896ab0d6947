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
// # Pods
//
// In Kubernetes each pod of an indexed Job is a place, and pod 0 conducts. Such places are aligned: rank R runs in pod
// R, whose certificate says so, and how many pods there are says how many ranks there are to be. Pods that leave in
// order at the end of the row make the run smaller, those that come there larger; for one that is missing among the
// others, or was lost, the run waits a while, since Kubernetes makes it anew. When pod 0 stops the others stay and call
// the next one; whether the run is done they see in its folder.
//
// # How often
//
// A run that does not get on gives up: after Limits.Retries epochs in succession that ended in a loss and brought no
// later checkpoint, or when it fails twice with the same words. What a rank says of itself, that its input is wrong or
// its state broke, ends the run at once, unless Limits.Again tells that failures may be the machine's.
package supervise
