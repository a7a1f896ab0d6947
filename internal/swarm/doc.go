// Package swarm has a test that runs random cases of all solvers under random schedules: how a run is looked at, and
// on which ranks and devices it goes on, never changes what it computes. One seed gives one case, and one case has one
// state and one content of each row and frame.
//
// A case has a reference run, on one rank and one thread with plain Go, that writes each step, and other runs. Its keys
// are those that the decoders of solvers declare; values_test.go has the values of keys that are neither choices nor
// switches, and the keys that are left out, with the reason.
package swarm
