// Package supervise lets a run outlive its processes: supervisors stay, workers are replaced.
//
// A run has members: the launcher, and a process of atoll supervise on each other machine. The supervisor of each
// member starts the ranks that are assigned to it as workers, processes that live for one epoch. Every change of who
// takes part (a worker that dies or hangs, a member that joins or leaves, a request for another number of ranks) is
// handled in one way: all workers end, the epoch is incremented, and the members that are there then start all ranks
// again, from the last complete checkpoint. Nothing of the old epoch is used again: no broken device, no half of a
// message.
//
//	          Join, ResizeRequest          EpochRaised
//	Waiting ------------> Raising ----------------------> Running
//	   ^                   ^   \                         /   |
//	   | too few slots     |    \ given up              /    | a worker fails, a member leaves or joins,
//	   |                   |     v                     /     v ResizeRequest, Stop
//	   +-------------------+--- Over <----------------+--- Ending
//	                        all workers have exited
//
// StateMachine decides: it is a function of events to actions, without clock, process or network, so that any schedule
// can be replayed. Run carries its actions out.
//
// # The epoch
//
// A Journal keeps the epoch, durably, where the run has its output, and only ever increments it. Two things follow.
// When the launcher dies its workers die with it, supervisors elsewhere end theirs and dial again, and the next
// launcher begins the next epoch. And a worker of an earlier epoch that wakes up later, on a machine that was cut off
// or frozen, finds that its epoch is over: what it would publish is refused.
//
// # Pods
//
// In Kubernetes each pod of an indexed Job is a member, and pod 0 is the launcher. Such members are aligned: rank R
// runs in pod R, whose certificate says so, and the number of pods is the number of ranks. Pods that leave in order
// from the highest index down make the run smaller, pods that join there larger; for one that is missing among the
// others, or was lost, the run waits a while, since Kubernetes recreates it. When pod 0 stops the others stay and dial
// the next one; that the run is done they see in its folder.
//
// # Giving up
//
// A run that makes no progress is given up: after Limits.Retries epochs in succession that ended in a loss and brought
// no later checkpoint, or when it fails twice with the same error. What a rank reports of itself, that its input is
// wrong or its state is not finite, ends the run at once, unless Limits.RetryFailures says that failures may be the
// machine's.
package supervise
