// Package proto has the messages between the ranks of a gRPC run and their coordinator: joining and leaving the run,
// heartbeats and failures. coordinator.proto defines the messages and the service; the other files are generated from
// it. Messages between ranks and reductions use streams of their own, which package dist/grpc defines.
package proto

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative coordinator.proto
