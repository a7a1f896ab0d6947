// Package grpc is the transport for ranks that are processes, over gRPC: on unix sockets and loopback, and with
// mutual TLS between machines. Join returns the dist.Comm of a rank; ServeCoordinator runs a coordinator outside
// the processes of ranks.
//
// # Connections
//
// The ranks join at a coordinator, which runs in rank 0's process unless ServeCoordinator serves it elsewhere. Each
// rank keeps a stream to it,
//
//	Attend   protobuf: hello, welcome, heartbeats, abort, leave, verdict
//
// and one to each rank with which it exchanges messages, opened by the one that sends first (if both do, there are
// two, each used in one direction). A stream stays open until the end. Hello carries size, build, case, epoch and
// token: a rank that differs in one of them is refused with the reason, which Config.Notify is called with, and the
// others wait for the right one. Welcome carries the addresses of all ranks, in pages that each fit into a message,
// and the session, a random number in each frame of these ranks.
//
// # Frames
//
// A frame is a header of 40 bytes and up to 256 KiB, passed through gRPC by a codec that does not interpret it.
// Frames of one direction are numbered; a gap ends the run. A message of up to 256 KiB is sent at once, and is kept
// at the receiver when its receive is not posted yet. A longer one is offered first, and its bytes are sent when
// the receiver accepts it, directly into the posted buffer. Memory is allocated for bytes that have arrived, not
// for announced lengths, and unexpected messages are bounded by Config.UnexpectedLimit.
//
// # Collectives
//
// Collectives are messages along a tree of the ranks (collect.Tree): what ranks contribute is combined on its way up to
// rank 0, by operations that do not depend on their order, and the result comes down again. With up to 8 ranks, rank 0
// is next to all others; of more than 64, none sends and receives more than 2⌈log₂ n⌉ messages for a collective.
//
// # Failure
//
// The first failure ends the run, and the coordinator's verdict says which rank it was. A rank is lost at once if its
// Attend stream breaks (its process died), or if it sends nothing for Config.Silence (it or its machine is frozen or
// disconnected). Every message is a heartbeat, in both directions; without other messages, thirty heartbeats are sent
// in that time (of more than 256 ranks fewer, down to ten), so that a rank that pauses for slightly less than Silence
// is not lost. While a process is stopped itself, it does not count the silence of others.
//
// Heartbeats go along the tree of collectives, on one more stream between a parent and a child,
//
//	Watch    protobuf: heartbeats, and the loss of a rank
//
// so that no process has many to send. Ranks report a silent neighbour to the coordinator. If that has no verdict,
// since rank 0 is frozen, they tell their children before they fail. Until the coordinator has heard from all ranks
// that they have the welcome and the stream to their parent, heartbeats go to and from it, and ranks may be silent for
// Config.JoinTimeout; then Join returns. A coordinator outside the processes of ranks exchanges heartbeats with all
// ranks all the time, and its death is reported as that of rank -1. If the stream to a neighbour breaks, a rank waits
// up to a second for the verdict, because the neighbour may have ended after the failure of another rank. Rank 0
// receives a verdict after the others, or after 300 ms, since its process, which runs the coordinator, may exit then.
//
// Abort, different collectives on different ranks, a collective that is given up because its context ended, and a
// breach of the protocol end the run in the same way. A point-to-point call that ends with its context affects no
// other call.
//
// Close sends the number of frames sent to each neighbour, and waits for the coordinator's farewell, a message that all
// ranks have closed. The coordinator's heartbeats tell ranks that still run which have closed, and how many frames
// these have sent them. A rank that still runs can receive what was sent to it; its other calls that need the closed
// rank fail with dist.ErrClosed. So n ranks leave with 2n messages.
//
// # Cost
//
// This package allocates nothing per message: buffers are pooled. gRPC itself allocates 5 to 10 small objects per
// message. Besides the copies of the kernel, a short message is copied three times: into a frame, into gRPC's write
// buffer, and out of gRPC's read buffer; a long one twice, since gRPC reads the memory of the sender directly. When
// a run fails, sends wait up to half a second until gRPC no longer reads that memory; if the peer does not read,
// gRPC may still read it after the send has returned.
//
// A process should use as many processors (GOMAXPROCS) as its rank has threads. With more, the runtime wakes idle
// ones for the goroutines that handle a message, and the message moves between caches.
//
// MPI over shared memory is about ten times faster. BenchmarkProcesses compares this transport with plain sockets
// between two processes.
//
// # Security
//
// Connections between machines use mutual TLS 1.3, unless Config.Insecure is set. The name in a certificate
// contains the rank, which must match the rank in the hello. Package certs makes certificates, and reads new ones
// without a restart. A unix socket is as private as its directory: make that with mode 0700. On loopback any
// process of the machine can connect; without the token it cannot join, and without the session it cannot send
// frames.
//
// A connection is unverified until it has sent a valid hello, or opened a stream with the session. Limits of an
// unverified connection: 64 KiB read, 10 s, four streams, and headers of 8 KiB. At most 64 of them, plus one per
// rank, may be open, and at most 1024 in all: one more closes the oldest, which reconnects if it is a rank. So that
// no frame is lost with a closed connection, a rank sends frames on a stream only after its server has accepted it.
// Unverified connections are closed at once when the rank ends.
package grpc
