// Package supervise continues a run when its processes fail or its number of ranks changes: it restarts the ranks from
// the last checkpoint.
//
// A run has members: the launcher, and a process of atoll supervise on each other machine. Each member is a supervisor:
// it starts the ranks that are assigned to it as workers, processes that live for one epoch. Every change of the ranks
// or members (a worker dies or hangs, a member joins or leaves, a user requests another number of ranks) is handled in
// one way: all workers end, the epoch is incremented, and the present members start all ranks again, from the last
// complete checkpoint. So no failed device and no incomplete message of the old epoch is used again.
//
//	from      to        when
//	Waiting   Raising   there are enough slots, after Join, Slots, ResizeRequest or TimerFired
//	Waiting   Over      Stop, or members have been missing for Limits.WaitLimit
//	Raising   Running   EpochRaised: the new epoch is stored
//	Raising   Raising   EpochRaised, but the members need other assignments by then
//	Raising   Waiting   EpochRaised, but there are too few slots by then, or the journal has met a fault of its disk
//	Raising   Over      EpochRaised, but the run is to stop or is given up, or the journal has failed
//	Running   Ending    a worker exits, a member leaves or joins, the number of slots or ranks changes, Stop
//	Ending    Raising   all workers have exited, the run is to continue, and there are enough slots
//	Ending    Waiting   the same, but there are too few slots, or a rank has met a fault of a disk: TimerFired follows
//	Ending    Over      all workers have exited, and the run is done, stopped, refused or given up
//
// StateMachine makes the decisions. It maps events to actions, without clock, process or network, so that tests can
// replay any sequence of events. Run executes the actions. A Server accepts members on other machines, where a
// RemoteSupervisor joins the run.
//
// # The epoch
//
// A Journal stores the epoch durably in the run's output folder, and only increments it. So when the launcher dies, its
// workers die with it, remote supervisors kill theirs and dial again, and the next launcher begins the next epoch. And
// a worker of an earlier epoch that continues later, on a machine that was disconnected or suspended, cannot publish
// output, since its epoch is over.
//
// # Pods
//
// In Kubernetes each pod of an indexed Job is a member, and pod 0 is the launcher. These members are aligned: rank R
// runs in pod R, whose certificate names rank R, and the number of pods is the number of ranks. When the pods of the
// highest indices leave, the run shrinks; when pods join, it grows. If a pod of a lower index is missing, or a pod was
// lost, the run waits up to Limits.WaitLimit, since Kubernetes recreates pods. When pod 0 stops, the other pods stay
// and dial its replacement, or learn from the run's folder that the run is done.
//
// # Giving up
//
// A run without progress is given up: after more than Limits.Retries epochs in succession that ended in a loss without
// a later checkpoint, or when it fails twice with the same error. A failure that a rank reports of itself, such as
// wrong input or a state that is not finite, ends the run at once. With Limits.RetryFailures only wrong input does:
// other failures may be faults of the machine. After a fault of a disk, such as one that is full, the next epoch begins
// later, each time after twice as long; such epochs count as those that ended in a loss.
package supervise
