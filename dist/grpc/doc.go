// Package grpc connects ranks that are processes, over gRPC: on unix sockets and loopback, and by mutual TLS beyond.
//
// # Connections
//
// The ranks join at a coordinator, which runs in rank 0's process unless ServeCoordinator serves it elsewhere. Each
// rank keeps two streams to it:
//
//	Attend   protobuf: hello, welcome, signs of life, abort, leave, verdict
//	Collect  frames: what the rank brings to collectives, and their results
//
// and one to each rank that it exchanges messages with, opened by whichever of the two sends first (when both do, there
// are two, each used in one direction). A stream stays open until the end. Hello carries size, build, case, epoch and
// token: a rank that differs in one of them is refused with the reason, of which Config.Notify is told, and the
// others wait for the right one. Welcome carries every rank's address, in pages that each fit into a message, and the
// session, a random number that marks each frame of these ranks.
//
// # Frames
//
// A frame is a header of 40 bytes and up to 256 KiB, passed through gRPC by a codec that does not interpret it. Frames
// of one direction are numbered; a gap ends the run. A message of up to 256 KiB is sent at once, and is kept at the
// receiver when its receive is not posted yet. A longer one is offered first, and its bytes are sent when the receiver
// accepts it, straight into the posted buffer. No memory is allocated for a length that the network announces before
// its bytes have arrived, and early messages are bounded by Config.UnexpectedLimit.
//
// Collectives are computed by the coordinator from all contributions, in an order-free way, so their results do not
// depend on who comes first. In rank 0's process they take no detour through a socket.
//
// # Failure
//
// The first failure ends the run, and the coordinator's verdict says which rank it was. A rank whose Attend stream
// breaks is lost at once (its process died), one of which nothing is heard for Config.Silence too (it is frozen, cut
// off, or its machine is). Every message is a sign of life, in both directions; where there is nothing else to say,
// thirty beats are sent in that time, so a rank that pauses for a little less than Silence is not lost. While a
// process is itself stopped, it counts no other's silence. When the coordinator itself dies or freezes, each rank sees
// that in the same two ways, and names rank 0, or rank -1 when the coordinator belongs to none. A rank that sees a
// neighbour's stream break waits up to a second for the verdict, because the neighbour may have ended only because of
// another's failure. Rank 0 hears a verdict after the others, or after 300 ms, since its process may exit on hearing
// it and take the coordinator with it.
//
// Abort, different collectives on different ranks, a collective that is given up because its context ended, and a
// breach of the protocol end the run in the same way. A point-to-point call that ends with its context harms no other.
//
// Close tells how many frames were sent to whom, and waits until all ranks have closed. A rank that still runs can
// receive what was sent to it; what else it expects of the closed rank fails with ErrClosed.
//
// # Cost
//
// Per message this package allocates nothing: buffers come from a pool and go back. gRPC itself allocates 5 to 10 small
// objects a message. A short message is copied three times in this process besides what the kernel copies: into a
// frame, by gRPC into what it writes, and out of what gRPC has read; a long one twice, since gRPC reads the memory of
// the sender itself. When a run fails its sends wait up to half a second until gRPC no longer reads that memory; where
// the peer does not read, gRPC may still read it after the send has returned.
//
// A process should use as many processors (GOMAXPROCS) as its rank computes with. With idle ones the runtime wakes them
// for each of the goroutines that a message passes through, and the message moves from cache to cache.
//
// At the same size MPI over shared memory is some ten times faster. BenchmarkProcesses sets this transport beside bare
// sockets between two processes.
//
// # Security
//
// Beyond unix sockets and loopback connections are mutual TLS 1.3, unless Config.Insecure says otherwise. The name in a
// rank's certificate says which rank it is; what it says itself must be the same. Package certs makes certificates, and
// reads new ones without a restart. A unix socket is as private as its directory: make that with mode 0700. On loopback
// any process of the machine can connect: the token keeps it from taking part, and the session from sending frames.
//
// A connection is unverified until it has sent a valid hello, or opened a stream with the session. Of an unverified
// one at most 64 KiB are read; it has 10 s, four streams, and headers of 8 KiB. There are at most 64 of them besides
// one for each rank, and 1024 in all: with one more the oldest is closed, and dials again if it is a rank. So that no
// frame is lost with a closed connection, a rank sends frames on a stream only once its server has accepted it.
// Unverified connections are closed at once when the rank ends.
package grpc
